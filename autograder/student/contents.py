"""The map of the course: every chapter with the question that it answers, and its lab."""

from dataclasses import dataclass
from html import escape

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
        heads = "".join(f"<th>{head}</th>" for head in ("no.", "chapter", "the question it answers", "lab"))
        lines = []
        for number, name, question, page, lab in self.rows:
            link = f'<a href="{escape(address(page))}"><strong>{escape(name)}</strong></a>'
            cells = (number, link, escape(question), f"lab {number}" if lab else "none")
            lines.append("".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells))
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


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
