"""Operations that differ between int and array arguments, and a check of truth values."""

from __future__ import annotations

from bisect import bisect_left
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._typing import ArrayLike, BoolOrArray, NDArray


def flags(name: str, value: Any) -> BoolOrArray:
    """Return ``value`` as bool, or as an array of bool; accepts only bool and the numbers 0 and 1."""
    if type(value) is bool:
        return value
    try:
        array = np.asarray(value)
    except ValueError:  # rows of unequal length
        array = np.array(None)
    if array.dtype.kind not in "biu" or (array > 1).any() or (array < 0).any():
        raise TypeError(f"{name} must be True or False, or an array of them, got {shortened(value)}")
    return bool(array) if array.ndim == 0 else array.astype(bool)


class IntOperations:
    """Operations on int without the overhead of NumPy."""

    minimum = staticmethod(min)
    minimum_of = staticmethod(min)

    @staticmethod
    def where(condition: Any, yes: Any, no: Any) -> Any:
        """Return ``yes`` if the condition holds, otherwise ``no``."""
        return yes if condition else no

    @staticmethod
    def next_size(sizes: Sequence[int], needed: int) -> int:
        """Return the smallest of ``sizes`` that holds ``needed``, or the largest if none does."""
        return sizes[min(bisect_left(sizes, needed), len(sizes) - 1)]


class ArrayOperations:
    """The same operations on arrays, which broadcast."""

    minimum = staticmethod(np.minimum)
    where = staticmethod(np.where)

    @staticmethod
    def minimum_of(values: Iterable[Any]) -> NDArray[Any]:
        """Return the elementwise minimum."""
        # Small arrays first, so that the full grid is processed only once.
        return reduce(np.minimum, sorted(values, key=np.size))

    @staticmethod
    def next_size(sizes: Sequence[int], needed: ArrayLike) -> NDArray[Any]:
        """Return the smallest of ``sizes`` that holds ``needed``, or the largest if none does."""
        return np.asarray(sizes)[np.minimum(np.searchsorted(sizes, needed), len(sizes) - 1)]


def operations(*arguments: Any) -> Any:
    """Return the operations that fit the arguments, which are int, bool or arrays."""
    return ArrayOperations if np.ndarray in map(type, arguments) else IntOperations
