"""The publications behind the rows, as a table that can be folded away."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ..html import INLINE, Head, Html, table
from .compare import kinds

if TYPE_CHECKING:
    from .model import Publication


@dataclass(frozen=True)
class Sources:
    """Publications, each with the number of rows that stand on it."""

    rows: tuple[tuple[Publication, int], ...]

    def __str__(self) -> str:
        return "\n".join(f"{one.title}, {one.measured_by}, {one.date}, {one.address}" for one, _ in self.rows)

    def _repr_html_(self) -> str:
        heads = [Head("publication"), Head("measured by"), Head("date"), Head("licence"), Head("rows", number=True)]
        body = [
            [
                _linked(one),
                one.measured_by,
                one.date,
                one.licence,
                f"{count:,}",
            ]
            for one, count in self.rows
        ]
        return f"<details><summary>{len(self.rows)} publications</summary>{table(heads, body, look=INLINE)}</details>"


def _linked(one: Publication) -> str:
    """The title as a link where the publication has a public address; else what the bibliography calls it."""
    if one.address.startswith("https://"):
        return Html(f'<a href="{escape(one.address)}">{escape(one.title)}</a>')
    return one.title


def sources() -> Sources:
    """Every publication behind the rows, with who measured, when, and its licence.

    Returns
    -------
    Sources
        In a notebook a table that opens; `str` gives one line for each.

    Notes
    -----
    The licence is that of the text or code in which the figures stand; figures are facts.
    Source: the publications themselves.

    Examples
    --------
    >>> len(sources().rows) > 50
    True
    """
    found = Counter(row.publication for kind in kinds() for row in kind.rows)
    return Sources(tuple(sorted(found.items(), key=lambda pair: (pair[0].title.casefold(), pair[0].address))))
