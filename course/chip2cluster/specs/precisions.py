"""Precisions of the catalogue: bytes of an element, and whether it is an integer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from .catalogue import load

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Precision:
    """Number format of a peak.

    Attributes
    ----------
    name : str
        Name in the catalogue, such as ``"bf16"``.
    bytes : float
        Bytes of one element in memory.
    is_integer : bool
        Whether peaks count OP/s of integers, not FLOP/s.
    variant_of : str or None
        Format whose rate on other units this is, such as ``"fp64"`` for ``"fp64_tensor"``.
    note : str
        Encodings of the format; often empty.
    """

    name: str
    bytes: float
    is_integer: bool
    variant_of: str | None = None
    note: str = ""


def precisions(*, variants: bool = True) -> tuple[str, ...]:
    """List the precisions of the catalogue: FP8, FP4 (NVFP4, MXFP4), INT8 and others.

    Parameters
    ----------
    variants : bool
        Whether to include rates of a format on other units, such as ``"fp64_tensor"``.

    Returns
    -------
    tuple of str
        Names in the order of the catalogue.

    Examples
    --------
    >>> precisions(variants=False)
    ('bf16', 'fp16', 'fp8', 'fp6', 'fp4', 'int8', 'int4', 'tf32', 'fp32', 'fp64')
    """
    return tuple(name for name, one in _precisions().items() if variants or one.variant_of is None)


def precision(name: str) -> Precision:
    """Look up a precision by name.

    Parameters
    ----------
    name : str
        Name in the catalogue; case and outer spaces do not matter.

    Returns
    -------
    Precision
        Bytes and kind of the format.

    Examples
    --------
    >>> precision("INT8").is_integer, precision("fp4").bytes
    (True, 0.5)
    """
    if not isinstance(name, str):
        raise TypeError(f"precision must be a name such as 'bf16', got {name!r}")
    if (key := name.strip().lower()) not in _precisions():
        raise ValueError(f"precision must be one of {', '.join(map(repr, precisions()))}, got {name!r}")
    return _precisions()[key]


def bytes_of(precision: str) -> float:
    """Return the bytes of one element in memory; TF32 is a multiply mode and is stored in four bytes.

    Parameters
    ----------
    precision : str
        Name in the catalogue, such as ``"bf16"``; case and outer spaces do not matter.

    Returns
    -------
    float
        Bytes; half a byte for four bits.

    Notes
    -----
    Ignores the scale factors that block formats (MXFP4, NVFP4) store with their elements. Source: the
    catalogue.

    Examples
    --------
    >>> bytes_of("bf16"), bytes_of("tf32"), bytes_of("fp4"), bytes_of("fp64_tensor")
    (2.0, 4.0, 0.5, 8.0)
    """
    return _find(precision).bytes


_find = precision  # the name `precision` is an argument in `bytes_of`


@cache
def _precisions() -> Mapping[str, Precision]:
    found = {
        name: Precision(name, entry["bytes"], entry["number"] == "integer", entry.get("variant_of"), entry.get("note", ""))
        for name, entry in load()["precisions"].items()
    }  # fmt: skip
    return MappingProxyType(found)
