"""Requests of students, for more time or a second look at a mark, as the commands that grant them."""

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from .collect.student_names import find_student, normalize_name
from .gradebook.timestamps import format_time, parse_time
from .sanitize.terminal_text import printable
from .spreadsheet import read_rows

COLUMNS = ("student", "lab", "request", "until", "task", "reason")
MORE_TIME, REGRADE = "more time", "regrade"
FORM = f"""\
# Ask for more time or a regrade

Copy these lines, fill them in and send them. One form is for one lab.

* **student**: your id, as in your exchange folder or on your feedback page
* **lab**: such as 03_roofline
* **request**: `{MORE_TIME}` or `{REGRADE}`
* **until** (for more time): such as 2027-02-03 23:59 Europe/Berlin
* **task** (for a regrade): the number of the task
* **reason**: what happened, or what the check or the marker overlooked; for a check, the input and the value that you expect

A regrade looks at the whole task again, so points can also fall.

<!-- For the instructor: in a form tool, give the questions these names and export its answers as CSV, or type the answers
into requests.csv. `autograder requests requests.csv` prints the command for each one. Nothing happens until you run it. -->
"""


@dataclass(frozen=True)
class Requests:
    """Commands that grant the requests of a table, and the rows that need a decision first.

    Attributes
    ----------
    commands : tuple of str
        Lines for a shell: for each request a comment with its reason, then the command.
    open : tuple of str
        Sentences about rows of which no command can be made.
    """

    commands: tuple[str, ...]
    open: tuple[str, ...]


def read_requests(file: Path, students: Collection[str], labs: Sequence[str]) -> Requests:
    """Read the answers of a request form.

    Parameters
    ----------
    file : Path
        CSV with the columns `COLUMNS`, in any order; others, such as a form tool's time, are ignored.
    students, labs : collection of str
        Ids of the course.

    Raises
    ------
    ValueError
        If the file cannot be read, or lacks a column.
    """
    rows = [*read_rows(file)]
    header = [normalize_name(cell) for cell in rows[0][1]] if rows else []
    if missing := [name for name in COLUMNS if name not in header]:
        raise ValueError(f"{file} needs the columns {', '.join(COLUMNS)}; it lacks {', '.join(missing)}")
    places = {name: header.index(name) for name in COLUMNS}
    commands: list[str] = []
    undecided: list[str] = []
    for line, row in rows[1:]:
        cells = {name: row[place].strip() if place < len(row) else "" for name, place in places.items()}
        try:
            commands += _commands(cells, students, labs)
        except ValueError as problem:
            undecided.append(f"line {line}, {printable(cells['student'] or 'nobody')}: {problem}")
    return Requests(tuple(commands), tuple(undecided))


def _commands(cells: dict[str, str], students: Collection[str], labs: Sequence[str]) -> list[str]:
    student = find_student(cells["student"], students)
    if student is None:
        raise ValueError(f"no student has this id{_nearest(cells['student'], students)}")
    lab = next((name for name in labs if cells["lab"].casefold() in {name, f"lab_{name}", f"lab_{name}.ipynb"}), None)
    if lab is None:
        raise ValueError(f"no lab is called {printable(cells['lab'])!r}{_nearest(cells['lab'], labs)}")
    reason = f"# {printable(student)}, {lab}: {printable(cells['reason'], 400) or 'no reason given'}"
    asked = normalize_name(cells["request"])
    if asked == MORE_TIME:
        if not cells["until"]:
            raise ValueError("asks for more time and does not say until when")
        until = format_time(parse_time(cells["until"]))
        return [reason, shlex.join(["autograder", "due", lab, until, "--student", student])]
    if asked == REGRADE:
        task = f"task {printable(cells['task'], 40)}" if cells["task"] else "no task named"
        return [f"{reason} ({task})", shlex.join(["autograder", "grade", lab, "--student", student, "--regrade"])]
    raise ValueError(f"asks for {printable(cells['request'])!r}; a request is {MORE_TIME!r} or {REGRADE!r}")


def _nearest(typed: str, known: Collection[str]) -> str:
    near = get_close_matches(typed, known, n=1, cutoff=0.5)
    return f"; did you mean {printable(near[0])}?" if near else ""
