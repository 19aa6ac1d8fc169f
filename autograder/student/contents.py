"""Contents of the course: every chapter with its question, its reading time and its short path."""

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

from chip2cluster.html import INLINE, Head, Html, table

from .. import course_pages, lab_names
from ..exercise_headers import page_headers, stated_minutes


@dataclass(frozen=True)
class ChapterRow:
    """Row of a chapter: number, name, question and file, the file of its lab or None, its minutes."""

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
        """Numbers of the exercises on the short path, and their minutes together."""
        return f"{', '.join(map(str, self.short))} ({self.short_minutes} min)" if self.short else ""


# Folders of labs relative to a chapter: in a reader's own copy, in JupyterLite, in the repository.
PLACES = ("../my_labs", "labs", "../labs")


@dataclass(frozen=True)
class CourseContents:
    """Table with a `ChapterRow` for each chapter."""

    rows: tuple[ChapterRow, ...]

    def __repr__(self):
        """Return the table as text."""
        return "\n".join(
            f"{row.number:2}  {row.name}: {row.question}" + (f"  ★ {row.short_path}" if row.short else "")
            for row in self.rows
        )

    def _repr_html_(self):
        return self.html(lambda page: page.name, _lab_from_here)

    def html(self, address, lab_address):
        """Return the table; ``address`` and ``lab_address`` return the links to a chapter's and a lab's file."""
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
    """Return the path to a lab from the folder of the running notebook: the reader's copy, else the lab itself."""
    # The reader's copy may have the older name of the lab.
    files = (lab.name, f"{lab_names.other_name(lab.stem)}.ipynb")
    names = [f"{place}/{lab.parent.name}/{file}" for place in PLACES for file in files]
    return next((name for name in names if os.path.isfile(name)), None)


def contents():
    """Show the contents of the course, with a link to each chapter.

    Returns
    -------
    CourseContents
    """
    labs = {lab.parent.name: lab for lab in course_pages.labs()}
    return CourseContents(tuple(_row(page, labs) for page in course_pages.chapters()))


def _row(page, labs):
    number = course_pages.number(page)
    name, question = course_pages.title(page) or (course_pages.topic(page), "")
    exercises = page_headers(page)
    short = [header for header in exercises if header.short]
    return ChapterRow(
        number,
        name,
        question[:1].upper() + question[1:],
        page,
        labs.get(page.stem),
        stated_minutes(page),
        len(exercises),
        sum(header.minutes for header in exercises),
        tuple(header.number for header in short),
        sum(header.minutes for header in short),
    )
