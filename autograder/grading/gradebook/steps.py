"""The steps that ``nbgrader autograde`` and formgrader's button take in this course.

`Rebuild` puts the submission back into the shape of the release, `Ask` replaces
execution: the notebook runs in a box, the functions are asked from outside, and
the verdicts become the outputs of the check cells. Everything else is nbgrader's.
"""

import atexit
import dataclasses
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4.rwbase import rejoin_lines
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from ...box import Box, Sandbox
from ..intake.rebuild import rebuild
from ..intake.submitted import read
from ..lab import Lab, load
from ..result import GRADED, UNREADABLE, Status
from ..runs.store import Store
from ..secrets import secrets_for
from ..submission import grade_notebook
from .stand_in import stand_in

INTAKE = "chip2cluster_intake"
_boxes: dict[tuple[Path, str], Box] = {}


class Rebuild(NbGraderPreprocessor):
    """First step: released cells as released, the student's answers in them, every repair reported."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        lab = _lab(self, resources)
        converter = self.parent.parent
        # Not what nbgrader has loaded: that may have come by a link, or is none of several notebooks.
        source = getattr(converter, "source", None) or Path(resources["metadata"]["path"])
        submitted = getattr(converter, "handed_in", None) or read(source, lab.name, lab.released)
        rebuilt = rebuild(submitted.notebook or lab.released, lab.released)
        repairs = [*submitted.notes, *rebuilt.repairs] if submitted.notebook else [submitted.problem]
        for repair in repairs:
            self.log.warning("%a: %s", resources["nbgrader"]["student"], repair)
        notebook = nbformat.from_dict(rebuilt.notebook)
        notebook.metadata[INTAKE] = {
            "repairs": repairs,
            "status": submitted.status,
            "file": os.fsencode(source).decode("utf-8", "backslashreplace"),
        }
        return notebook, resources


class Ask(NbGraderPreprocessor):
    """In place of execution: run the notebook in a box and ask its functions from outside."""

    sandbox = Unicode(
        "auto",
        help='"auto" refuses to grade where bubblewrap cannot run; "unsandboxed" then takes a plain subprocess.',
    ).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        root, names = _root(self), resources["nbgrader"]
        lab = _lab(self, resources)
        intake = nb.metadata.pop(INTAKE, {})
        box = _box(lab, self.sandbox)
        if box.name is Sandbox.UNSANDBOXED:
            self.log.warning("%a was graded unsandboxed", names["student"])
        result = grade_notebook(nb, names["student"], lab, box, secrets_for(lab, names["student"]))
        result.repairs = list(intake.get("repairs", ()))
        if (status := Status(intake.get("status", GRADED))) is not GRADED:
            result.status = status
        Store.of(root, lab.name).put(result)
        graded = result.notebook if result.status is not UNREADABLE else stand_in(lab, result, intake["file"])
        return rejoin_lines(nbformat.from_dict(graded)), resources


def _lab(step: Any, resources: Any) -> Lab:
    """The lab of the submission whose turn it is, and what that may not see."""
    lab = load(_root(step), resources["nbgrader"]["assignment"])
    return dataclasses.replace(lab, private=getattr(step.parent.parent, "private", lab.private))


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
