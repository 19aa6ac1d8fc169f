"""A lab as the grader trusts it: the released notebook and the points of its cells.

Everything is read from the course folder, nothing from a submission.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chip2cluster._package import is_model

from .. import lab_names
from ..exercises import also_in
from .check_cells import GradedTask, graded_tasks, points_by_cell
from .partial_credit import load_credit, with_credit

__all__ = ["GradedTask", "Lab", "load", "source_notebook"]

MAX_TASKS = 60  # because each needs a socket and a frozen copy of the notebook in the sandbox


@dataclass(frozen=True)
class Lab:
    """One lab of a course.

    Attributes
    ----------
    name : str
        Name of the assignment and its folder, such as ``"03_roofline"``.
    notebook : str
        Name of the notebook without its suffix, such as ``"lab_03_roofline"``.
    released : dict
        The released notebook, as JSON of nbformat 4.
    tasks : tuple of GradedTask
        Autograded cells in order, with the points of the instructor's notebook.
    by_hand : dict
        Points of each manually graded cell, by ``grade_id``.
    folder : Path
        Folder of the released notebook and its data files.
    private : tuple of Path
        Folders that no submission may see: the course folder, and other folders of the course.
    earlier : tuple of dict
        Earlier releases, the latest first; empty unless `releases.with_earlier_releases` added them.
    """

    name: str
    notebook: str
    released: dict[str, Any]
    tasks: tuple[GradedTask, ...]
    by_hand: dict[str, float]
    folder: Path
    private: tuple[Path, ...] = ()
    earlier: tuple[dict[str, Any], ...] = ()

    @property
    def max_score(self) -> float:
        """Points of all autograded cells."""
        return sum(task.points for task in self.tasks)

    @property
    def allowed(self) -> tuple[str, ...]:
        """Models that answers may call in any exercise of the lab; the whole package if no cell awards an exercise."""
        exercises = [task.definition for task in self.tasks if task.definition]
        if not exercises:
            return ("chip2cluster",)
        allowed = {module for exercise in exercises for module in exercise.allowed}
        return tuple(sorted(filter(is_model, allowed)))


def load(root: str | Path, name: str) -> Lab:
    """Read a lab from a course folder.

    Parameters
    ----------
    root : path
        The course folder, with ``solutions/`` and ``labs/`` in it.
    name : str
        The lab's name.

    Raises
    ------
    ValueError
        If the lab does not exist (the message names the existing labs), was not released,
        was released with other points, or cannot be graded here: another kernel, several
        notebooks, or a malformed ``award``.
    """
    root = Path(root)
    also_in(root)
    notebook = source_notebook(root, name)
    source = _read(notebook)
    file = root / "labs" / name / notebook.name
    if not file.is_file():
        raise ValueError(
            f"{name} has not been released: run `autograder generate-labs` or `nbgrader generate_assignment {name}` first"
        )
    released = _read(file)
    _refuse_other_points(name, points_by_cell(source), points_by_cell(released))
    tasks = with_credit(graded_tasks(source), load_credit(root))
    if len(tasks) > MAX_TASKS:
        raise ValueError(f"{name} has {len(tasks)} autograded cells; the maximum is {MAX_TASKS}")
    autograded = {task.cell for task in tasks}
    by_hand = {cell: points for cell, points in points_by_cell(source).items() if cell not in autograded}
    return Lab(name, notebook.stem, released, tasks, by_hand, file.parent, (root.absolute(),))


def source_notebook(root: Path, name: str) -> Path:
    """Return the path of a lab's instructor notebook; the ValueError for an unknown lab names the existing ones."""
    notebooks = sorted(path.stem for path in (root / "solutions" / name).glob("*.ipynb"))
    if len(notebooks) == 1 and notebooks[0] in _possible_names(name):
        return root / "solutions" / name / f"{notebooks[0]}.ipynb"
    if notebooks:
        raise ValueError(
            f"solutions/{name} holds {', '.join(f'{one}.ipynb' for one in notebooks)}: this grader takes one notebook for "
            f"each assignment, called {' or '.join(f'{one}.ipynb' for one in _possible_names(name))}"
        )
    known = sorted(
        folder.name
        for folder in (root / "solutions").glob("*/")
        if any((folder / f"{one}.ipynb").exists() for one in _possible_names(folder.name))
    )
    raise ValueError(f"no lab is called {name!r}; there are {', '.join(known) or 'none under ' + str(root)}")


def _possible_names(name: str) -> tuple[str, str]:
    """Return the names that an assignment's notebook may have."""
    return lab_names.notebook_name(name), name


def _read(file: Path) -> dict[str, Any]:
    """Read a notebook of the course folder."""
    try:
        notebook: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        kernel = notebook["metadata"].get("kernelspec", {})
        language, _ = kernel.get("language") or "python", notebook["cells"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(
            f"{file} is not a notebook in nbformat 4: open it in JupyterLab, save it and try again"
        ) from None
    if language.lower() != "python":
        raise ValueError(f"{file} is written in {language}; this grader grades only Python")
    return notebook


def _refuse_other_points(name: str, wanted: dict[str, float], released: dict[str, float]) -> None:
    """Refuse a lab whose release, where students read their points, states other points than its source."""
    again = f"release it again with `nbgrader generate_assignment {name}`, or revert the change"
    if odd := sorted(wanted.keys() ^ released.keys()):
        raise ValueError(
            f"the graded cells of solutions/{name} are no longer those of its release ({', '.join(odd)}): {again}"
        )
    for cell, points in wanted.items():
        if points != released[cell]:
            raise ValueError(
                f"solutions/{name} gives {points:g} points for the cell {cell!r}, its release {released[cell]:g}: {again}"
            )
