"""Normalize the values that a student's function returns, and compare them.

Only exact built-in and NumPy types pass, so the ``__eq__`` of a student's own object is never called. The sandbox gets a
copy of this file. In the book, Python runs in the browser and loads NumPy only for exercises that need it: without NumPy,
an array is a `PlainArray`.
"""

from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias, Union

try:
    import numpy as np
except ModuleNotFoundError:
    np = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers of one answer, or letters and names together. The largest reference of the course has 108.
MOST_ITEMS = 1 << 14
MOST_AXES = 8  # of an array, or nesting depth of lists
Array: Any
if np is None:
    from .plain_array import PlainArray

    Array = PlainArray
    NUMBER_TYPES: tuple[type, ...] = (int, float)
    TRUTH_TYPES: tuple[type, ...] = (bool,)
    TEXT_TYPES: tuple[type, ...] = (str,)
else:
    Array = np.ndarray
    NUMBER_TYPES = (int, float, np.floating, np.integer)
    TRUTH_TYPES = (bool, np.bool_)
    TEXT_TYPES = (str, np.str_)
Answer: TypeAlias = Union[float, bool, str, list[str], "NDArray[np.float64]"]


class UnusableReason(StrEnum):
    """Why a value cannot be an answer."""

    NOTHING = "nothing"
    TRUTH_VALUES = "truth values"
    OTHER_ARRAY = "other array"
    MIXED_ITEMS = "mixed items"
    TOO_LARGE = "too large"
    TOO_MANY = "too many"
    OBJECT = "object"


class UnusableAnswer(Exception):
    """A value cannot be an answer; ``reason`` says why, ``type_name`` is its type, which a student may have invented."""

    def __init__(self, reason: UnusableReason, type_name: str = "") -> None:
        super().__init__(reason, type_name)
        self.reason, self.type_name = reason, type_name


def normalize(value: Any) -> Answer:
    """Return ``value`` as a float, bool, str, list of str or float64 array.

    Raises
    ------
    UnusableAnswer
        If the value is anything else, or too large.
    """
    return _normalize(value, MOST_AXES)


def _normalize(value: Any, depth: int) -> Answer:
    kind = type(value)
    if value is None:
        raise UnusableAnswer(UnusableReason.NOTHING)
    if kind in TRUTH_TYPES:
        return bool(value)
    if kind in TEXT_TYPES:
        return _names([str(value)])[0]
    if kind in (int, float) or issubclass(kind, NUMBER_TYPES[2:]):
        return _number(value)
    if kind is Array:
        return _array(value)
    if kind in (list, tuple):
        return _items(value, kind.__name__, depth)
    raise UnusableAnswer(UnusableReason.OBJECT, kind.__name__)


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise UnusableAnswer(UnusableReason.TOO_LARGE) from None


def _names(names: list[str]) -> list[str]:
    if len(names) + sum(map(len, names)) > MOST_ITEMS:
        raise UnusableAnswer(UnusableReason.TOO_MANY)
    return names


def _array(array: "NDArray[Any]") -> Answer:
    if array.size > MOST_ITEMS or array.ndim > MOST_AXES:
        raise UnusableAnswer(UnusableReason.TOO_MANY)
    if np is None:
        return array
    if array.dtype.kind == "U" and array.ndim == 1:
        return _names([str(name) for name in array])
    if array.dtype.kind == "b":
        raise UnusableAnswer(UnusableReason.TRUTH_VALUES)
    if array.dtype.kind not in "iuf":
        raise UnusableAnswer(UnusableReason.OTHER_ARRAY, array.dtype.type.__name__.rstrip("_"))
    return _number(array.item()) if array.ndim == 0 else np.array(array, dtype=np.float64)


def _items(values: list[Any] | tuple[Any, ...], type_name: str, depth: int) -> Answer:
    if len(values) > MOST_ITEMS or not depth:
        raise UnusableAnswer(UnusableReason.TOO_MANY)
    items = [_normalize(value, depth - 1) for value in values]
    names = [item for item in items if type(item) is str]
    if len(names) == len(items):
        return _names(names)
    if all(type(item) is float for item in items):
        return _stack(items)
    if items and all(type(item) is bool for item in items):
        raise UnusableAnswer(UnusableReason.TRUTH_VALUES)
    arrays = [item for item in items if isinstance(item, Array)]
    if len(arrays) == len(items) and all(array.shape == arrays[0].shape for array in arrays):
        return _array(_stack(arrays))
    raise UnusableAnswer(UnusableReason.MIXED_ITEMS, type_name)


def _stack(items: list[Any]) -> Any:
    return PlainArray.stack(items) if np is None else np.array(items)


