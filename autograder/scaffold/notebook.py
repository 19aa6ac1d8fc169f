"""Insert the cells of an exercise or an explorer into a notebook, and find cells that stand in another exercise."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from ..course_pages import CHECK_CALL, EXPLORER

CellJson = dict[str, Any]

_HEADING = re.compile(r"^##+ ", re.M)
_NUMBERED = re.compile(r"^(#{2,4} (?:Exercise )?)(\d+)(?= · )", re.M)
_CALLOUT = "> **"  # begins a takeaway or an error to spot
_PREFIX = re.compile(r"^(?:ex|task|notes|predict)-")


def insert_exercise(text: str, cells: list[CellJson], behind: str) -> str:
    """Return the text of a notebook with the cells of a new exercise behind the last exercise and all its cells.

    The new cells go before the next heading or callout. If there is none, they go right behind the last exercise; in a
    notebook without exercises, behind the cell called ``behind``. ``@place`` in the new cells becomes the number of the
    exercise, and numbered headings below continue from it; everything else stays as it is.

    Raises
    ------
    ValueError
        If the notebook already has a cell with the name of a new one.
    """
    notebook = json.loads(text)
    existing = notebook["cells"]
    checks = [place for place, cell in enumerate(existing) if _is_check(cell)]
    place = _end_of_exercise(existing, checks[-1]) if checks else _behind(existing, behind)
    numbers = [int(number) for cell in existing[:place] for _, number in _numbered(cell)]
    number = 1 + max(numbers, default=len(checks))
    for cell in cells:
        cell["source"] = [line.replace("@place", str(number)) for line in cell["source"]]
    for cell in existing[place:]:
        if _numbered(cell):
            cell["source"] = _NUMBERED.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", _source(cell)).splitlines(
                keepends=True
            )
    return _with_cells(notebook, cells, place)


def insert_explorer(text: str, cells: list[CellJson], behind: str) -> str:
    """Return the text of a notebook with the cells of a new explorer before the heading that follows the last explorer.

    A callout ends the section as well. In a notebook without explorers, the cells go behind the cell called ``behind``.

    Raises
    ------
    ValueError
        If the notebook already has a cell with the name of a new one.
    """
    notebook = json.loads(text)
    existing = notebook["cells"]
    explorers = [place for place, cell in enumerate(existing) if _is_explorer(cell)]
    first = explorers[-1] + 1 if explorers else _behind(existing, behind)
    ends = (
        place for place in range(first, len(existing)) if _is_heading(existing[place]) or _is_callout(existing[place])
    )
    return _with_cells(notebook, cells, next(ends, len(existing)))


def misplaced_cells(cells: list[CellJson]) -> Iterator[tuple[str, str, str]]:
    """Yield the id of each cell below another exercise's heading, its own exercise's heading, and that other heading.

    A cell belongs to the exercise that its id names: ``ex-NAME-found``, ``NAME-found``, ``notes-NAME``. Without ``ex-``
    it may belong to a section instead, so such a cell is left alone below the heading of a section, and also if NAME is
    the id of a text cell.
    """
    texts = {cell["id"] for cell in cells if cell["cell_type"] == "markdown"}
    exercises = {_name(cell) for cell in cells if _is_check(cell) or _numbered(cell)}
    headings: dict[str, str] = {}  # of the exercises so far
    last = block = ""
    for cell in cells:
        if _is_heading(cell):
            block = cell["id"] if _numbered(cell) else ""
            last = block or last
        if _is_check(cell) or _numbered(cell):
            headings.setdefault(_name(cell), last)
        owner, sure = _owner(cell, exercises), cell["id"].startswith("ex-")
        above = last if sure else block
        if owner in headings and (sure or owner not in texts) and above not in ("", headings[owner]):
            yield cell["id"], headings[owner], above


def _with_cells(notebook: dict[str, Any], cells: list[CellJson], place: int) -> str:
    existing = notebook["cells"]
    if twice := {cell["id"] for cell in cells} & {cell["id"] for cell in existing}:
        raise ValueError(f"the page has a cell called {min(twice)!r} already, so nothing was written")
    notebook["cells"] = [*existing[:place], *cells, *existing[place:]]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _behind(cells: list[CellJson], name: str) -> int:
    """Return the position behind the cell of this name, or the end."""
    return next((place + 1 for place, cell in enumerate(cells) if cell["id"] == name), len(cells))


def _end_of_exercise(cells: list[CellJson], check: int) -> int:
    """Return where the last exercise ends, whose check is the cell at ``check``."""
    heading = next((place for place in range(check + 1, len(cells)) if _is_heading(cells[place])), len(cells))
    exercise = {_name(cells[check])}
    end = 1 + max(place for place in range(check, heading) if place == check or _owner(cells[place], exercise))
    if heading == len(cells):
        return end
    return next((place for place in range(end, heading) if _is_callout(cells[place])), heading)


def _name(cell: CellJson) -> str:
    """Return the name that the ids of an exercise's cells share, from the id of its check or its heading."""
    return _PREFIX.sub("", cell["id"].removesuffix("-check")).replace("_", "-")


def _owner(cell: CellJson, exercises: Collection[str]) -> str:
    """Return the exercise that the id of a cell names; of ``busy`` and ``busy-between`` the longer one."""
    name = f"{_name(cell)}-"
    return max((one for one in exercises if name.startswith(f"{one}-")), key=len, default="")


def _is_check(cell: CellJson) -> bool:
    # A task that is graded by plain Python has no call of `check`.
    return cell["cell_type"] == "code" and bool(cell["id"].endswith("-check") or CHECK_CALL.search(_source(cell)))


def _is_heading(cell: CellJson) -> bool:
    return cell["cell_type"] == "markdown" and bool(_HEADING.search(_source(cell)))


def _is_callout(cell: CellJson) -> bool:
    return _source(cell).startswith(_CALLOUT)


def _is_explorer(cell: CellJson) -> bool:
    return cell["cell_type"] == "code" and bool(EXPLORER.search(_source(cell)))


def _numbered(cell: CellJson) -> list[tuple[str, str]]:
    """Return the numbered headings of a cell: the text before each number, and the number."""
    return _NUMBERED.findall(_source(cell)) if cell["cell_type"] == "markdown" else []


def _source(cell: CellJson) -> str:
    return "".join(cell["source"])
