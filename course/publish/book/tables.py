"""Tables of pandas as the book shows them: numbers to the right, a scope on each header, wide ones in a box that scrolls."""

import re
from html import escape

from pandas import option_context

from chip2cluster.html import Head, Look, table

_NUMBER = re.compile(r"(?:[+\-−]?[0-9][0-9,.]*(?:e[+\-]?[0-9]+)?|NaN|nan|–|[+\-]?inf)?")  # a dash: no value
_LOOK = Look(table=' class="c2c-data"', words=' class="words"', number=' class="number"')
_BETWEEN = "\x1f"  # cells; stands in no text


def frame(data):
    """A ``DataFrame``, with the digits that it has in a notebook, but for the .0 of columns of whole numbers."""
    index = data.index.to_frame(index=False)
    labels = [_printed(index.iloc[:, place]) for place in range(index.shape[1])]
    columns = [_whole(_printed(data.iloc[:, place])) for place in range(data.shape[1])]
    names = [str(name or data.columns.name or "") for name in data.index.names]
    return _table([*names, *map(str, data.columns)], zip(*labels, *columns, strict=True), len(names))


def styled(styler):
    """A ``Styler``, in the format that the page asked for."""
    head, *rows = styler.to_string(delimiter=_BETWEEN, sparse_index=False).splitlines()
    names, titles = styler.data.index.names, head.split(_BETWEEN)
    if any(names):
        # Where rows have a name for what they are, pandas writes it into a second header row of its own.
        titles = [below.strip() or above for above, below in zip(titles, rows.pop(0).split(_BETWEEN), strict=True)]
    return _table(titles, (row.split(_BETWEEN) for row in rows), len(names))


def boxed(made, label):
    """A finished table in a box that scrolls, by hand or with the keyboard, where it is too wide."""
    made = made.replace("<table>", f"<table{_LOOK.table}>", 1)
    return f'<div class="c2c-frame" role="group" tabindex="0" aria-label="Table: {escape(label)}">{made}</div>'


def _table(titles, rows, labels):
    rows = [[cell.strip() for cell in row] for row in rows]
    heads = [
        Head(title.strip(), number=place >= labels and _are_numbers([row[place] for row in rows]))
        for place, title in enumerate(titles)
    ]
    label = ", ".join(head.text for head in heads if head.text)
    return boxed(table(heads, rows, labels=labels, look=_LOOK), label)


def _printed(column):
    """A column as pandas prints it in a table."""
    with option_context("display.max_colwidth", None):
        if not len(column):
            return []
        # pandas writes a gap of its nullable types as code.
        cells = column.to_string(index=False, header=False).split("\n")
        return ["–" if cell.strip() == "<NA>" else cell for cell in cells]


def _whole(column):
    """Rounding and gaps make whole numbers end in .0; nobody measured that digit."""
    cells = [cell.strip() for cell in column]
    if all(re.fullmatch(r"-?[0-9]+\.0|NaN|", cell) for cell in cells):
        return [cell.removesuffix(".0") for cell in cells]
    return cells


def _are_numbers(cells):
    """Whether a column holds numbers, gaps and at least one digit."""
    return all(_NUMBER.fullmatch(cell) for cell in cells) and any(re.search("[0-9]", cell) for cell in cells)
