"""What a number takes to store."""

from __future__ import annotations

import re
from functools import cache

from .lookup import accelerators


@cache
def precisions() -> tuple[str, ...]:
    """Return every precision that some accelerator of the catalogue has, sorted."""
    return tuple(sorted({name for device in accelerators() for name in device.precisions_dense}))


def bytes_of(precision: str) -> float:
    """Bytes that one element takes in memory; tf32 is a way to multiply, and stored in four.

    Parameters
    ----------
    precision : str
        A precision that some accelerator of the catalogue has, such as ``"bf16"``.

    Returns
    -------
    float
        Bytes; half a byte for four bits.

    Raises
    ------
    ValueError, TypeError
        For any other name, and for what is no text.

    Notes
    -----
    Ignores scaling factors that formats such as MXFP4 store beside a block of elements.

    Examples
    --------
    >>> bytes_of("bf16"), bytes_of("tf32"), bytes_of("fp4"), bytes_of("fp64_tensor")
    (2.0, 4.0, 0.5, 8.0)
    """
    if not isinstance(precision, str):
        raise TypeError(f"precision must be a name such as 'bf16', got {precision!r}")
    if (key := precision.strip().lower()) not in precisions():
        raise ValueError(f"precision must be one of {', '.join(map(repr, precisions()))}, got {precision!r}")
    return int(re.findall(r"\d+", key)[0]) / 8
