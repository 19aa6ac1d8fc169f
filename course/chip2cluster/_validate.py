"""Argument checks shared by every model.

Each check names the argument, shows what was given and says what is accepted.
A scalar comes back as a plain ``float`` (or ``int``), anything else as a float64
array, so that the models can broadcast without a second look at types. NumPy is
imported for arrays alone: a page in a browser may do without.
"""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

MOST_BYTES = 2**63  # first size beyond a 64-bit file offset

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ._typing import FloatOrArray, IntOrArray, T


def positive(name: str, value: Any, *, allow_zero: bool = False) -> FloatOrArray:
    """Return ``value`` as a finite number above zero (or not below it)."""
    number, smallest = _number(name, value)
    if not (smallest > 0 or (allow_zero and smallest == 0)):
        bound = "zero or more" if allow_zero else "greater than zero"
        raise ValueError(f"{name} must be {bound}, got {shortened(value)}")
    return number


def whole(name: str, value: Any, *, minimum: int = 1) -> IntOrArray:
    """Return ``value`` as a whole number of at least ``minimum``; 8.0 counts as 8, and an int keeps every digit."""
    number, smallest = _number(name, value)
    if type(number) is float:
        if not number.is_integer():
            raise ValueError(f"{name} must be a whole number, got {value!r}")
        number = int(value)
    elif getattr(value, "dtype", number.dtype).kind == "f" and (number != number.round()).any():
        raise ValueError(f"{name} must hold whole numbers, got {shortened(value)}")
    if smallest < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {shortened(value)}")
    return number


def one_positive(name: str, value: Any, *, allow_zero: bool = False) -> float:
    """Return one number as `positive` does; an array is refused."""
    number = positive(name, value, allow_zero=allow_zero)
    if type(number) is not float:
        raise TypeError(f"{name} must be a single number, got {shortened(value)}")
    return number


def one_whole(name: str, value: Any, minimum: int = 1) -> int:
    """Return one whole number as `whole` does; an array is refused."""
    number = whole(name, value, minimum=minimum)
    if type(number) is not int:
        raise TypeError(f"{name} must be a single whole number, got {shortened(value)}")
    return number


def byte_counts(name: str, value: Any, *, minimum: int = 0) -> Any:
    """Return whole numbers below 2**63 as an int or an int64 array, with every digit: byte offsets and sizes."""
    number: Any = whole(name, value, minimum=minimum)
    if type(number) is int:
        in_range = number < MOST_BYTES
    else:
        import numpy as np

        given = np.asarray(value)
        # Integers come back as given: the floats that `whole` checked have rounded them.
        number, in_range = (given, True) if given.dtype.kind == "i" else (number, not holds(number >= MOST_BYTES))
        if in_range:
            return number.astype(np.int64)
    if not in_range:
        raise ValueError(f"{name} must be below 2**63 bytes, as a file's offset is, got {shortened(value)}")
    return number


def one_byte_count(name: str, value: Any, minimum: int = 0) -> int:
    """Return one number as `byte_counts` does; an array is refused."""
    return byte_counts(name, one_whole(name, value, minimum), minimum=minimum)


LARGEST_COUNT = 2**31 - 1  # the vendors' calculators count in 32-bit integers


def bounded_whole(name: str, value: Any, minimum: int = 0, maximum: int = LARGEST_COUNT) -> IntOrArray:
    """Return ``value`` as int, or as an int64 array, between two bounds."""
    if type(value) is int and minimum <= value <= maximum:  # the usual case, without the cost of `whole`
        return value
    import numpy as np

    integers = isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "iu"
    if integers and minimum <= value.min(initial=minimum) and value.max(initial=minimum) <= maximum:
        return np.asarray(value, dtype=np.int64)
    number: Any = whole(name, value, minimum=minimum)
    if (number if type(number) is int else number.max(initial=minimum)) > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {shortened(value)}")
    return number if type(number) is int else number.astype(np.int64)


