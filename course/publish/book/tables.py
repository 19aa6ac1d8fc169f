"""Tables of pandas as the book shows them: numbers to the right, a scope on each header, wide ones in a box that scrolls."""

import re
from html import escape, unescape

_ROW = re.compile(r"<tr[^>]*>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
_NUMBER = re.compile(r"(?:[+\-−]?[0-9][0-9,.]*(?:e[+\-]?[0-9]+)?|NaN|nan|[+\-]?inf)?")


def frame(data):
    """A ``DataFrame``, with the digits that it has in a notebook, but for the .0 of columns of whole numbers."""
    return _table(data.to_html(border=0), data.index.names, _whole)


def styled(styler):
    """A ``Styler``, in the format that the page asked for."""
    return _table(styler.to_html(table_uuid="c2c"), styler.data.index.names)


def boxed(table, label):
    """A finished table in a box that scrolls, by hand or with the keyboard, where it is too wide."""
    table = table.replace("<table>", '<table class="c2c-data">', 1).replace("<th>", '<th scope="col">')
    return f'<div class="c2c-frame" role="group" tabindex="0" aria-label="Table: {escape(label)}">{table}</div>'


def _table(markup, names, change=list):
    head, body = (markup.partition(f"<{part}>")[2].partition(f"</{part}>")[0] for part in ("thead", "tbody"))
    head = [[_text(cell) for cell in _CELL.findall(row)] for row in _ROW.findall(head)]
    rows = [[_text(cell) for cell in _CELL.findall(row)] for row in _ROW.findall(body)]
    # Where rows have a name for what they are, pandas writes it into a second header row of its own.
    titles = head[0]
    if len(head) > 1:
        titles = [below or above for above, below in zip(*head)]
    labels = len(names)
    columns = [column if at < labels else change(column) for at, column in enumerate(zip(*rows))]
    rows = list(zip(*columns))
    sides = ["words"] * labels + [_side([row[column] for row in rows]) for column in range(labels, len(titles))]
    cells = [_header(title, side) for title, side in zip(titles, sides)]
    lines = []
    for row in rows:
        shown = [f'<th scope="row">{escape(cell)}</th>' for cell in row[:labels]]
        shown += [f'<td class="{side}">{escape(cell)}</td>' for cell, side in zip(row[labels:], sides[labels:])]
        lines.append(f"<tr>{''.join(shown)}</tr>")
    label = ", ".join(title for title in titles if title)
    return boxed(f"<table><thead><tr>{''.join(cells)}</tr></thead><tbody>{''.join(lines)}</tbody></table>", label)


def _whole(column):
    """Rounding and gaps make whole numbers end in .0; nobody measured that digit."""
    if all(re.fullmatch(r"-?[0-9]+\.0|NaN|", cell) for cell in column):
        return [cell.removesuffix(".0") for cell in column]
    return column


def _text(cell):
    return unescape(re.sub(r"<[^>]+>", "", cell)).strip()


def _header(title, side):
    return f'<th scope="col" class="{side}">{escape(title)}</th>' if title else "<td></td>"


def _side(cells):
    """``number`` for a column that holds numbers, gaps and at least one digit."""
    numbers = all(_NUMBER.fullmatch(cell) for cell in cells) and any(re.search("[0-9]", cell) for cell in cells)
    return "number" if numbers else "words"
