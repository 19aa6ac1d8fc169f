"""Null object that replaces displays while work is graded: it has every attribute and shows nothing."""

from collections.abc import Iterator
from typing import Any


class NullObject:
    """Result of a check, a hint, the progress or a drawing while work is graded.

    A page can use it like the real result: ``check(...).correct`` is true, ``progress().summary`` exists, and neither
    shows anything.
    """

    def __getattr__(self, name: str) -> "NullObject":
        """Return itself for every public name."""
        # Protocols of Python and IPython must be reported as missing.
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def _ipython_display_(self) -> None:
        """Show nothing below a cell."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over nothing."""
        return iter(())

    def __exit__(self, *_: object) -> None:
        """Let an exception pass."""


def _self(self: NullObject, *_: Any, **__: Any) -> NullObject:
    return self


def _always(value: Any) -> Any:
    return lambda *_: value


_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or")
for _name in ("call", "getitem", "enter", "neg", "abs", "round", *_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC)):
    setattr(NullObject, f"__{_name}__", _self)
# A loop that waits for a result ends at once: every comparison says that it is right, and large enough.
_VALUES: dict[str, Any] = {
    "bool": True,
    "eq": True,
    "ne": False,
    "gt": True,
    "ge": True,
    "lt": False,
    "le": False,
    "contains": True,
}
_VALUES |= {"float": 1.0, "int": 1, "hash": 0, "len": 0, "str": "", "repr": "", "format": ""}
for _name, _value in _VALUES.items():
    setattr(NullObject, f"__{_name}__", _always(_value))
