"""Files of a skeleton: checked names, places in a course folder, and writing all files or none."""

import keyword
import re
from collections.abc import Mapping
from pathlib import Path

from chip2cluster._pages import FIRST, chapters

from ..course_pages import lab_notebook

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
CHAPTERS = "course/chip2cluster/chapters"
WrittenFiles = list[tuple[Path, str]]  # each file, and "new" or "grown"


def write_files(files: Mapping[Path, str], grown: Path | None = None) -> WrittenFiles:
    """Write all files or none; only ``grown`` may exist."""
    if existing := [file for file in files if file != grown and file.exists()]:
        raise ValueError(f"{existing[0]} exists already, so nothing was written")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [(file, "grown" if file == grown else "new") for file in files]


def course_folder(root: Path) -> Path:
    """Return a folder as a path; refuse one without the course's notebooks."""
    root = Path(root)
    if not (root / "course" / FIRST).is_file():
        raise ValueError(f"{root} is not a course folder, because it has no course/{FIRST}; name one with --root")
    return root


def checked_name(name: str, what: str, example: str) -> str:
    """Return a name if it can be a module, a function and part of an id; otherwise say how one is written."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(
            f"{what} is written in lower case, with digits and single underscores, and is not a Python keyword, as in {example!r}; got {name!r}"
        )
    return name


def notebook_of(root: Path, topic: str) -> Path | None:
    """Return the notebook of a chapter, None if there is no such chapter."""
    return chapters(root / "course").get(topic)


def chapter_number(page: Path) -> int:
    """Return the number of a chapter by its notebook."""
    return int(page.name.partition("_")[0])


def lab_of(root: Path, page: Path) -> Path:
    """Return the source notebook of a chapter's lab."""
    return lab_notebook(root / "solutions" / page.stem)


def words_of(topic: str) -> str:
    """Return a topic as words."""
    return topic.replace("_", " ")


def title_of(topic: str) -> str:
    """Return a topic as a title."""
    return words_of(topic).capitalize()
