"""Checks of whole-number arguments, and the few operations that differ between int and array."""

from __future__ import annotations

from bisect import bisect_left
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import shortened, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._typing import ArrayLike, BoolOrArray, IntOrArray, NDArray

LARGEST = 2**31 - 1  # the calculators count in 32-bit integers


def count(name: str, value: Any, minimum: int = 0, maximum: int = LARGEST) -> IntOrArray:
    """Return ``value`` as int, or as an int64 array, between the two bounds."""
    # The two usual cases first; anything else, and what is wrong, is left to `whole`.
    if type(value) is int and minimum <= value <= maximum:
        return value
    integers = isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "iu"
    if integers and minimum <= value.min(initial=minimum) and value.max(initial=minimum) <= maximum:
        return np.asarray(value, dtype=np.int64)
    number = whole(name, value, minimum=minimum)
    largest = number if isinstance(number, int) else number.max(initial=minimum)
    if largest > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {shortened(value)}")
    return number if isinstance(number, int) else number.astype(np.int64)


def one_count(name: str, value: Any, minimum: int = 0, maximum: int = LARGEST) -> int:
    """Return ``value`` as int where an array makes no sense."""
    number = count(name, value, minimum, maximum)
    if isinstance(number, np.ndarray):
        raise TypeError(f"{name} must be one number, got {shortened(value)}")
    return number


def flag(name: str, value: Any) -> BoolOrArray:
    """Return ``value`` as bool, or as an array of bool; 0 and 1 count, nothing else does."""
    if type(value) is bool:
        return value
    try:
        array = np.asarray(value)
    except ValueError:  # rows of unequal length
        array = np.array(None)
    if array.dtype.kind not in "biu" or (array > 1).any() or (array < 0).any():
        raise TypeError(f"{name} must be True or False, or an array of them, got {shortened(value)}")
    return bool(array) if array.ndim == 0 else array.astype(bool)


class OnInts:
    """The operations on plain ints, fast."""

    least = staticmethod(min)
    least_of = staticmethod(min)

    @staticmethod
    def pick(condition: Any, yes: Any, no: Any) -> Any:
        return yes if condition else no

    @staticmethod
    def next_size(sizes: Sequence[int], needed: int) -> int:
        """Smallest of ``sizes`` that holds ``needed``; the largest where none does."""
        return sizes[min(bisect_left(sizes, needed), len(sizes) - 1)]


class OnArrays:
    """The same on arrays; they broadcast."""

    least = staticmethod(np.minimum)
    pick = staticmethod(np.where)

    @staticmethod
    def least_of(values: Iterable[Any]) -> NDArray[Any]:
        # Small ones first: the full grid is touched once.
        return reduce(np.minimum, sorted(values, key=np.size))

    @staticmethod
    def next_size(sizes: Sequence[int], needed: ArrayLike) -> NDArray[Any]:
        return np.asarray(sizes)[np.minimum(np.searchsorted(sizes, needed), len(sizes) - 1)]


def operations(*arguments: Any) -> Any:
    """Which of the two fits these arguments, as `count` and `flag` return them."""
    return OnArrays if np.ndarray in map(type, arguments) else OnInts