def one_bounded_whole(name: str, value: Any, minimum: int = 0, maximum: int = LARGEST_COUNT) -> int:
    """Return one whole number as `bounded_whole` does; an array is refused."""
    number = bounded_whole(name, value, minimum, maximum)
    if type(number) is not int:
        raise TypeError(f"{name} must be a single whole number, got {shortened(value)}")
    return number


def fraction(name: str, value: Any, *, allow_zero: bool = False) -> FloatOrArray:
    """Return ``value`` as a share above zero (or not below it) and at most 1."""
    share = positive(name, value, allow_zero=allow_zero)
    if holds(share > 1):
        raise ValueError(f"{name} must be at most 1, got {shortened(value)}")
    return share


def one_fraction(name: str, value: Any, *, allow_zero: bool = False) -> float:
    """Return one number as `fraction` does; an array is refused."""
    return fraction(name, one_positive(name, value, allow_zero=allow_zero), allow_zero=allow_zero)


def flag(name: str, value: Any) -> bool:
    """Return ``value`` as a plain truth value; a number or a word is refused."""
    if isinstance(value, bool):
        return value
    import numpy as np

    if isinstance(value, np.bool_):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {value!r}")


def choice(name: str, value: T, choices: Collection[T]) -> T:
    """Return ``value`` if it is one of ``choices``; otherwise name them all."""
    try:
        found = value in choices
    except TypeError:  # a list is in no dict
        found = False
    if found:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def set_fields(owner: object, check: Callable[..., Any], *names: str, **options: Any) -> None:
    """Replace fields of a frozen dataclass with the values that ``check`` returns for them."""
    for name in names:
        object.__setattr__(owner, name, check(name, getattr(owner, name), **options))


def look_up(name: str, value: str, choices: Mapping[str, T]) -> T:
    """Return the entry of ``choices`` that a text names; otherwise name them all."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, one of {', '.join(map(repr, choices))}; got {value!r}")
    return choices[choice(name, value, choices)]


def known(name: str, value: T | None) -> T:
    """Return a value that a record may leave open; where it does, say so."""
    if value is None:
        raise ValueError(f"{name} is not known, and is needed here")
    return value


def holds(condition: Any) -> bool:
    """Return whether a comparison holds anywhere, for scalars without the cost of NumPy."""
    return condition if type(condition) is bool else bool(condition.any())


def plain(result: Any) -> FloatOrArray:
    """Return a 0-d result as a plain float and leave arrays alone."""
    if type(result) is float:
        return result
    return result if getattr(result, "ndim", 0) else float(result)


def shortened(value: object) -> str:
    """Return what was given as a message shows it."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _number(name: str, value: Any) -> tuple[Any, Any]:
    """Return a float with itself, or a float64 array with its smallest element."""
    kind = type(value)
    if kind is not float and kind is not int:
        if kind is bool:
            raise TypeError(f"{name} must be a number, got the truth value {value!r}")
        if not isinstance(value, Real):
            return _array(name, value)
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a 64-bit float") from None
    if not -inf < number < inf:
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number, number


def _array(name: str, value: Any) -> tuple[Any, Any]:
    if isinstance(value, str):
        raise TypeError(
            f"{name} must be a number or an array of numbers, got {value!r}; units.parse reads text with a unit"
        )
    if value is None or isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{name} must be a number or an array of numbers, got {value!r}")
    import numpy as np

    if isinstance(value, np.bool_):
        raise TypeError(f"{name} must be a number, got the truth value {value!r}")
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "iuf":
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or an array of numbers, got {shortened(value)}") from None
    array = given.astype(np.float64, copy=False)
    smallest = array.min(initial=inf)
    if given.dtype.kind == "f" and array.size and not (smallest > -inf and array.max() < inf):
        raise ValueError(f"{name} must be finite, got {shortened(value)}")
    return (float(array), float(array)) if array.ndim == 0 else (array, smallest)
