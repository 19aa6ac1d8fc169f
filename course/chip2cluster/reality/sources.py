"""Publications behind the measurements, as a foldable table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ..html import INLINE, Head, Html, table
from .comparison import kinds

if TYPE_CHECKING:
    from .validation_model import Publication


@dataclass(frozen=True)
class Sources:
    """Publications with the number of their rows."""

    rows: tuple[tuple[Publication, int], ...]

    def __str__(self) -> str:
        """Return the text form."""
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
    """Return the title, as a link if the publication has a public address."""
    if one.address.startswith("https://"):
        return Html(f'<a href="{escape(one.address)}">{escape(one.title)}</a>')
    return one.title


def sources() -> Sources:
    """List every publication with its author, date and licence.

    Returns
    -------
    Sources
        Foldable table in a notebook; `str` gives one line per publication.

    Notes
    -----
    The licence is that of the text or code that contains the figures. Source: the publications.

    Examples
    --------
    >>> len(sources().rows) > 50
    True
    """
    found = Counter(row.publication for kind in kinds() for row in kind.rows)
    return Sources(tuple(sorted(found.items(), key=lambda pair: (pair[0].title.casefold(), pair[0].address))))
