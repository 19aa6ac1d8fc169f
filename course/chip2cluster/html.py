"""Tables as HTML, written in one place: for explorers, the catalogue, progress, verdicts and the book."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


class Html(str):
    """HTML that stands as it is; any other text is escaped."""

    __slots__ = ()


@dataclass(frozen=True)
class Head:
    """What stands above a column. A column of numbers is set to the right."""

    text: str
    unit: str = ""
    number: bool = False


@dataclass(frozen=True)
class Look:
    """Attributes of the parts of a table: classes where a style sheet knows them, styles where none is at hand."""

    table: str = ""
    caption: str = ""
    row: str = ""
    label: str = ""
    words: str = ""
    number: str = ' class="c2c-number"'


_LEFT = ' style="text-align:left"'
# For a page whose own style sets everything to the right, as a notebook's does.
INLINE = Look(
    caption=_LEFT,
    label=' style="text-align:left;font-weight:400"',
    words=_LEFT,
    number=' style="text-align:right"',
)


def table(
    heads: Sequence[Head],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    labels: int = 1,
    look: Look | None = None,
) -> str:
    """Write a table.

    Parameters
    ----------
    heads : sequence of Head
        Empty for a table without a header.
    rows : sequence of sequences of str
    caption : str, optional
    labels : int
        So many columns at the left say what a row is about.
    look : Look, optional

    Returns
    -------
    str
        Every header says whether it belongs to a row or a column.

    Examples
    --------
    >>> table([Head("chip"), Head("TDP", "W", number=True)], [["H100", "700"]])  # doctest: +ELLIPSIS
    '<table><thead><tr><th scope="col">chip</th><th scope="col" class="c2c-number">TDP <span>W</span></th>...'
    """
    look = look or Look()
    return f"<table{look.table}>{content(heads, rows, caption=caption, labels=labels, look=look)}</table>"


def content(
    heads: Sequence[Head],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    labels: int = 1,
    marked: int | None = None,
    look: Look | None = None,
) -> str:
    """What stands inside of ``<table>``; the row with the number ``marked`` is the one that matters."""
    look = look or Look()
    numbers = [head.number for head in heads]
    top = f"<caption{look.caption}>{_text(caption)}</caption>" if caption else ""
    if heads:
        cells = "".join(_head(head, look) for head in heads)
        top += f"<thead><tr>{cells}</tr></thead>"
    body = "".join(
        _row(row, numbers or [False] * len(row), labels, look, number == marked) for number, row in enumerate(rows)
    )
    return f"{top}<tbody>{body}</tbody>"


def _head(head: Head, look: Look) -> str:
    if not head.text:
        # A header without words would be announced for every cell below it.
        return "<td></td>"
    unit = f" <span>{_text(head.unit)}</span>" if head.unit else ""
    return f'<th scope="col"{look.number if head.number else look.words}>{_text(head.text)}{unit}</th>'


def _row(row: Sequence[str], numbers: Sequence[bool], labels: int, look: Look, marked: bool) -> str:
    cells = []
    for column, (text, number) in enumerate(zip(row, numbers, strict=True)):
        if column < labels:
            mark = '<span aria-hidden="true">▸ </span>' if marked and not column else ""
            cells.append(f'<th scope="row"{look.label}>{mark}{_text(text)}</th>')
        else:
            cells.append(f"<td{look.number if number else look.words}>{_text(text)}</td>")
    opening = '<tr class="c2c-marked">' if marked else f"<tr{look.row}>"
    return f"{opening}{''.join(cells)}</tr>"


def _text(text: str) -> str:
    return text if isinstance(text, Html) else escape(text)
