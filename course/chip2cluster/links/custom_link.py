"""Custom link, from its rate and a measured latency."""

from __future__ import annotations

from dataclasses import dataclass

from .._validate import one_positive
from ..units_parse import parse
from .cost import half_bandwidth_message_size


@dataclass(frozen=True)
class OwnLink:
    """Custom link.

    Attributes
    ----------
    name : str
        Name for tables and pictures.
    bandwidth_one_way : float
        Unidirectional bandwidth, bytes/s.
    latency : float
        Fixed cost of a message, seconds.
    """

    name: str
    bandwidth_one_way: float
    latency: float

    @property
    def half_bandwidth_bytes(self) -> float:
        """Message size that reaches half of the bandwidth, bytes."""
        return float(half_bandwidth_message_size(self.latency, self.bandwidth_one_way))


def own(bandwidth_one_way: str | float, latency: str | float, name: str = "my link") -> OwnLink:
    """Describe a custom link.

    Parameters
    ----------
    bandwidth_one_way : str or float
        Unidirectional bandwidth: text with its unit, such as ``"100 Gb/s"`` or
        ``"12 GB/s"``, or a number of bytes/s.
    latency : str or float
        Latency of a message, measured by the same tool: text such as ``"20 µs"``, or a
        number of seconds.
    name : str
        Name for tables and pictures.

    Returns
    -------
    OwnLink
        Bandwidth, latency and half-bandwidth message size.

    Notes
    -----
    Both figures must come from one tool and one protocol; otherwise the half-bandwidth
    message is meaningless. Ignores what `transfer_time` ignores.

    Examples
    --------
    >>> mine = own("100 Gb/s", "20 µs")
    >>> mine.bandwidth_one_way / 1e9, round(mine.half_bandwidth_bytes / 1e3)
    (12.5, 250)
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"name must be a text that is not empty, got {name!r}")
    return OwnLink(name.strip(), _read("bandwidth_one_way", bandwidth_one_way, "B/s"), _read("latency", latency, "s"))


def _read(argument: str, value: str | float, unit: str) -> float:
    """Return a positive number in the base unit from a number or from text with a unit."""
    try:
        return one_positive(argument, parse(value, unit) if isinstance(value, str) else value)
    except ValueError as problem:
        raise ValueError(problem if argument in str(problem) else f"{argument}: {problem}") from None
