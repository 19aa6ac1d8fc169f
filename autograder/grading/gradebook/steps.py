"""The steps that ``nbgrader autograde`` and formgrader's button take in this course.

`Rebuild` puts the submission back into the shape of the release, `Ask` replaces
execution: the notebook runs in a box, the functions are asked from outside, and
the verdicts become the outputs of the check cells. Everything else is nbgrader's.
"""

import atexit
import dataclasses
import json
import os
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbformat.v4.rwbase import rejoin_lines
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from ... import lab_names
from ...sandbox import Sandbox, SandboxType
from ..intake.extras import extras
from ..intake.rebuild import rebuild
from ..intake.submission_reader import read
from ..lab import Lab, load
from ..releases import release_of
from ..result import GRADED, UNREADABLE, Status
from ..result_store import ResultStore
from ..sanitize.notebook_cells import tame, texts_of
from ..sanitize.terminal_text import shown
from ..secrets import secrets_for
from ..submission import grade_notebook, hints_read
from .extras import lay_beside, note
from .formgrader import escaped
from .placeholder_notebook import stand_in

INTAKE = "chip2cluster_intake"
NAMES = ("student", "first_name", "last_name", "notebook_path")
STYLE = """
.text_cell_render, .input_area, .output_area { contain: paint; overflow-x: auto; }
.output_area pre, .input_area pre { white-space: pre; word-break: normal; overflow-wrap: normal; }
.highlight .err { border: 0; }
"""
_boxes: dict[tuple[Path, str], Sandbox] = {}


class Rebuild(NbGraderPreprocessor):
    """First step: released cells as released, the student's answers in them, every repair reported."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        lab = _lab(self, resources)
        converter = _converter(self)
        # Not what nbgrader has loaded: that may have come by a link, or is none of several notebooks.
        source = getattr(converter, "source", None) or Path(resources["metadata"]["path"])
        submitted = getattr(converter, "handed_in", None) or read(source, lab.notebook, lab.released)
        handed_in = submitted.notebook or lab.released
        rebuilt = rebuild(handed_in, lab.released, release_of(lab, handed_in))
        repairs = [*submitted.notes, *rebuilt.repairs] if submitted.notebook else [submitted.problem]
        for repair in repairs:
            self.log.warning("%s: %s", shown(resources["nbgrader"]["student"]), shown(repair, 400))
        names = resources["nbgrader"]
        target = converter.coursedir.format_path(converter.coursedir.autograded_directory, names["student"], lab.name)
        # In place of nbgrader's copy of every file, links followed.
        own = converter.exclude_overwriting.get(lab.name, ())
        notebook = nbformat.from_dict(rebuilt.notebook)
        notebook.metadata[INTAKE] = {
            "repairs": repairs,
            "hints": hints_read(submitted, lab),
            "status": submitted.status,
            "file": os.fsencode(source).decode("utf-8", "backslashreplace"),
            "left_out": lay_beside(converter.coursedir, lab.name, source, Path(target), own=own),
        }
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
        lab = _lab(self, resources)
        intake = nb.metadata.pop(INTAKE)
        box = _box(lab, self.sandbox)
        if box.name is SandboxType.UNSANDBOXED:
            self.log.warning("%s was graded unsandboxed", shown(names["student"]))
        secrets = secrets_for(lab, names["student"])
        beside = extras(getattr(_converter(self), "source", None) or intake["file"])
        result = grade_notebook(nb, names["student"], lab, box, secrets, beside.files)
        if result.by_clock:
            # Nothing of this course runs beside it, but the machine may have been busy.
            self.log.warning("%s: the clock ended something; graded once more", shown(names["student"]))
            box = _box(lab, self.sandbox, new=True)
            result = grade_notebook(nb, names["student"], lab, box, secrets, beside.files)
        result.hints = dict(intake["hints"])
        result.repairs = [*intake["repairs"], *beside.notes, *result.repairs]
        if (status := Status(intake["status"])) is not GRADED:
            result.status = status
        ResultStore.of(root, lab.name).put(result)
        graded = result.notebook if result.status is not UNREADABLE else stand_in(lab, result, intake["file"])
        if left_out := intake["left_out"]:
            graded = {**graded, "cells": [*graded["cells"], note(left_out, intake["file"])]}
        notebook = rejoin_lines(nbformat.from_dict(graded))
        tame(notebook, texts_of(lab.released))
        return notebook, resources


class Tame(Preprocessor):
    """Before formgrader shows a notebook, whoever graded it: see `autograder.grading.sanitize.notebook_cells`."""

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
    name = str(names.get("notebook_id"))
    # The gradebook follows a new name only when something is graded.
    for file in (folder / f"{name}.ipynb", folder / f"{lab_names.other(name)}.ipynb"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            return texts_of(json.loads(file.read_text(encoding="utf-8")))
    return {}


def _lab(step: Any, resources: Any) -> Lab:
    """The lab of the submission whose turn it is, and what that may not see."""
    lab = load(_root(step), resources["nbgrader"]["assignment"])
    return dataclasses.replace(lab, private=getattr(_converter(step), "private", lab.private))


def _root(step: Any) -> Path:
    """The course folder."""
    return Path(_converter(step).coursedir.root)


def _converter(step: Any) -> Any:
    """What of nbgrader this step works for."""
    return step.parent.parent


def _box(lab: Lab, sandbox: str, *, new: bool = False) -> Sandbox:
    """One warm box for each lab, for as long as this process grades, or until a new one is wanted."""
    key = lab.folder, sandbox
    if new and key in _boxes:
        _boxes.pop(key).__exit__(None, None, None)
    if key not in _boxes:
        stack = ExitStack()
        _boxes[key] = stack.enter_context(Sandbox(lab, sandbox=sandbox))
        atexit.register(stack.close)
    return _boxes[key]
