"""HTML tables for explorers, the catalogue, progress, verdicts and the book."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .units import with_minus


class Html(str):
    """HTML that is inserted unchanged; any other text is escaped."""

    __slots__ = ()


@dataclass(frozen=True)
class Head:
    """Heading of a column; a column of numbers is right-aligned."""

    text: str
    unit: str = ""
    number: bool = False


@dataclass(frozen=True)
class Look:
    """HTML attributes of the parts of a table: classes with a style sheet, inline styles without one."""

    table: str = ""
    caption: str = ""
    row: str = ""
    label: str = ""
    words: str = ""
    number: str = ' class="c2c-number"'


_LEFT = ' style="text-align:left"'
# For notebooks, whose default style right-aligns all cells.
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
    """Format a table as HTML.

    Parameters
    ----------
    heads : sequence of Head
        Headings; empty for a table without a header.
    rows : sequence of sequences of str
        Cells.
    caption : str, optional
        Caption of the table.
    labels : int
        Number of columns at the left that are row headers.
    look : Look, optional
        HTML attributes.

    Returns
    -------
    str
        HTML with the scope of every header.

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
    names: Sequence[str | None] | None = None,
    look: Look | None = None,
) -> str:
    """Return the content of ``<table>``; ``marked`` is the index of a highlighted row.

    ``names`` has the name of each row, by which what belongs to it elsewhere finds it.
    """
    look = look or Look()
    numbers = [head.number for head in heads]
    top = f"<caption{look.caption}>{_text(caption)}</caption>" if caption else ""
    if heads:
        cells = "".join(_head(head, look) for head in heads)
        top += f"<thead><tr>{cells}</tr></thead>"
    body = "".join(
        _row(row, numbers or [False] * len(row), labels, look, number == marked, names[number] if names else None)
        for number, row in enumerate(rows)
    )
    return f"{top}<tbody>{body}</tbody>"


def _head(head: Head, look: Look) -> str:
    if not head.text:
        # A screen reader would announce an empty header for every cell below it.
        return "<td></td>"
    unit = f" <span>{_text(head.unit)}</span>" if head.unit else ""
    return f'<th scope="col"{look.number if head.number else look.words}>{_text(head.text)}{unit}</th>'


def _row(
    row: Sequence[str], numbers: Sequence[bool], labels: int, look: Look, marked: bool, name: str | None = None
) -> str:
    cells = []
    for column, (text, number) in enumerate(zip(row, numbers, strict=True)):
        if column < labels:
            mark = '<span aria-hidden="true">▸ </span>' if marked and not column else ""
            cells.append(f'<th scope="row"{look.label}>{mark}{_text(text)}</th>')
        else:
            cells.append(f"<td{look.number if number else look.words}>{_text(text, number)}</td>")
    opening = '<tr class="c2c-marked"' if marked else f"<tr{look.row}"
    opening += ">" if name is None else f' data-row="{escape(name)}">'
    return f"{opening}{''.join(cells)}</tr>"


def _text(text: str, number: bool = False) -> str:
    return text if isinstance(text, Html) else escape(with_minus(text) if number else text)
