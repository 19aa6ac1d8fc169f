"""A table as a page shows it: words to the left, numbers to the right, folded away where it is long."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from numbers import Real
from typing import TYPE_CHECKING

from ..html import Head, Look, table

if TYPE_CHECKING:
    from pandas import DataFrame


_CELL = "vertical-align:top;padding:3px 9px 3px 0"
# Long reasons stand beside short numbers: each row is read from its top, and no two columns touch.
LOOK = Look(
    label=f' style="text-align:left;font-weight:400;{_CELL}"',
    words=f' style="text-align:left;{_CELL}"',
    number=f' style="text-align:right;{_CELL}"',
)


@dataclass(frozen=True)
class Shown:
    """A table, and the line that unfolds it; without a line it is open."""

    frame: DataFrame
    fold: str = ""

    def __str__(self) -> str:
        return str(self.frame.to_string())

    def _repr_html_(self) -> str:
        plain = self.frame.reset_index()
        rows = list(plain.itertuples(index=False))
        numbers = [any(isinstance(row[place], Real) for row in rows) for place in range(len(plain.columns))]
        heads = [Head(str(name), number=number) for name, number in zip(plain.columns, numbers, strict=True)]
        body = table(heads, [[_written(value) for value in row] for row in rows], look=LOOK)
        return f"<details><summary>{escape(self.fold)}</summary>{body}</details>" if self.fold else body


def _written(value: object) -> str:
    """A value of a cell.

    >>> _written(1.2345), _written(89.86), _written(1234), _written("as it is")
    ('1.23', '89.9', '1,234', 'as it is')
    """
    if isinstance(value, float):
        return f"{value:,.1f}" if value >= 10 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, Real) else str(value)


def shown(frame: DataFrame, fold: str = "") -> Shown:
    """Show a table with its words set to the left.

    Parameters
    ----------
    frame : pandas.DataFrame
    fold : str, optional
        The line that unfolds it; left out, the table is open.

    Returns
    -------
    Shown
        In a notebook a table; `str` gives it as text.

    Notes
    -----
    Ignores the precision that pandas was told: two digits after the point, one from 10 on.

    Examples
    --------
    >>> from chip2cluster import reality
    >>> "text-align:left" in shown(reality.about())._repr_html_()
    True
    """
    return Shown(frame, fold)
