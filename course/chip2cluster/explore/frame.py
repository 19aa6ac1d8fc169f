"""What an explorer shows in one state: a picture, a table with the same numbers, a sentence."""

from dataclasses import dataclass, field

from ..draw import Picture
from ..html import Head, content


@dataclass(frozen=True)
class Column:
    """A column: its heading, its unit, and how a value becomes text."""

    name: str
    unit: str = ""
    text: object = str

    @property
    def heading(self):
        """Name and unit of the column."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True)
class Table:
    """Rows of values under columns. ``marked`` is the number of the row that matters."""

    caption: str
    columns: tuple
    rows: tuple
    marked: int | None = None

    def records(self):
        """The rows as dicts from heading to value, unrounded."""
        headings = [column.heading for column in self.columns]
        return [dict(zip(headings, row, strict=True)) for row in self.rows]

    def html(self):
        """What stands inside of ``<table>``."""
        heads = [
            Head(column.name, column.unit, number=bool(place) and any(_is_number(row[place]) for row in self.rows))
            for place, column in enumerate(self.columns)
        ]
        rows = [[column.text(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]
        return content(heads, rows, caption=self.caption, marked=self.marked)


@dataclass(frozen=True)
class Frame:
    """One state of an explorer: picture, table and sentence.

    The alternative text of the picture is its description unless ``alt`` is given.
    """

    picture: Picture
    table: Table
    sentence: str
    alt: str = field(default="")

    def __post_init__(self):
        """Describe the picture by its own description if no alternative text is given."""
        if not self.alt:
            object.__setattr__(self, "alt", self.picture.description)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
