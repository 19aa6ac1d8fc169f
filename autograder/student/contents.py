"""The map of the course: every chapter with the question that it answers, and its lab."""

from dataclasses import dataclass
from html import escape

from chip2cluster.html import INLINE, Head, Html, table

from .. import pages


@dataclass(frozen=True)
class Contents:
    """A table with a row for each chapter: its number, name, question and file, and whether it has a lab."""

    rows: tuple

    def __repr__(self):
        return "\n".join(f"{number:2}  {name}: {question}" for number, name, question, *_ in self.rows)

    def _repr_html_(self):
        return self.html(lambda page: page.name)

    def html(self, address):
        """The table, with the links that ``address`` gives for the files of the chapters."""
        heads = (Head("no."), Head("chapter"), Head("the question it answers"), Head("lab"))
        rows = [
            (
                str(number),
                Html(f'<a href="{escape(address(page))}"><strong>{escape(name)}</strong></a>'),
                question,
                f"lab {number}" if lab else "none",
            )
            for number, name, question, page, lab in self.rows
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
    return number, name, question[:1].upper() + question[1:], page, number in labs
