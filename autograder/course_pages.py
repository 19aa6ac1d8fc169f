"""Notebooks of the course: the exercises, predictions and explorers that each of them uses."""

import json
import re
from pathlib import Path

from chip2cluster import _pages

from . import lab_names

_NUMBER = re.compile(r"(?:lab_)?(\d+)_")  # an assignment of the instructor's own may have another name
CHECK_CALL = re.compile(r'^check\("([\w.]+)"', re.M)
_ASK = re.compile(r'\bpredict\.ask\("([\w.]+)"')
_HEADING = re.compile(r"^##+ ", re.M)
_TITLE = re.compile(r"\A# (\d+) · ([^:\n]+)(?:: (.+))?$", re.M)
EXPLORER = re.compile(r"\bexplore\.([a-z][a-z0-9_]*)\(")


def chapters() -> list[Path]:
    """Return the chapters, in order."""
    return list(_pages.chapters().values())


def labs() -> list[Path]:
    """Return the notebook of every lab, in order: the solutions if they exist, else the released labs."""
    folder = _pages.folder()
    # JupyterLite has all files in one folder.
    places = (folder.parent / "solutions", folder.parent / "labs", folder / "labs") if folder else ()
    for place in places:
        found = (lab_notebook(folder) for folder in place.glob("*_*") if _NUMBER.match(folder.name))
        if notebooks := sorted(filter(Path.is_file, found), key=number):
            return notebooks
    return []


def lab_notebook(folder: Path) -> Path:
    """Return the notebook of a lab by its folder; its older name counts if it exists."""
    own = Path(folder) / f"{folder.name}.ipynb"
    return own if own.is_file() else own.with_stem(lab_names.notebook_name(folder.name))


def pages() -> list[Path]:
    """Return chapters and labs in order: each lab after the chapter with its number."""
    return sorted([*chapters(), *labs()], key=number)


def number(page: Path) -> int:
    """Return the number at the beginning of a notebook's name."""
    return int(_NUMBER.match(Path(page).name)[1])


def topic(page: Path) -> str:
    """Return the topic in a notebook's name, after the number."""
    return lab_names.assignment_name(Path(page).stem).partition("_")[2]


def checked_exercises(page: Path) -> list[str]:
    """Return the ids of the exercises that a notebook checks, in order."""
    return CHECK_CALL.findall(_code(page))


def task_cells(page: Path) -> dict[str, str]:
    """Return the id of the cell with each exercise's task, by exercise: the last heading above its check."""
    found, markdown_text = {}, ""
    for cell in cells(page):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and _HEADING.search(source):
            markdown_text = cell["id"]
        elif cell["cell_type"] == "code":
            found |= dict.fromkeys(CHECK_CALL.findall(source), markdown_text or cell["id"])
    return found


def written_questions(page: Path) -> list[str]:
    """Return the answer cells of a lab that a person marks, without those that hold their rubric themselves."""
    answers = ((cell["metadata"].get("nbgrader", {}), "".join(cell["source"])) for cell in cells(page))
    return [
        marks["grade_id"]
        for marks, source in answers
        if marks.get("grade") and marks.get("solution") and "\nRubric, " not in source
    ]


def prediction_ids(page: Path) -> list[str]:
    """Return the ids of the predictions that a notebook asks for, in order."""
    return _ASK.findall(_code(page))


def explorer_names(page: Path) -> list[str]:
    """Return the names of the explorers that a notebook shows, in order."""
    return EXPLORER.findall(_code(page))


def title(page: Path) -> tuple[str, str] | None:
    """Return a chapter's name and question, from the heading ``# NUMBER · NAME: QUESTION``; None without one."""
    match = _TITLE.match(_sources(page, "markdown"))
    return (match[2], match[3] or "") if match and int(match[1]) == number(page) else None


def map_place(page: Path) -> str:
    """Return where a chapter is on the map of the course, from the metadata of its first cell; by default ``"cluster"``."""
    first = next(iter(cells(page)), {})
    return first.get("metadata", {}).get("place", "cluster")


def markdown_text(page: Path) -> str:
    """Return the Markdown of a notebook, which begins with its heading."""
    return _sources(page, "markdown")


def _code(page):
    return _sources(page, "code")


def _sources(page, kind):
    return "\n".join("".join(cell["source"]) for cell in cells(page) if cell["cell_type"] == kind)


def cells(page: Path) -> list[dict]:
    """Return the cells of a notebook; none if it cannot be read."""
    try:
        return json.loads(Path(page).read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
