"""What an explorer shows in one state: a picture, a table with the same numbers, a sentence."""

from dataclasses import dataclass, field
from html import escape

from ..draw import Picture


@dataclass(frozen=True)
class Column:
    """A column: its heading, its unit, and how a value becomes text."""

    name: str
    unit: str = ""
    text: object = str

    @property
    def heading(self):
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
        return [dict(zip((column.heading for column in self.columns), row)) for row in self.rows]

    def html(self):
        numeric = [any(_is_number(row[at]) for row in self.rows) for at in range(len(self.columns))]
        head = "".join(
            f'<th scope="col"{_aligned(right)}>{escape(column.name)}'
            + (f" <span>{escape(column.unit)}</span>" if column.unit else "")
            + "</th>"
            for column, right in zip(self.columns, numeric)
        )
        body = "".join(self._row(number, row, numeric) for number, row in enumerate(self.rows))
        return f"<caption>{escape(self.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"

    def _row(self, number, row, numeric):
        marked = number == self.marked
        cells = []
        for at, (column, value) in enumerate(zip(self.columns, row)):
            text = escape(column.text(value))
            if at == 0:
                mark = '<span aria-hidden="true">▸ </span>' if marked else ""
                cells.append(f'<th scope="row">{mark}{text}</th>')
            else:
                cells.append(f"<td{_aligned(numeric[at])}>{text}</td>")
        opening = '<tr class="c2c-marked">' if marked else "<tr>"
        return opening + "".join(cells) + "</tr>"


@dataclass(frozen=True)
class Frame:
    """One state of an explorer. The alternative text of the picture is its description
    unless ``alt`` says otherwise."""

    picture: Picture
    table: Table
    sentence: str
    alt: str = field(default="")

    def __post_init__(self):
        if not self.alt:
            object.__setattr__(self, "alt", self.picture.description)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _aligned(yes):
    return ' class="c2c-number"' if yes else ""
