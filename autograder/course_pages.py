"""The pages of the course as this package reads them: which exercises, questions and explorers each of them uses."""

import json
import re
from pathlib import Path

from chip2cluster import _pages

from . import lab_names

_NUMBER = re.compile(r"(?:lab_)?(\d+)_")  # an assignment of the instructor's own may have another name
CHECK = re.compile(r'^check\("([\w.]+)"', re.M)
_ASK = re.compile(r'\bpredict\.ask\("([\w.]+)"')
_HEADING = re.compile(r"^##+ ", re.M)
_TITLE = re.compile(r"\A# (\d+) · ([^:\n]+)(?:: (.+))?$", re.M)
EXPLORER = re.compile(r"\bexplore\.([a-z][a-z0-9_]*)\(")


def chapters() -> list[Path]:
    """The chapters, in order."""
    return list(_pages.chapters().values())


def labs() -> list[Path]:
    """The notebook of every lab, in order: the solutions where they are, else what was released."""
    folder = _pages.folder()
    # The lab in the browser has all files in one folder.
    places = (folder.parent / "solutions", folder.parent / "labs", folder / "labs") if folder else ()
    for place in places:
        found = (lab_in(folder) for folder in place.glob("*_*") if _NUMBER.match(folder.name))
        if notebooks := sorted(filter(Path.is_file, found), key=number):
            return notebooks
    return []


def lab_in(folder: Path) -> Path:
    """The notebook of the lab that has a folder of this name: under its own name where that is there alone."""
    own = Path(folder) / f"{folder.name}.ipynb"
    return own if own.is_file() else own.with_stem(lab_names.notebook(folder.name))


def pages() -> list[Path]:
    """Chapters and labs in the order in which they are worked: each lab behind the chapter of its number."""
    return sorted([*chapters(), *labs()], key=number)


def number(page: Path) -> int:
    """The number that a page's name begins with."""
    return int(_NUMBER.match(Path(page).name)[1])


def topic(page: Path) -> str:
    """What a page's name says behind the number."""
    return lab_names.assignment(Path(page).stem).partition("_")[2]


def checks(page: Path) -> list[str]:
    """The ids of the exercises that a page checks, in its order."""
    return CHECK.findall(_code(page))


def tasks(page: Path) -> dict[str, str]:
    """The id of the cell that sets each exercise of a page, by the exercise: the last heading above its check."""
    found, heading = {}, ""
    for cell in cells(page):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and _HEADING.search(source):
            heading = cell["id"]
        elif cell["cell_type"] == "code":
            found |= dict.fromkeys(CHECK.findall(source), heading or cell["id"])
    return found


def asks(page: Path) -> list[str]:
    """The ids of the questions that a page asks, in its order."""
    return _ASK.findall(_code(page))


def explorers(page: Path) -> list[str]:
    """The names of the explorers that a page shows, in its order."""
    return EXPLORER.findall(_code(page))


def title(page: Path) -> tuple[str, str] | None:
    """The name of a chapter and its question, from the heading ``# NUMBER · NAME: QUESTION``; None without one."""
    match = _TITLE.match(_sources(page, "markdown"))
    return (match[2], match[3] or "") if match and int(match[1]) == number(page) else None


def heading(page: Path) -> str:
    """The Markdown of a page, which begins with its heading."""
    return _sources(page, "markdown")


def _code(page):
    return _sources(page, "code")


def _sources(page, kind):
    return "\n".join("".join(cell["source"]) for cell in cells(page) if cell["cell_type"] == kind)


def cells(page: Path) -> list[dict]:
    """The cells of a page; none where it cannot be read: half a file uses nothing."""
    try:
        return json.loads(Path(page).read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