def build_array(items: list[Any], shape: tuple[int, ...], dtype: str = "float64") -> Any:
    """Return an array from its items in NumPy's order; ``dtype`` counts only where NumPy is."""
    return PlainArray(items, shape) if np is None else np.array(items, dtype=dtype).reshape(shape)


def ignore_float_errors() -> AbstractContextManager:
    """Return a context in which NumPy, if it is there, doesn't warn about overflow and division by zero."""
    return nullcontext() if np is None else np.errstate(all="ignore")


def numbers(value: Any) -> list[float]:
    """Return the numbers of a normalized number or array in one list."""
    return value.ravel().tolist() if isinstance(value, Array) else [value]


def is_close(got: float, expected: float, tolerance: float) -> bool:
    """Return whether two numbers agree within a relative tolerance; infinities agree with themselves, NaN with nothing."""
    return got == expected or abs(got - expected) <= tolerance * abs(expected) < inf


def all_close(got: list[float], expected: list[float], tolerance: float) -> bool:
    """Return whether two lists of equally many numbers agree one by one."""
    return len(got) == len(expected) and all(
        is_close(one, other, tolerance) for one, other in zip(got, expected, strict=True)
    )


def describe_type(value: Answer, shape: bool = True) -> str:
    """Describe the type of a normalized value, for an array with its shape if ``shape`` allows that."""
    if isinstance(value, Array):
        if shape and value.ndim == 1:
            return f"a list or an array of {value.size} number{'s' * (value.size != 1)}"
        return f"an array of shape {value.shape}" if shape else "an array"
    if shape and value == []:
        return "an empty list or tuple"
    return {float: "a number", bool: "a truth value", str: "text", list: "a list of texts"}[type(value)]


def same_type(got: Answer | None, expected: Answer) -> bool:
    """Return whether two normalized values have the same type and shape; None has no type."""
    if isinstance(expected, Array):
        return isinstance(got, Array) and got.shape == expected.shape
    return type(got) is type(expected)


def agree(got: Answer | None, expected: Answer, tolerance: float) -> bool:
    """Return whether two normalized values agree, numbers within a relative tolerance."""
    if got is None or not same_type(got, expected):
        return False
    if isinstance(expected, (float, Array)):
        return all_close(numbers(got), numbers(expected), tolerance)
    return got == expected


def _grid(value: object) -> str:
    """Format a list of dicts with the same keys, or a dict of lists, in columns; return "" for another value."""
    table = list(value) if isinstance(value, list) else []
    if isinstance(value, dict) and all(isinstance(items, list) for items in value.values()):
        rows = [[str(key), *map(_item, items)] for key, items in value.items()]
    elif table and all(isinstance(row, dict) and row.keys() == table[0].keys() for row in table):
        rows = [[str(key) for key in table[0]], *([_item(item) for item in row.values()] for row in table)]
    else:
        return ""
    if not 0 < len(rows) <= 12 or {len(row) for row in rows} != {len(rows[0])} or not 1 < len(rows[0]) <= 12:
        return ""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join([row[0].ljust(wide[0]), *(text.rjust(size) for text, size in zip(row[1:], wide[1:], strict=True))])
        for row in rows
    )
    return "\n".join(lines)[:4000]


def _item(value: object) -> str:
    return value if isinstance(value, str) else format_value(value)


def format_value(value: object) -> str:
    """Format an input or an answer for a message."""
    if isinstance(value, Array):
        # Short lists in full: two that differ at the end must not look the same.
        most = (24 if len(value) <= 24 else 8) if value.ndim == 1 else 6
        return "[" + ", ".join(format_value(item) for item in value[:most]) + (", …]" if len(value) > most else "]")
    if isinstance(value, TRUTH_TYPES):
        return repr(bool(value))
    if isinstance(value, NUMBER_TYPES):
        number = float(value)  # type: ignore[arg-type]
        short = f"{number:.5g}"
        # Whole numbers in full: a person who works a case by hand needs every digit.
        if number.is_integer() and abs(number) < 1e15 and (abs(number) < 1e6 or float(short) != number):
            return f"{number:.0f}"
        return short.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    if isinstance(value, (list, tuple)) and all(isinstance(item, NUMBER_TYPES) for item in value):
        text = "[" + ", ".join(map(format_value, value)) + "]"
        return text if len(text) <= 400 else f"{text[:397]}…"
    if grid := _grid(value):
        return "\n" + grid
    # Text of several lines is shown as it is; in quotes it would be one line with \\n in it.
    lines = isinstance(value, str) and "\n" in value
    text, most = (f"\n{value}", 4000) if lines else (repr(value), 400)
    return text if len(text) <= most else text[: most - 3] + "…"
