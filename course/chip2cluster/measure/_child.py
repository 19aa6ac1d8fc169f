"""What `cpu_roofline` and the collectives share: they measure in processes of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from .._validate import shortened, whole
from .recorded import FOLDER

if TYPE_CHECKING:
    from .._typing import ArrayLike

_POOLS = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR", "BLIS")


def environment(threads: int) -> dict[str, str]:
    """What a process must know before NumPy is loaded: where this package lies, and its threads."""
    path = os.pathsep.join(filter(None, [str(FOLDER.parents[2]), os.environ.get("PYTHONPATH")]))
    return os.environ | {f"{pool}_NUM_THREADS": str(threads) for pool in _POOLS} | {"PYTHONPATH": path}


def sizes(name: str, values: ArrayLike, minimum: int) -> list[int]:
    """One row of whole numbers, one at least."""
    row = np.atleast_1d(whole(name, values, minimum=minimum))
    if row.ndim != 1 or not row.size:
        raise ValueError(f"{name} must be one row of sizes with at least one, got {shortened(values)}")
    return [int(size) for size in row]
