"""Turn what a student's function returned into plain data, and compare it.

Only exact built-in and NumPy types pass, so an object that claims to be equal
to everything is never asked for its opinion.
"""

import numpy as np

FLOATS = (int, float, np.floating, np.integer)


class Unusable(Exception):
    """The value has a type that no answer can have; the message says what it is."""


def plain(value):
    """Return ``value`` as a float, bool, str, list of str or float64 array.

    Raises
    ------
    Unusable
        With a sentence for the student.
    """
    kind = type(value)
    if value is None:
        raise Unusable("Your function returned nothing (None). Is a `return` missing?")
    if kind is bool or kind is np.bool_:
        return bool(value)
    if kind is str or kind is np.str_:
        return str(value)
    if kind in (int, float) or issubclass(kind, (np.floating, np.integer)):
        return _number(value)
    if kind is np.ndarray:
        if value.dtype.kind == "U" and value.ndim == 1:
            return [str(item) for item in value]
        if value.dtype.kind == "b":
            raise Unusable("Your function returned an array of truth values where numbers are wanted.")
        if value.dtype.kind not in "iuf":
            raise Unusable(f"Your function returned an array of {value.dtype}, not of numbers.")
        return _number(value.item()) if value.ndim == 0 else np.array(value, dtype=np.float64)
    if kind in (list, tuple):
        items = [plain(item) for item in value]
        if all(type(item) is str for item in items):
            return items
        if all(type(item) is float for item in items):
            return np.array(items)
        if items and all(isinstance(item, np.ndarray) and item.shape == items[0].shape for item in items):
            return np.array(items)
        raise Unusable(f"Your function returned a {kind.__name__} whose items are neither all numbers nor all names.")
    raise Unusable(f"Your function returned an object of type {kind.__name__}, which is not a plain answer.")


def _number(value):
    try:
        return float(value)
    except OverflowError:
        raise Unusable("Your function returned a number too large for a 64-bit float.") from None


def describe(value):
    """Name the kind of a plain value in words."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return {float: "a number", bool: "a truth value", str: "text", list: "a list of names"}[type(value)]


def same_kind(got, expected):
    """Whether two plain values are of one type and shape."""
    if isinstance(expected, np.ndarray):
        return isinstance(got, np.ndarray) and got.shape == expected.shape
    return type(got) is type(expected)


def agree(got, expected, tolerance):
    """Whether two plain values agree, numbers within a relative tolerance."""
    if not same_kind(got, expected):
        return False
    if isinstance(got, float) and isinstance(expected, float):
        # What np.isclose says, which takes forty times as long for one number.
        return got == expected or abs(got - expected) <= tolerance * abs(expected) < np.inf
    if isinstance(expected, np.ndarray):
        return bool(np.all(np.isclose(got, expected, rtol=tolerance, atol=0.0)))
    return got == expected


def shown(value):
    """Format an input or an answer for a message, short."""
    if isinstance(value, np.ndarray):
        most = 8 if value.ndim < 2 else 6
        return "[" + ", ".join(shown(item) for item in value[:most]) + (", …]" if len(value) > most else "]")
    if isinstance(value, (bool, np.bool_)):
        return repr(bool(value))
    if isinstance(value, FLOATS):
        number = float(value)
        short = f"{number:.5g}"
        # Whole numbers in full: who works a case by hand needs every digit.
        if number.is_integer() and abs(number) < 1e15 and (abs(number) < 1e6 or float(short) != number):
            return f"{number:.0f}"
        return short.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    # Text of several lines reads as it stands; in quotes it would be one line with \\n in it.
    text = f"\n{value}" if isinstance(value, str) and "\n" in value else repr(value)
    return text if len(text) <= 400 else text[:397] + "…"
