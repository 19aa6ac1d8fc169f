"""Frozen constants of the laws: version, checksum, the rows of the fit, and the choice for a chip.

A chip without constants takes the geometric mean of its family, then of all chips, and a wider interval; so does a model
whose shape no row of the fit has.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

from .chips import accelerator, family
from .models import Shape, shape

FILE = Path(__file__).resolve().parents[2] / "data" / "expected_times.json"
CHIP, FAMILY, ALL = BASES = "chip", "family", "all chips"
MODEL = "model"  # interval of a model without rows


@dataclass(frozen=True)
class Choice:
    """Constants for one chip, where they come from, and the factors of the interval."""

    own: dict[str, float]
    shared: dict[str, float]
    basis: str
    low: float
    high: float
    known_model: bool = True


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


def choose(kind: str, chip: Any, model: Any = None) -> Choice:
    """Return the constants for a chip, its own, those of its family, or those of all chips, and the interval."""
    new = model is not None and shape(model) not in known_shapes(kind)
    return pick(load()["kinds"][kind], accelerator(chip).name, family(chip), new)


@cache
def known_shapes(kind: str) -> frozenset[Shape]:
    """Return the shapes of the models that the fit of a kind has seen."""
    return frozenset(shape(name) for name in load()["kinds"][kind]["models"])


def pick(stored: dict[str, Any], name: str, group: str, new_model: bool = False) -> Choice:
    """Choose among the constants of a kind by the name of a chip and of its family."""
    chips = stored["chips"]
    alike = [one for other, one in chips.items() if group and family(other) == group]
    basis = CHIP if name in chips else FAMILY if alike else ALL
    own = chips[name] if basis == CHIP else mean(alike or list(chips.values()))
    everyone = mean(list(chips.values()))
    spread = stored["interval"]
    low, high = spread.get(basis, spread[CHIP])
    if new_model:
        low = exp(-_wider(low, spread[MODEL][0], spread[CHIP][0]))
        high = exp(_wider(high, spread[MODEL][1], spread[CHIP][1]))
    return Choice({**everyone, **own}, stored["shared"], basis, low, high, not new_model)


def _wider(factor: float, model: float, known: float) -> float:
    """Return the logarithm of a factor with the variance that a new model adds to that of a known one."""
    return sqrt(log(factor) ** 2 + max(0.0, log(model) ** 2 - log(known) ** 2))


def mean(some: list[dict[str, float]]) -> dict[str, float]:
    """Return the geometric mean of each constant over the chips that have it."""
    names = {name for one in some for name in one}
    return {
        name: exp(sum(log(one[name]) for one in some if name in one) / sum(name in one for one in some))
        for name in sorted(names)
    }
