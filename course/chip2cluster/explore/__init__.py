"""Interactive views on models. Each is one line in a notebook: ``explore.roofline()``.

A file of ``views`` is an explorer, and gives it its name. A view loads when it is first
asked for, and with it the models and libraries that it needs.

>>> from chip2cluster import explore
>>> explore.roofline("A100 SXM 80GB", batch=64).values["batch"]
64
"""

from importlib import import_module
from pkgutil import iter_modules

from . import views
from .base import Explorer

_NAMES = tuple(module.name for module in iter_modules(views.__path__))
__all__ = ["Explorer", "explorers", *_NAMES]


def explorers() -> dict[str, type[Explorer]]:
    """Return every explorer by its name, in alphabetical order."""
    return {name: _explorer(name) for name in _NAMES}


def _explorer(name):
    """The one explorer that a file of ``views`` defines."""
    module = import_module(f"{views.__name__}.{name}")
    kinds = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Explorer) and kind.__module__ == module.__name__
    ]
    if len(kinds) != 1:
        raise ValueError(f"{module.__file__} must define one Explorer, and it defines {len(kinds)}")
    return kinds[0]


def __getattr__(name: str) -> type[Explorer]:
    if name in _NAMES:
        return _explorer(name)
    # The class by its own name, such as `Roofline`.
    kinds = explorers().values() if name[:1].isupper() else ()
    for kind in kinds:
        if kind.__name__ == name:
            return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__():
    return sorted({*globals(), *__all__})
