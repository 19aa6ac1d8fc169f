"""Labs for the syllabi: tasks with minutes and points."""

import re
from dataclasses import dataclass
from functools import cache

from autograder import course_pages, exercise_headers

TASK = re.compile(r"^## (\d+) · (.+)$", re.M)
MINUTES = re.compile(r"^\*difficulty .*?(\d+) minutes", re.M)


@dataclass(frozen=True)
class Task:
    """A task of a lab: id of its cell, number, title, minutes, points, and the exercise that marks it, if any."""

    name: str
    number: int
    title: str
    minutes: float
    points: float
    exercise: str | None
    by_hand: bool


@dataclass(frozen=True)
class Lab:
    """A lab: folder, stated minutes, tasks."""

    folder: str
    minutes: int
    tasks: tuple[Task, ...]

    @property
    def topic(self):
        """Topic of its chapter."""
        return self.folder.partition("_")[2]

    @property
    def number(self):
        """Number of the lab, which is its chapter's."""
        return int(self.folder.partition("_")[0])

    def task(self, name):
        """Return the task of a cell; a ValueError names the choices."""
        found = next((one for one in self.tasks if one.name == name), None)
        if found is None:
            raise ValueError(f"lab {self.folder} has no task {name!r}; it has {', '.join(t.name for t in self.tasks)}")
        return found


@cache
def labs():
    """Return every lab by the topic of its chapter, in order."""
    topics = {course_pages.topic(page) for page in course_pages.chapters()}
    return {(made := _lab(file)).topic: made for file in course_pages.labs() if course_pages.topic(file) in topics}


def lab(topic):
    """Return the lab of a chapter; a ValueError names the chapters that have one."""
    if topic not in labs():
        raise ValueError(f"chapter {topic!r} has no lab; these have: {', '.join(labs())}")
    return labs()[topic]


def _lab(file):
    rows = []
    for cell in course_pages.cells(file):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and (found := TASK.search(source)):
            said = MINUTES.search(source)
            rows.append([cell["id"], int(found[1]), found[2], int(said[1]) if said else None, 0.0, None, False])
        mark = cell["metadata"].get("nbgrader", {})
        if rows and mark.get("grade"):
            rows[-1][4] += mark["points"]
            rows[-1][6] |= mark["solution"]
        if rows and cell["cell_type"] == "code" and (asked := course_pages.CHECK_CALL.search(source)):
            rows[-1][5] = asked[1]
    # A written question states no minutes: it gets the rest of the lab's.
    whole = exercise_headers.stated_minutes(file)
    rest = whole - sum(row[3] or 0 for row in rows)
    open_ = sum(row[3] is None for row in rows) or 1
    tasks = tuple(Task(*row[:3], rest / open_ if row[3] is None else row[3], *row[4:]) for row in rows)
    return Lab(file.parent.name, whole, tasks)
