"""The steps that ``nbgrader autograde`` and formgrader's button take in this course.

`Rebuild` puts the submission back into the shape of the release, `Ask` replaces
execution: the notebook runs in a box, the functions are asked from outside, and
the verdicts become the outputs of the check cells. Everything else is nbgrader's.
"""

import atexit
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from ...box import Box, Sandbox
from ..intake.notebook import clean
from ..intake.rebuild import rebuild
from ..lab import Lab, load
from ..runs.store import Store
from ..secrets import secrets_for
from ..shown import shown
from ..submission import grade_notebook
from .extras import lay_beside, note
from .formgrader import escaped
from .tame import tame, texts_of

REPAIRS, LEFT_OUT = "chip2cluster_repairs", "chip2cluster_left_out"
NAMES = ("student", "first_name", "last_name", "notebook_path")
STYLE = """
.text_cell_render, .input_area, .output_area { contain: paint; overflow-x: auto; }
.output_area pre, .input_area pre { white-space: pre; word-break: normal; overflow-wrap: normal; }
.highlight .err { border: 0; }
"""
_boxes: dict[tuple[Path, str], Box] = {}


class Rebuild(NbGraderPreprocessor):
    """First step: released cells as released, the student's answers in them, every repair reported."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        lab = load(_root(self), resources["nbgrader"]["assignment"])
        rebuilt = rebuild(clean(nb), lab.released)
        for repair in rebuilt.repairs:
            self.log.warning("%s: %s", shown(resources["nbgrader"]["student"]), shown(repair, 400))
        notebook = nbformat.from_dict(rebuilt.notebook)
        notebook.metadata[REPAIRS] = list(rebuilt.repairs)
        converter, names = self.parent.parent, resources["nbgrader"]  # nbgrader's Autograde
        target = Path(
            converter.coursedir.format_path(converter.coursedir.autograded_directory, names["student"], lab.name)
        )
        # In place of nbgrader's copy of every file, links followed.
        own = converter.exclude_overwriting.get(lab.name, ())
        notebook.metadata[LEFT_OUT] = lay_beside(converter.coursedir, lab.name, _source(self, names), target, own=own)
        # Formgrader shows it from now on, even if grading stops here.
        tame(notebook, texts_of(lab.released), code=False)
        return notebook, resources


class Ask(NbGraderPreprocessor):
    """In place of execution: run the notebook in a box and ask its functions from outside."""

    sandbox = Unicode(
        "auto",
        help='"auto" refuses to grade where bubblewrap cannot run; "unsandboxed" then takes a plain subprocess.',
    ).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        root, names = _root(self), resources["nbgrader"]
        lab = load(root, names["assignment"])
        repairs, left_out = nb.metadata.pop(REPAIRS, []), nb.metadata.pop(LEFT_OUT, [])
        box = _box(lab, self.sandbox)
        if box.name is Sandbox.UNSANDBOXED:
            self.log.warning("%s was graded unsandboxed", shown(names["student"]))
        result = grade_notebook(nb, names["student"], lab, box, secrets_for(lab, names["student"]))
        result.repairs = repairs
        Store.of(root, lab.name).put(result)
        graded = nbformat.from_dict(result.notebook)
        if left_out:
            graded.cells.append(nbformat.from_dict(note(left_out, _source(self, names))))
        tame(graded, texts_of(lab.released))
        return graded, resources


class Tame(Preprocessor):
    """Before formgrader shows a notebook, whoever graded it: see `autograder.grading.gradebook.tame`."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        tame(nb, _released(self.config, resources))
        resources.update(escaped({name: resources.get(name) for name in NAMES}))
        # Nothing reaches out of its cell; a wide table is scrolled, not wrapped.
        resources.setdefault("inlining", {}).setdefault("css", []).append(STYLE)
        return nb, resources


def _released(config: Any, names: Any) -> dict[str, str]:
    """The texts of the release that formgrader's page is about; none where there is no such thing."""
    directory = CourseDirectory(config=config)
    folder = Path(directory.format_path(directory.release_directory, ".", str(names.get("assignment_id"))))
    try:
        return texts_of(json.loads((folder / f"{names.get('notebook_id')}.ipynb").read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _source(step: Any, names: Any) -> Path:
    """Where a submission was handed in."""
    directory = step.parent.parent.coursedir
    return Path(directory.format_path(directory.submitted_directory, names["student"], names["assignment"]))


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
