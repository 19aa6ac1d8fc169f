"""Register a lab with its present points in nbgrader's gradebook, or say why that is not possible."""

import json
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat

from ... import lab_names
from ..lab import Lab
from ..nbgrader_compat.converters import GenerateAssignment, run_quietly
from ..nbgrader_compat.tools import IncludeHeaderFooter, is_grade, is_locked, is_solution, is_task, temporary_traits
from .course import NbgraderCourse
from .database import MissingEntry, create_gradebook, open_gradebook
from .notebook_renames import rename_notebook_entries


def register_lab(directory: Any, parent: Any, lab: Lab) -> None:
    """Enter a lab with its present points in the gradebook, as ``nbgrader generate_assignment`` does.

    Parameters
    ----------
    directory : CourseDirectory
        nbgrader's, of the course.
    parent : Configurable
        Object with the course's configuration.
    lab : Lab
        The lab to register.

    Raises
    ------
    ValueError
        If nbgrader cannot enter it.
    """
    rename_notebook_entries(directory, lab.name, lab.notebook)
    if _is_registered(directory, lab):
        return
    # nbgrader enters a lab only together with a release, which is thrown away here.
    with tempfile.TemporaryDirectory() as place:
        names = {"assignment_id": lab.name, "notebook_id": "*", "student_id": "."}
        with temporary_traits(directory, release_directory=place, **names):
            problem = run_quietly(GenerateAssignment(coursedir=directory, parent=parent, force=True))
    if problem:
        raise ValueError(f"{lab.name} cannot be entered in the gradebook: {problem}")


def _is_registered(directory: Any, lab: Lab) -> bool:
    with create_gradebook(directory) as book:
        try:
            notebook = book.find_notebook(lab.notebook, lab.name)
        except MissingEntry:
            return False
        known = {cell.name: cell.max_score for cell in (*notebook.grade_cells, *notebook.task_cells)}
    return known == {task.cell: task.points for task in lab.tasks} | lab.by_hand


def registration_conflict(converter: Any, assignment: str, notebooks: Iterable[str]) -> str:
    """Say which cells of a lab were added or removed since submissions were graded, which nbgrader cannot enter.

    Parameters
    ----------
    converter : GenerateAssignment
        nbgrader's converter of the course.
    assignment : str
        Name of the lab.
    notebooks : list of str
        Paths of the instructor's notebooks.

    Returns
    -------
    str
        One sentence; empty if there is no conflict.
    """
    directory, files = converter.coursedir, {Path(file).stem: Path(file) for file in notebooks}
    with open_gradebook(directory) as book:
        if book is None:
            return ""
        try:
            known = book.find_assignment(assignment)
        except MissingEntry:
            return ""
        if not known.submissions:
            return ""
        # A new name of the notebook is no conflict: `rename_notebook_entries` keeps the marks.
        named = {lab_names.assignment_name(name): name for name in files}
        changed = {lab_names.assignment_name(notebook.name) for notebook in known.notebooks} ^ named.keys()
        for notebook in known.notebooks:
            # nbgrader itself reports files that are not notebooks.
            with suppress(ValueError, KeyError, AttributeError):
                if notebook.submissions and (name := named.get(lab_names.assignment_name(notebook.name))):
                    found = _cells_in(converter, files[name])
                    changed |= {f"`{name}`" for name in _cells_of(notebook) ^ found}
    if not changed:
        return ""
    return (
        f"{assignment} has submissions in the gradebook, and nbgrader cannot add or remove cells then "
        f"({', '.join(sorted(changed))}): take that change back, or release the new version under another name. A task that "
        "is to count no longer keeps its cells and gets 0 points"
    )


def source_conflict(course: NbgraderCourse, lab: str, notebook: Path) -> str:
    """Say why nbgrader could not enter a lab from this notebook of the instructor's; empty if it could."""
    converter = GenerateAssignment(coursedir=course.directory, parent=course.app, force=True)
    return registration_conflict(converter, lab, [str(notebook)])


_KINDS = {"graded": is_grade, "answer": is_solution, "task": is_task, "locked": is_locked}


def _cells_of(notebook: Any) -> set[str]:
    """Names and kinds of the cells in the gradebook, which nbgrader compares with those of a notebook."""
    return {
        *(f"{cell.name} graded" for cell in notebook.grade_cells),
        *(f"{cell.name} answer" for cell in notebook.solution_cells),
        *(f"{cell.name} task" for cell in notebook.task_cells),
        *(f"{cell.name}" for cell in notebook.source_cells),
    }


def _cells_in(converter: Any, file: Path) -> set[str]:
    """Names and kinds of the cells in an instructor's notebook, with header and footer."""
    notebook, _ = IncludeHeaderFooter(parent=converter).preprocess(
        nbformat.from_dict(json.loads(file.read_text(encoding="utf-8"))), {}
    )
    found = set()
    for cell in notebook.cells:
        kinds = [kind for kind, holds in _KINDS.items() if holds(cell)]
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        found |= {f"{name} {kind}" for kind in kinds if kind != "locked"} | ({name} if kinds else set())
    return found
