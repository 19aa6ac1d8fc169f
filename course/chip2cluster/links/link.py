"""Link: a width, a signalling rate, an encoding, and the source of each."""

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
    """Bundle of parallel lanes, links or pins, with its bandwidth before packet headers.

    With an array of widths the bandwidths are arrays.

    Attributes
    ----------
    name : str
        Name, such as ``"PCIe 5.0 x16"``.
    width : int or array of int
        Number of parallel elements.
    element : str
        ``"lane"``, ``"link"`` or ``"pin"``.
    signal_rate : float
        Unidirectional signalling rate of an element, bits/s.
    encoding : str
        Name of the line encoding.
    encoding_efficiency : float
        Fraction of the bits that is data.
    bandwidth_one_way : float or array
        Unidirectional data bandwidth, bytes/s.
    full_duplex : bool
        Whether both directions work at once. Reads and writes share the pins of a memory
        bus, so its bidirectional bandwidth equals the unidirectional one.
    note : str
        Remark.
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
    _source: Source | Any = field(default=None, repr=False, compare=False)  # None for a link built by hand

    @property
    def bandwidth_both_ways(self) -> FloatOrArray:
        """Bidirectional bandwidth, the sum of both directions, bytes/s."""
        return 2 * self.bandwidth_one_way if self.full_duplex else self.bandwidth_one_way

    @property
    def bandwidth_one_way_per_element(self) -> FloatOrArray:
        """Unidirectional bandwidth of one lane, link or pin, bytes/s."""
        return self.bandwidth_one_way / self.width

    def source(self, field: str = "bandwidth_one_way") -> Source:
        """Return the source of a rate.

        Parameters
        ----------
        field : str
            ``"signal_rate"``, ``"encoding"``, ``"encoding_efficiency"``, ``"width"``,
            ``"bandwidth_one_way"`` or ``"bandwidth_both_ways"``. All have the same source,
            because one specification defines all rates of a link.

        Returns
        -------
        Source
            Citation, date and confidence.
        """
        known = ("signal_rate", "encoding", "encoding_efficiency", "bandwidth_one_way", "bandwidth_both_ways", "width")
        if field not in known:
            raise ValueError(f"field must be one of {', '.join(known)}, got {field!r}")
        return self._source


@cache
def data() -> dict[str, Any]:
    """Return the stored rates."""
    return json.loads(_DATA.read_text(encoding="utf-8"))


@cache
def _known(family: str, key: str) -> tuple[dict[str, Any], str, tuple[float, float], Source]:
    """Return a stored row with its encoding and source."""
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
    """Build the `Link` of one stored row at a given width."""
    row, encoding, (useful, sent), source = _known(family, key)
    rate = row["rate"] if signal_rate is None else signal_rate
    # Divide last: from HDR on, the rate times the encoding is then a whole number of bits.
    bandwidth = width * rate * useful / sent / 8
    return Link(name, width, element, rate, encoding, useful / sent, bandwidth, full_duplex, note, source)
