"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics.

Each picture loads when first asked for, and matplotlib with those that are drawn by it.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from . import pictures, style
from .picture import Picture

# A file of ``pictures`` holds the function of its name. What a picture is made of lies beside it.
_PARTS = {
    "Axis": "scatter",
    "Cell": "exchange",
    "Curve": "times",
    "Operation": "roofline",
    "Point": "scatter",
    "Roof": "roofline",
    "Rung": "ladder",
    "Wire": "links",
}
_HOMES = {module.name: module.name for module in iter_modules(pictures.__path__)} | _PARTS
__all__ = ["Picture", "style", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{pictures.__name__}.{_HOMES[name]}"), name)


def __dir__():
    return sorted({*globals(), *__all__})
