"""The steps that ``nbgrader autograde`` and formgrader's button take in this course.

`Rebuild` puts the submission back into the shape of the release, `Ask` replaces
execution: the notebook runs in a box, the functions are asked from outside, and
the verdicts become the outputs of the check cells. Everything else is nbgrader's.
"""

import atexit
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from ...box import Box, Sandbox
from ..intake.notebook import clean
from ..intake.rebuild import rebuild
from ..lab import Lab, load
from ..releases import release_of
from ..runs.store import Store
from ..secrets import secrets_for
from ..submission import grade_notebook

REPAIRS = "chip2cluster_repairs"
_boxes: dict[tuple[Path, str], Box] = {}


class Rebuild(NbGraderPreprocessor):
    """First step: released cells as released, the student's answers in them, every repair reported."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        lab = load(_root(self), resources["nbgrader"]["assignment"])
        notebook = clean(nb)
        rebuilt = rebuild(notebook, lab.released, release_of(lab, notebook))
        for repair in rebuilt.repairs:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], repair)
        made = nbformat.from_dict(rebuilt.notebook)
        made.metadata[REPAIRS] = list(rebuilt.repairs)
        return made, resources


class Ask(NbGraderPreprocessor):
    """In place of execution: run the notebook in a box and ask its functions from outside."""

    sandbox = Unicode(
        "auto",
        help='"auto" refuses to grade where bubblewrap cannot run; "unsandboxed" then takes a plain subprocess.',
    ).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        root, names = _root(self), resources["nbgrader"]
        lab = load(root, names["assignment"])
        repairs = nb.metadata.pop(REPAIRS, [])
        box = _box(lab, self.sandbox)
        if box.name is Sandbox.UNSANDBOXED:
            self.log.warning("%s was graded unsandboxed", names["student"])
        result = grade_notebook(nb, names["student"], lab, box, secrets_for(lab, names["student"]))
        result.repairs = repairs
        Store.of(root, lab.name).put(result)
        return nbformat.from_dict(result.notebook), resources


def _root(step: Any) -> Path:
    """The course folder of the converter that this step works for."""
    return Path(step.parent.parent.coursedir.root)


def _box(lab: Lab, sandbox: str) -> Box:
    """One warm box for each lab, for as long as this process grades."""
    key = lab.folder, sandbox
    if key not in _boxes:
        stack = ExitStack()
        _boxes[key] = stack.enter_context(Box(lab, sandbox=sandbox))
        atexit.register(stack.close)
    return _boxes[key]
