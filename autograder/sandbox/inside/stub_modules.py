"""Stands in a box for what is not there: modules that would be the answer to a task, and the grader's own."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .null_object import Quiet

COURSE = ("autograder", "chip2cluster")


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
        return Quiet()

    return find


class StandIns(MetaPathFinder, Loader):
    """Comes last on ``sys.meta_path``: to import what the course has elsewhere costs nothing, to use it does."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parent, _, child = name.rpartition(".")
        above = sys.modules.get(parent)
        # A module would take the place of an attribute with its name, such as a learner's function.
        if above is None or parent.partition(".")[0] not in COURSE or child in vars(above):
            return None
        return ModuleSpec(name, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        parent = sys.modules.get(module.__name__.rpartition(".")[0])
        maker = silent if getattr(parent, "SILENT", None) is True else attribute
        vars(module).update(SILENT=maker is silent, __getattr__=maker(module.__name__))


class _Missing:
    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise Absent(self._name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self._name}.{name}")
