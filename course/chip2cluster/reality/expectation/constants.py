"""Frozen constants of the laws: version, checksum, the rows of the fit, and the choice for a chip.

A chip without constants takes the geometric mean of its family, then of all chips, and a wider interval.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any

from .chips import accelerator, family

FILE = Path(__file__).resolve().parents[2] / "data" / "expected_times.json"
CHIP, FAMILY, ALL = BASES = "chip", "family", "all chips"


@dataclass(frozen=True)
class Choice:
    """Constants for one chip, where they come from, and the factors of the interval."""

    own: dict[str, float]
    shared: dict[str, float]
    basis: str
    low: float
    high: float


@cache
def load() -> dict[str, Any]:
    """Load the constants; raise ValueError if they were changed without a new version."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    if content["sha256"] != checksum(content):
        raise ValueError(
            f"{FILE.name} does not match its checksum: constants are frozen; refit with `python -m "
            "chip2cluster.reality fit`, which writes a new version"
        )
    return content


def checksum(content: dict[str, Any]) -> str:
    """Return the SHA-256 of the constants, in canonical form."""
    return hashlib.sha256(json.dumps(content["kinds"], sort_keys=True).encode()).hexdigest()


def expected_version() -> tuple[str, str]:
    """Return version and checksum of the frozen constants.

    Returns
    -------
    tuple of str
        Version, and SHA-256 of the constants.

    Notes
    -----
    Rows published after a version are blind for it. Source: ``data/expected_times.json``.

    Examples
    --------
    >>> version, digest = expected_version()
    >>> len(digest)
    64
    """
    return load()["version"], load()["sha256"]


def choose(kind: str, chip: Any) -> Choice:
    """Return the constants for a chip: its own, those of its family, or those of all chips."""
    return pick(load()["kinds"][kind], accelerator(chip).name, family(chip))


def pick(stored: dict[str, Any], name: str, group: str) -> Choice:
    """Choose among the constants of a kind by the name of a chip and of its family."""
    chips = stored["chips"]
    alike = [one for other, one in chips.items() if group and family(other) == group]
    basis = CHIP if name in chips else FAMILY if alike else ALL
    own = chips[name] if basis == CHIP else mean(alike or list(chips.values()))
    everyone = mean(list(chips.values()))
    low, high = stored["interval"].get(basis, stored["interval"][CHIP])
    return Choice({**everyone, **own}, stored["shared"], basis, low, high)


def mean(some: list[dict[str, float]]) -> dict[str, float]:
    """Return the geometric mean of each constant over the chips that have it."""
    names = {name for one in some for name in one}
    return {
        name: exp(sum(log(one[name]) for one in some if name in one) / sum(name in one for one in some))
        for name in sorted(names)
    }
