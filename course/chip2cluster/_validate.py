"""Argument checks shared by every model.

Each check names the argument, shows what was given and says what is accepted.
A scalar comes back as a plain ``float`` (or ``int``), anything else as a float64
array, so that the models can broadcast without a second look at types.
"""

from numbers import Real

import numpy as np


def positive(name, value, *, allow_zero=False):
    """Return ``value`` as a finite number above zero (or not below it)."""
    number = real(name, value)
    if type(number) is float:
        good = number > 0 or (allow_zero and number == 0)
    else:
        smallest = number.min(initial=np.inf)
        good = smallest > 0 or (allow_zero and smallest == 0)
    if not good:
        bound = "zero or more" if allow_zero else "greater than zero"
        raise ValueError(f"{name} must be {bound}, got {_shown(value)}")
    return number


def real(name, value):
    """Return ``value`` as a finite float or float64 array; bool, text and NaN are refused."""
    kind = type(value)
    if kind is float or kind is int:
        number = _as_float(name, value)
    elif isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a number, got the truth value {value!r}")
    elif isinstance(value, Real):
        number = _as_float(name, value)
    elif isinstance(value, (str, bytes, bytearray)) or value is None:
        raise TypeError(f"{name} must be a number or an array of numbers, got {value!r}")
    else:
        return _array(name, value)
    if not -np.inf < number < np.inf:
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


def whole(name, value, *, minimum=1):
    """Return ``value`` as a whole number of at least ``minimum``; 8.0 counts as 8."""
    number = real(name, value)
    if type(number) is float:
        if not number.is_integer():
            raise ValueError(f"{name} must be a whole number, got {value!r}")
        number = int(number)
        smallest = number
    else:
        if (number != np.floor(number)).any():
            raise ValueError(f"{name} must hold whole numbers, got {_shown(value)}")
        smallest = number.min(initial=np.inf)
    if smallest < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {_shown(value)}")
    return number


def choice(name, value, choices):
    """Return ``value`` if it is one of ``choices``; otherwise name them all."""
    if value in choices:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def plain(result):
    """Return a 0-d result as a plain float and leave arrays alone."""
    return result if isinstance(result, np.ndarray) and result.ndim else float(result)


def _as_float(name, value):
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a 64-bit float") from None


def _array(name, value):
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise TypeError
        array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be a number or an array of numbers, got {_shown(value)}"
        ) from None
    if array.size and not (array.min() > -np.inf and array.max() < np.inf):
        raise ValueError(f"{name} must be finite, got {_shown(value)}")
    return float(array) if array.ndim == 0 else array


def _shown(value):
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
