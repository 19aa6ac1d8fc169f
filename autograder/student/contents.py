"""The map of the course: every chapter with the question that it answers, how long it takes, and its short path."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from chip2cluster.html import INLINE, Head, Html, table

from .. import pages
from ..headers import headers, minutes


@dataclass(frozen=True)
class Row:
    """A chapter: its number, name, question and file, its minutes, and whether it has a lab."""

    number: int
    name: str
    question: str
    page: Path
    lab: bool = False
    reading: int | None = None
    exercises: int = 0
    exercise_minutes: int = 0
    short: tuple[int, ...] = ()
    short_minutes: int = 0

    @property
    def short_path(self):
        """The exercises of the short path by number, with their minutes together."""
        return f"{', '.join(map(str, self.short))} ({self.short_minutes} min)" if self.short else ""


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
        return self.html(lambda page: page.name)

    def html(self, address):
        """The table, with the links that ``address`` gives for the files of the chapters."""
        heads = (
            Head("no."),
            Head("chapter"),
            Head("the question it answers"),
            Head("reading", "min", number=True),
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
                f"lab {row.number}" if row.lab else "none",
            )
            for row in self.rows
        ]
        return table(heads, rows, look=INLINE)


def contents():
    """Show the map of the course, with a link to each chapter.

    Returns
    -------
    Contents
    """
    labs = {pages.number(lab) for lab in pages.labs()}
    return Contents(tuple(_row(page, labs) for page in pages.chapters()))


def _row(page, labs):
    number = pages.number(page)
    name, question = pages.title(page) or (pages.topic(page), "")
    asked = headers(page)
    short = [header for header in asked if header.short]
    return Row(
        number,
        name,
        question[:1].upper() + question[1:],
        page,
        number in labs,
        minutes(page),
        len(asked),
        sum(header.minutes for header in asked),
        tuple(header.number for header in short),
        sum(header.minutes for header in short),
    )
