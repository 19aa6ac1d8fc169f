"""What a link is: a width, a rate on the wire, an encoding, and where each was printed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..provenance import Source

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray

_DATA = Path(__file__).resolve().parent.parent / "data" / "links.json"


@dataclass(frozen=True)
class Link:
    """A bundle of lanes, links or pins and what it carries.

    ``width`` elements run in parallel, each sends ``signal_rate`` bits/s one way, of
    which ``encoding_efficiency`` is data. ``bandwidth_one_way`` and
    ``bandwidth_both_ways`` are bytes/s of data, before packet headers. A memory bus is
    not ``full_duplex``: reads and writes share its pins, so both ways add up to one.
    With an array of widths the bandwidths are arrays.
    """

    name: str
    width: IntOrArray
    element: str
    signal_rate: FloatOrArray
    encoding: str
    encoding_efficiency: float
    bandwidth_one_way: FloatOrArray
    full_duplex: bool = True
    note: str = ""
    _source: Source | Any = field(default=None, repr=False, compare=False)  # None for a link made by hand

    @property
    def bandwidth_both_ways(self) -> FloatOrArray:
        """Sum of the two directions, bytes/s."""
        return 2 * self.bandwidth_one_way if self.full_duplex else self.bandwidth_one_way

    @property
    def bandwidth_one_way_per_element(self) -> FloatOrArray:
        """One lane, link or pin, one way, bytes/s."""
        return self.bandwidth_one_way / self.width

    def source(self, field: str = "bandwidth_one_way") -> Source:
        """Return where a rate comes from.

        Parameters
        ----------
        field : str
            ``"signal_rate"``, ``"encoding"``, ``"encoding_efficiency"``, ``"width"``,
            ``"bandwidth_one_way"`` or ``"bandwidth_both_ways"``. All rates of one link
            stand in one specification; a width named by the caller has no other source.

        Returns
        -------
        Source

        Raises
        ------
        ValueError
            For another field.
        """
        known = ("signal_rate", "encoding", "encoding_efficiency", "bandwidth_one_way", "bandwidth_both_ways", "width")
        if field not in known:
            raise ValueError(f"field must be one of {', '.join(known)}, got {field!r}")
        return self._source


@cache
def data() -> dict[str, Any]:
    """Return the stored rates, read once."""
    return json.loads(_DATA.read_text(encoding="utf-8"))


@cache
def _known(family: str, key: str) -> tuple[dict[str, Any], str, tuple[float, float], Source]:
    """Encoding and source of one row, looked up once."""
    row = data()[family][key]
    encoding = row.get("encoding", "none counted")
    cited = data()["sources"][row["source"]]
    return row, encoding, data()["encodings"][encoding], Source(**cited, confidence=row["confidence"])


def build(
    family: str,
    key: str,
    name: str,
    width: IntOrArray,
    element: str,
    *,
    signal_rate: FloatOrArray | None = None,
    full_duplex: bool = True,
    note: str = "",
) -> Link:
    """Make the `Link` of one stored row at a given width."""
    row, encoding, (useful, sent), source = _known(family, key)
    rate = row["rate"] if signal_rate is None else signal_rate
    # The fraction last: for HDR and above it cancels to a whole number of bits.
    bandwidth = width * rate * useful / sent / 8
    return Link(name, width, element, rate, encoding, useful / sent, bandwidth, full_duplex, note, source)
