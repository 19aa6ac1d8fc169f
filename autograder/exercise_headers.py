"""Header that a notebook prints above each exercise: number, title, difficulty, importance and minutes."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import course_pages

MOST = 5  # dots; this many for importance put an exercise on the short path
_HEADER = re.compile(
    r"^#{2,4} (?:Exercise )?(\d+) · (.+)\n+\*difficulty (●+)○* · importance (●+)○* · (\d+) minutes?", re.M
)
_TIME = re.compile(r"\bTime\b.*?(\d+) minutes")


@dataclass(frozen=True)
class ExerciseHeader:
    """Header of one exercise; ``difficulty`` and ``importance`` are dots, from 1 to 5."""

    exercise: str
    number: int
    title: str
    difficulty: int
    importance: int
    minutes: int

    @property
    def short(self) -> bool:
        """Whether the exercise is on the short path of its chapter, its most important exercises."""
        return self.importance == MOST and not self.exercise.startswith("lab.")


def page_headers(page: Path) -> list[ExerciseHeader]:
    """Return the headers of the exercises that a notebook checks, in order."""
    found, header = [], None
    for cell in course_pages.cells(page):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            header = ([*_HEADER.finditer(source)] or [header])[-1]
        elif header and (check := course_pages.CHECK_CALL.search(source)):
            number, title, difficulty, importance, minutes = header.groups()
            found.append(ExerciseHeader(check[1], int(number), title, len(difficulty), len(importance), int(minutes)))
            header = None
    return found


@cache
def all_headers() -> dict[str, ExerciseHeader]:
    """Return the header of every exercise of the course by its id; empty if no notebooks are found."""
    return {header.exercise: header for page in course_pages.pages() for header in page_headers(page)}


def stated_minutes(page: Path) -> int | None:
    """Return the minutes that a notebook states for reading a chapter or doing a lab; None if it states nothing."""
    cells = course_pages.cells(page)
    said = _TIME.search("".join(cells[0]["source"])) if cells else None
    return int(said[1]) if said else None


def topic(exercise_id: str) -> str:
    """Return the topic of the chapter of an exercise, also for an exercise of the chapter's lab.

    >>> topic("roofline.ridge"), topic("lab.roofline.efficiency")
    ('roofline', 'roofline')
    """
    return exercise_id.removeprefix("lab.").split(".")[0]
