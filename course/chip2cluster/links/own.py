"""A link of one's own, from what is printed on it and what a test of it shows."""

from __future__ import annotations

from dataclasses import dataclass

from .._validate import positive
from ..units_parse import parse
from .cost import half_bandwidth_message_size


@dataclass(frozen=True)
class OwnLink:
    """A link by its own figures: ``bandwidth_one_way`` in bytes/s, ``latency`` in seconds."""

    name: str
    bandwidth_one_way: float
    latency: float

    @property
    def half_bandwidth_bytes(self) -> float:
        """Message that reaches half of the bandwidth, bytes."""
        return float(half_bandwidth_message_size(self.latency, self.bandwidth_one_way))


def own(bandwidth_one_way: str | float, latency: str | float, name: str = "my link") -> OwnLink:
    """Describe a link of your own.

    Parameters
    ----------
    bandwidth_one_way : str or float
        The rate of one direction: a text with its unit, such as ``"100 Gb/s"`` or
        ``"12 GB/s"``, or bytes/s.
    latency : str or float
        The start of a message, measured by the same tool: a text such as ``"20 µs"``, or
        seconds.
    name : str
        What tables and pictures call it.

    Returns
    -------
    OwnLink

    Raises
    ------
    ValueError, TypeError
        For a text that is no rate or no time, numbers that are not above zero, and an
        empty name.

    Notes
    -----
    Both figures must come from one tool and one protocol, or the half-bandwidth message
    means nothing. As `transfer_time`.

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
    """A text with its unit, or a number in the base unit, above zero."""
    try:
        number = positive(argument, parse(value, unit) if isinstance(value, str) else value)
    except ValueError as problem:
        raise ValueError(problem if argument in str(problem) else f"{argument}: {problem}") from None
    if not isinstance(number, float):
        raise TypeError(f"{argument} must be one number or text, got {value!r}")
    return number
