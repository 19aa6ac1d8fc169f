"""Contents of the course: its map, and every chapter with its question, its reading time and its short path."""

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

from chip2cluster import draw, journal
from chip2cluster.draw import palette, style
from chip2cluster.draw.machines import course_map
from chip2cluster.draw.picture import FITTING
from chip2cluster.html import INLINE, Head, Html, table

from .. import course_pages, lab_names
from ..exercise_headers import page_headers, stated_minutes


@dataclass(frozen=True)
class ChapterRow:
    """Row of a chapter: number, name, question and file, the file of its lab or None, its minutes, its place on the map."""

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
    place: str = "cluster"
    solved: int = 0

    @property
    def door(self):
        """Door of the chapter on the map."""
        done = self.solved / self.exercises if self.exercises else 0
        return draw.Door(self.number, self.name, self.place, min(done, 1))

    @property
    def short_path(self):
        """Numbers of the exercises on the short path, and their minutes together."""
        return f"{', '.join(map(str, self.short))} ({self.short_minutes} min)" if self.short else ""


# Doors are links over the picture; the one under the pointer or the focus has a frame.
MAP = (
    f".c2c-map{{position:relative;max-width:{style.WIDTH}px;margin:0}}.c2c-slim.c2c-map{{max-width:{style.NARROW}px}}"
    ".c2c-map img{display:block;width:100%;height:auto}"
    ".c2c-map a{position:absolute;border-radius:6px;border:2px solid transparent;box-sizing:border-box}"
    f".c2c-map a:hover{{border-color:{palette.BLUE}}}.c2c-map a:focus-visible{{outline:3px solid {palette.BLUE};outline-offset:2px}}"
)
FOLDED = '<details><summary style="padding:4px 0">The question, the minutes and the lab of each chapter</summary>{}</details>'

# Folders of labs relative to a chapter: in a reader's own copy, in JupyterLite, in the repository.
PLACES = ("../my_labs", "labs", "../labs")


@dataclass(frozen=True)
class CourseContents:
    """Map of the course, and a table with a `ChapterRow` for each chapter."""

    rows: tuple[ChapterRow, ...]

    def __repr__(self):
        """Return the table as text."""
        return "\n".join(
            f"{row.number:2}  {row.name}: {row.question}" + (f"  ★ {row.short_path}" if row.short else "")
            for row in self.rows
        )

    def _repr_html_(self):
        address = lambda page: page.name
        return f"{self.map_html(address)}{FOLDED.format(self.html(address, _lab_from_here))}"

    def map_html(self, address):
        """Return the map, on which each chapter is a link; ``address`` returns the link to a chapter's file."""
        doors = [row.door for row in self.rows]
        picture = draw.course_map(doors)
        both = []
        for form, name, hidden in ((picture, "c2c-wide", ""), (picture.narrow, "c2c-slim", ' style="display:none"')):
            boxes, _, height = course_map.places(doors, form.width)
            above = form.height - height - 4  # px: title and subtitle
            links = "".join(
                f'<a href="{escape(address(row.page))}" aria-label="Chapter {row.number}, {escape(row.name)}{_told(row)}" '
                f'style="left:{100 * x / form.width:.3f}%;top:{100 * (above + y) / form.height:.3f}%;'
                f'width:{100 * wide / form.width:.3f}%;height:{100 * tall / form.height:.3f}%"></a>'
                for row, (x, y, wide, tall) in zip(self.rows, boxes, strict=True)
            )
            image = f'<img alt="{escape(form.description)}" src="{form.data_uri}" width="{form.width}" height="{form.height}" style="min-width:0;max-width:100%">'
            both.append(f'<div class="{name} c2c-map"{hidden}>{image}{links}</div>')
        return f'<style>{FITTING}{MAP}</style><div class="c2c-drawing">{"".join(both)}</div>'

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


def _told(row):
    """Return what a link says about the exercises of its chapter, once one is solved."""
    return f", {row.solved} of {row.exercises} exercises solved" if row.solved else ""


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
    solved = {name for name, entry in journal.read()["exercises"].items() if entry["solved"]}
    return CourseContents(tuple(_row(page, labs, solved) for page in course_pages.chapters()))


def _row(page, labs, solved):
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
        course_pages.map_place(page),
        len(solved & {header.exercise for header in exercises}),
    )
