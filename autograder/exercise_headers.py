"""What a page prints above each exercise: its number there, its title, how hard and important it is, and how long it takes."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import course_pages

MOST = 5  # dots; so many for importance put an exercise on the short path
_HEADER = re.compile(
    r"^#{2,4} (?:Exercise )?(\d+) · (.+)\n+\*difficulty (●+)○* · importance (●+)○* · (\d+) minutes?", re.M
)
_TIME = re.compile(r"\bTime\b.*?(\d+) minutes")


@dataclass(frozen=True)
class Header:
    """The header of one exercise; ``difficulty`` and ``importance`` are dots, from 1 to 5."""

    exercise: str
    number: int
    title: str
    difficulty: int
    importance: int
    minutes: int

    @property
    def short(self) -> bool:
        """Whether it is on the short path of its chapter: the exercises that matter in one evening."""
        return self.importance == MOST and not self.exercise.startswith("lab.")


def headers(page: Path) -> list[Header]:
    """The headers of the exercises that a page checks, in its order."""
    found, header = [], None
    for cell in course_pages.cells(page):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            header = ([*_HEADER.finditer(source)] or [header])[-1]
        elif header and (check := course_pages.CHECK.search(source)):
            number, title, difficulty, importance, minutes = header.groups()
            found.append(Header(check[1], int(number), title, len(difficulty), len(importance), int(minutes)))
            header = None
    return found


@cache
def all_headers() -> dict[str, Header]:
    """The header of every exercise of the course by its id; empty where no pages are found."""
    return {header.exercise: header for page in course_pages.pages() for header in headers(page)}


def minutes(page: Path) -> int | None:
    """How many minutes a page says that it takes to read, or a lab to do; None where it says nothing."""
    cells = course_pages.cells(page)
    said = _TIME.search("".join(cells[0]["source"])) if cells else None
    return int(said[1]) if said else None


def topic(exercise_id: str) -> str:
    """The topic of the chapter that an exercise belongs to, or whose lab it belongs to.

    >>> topic("roofline.ridge"), topic("lab.roofline.efficiency")
    ('roofline', 'roofline')
    """
    return exercise_id.removeprefix("lab.").split(".")[0]
