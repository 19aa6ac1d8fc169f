"""Fractions of the datasheet rates that the steps of a replica reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._validate import fraction, positive


@dataclass(frozen=True)
class Efficiency:
    """Fractions of the datasheet rates that steps reach, and overhead; all 1 and 0 is the bound.

    Parameters
    ----------
    compute, memory, link : float
        Fraction of the dense peak, of the memory bandwidth and of the link bandwidth that steps reach, above 0
        and at most 1.
    overhead_seconds : float
        Time of a step in which the chips are idle, seconds: launches, sampling, the scheduler.

    Notes
    -----
    Measured, never derived: `measured_rows` returns what published systems reached.

    Examples
    --------
    >>> Efficiency(compute=0.6, memory=0.8).overhead_seconds
    0.0
    """

    compute: float = 1.0
    memory: float = 1.0
    link: float = 1.0
    overhead_seconds: float = 0.0

    def __post_init__(self) -> None:
        """Validate the fields."""
        for name in ("compute", "memory", "link"):
            fraction(name, getattr(self, name))
        positive("overhead_seconds", self.overhead_seconds, allow_zero=True)


def check_efficiency(efficiency: Any) -> Efficiency:
    """Return ``efficiency`` if it is an Efficiency; otherwise say what was given."""
    if isinstance(efficiency, Efficiency):
        return efficiency
    raise TypeError(f"efficiency must be a serving.Efficiency or None, got {efficiency!r}")
