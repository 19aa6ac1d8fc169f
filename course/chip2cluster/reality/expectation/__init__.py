"""Expected times beside bounds: a law for each kind, few constants for each chip, an interval.

``keys`` lists the inputs of each kind, ``laws`` has one law a module, ``constants`` the frozen numbers. ``rows`` reads a
table of measurements; ``fitting``, ``intervals``, ``release`` and ``scoring`` are what a maintainer runs:
``python -m chip2cluster.reality fit`` and ``score FILE.csv``.
"""

from .constants import expected_version
from .decision import fewest_chips
from .keys import Key, expected_keys
from .time import Expected, expected, expected_interval, expected_seconds

__all__ = [
    "Expected",
    "Key",
    "expected",
    "expected_interval",
    "expected_keys",
    "expected_seconds",
    "expected_version",
    "fewest_chips",
]
