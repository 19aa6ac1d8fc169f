"""The map of the course: every chapter with the question that it answers, and its lab."""

import os
from dataclasses import dataclass
from html import escape

from chip2cluster.html import INLINE, Head, Html, table

from .. import lab_names, pages

# From a chapter: in one's own folder, in the lab in the browser, in the repository.
PLACES = ("../my_labs", "labs", "../labs")


@dataclass(frozen=True)
class Contents:
    """A table with a row for each chapter: its number, name, question and file, and the file of its lab or None."""

    rows: tuple

    def __repr__(self):
        return "\n".join(f"{number:2}  {name}: {question}" for number, name, question, *_ in self.rows)

    def _repr_html_(self):
        return self.html(lambda page: page.name, _lab_from_here)

    def html(self, address, lab_address):
        """The table, with the links that ``address`` gives for the files of the chapters, ``lab_address`` for labs."""
        heads = (Head("no."), Head("chapter"), Head("the question it answers"), Head("lab"))
        rows = [
            (
                str(number),
                Html(f'<a href="{escape(address(page))}"><strong>{escape(name)}</strong></a>'),
                question,
                _link(lab_address(lab), f"lab {number}") if lab else "none",
            )
            for number, name, question, page, lab in self.rows
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
    labs = {lab.parent.name: lab for lab in pages.labs()}
    return Contents(tuple(_row(page, labs) for page in pages.chapters()))


def _row(page, labs):
    number = pages.number(page)
    name, question = pages.title(page) or (pages.topic(page), "")
    return number, name, question[:1].upper() + question[1:], page, labs.get(page.stem)
