"""Stubs for modules that are missing in the sandbox: those that would be the answer to a task, and the grader's own."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .null_object import NullObject

COURSE = ("autograder", "chip2cluster")
refusals = 0  # calls that were refused


class NotAvailableInGrading(Exception):
    """Call of a part of the package that graded work may not use.

    Attributes
    ----------
    name : str
        Full name of the part.
    """

    def __init__(self, name: str) -> None:
        global refusals
        refusals += 1
        super().__init__(f"{name} is not available while your work is graded: write the formula in your own lines")
        self.name = name


def refusing_attributes(module: str) -> Callable[[str], Any]:
    """Return a module's ``__getattr__``: every name exists, and a call raises `NotAvailableInGrading`."""

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _RefusingStub(f"{module}.{name}")

    return find


def null_attributes(module: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module that only displays: every call returns a `NullObject`."""

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return NullObject()

    return find


class StubFinder(MetaPathFinder, Loader):
    """Last finder on ``sys.meta_path``: a module that only the full course has can be imported, but not used."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a stub for a missing module of the course; None for any other module."""
        parent, _, child = name.rpartition(".")
        above = sys.modules.get(parent)
        # A stub would replace an attribute of the same name, such as a learner's function.
        if above is None or parent.partition(".")[0] not in COURSE or child in vars(above):
            return None
        return ModuleSpec(name, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        """Give the stub the same kind of attributes as its parent."""
        parent = sys.modules.get(module.__name__.rpartition(".")[0])
        maker = null_attributes if getattr(parent, "DISPLAY_ONLY", None) is True else refusing_attributes
        vars(module).update(DISPLAY_ONLY=maker is null_attributes, __getattr__=maker(module.__name__))
        module.__class__ = _StubModule


class _StubModule(ModuleType):
    """Stub of a name that the course imports from a package: a module, or a function."""

    def __call__(self, *_: Any, **__: Any) -> NullObject:
        if vars(self)["DISPLAY_ONLY"]:
            return NullObject()
        raise NotAvailableInGrading(self.__name__)


class _RefusingStub:
    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise NotAvailableInGrading(self._name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _RefusingStub(f"{self._name}.{name}")
