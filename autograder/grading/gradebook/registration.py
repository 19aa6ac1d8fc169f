"""Whether nbgrader's gradebook knows a lab as it is now, and what stands in the way of that."""

import json
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import IncludeHeaderFooter
from nbgrader.utils import capture_log, temp_attrs

from ... import lab_names
from ..lab import Lab
from .marks import gradebook
from .notebook_renames import follow


def register(directory: Any, parent: Any, lab: Lab) -> None:
    """Enter a lab with its present points in the gradebook, as ``nbgrader generate_assignment`` does.

    Parameters
    ----------
    directory : nbgrader.coursedir.CourseDirectory
    parent : traitlets Configurable
        Has the course's configuration.
    lab : Lab

    Raises
    ------
    ValueError
        When nbgrader cannot enter it.
    """
    follow(directory, lab.name, lab.notebook)
    if _is_registered(directory, lab):
        return
    # The release that nbgrader makes on the way goes to a folder that is thrown away.
    with tempfile.TemporaryDirectory() as place:
        names = {"assignment_id": lab.name, "notebook_id": "*", "student_id": "."}
        with temp_attrs(directory, release_directory=place, **names):
            problem = quietly(GenerateAssignment(coursedir=directory, parent=parent, force=True))
    if problem:
        raise ValueError(f"{lab.name} cannot be entered in the gradebook: {problem}")


def quietly(converter: Any) -> str:
    """Run a converter of nbgrader with nothing on the terminal; return why it failed, or nothing."""
    log = converter.log
    handlers, log.handlers = log.handlers, []
    try:
        done = capture_log(converter)
    finally:
        log.handlers = handlers
    if done["success"]:
        return ""
    lines = done.get("log", "").splitlines()
    return next((line.partition("] ")[2] for line in lines if line.startswith("[ERROR] ")), "nbgrader does not say why")


def _is_registered(directory: Any, lab: Lab) -> bool:
    with Gradebook(directory.db_url, directory.course_id) as book:
        try:
            notebook = book.find_notebook(lab.notebook, lab.name)
        except MissingEntry:
            return False
        known = {cell.name: cell.max_score for cell in (*notebook.grade_cells, *notebook.task_cells)}
    return known == {task.cell: task.points for task in lab.tasks} | lab.by_hand


def cells_changed(converter: Any, assignment: str, notebooks: Iterable[str]) -> str:
    """Say which cells of a lab came or went since submissions were graded, which nbgrader cannot enter.

    Parameters
    ----------
    converter : nbgrader.converters.GenerateAssignment
    assignment : str
    notebooks : list of str
        The instructor's files.

    Returns
    -------
    str
        A sentence; empty where nothing stands in the way.
    """
    directory, files = converter.coursedir, {Path(file).stem: Path(file) for file in notebooks}
    with gradebook(directory) as book:
        if book is None:
            return ""
        try:
            known = book.find_assignment(assignment)
        except MissingEntry:
            return ""
        if not known.submissions:
            return ""
        # A new name alone is no change: `renamed.follow` takes the marks along.
        named = {lab_names.assignment(name): name for name in files}
        changed = {lab_names.assignment(notebook.name) for notebook in known.notebooks} ^ named.keys()
        for notebook in known.notebooks:
            # Of what is no notebook nbgrader itself says so.
            with suppress(ValueError, KeyError, AttributeError):
                if notebook.submissions and (name := named.get(lab_names.assignment(notebook.name))):
                    found = _cells_in(converter, files[name])
                    changed |= {f"`{name}`" for name in _cells_of(notebook) ^ found}
    if not changed:
        return ""
    return (
        f"{assignment} has submissions in the gradebook, and nbgrader cannot add or remove cells then "
        f"({', '.join(sorted(changed))}): take that change back, or release the new version under another name. A task that "
        "is to count no longer keeps its cells and gets 0 points"
    )


_KINDS = {"graded": utils.is_grade, "answer": utils.is_solution, "task": utils.is_task, "locked": utils.is_locked}


def _cells_of(notebook: Any) -> set[str]:
    """What nbgrader compares, as the gradebook has it: each cell's name with what it is."""
    return {
        *(f"{cell.name} graded" for cell in notebook.grade_cells),
        *(f"{cell.name} answer" for cell in notebook.solution_cells),
        *(f"{cell.name} task" for cell in notebook.task_cells),
        *(f"{cell.name}" for cell in notebook.source_cells),
    }


def _cells_in(converter: Any, file: Path) -> set[str]:
    """The same as an instructor's notebook has it now."""
    notebook, _ = IncludeHeaderFooter(parent=converter).preprocess(
        nbformat.from_dict(json.loads(file.read_text(encoding="utf-8"))), {}
    )
    found = set()
    for cell in notebook.cells:
        kinds = [kind for kind, holds in _KINDS.items() if holds(cell)]
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        found |= {f"{name} {kind}" for kind in kinds if kind != "locked"} | ({name} if kinds else set())
    return found
