"""Precisions, dense or sparse, that a printed total of FLOP/s can stand for."""

from __future__ import annotations

from collections.abc import Mapping

from .. import _validate

ROUNDED = 0.02  # largest relative rounding of a printed total


def readings(total: float, devices: int, dense: Mapping[str, float], sparse: Mapping[str, float]) -> list[str]:
    """Return all precisions, dense or sparse, whose peak gives a printed total.

    Parameters
    ----------
    total : float
        Printed total of all devices, FLOP/s (OP/s for integers).
    devices : int
        Number of chips.
    dense, sparse : mapping of str to float
        Peaks of one chip by precision, FLOP/s; ``sparse`` may be empty.

    Returns
    -------
    list of str
        ``"fp8 dense"``, ``"bf16 sparse"`` ...: dense ones first, in the order given;
        empty if no peak comes within 2 %.

    Notes
    -----
    Two formats often have one peak, and the sparse peak of one width is the dense peak
    of the next: then a total alone does not distinguish them.

    Examples
    --------
    >>> readings(506e15, 256, {"bf16": 989.4e12, "fp8": 1978.9e12}, {"bf16": 1978.9e12, "fp8": 3957.8e12})
    ['fp8 dense', 'bf16 sparse']
    """
    _validate.positive("total", total)
    _validate.whole("devices", devices)
    found = []
    for count, peaks in (("dense", dense), ("sparse", sparse)):
        for precision, peak in peaks.items():
            _validate.positive(f"{count}[{precision!r}]", peak)
            if abs(devices * peak - total) <= ROUNDED * total:
                found.append(f"{precision} {count}")
    return found
