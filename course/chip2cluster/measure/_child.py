"""Helpers of `cpu_roofline` and the collectives, which measure in child processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from .._validate import shortened, whole
from .collective_records import FOLDER

if TYPE_CHECKING:
    from .._typing import ArrayLike

_POOLS = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR", "BLIS")


def environment(threads: int) -> dict[str, str]:
    """Return the environment of a child process: path of this package, and number of threads of NumPy."""
    path = os.pathsep.join(filter(None, [str(FOLDER.parents[2]), os.environ.get("PYTHONPATH")]))
    return os.environ | {f"{pool}_NUM_THREADS": str(threads) for pool in _POOLS} | {"PYTHONPATH": path}


def sizes(name: str, values: ArrayLike, minimum: int) -> list[int]:
    """Return a non-empty one-dimensional list of whole numbers."""
    row = np.atleast_1d(whole(name, values, minimum=minimum))
    if row.ndim != 1 or not row.size:
        raise ValueError(f"{name} must be a one-dimensional list with at least one size, got {shortened(values)}")
    return [int(size) for size in row]
