"""The map of the course: every chapter with the question that it answers, how long it takes, and its short path."""

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

from chip2cluster.html import INLINE, Head, Html, table

from .. import course_pages, lab_names
from ..exercise_headers import headers, minutes


@dataclass(frozen=True)
class Row:
    """A chapter: its number, name, question and file, the file of its lab or None, its minutes."""

    number: int
    name: str
    question: str
    page: Path
    lab: Path | None = None
    reading: int | None = None
    exercises: int = 0
    exercise_minutes: int = 0
    short: tuple[int, ...] = ()
    short_minutes: int = 0

    @property
    def short_path(self):
        """The exercises of the short path by number, with their minutes together."""
        return f"{', '.join(map(str, self.short))} ({self.short_minutes} min)" if self.short else ""


# From a chapter: in one's own folder, in the lab in the browser, in the repository.
PLACES = ("../my_labs", "labs", "../labs")


@dataclass(frozen=True)
class Contents:
    """A table with a `Row` for each chapter."""

    rows: tuple[Row, ...]

    def __repr__(self):
        return "\n".join(
            f"{row.number:2}  {row.name}: {row.question}" + (f"  ★ {row.short_path}" if row.short else "")
            for row in self.rows
        )

    def _repr_html_(self):
        return self.html(lambda page: page.name, _lab_from_here)

    def html(self, address, lab_address):
        """The table, with the links that ``address`` gives for the files of the chapters, ``lab_address`` for labs."""
        heads = (
            Head("no."),
            Head("chapter"),
            Head("the question it answers"),
            Head("reading (min)", number=True),
            Head("exercises"),
            Head("★ short path"),
            Head("lab"),
        )
        rows = [
            (
                str(row.number),
                Html(f'<a href="{escape(address(row.page))}"><strong>{escape(row.name)}</strong></a>'),
                row.question,
                str(row.reading or ""),
                f"{row.exercises} ({row.exercise_minutes} min)",
                row.short_path,
                _link(lab_address(row.lab), f"lab {row.number}") if row.lab else "none",
            )
            for row in self.rows
        ]
        return table(heads, rows, look=INLINE)


def _link(address, text):
    return Html(f'<a href="{escape(address)}">{escape(text)}</a>') if address else text


def _lab_from_here(lab):
    """The way to a lab from the folder of the page that runs: the reader's copy, else the lab itself, else nothing."""
    # One's own copy may have the name that the lab had before.
    files = (lab.name, f"{lab_names.other(lab.stem)}.ipynb")
    names = [f"{place}/{lab.parent.name}/{file}" for place in PLACES for file in files]
    return next((name for name in names if os.path.isfile(name)), None)


def contents():
    """Show the map of the course, with a link to each chapter.

    Returns
    -------
    Contents
    """
    labs = {lab.parent.name: lab for lab in course_pages.labs()}
    return Contents(tuple(_row(page, labs) for page in course_pages.chapters()))


def _row(page, labs):
    number = course_pages.number(page)
    name, question = course_pages.title(page) or (course_pages.topic(page), "")
    asked = headers(page)
    short = [header for header in asked if header.short]
    return Row(
        number,
        name,
        question[:1].upper() + question[1:],
        page,
        labs.get(page.stem),
        minutes(page),
        len(asked),
        sum(header.minutes for header in asked),
        tuple(header.number for header in short),
        sum(header.minutes for header in short),
    )
