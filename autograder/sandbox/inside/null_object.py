"""Stands in a box for what a page only shows: it has every attribute, says nothing and stands in nobody's way."""

from collections.abc import Iterator
from typing import Any


class Quiet:
    """What a check, a hint, the progress or a drawing gives while work is graded.

    A page may read it as it reads the real thing: ``check(...).correct`` is true,
    ``progress().summary`` is there, and neither shows anything.
    """

    def __getattr__(self, name: str) -> "Quiet":
        # Who asks for a protocol of Python or IPython must hear that it is not spoken.
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def _ipython_display_(self) -> None:
        """Show nothing below a cell."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __exit__(self, *_: object) -> None:
        """Let an error go on its way."""


def _self(self: Quiet, *_: Any, **__: Any) -> Quiet:
    return self


def _always(value: Any) -> Any:
    return lambda *_: value


_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or")
for _name in ("call", "getitem", "enter", "neg", "abs", "round", *_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC)):
    setattr(Quiet, f"__{_name}__", _self)
# Nothing that a page waits for keeps it waiting: all is right, and more than enough.
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
    setattr(Quiet, f"__{_name}__", _always(_value))
