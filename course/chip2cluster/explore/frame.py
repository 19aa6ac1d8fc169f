"""State of an explorer as readers see it: a picture, a table with the same numbers, a sentence."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..draw import Picture
from ..html import Head, content
from .handle import Handle


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
    """Rows of values under columns. ``marked`` is the index of the row that matters."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    marked: int | None = None

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
        rows = [[column.text(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]
        return content(heads, rows, caption=self.caption, marked=self.marked)


@dataclass(frozen=True)
class Frame:
    """One state of an explorer: picture, table and sentence.

    The alternative text of the picture is its description unless ``alt`` is given. ``handles`` are the marks of the
    picture that move controls.
    """

    picture: Picture
    table: Table
    sentence: str
    alt: str = field(default="")
    handles: tuple[Handle, ...] = ()

    def __post_init__(self) -> None:
        """Describe the picture by its own description if no alternative text is given."""
        if not self.alt:
            object.__setattr__(self, "alt", self.picture.description)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
