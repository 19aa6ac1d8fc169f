"""Interactive views on models. Each is one line in a notebook: ``explore.roofline()``.

A file in the folder ``explorers`` of a chapter is an explorer, and gives it its name, which is unique over all chapters.
It loads when it is first asked for, and with it the models and libraries that it needs.

>>> from chip2cluster import explore
>>> explore.roofline("A100 SXM 80GB", batch=64).values["batch"]
64
"""

import functools
from importlib import import_module

from chip2cluster import chapters

from .base import Explorer


@functools.cache  # not imported by name: `cache` is an explorer
def _homes() -> dict[str, str]:
    """Return the chapter of each explorer, by the explorer's name in alphabetical order.

    Raises
    ------
    ValueError
        If two chapters have an explorer of one name.
    """
    homes: dict[str, str] = {}
    for topic in chapters.topics():
        for name in chapters.files(topic, "explorers"):
            if name in homes:
                raise ValueError(f"explorers/{name}.py exists in {homes[name]} and in {topic}: rename one of them")
            homes[name] = topic
    return dict(sorted(homes.items()))


def explorers() -> dict[str, type[Explorer]]:
    """Return every explorer by its name, in alphabetical order.

    Returns
    -------
    dict
        Explorer classes by name.
    """
    return {name: _explorer(name) for name in _homes()}


def file_of(name: str) -> str:
    """Return where an explorer is defined, relative to the package's folder."""
    return f"chapters/{_homes()[name]}/explorers/{name}.py"


def _explorer(name: str) -> type[Explorer]:
    """Return the one explorer that a file defines."""
    module = import_module(f"{chapters.__name__}.{_homes()[name]}.explorers.{name}")
    kinds = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Explorer) and kind.__module__ == module.__name__
    ]
    if len(kinds) != 1:
        raise ValueError(f"{module.__file__} must define one Explorer, and it defines {len(kinds)}")
    return kinds[0]


def __getattr__(name: str) -> type[Explorer] | list[str]:
    if name == "__all__":
        return ["Explorer", "explorers", *_homes()]
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _homes():
        return _explorer(name)
    # The class by its own name, such as `Roofline`.
    kinds = explorers().values() if name[:1].isupper() else ()
    for kind in kinds:
        if kind.__name__ == name:
            return kind
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}; it has Explorer, explorers, {', '.join(_homes())}"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), "__all__", *_homes()})
