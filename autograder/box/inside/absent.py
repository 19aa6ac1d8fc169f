"""Stands in a box for a module of the package that would be the answer to a task."""

from collections.abc import Callable
from typing import Any


class Absent(Exception):
    """A part of the package that graded work may not call."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not there while your work is graded: write the formula in your own lines")
        self.name = name


def attribute(module: str) -> Callable[[str], Any]:
    """A module's ``__getattr__``: everything exists, nothing can be called."""

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{module}.{name}")

    return find


def silent(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module that only shows things: every call shows nothing."""

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None

    return find


class _Missing:
    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise Absent(self._name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self._name}.{name}")
