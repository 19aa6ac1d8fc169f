"""Checks of the fields of a frozen dataclass."""

from __future__ import annotations

import numpy as np

from .._validate import flag, whole
from .._validate import holds as holds


def set_count(owner: object, name: str, minimum: int = 1) -> None:
    """Make a field of a frozen object one whole number."""
    count = whole(name, getattr(owner, name), minimum=minimum)
    if isinstance(count, np.ndarray):
        raise TypeError(f"{name} must be one whole number, got an array")
    object.__setattr__(owner, name, count)


def set_flag(owner: object, name: str) -> None:
    """Make a field of a frozen object a plain truth value."""
    object.__setattr__(owner, name, flag(name, getattr(owner, name)))


def fill(owner: object, name: str, value: object) -> None:
    """Give a field of a frozen object that was left out its value."""
    if getattr(owner, name) is None:
        object.__setattr__(owner, name, value)


def check_type(owner: object, name: str, kind: type) -> None:
    """Refuse a field that is neither None nor of its class."""
    value = getattr(owner, name)
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be a transformer.{kind.__name__} or None, got {value!r}")
