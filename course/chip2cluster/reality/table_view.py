"""Table for notebooks: text left-aligned, numbers right-aligned, folded if long."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from numbers import Real
from typing import TYPE_CHECKING

from ..html import Head, Look, table

if TYPE_CHECKING:
    from pandas import DataFrame


_CELL = "vertical-align:top;padding:3px 9px 3px 0"
# Long texts and short numbers share a row, so cells are top-aligned and padded.
LOOK = Look(
    label=f' style="text-align:left;font-weight:400;{_CELL}"',
    words=f' style="text-align:left;{_CELL}"',
    number=f' style="text-align:right;{_CELL}"',
)


@dataclass(frozen=True)
class Shown:
    """Displayed table; ``fold`` is the title of a folded table, empty for an open one."""

    frame: DataFrame
    fold: str = ""

    def __str__(self) -> str:
        """Return the text form."""
        return str(self.frame.to_string())

    def _repr_html_(self) -> str:
        plain = self.frame.reset_index()
        rows = list(plain.itertuples(index=False))
        numbers = [any(isinstance(row[place], Real) for row in rows) for place in range(len(plain.columns))]
        heads = [Head(str(name), number=number) for name, number in zip(plain.columns, numbers, strict=True)]
        body = table(heads, [[_written(value) for value in row] for row in rows], look=LOOK)
        return f"<details><summary>{escape(self.fold)}</summary>{body}</details>" if self.fold else body


def _written(value: object) -> str:
    """Format the value of a cell.

    >>> _written(1.2345), _written(89.86), _written(1234), _written("as it is")
    ('1.23', '89.9', '1,234', 'as it is')
    """
    if isinstance(value, float):
        return f"{value:,.1f}" if value >= 10 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, Real) else str(value)


def shown(frame: DataFrame, fold: str = "") -> Shown:
    """Display a table with left-aligned text.

    Parameters
    ----------
    frame : pandas.DataFrame
        Table to display.
    fold : str, optional
        Title of the folded table; empty for an open table.

    Returns
    -------
    Shown
        HTML table in a notebook; `str` gives it as text.

    Notes
    -----
    Ignores the display precision of pandas: two decimals below 10, one from 10 on.

    Examples
    --------
    >>> from chip2cluster import reality
    >>> "text-align:left" in shown(reality.about())._repr_html_()
    True
    """
    return Shown(frame, fold)
