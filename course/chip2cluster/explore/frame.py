"""State of an explorer as readers see it: a picture, a table with the same numbers, a sentence."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..draw import Picture
from ..html import Head, content
from .handle import Handle
from .row_words import row_words


@dataclass(frozen=True)
class Column:
    """Column of a table: heading, unit, and the function that turns a value into text."""

    name: str
    unit: str = ""
    text: Callable[[Any], str] = str

    @property
    def heading(self) -> str:
        """Name and unit of the column."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True)
class Table:
    """Rows of values under columns.

    ``caption`` says in words what the controls are set to: a still shows it, and the alternative text has it. A page with
    controls does not repeat it and shows only the ``note``: what the rows are, or how they are sorted. ``marked`` is the index of
    the row that matters; ``keys`` are the names by which marks of the picture find the rows, where these are not their first cells.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    marked: int | None = None
    keys: tuple[str, ...] | None = None
    note: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts from heading to value, unrounded."""
        headings = [column.heading for column in self.columns]
        return [dict(zip(headings, row, strict=True)) for row in self.rows]

    def html(self) -> str:
        """Return the HTML inside of ``<table>``."""
        heads = [
            Head(column.name, column.unit, number=bool(place) and any(_is_number(row[place]) for row in self.rows))
            for place, column in enumerate(self.columns)
        ]
        return content(heads, self.texts(), caption=self.note, marked=self.marked, names=self.names())

    def names(self) -> list[str | None]:
        """Return the names by which marks and words find the rows: by default the first cells, None where two are the same."""
        if self.keys:
            return list(self.keys)
        first = [cells[0] for cells in self.texts()]
        return [name if first.count(name) == 1 else None for name in first]

    def links(self, sentence: str) -> list[tuple[str, str]]:
        """Return the words of a sentence that say what a row says: see `row_words`."""
        names = self.names()
        rows = [(name, *cells[1:]) for name, cells in zip(names, self.texts(), strict=True) if name]
        found = row_words(rows, sentence, [self.chosen] if self.chosen else [])
        if any(column.unit == "%" for column in self.columns):
            return found
        # A percentage in the sentence is no amount of the table that has the same digits.
        return [(piece, row) for piece, row in found if not re.search(rf"{re.escape(piece)}\s?%", sentence)]

    @property
    def chosen(self) -> str | None:
        """Name of the row that matters."""
        return None if self.marked is None else self.names()[self.marked]

    def texts(self) -> list[tuple[str, ...]]:
        """Return the cells of each row as they are written."""
        return [tuple(column.text(value) for column, value in zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Frame:
    """One state of an explorer: picture, table and sentence.

    The alternative text of the picture is its description, with the caption of the table behind the title, unless ``alt`` is
    given. ``handles`` are the marks of the
    picture that move controls. ``words`` maps pieces of the sentence to the name of the row that they are about; names and
    numbers of rows are found without it. ``machine`` maps names of rows to parts of a machine that is drawn elsewhere on the
    page, such as ``"die hbm"``: that of the marked row is framed there, or that of the row that is pointed at.
    """

    picture: Picture
    table: Table
    sentence: str
    alt: str = field(default="")
    handles: tuple[Handle, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Describe the picture by its own description and the caption if no alternative text is given."""
        if not self.alt:
            title = f"{self.picture.title}."
            rest = self.picture.description.removeprefix(title)
            caption = f"{self.table.caption.rstrip('.')}." if self.table.caption else ""
            object.__setattr__(self, "alt", " ".join(filter(None, (title, caption, rest.strip()))))


@dataclass(frozen=True)
class Extent:
    """Room that an explorer holds, so that nothing moves below it while a control moves.

    Parameters
    ----------
    letters : int
        Letters of the longest sentence.
    rows : int
        Rows of the longest table; 0 if all have the same number.
    lengthens : tuple of str
        Names of the controls that change the number of rows; empty if all may.
    """

    letters: int = 240
    rows: int = 0
    lengthens: tuple[str, ...] = ()


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
