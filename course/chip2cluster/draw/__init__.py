"""Pictures of model results, each with title and description. No widgets, no physics.

Two ways of drawing meet in a picture. matplotlib draws what stays while a reader moves a control: axes,
ticks, grids and curves that depend on the chips or links alone. That takes tens of milliseconds, so it is
done once and kept. What follows the hand is a handful of `shapes` that write themselves as SVG in
microseconds; a whole frame then takes 1 to 10 ms. A shape can also join a matplotlib figure, which is how
the same picture becomes a PNG. Where no axis needs matplotlib, a picture is made of shapes alone.
Six pictures keep matplotlib for their logarithmic axes, whose ticks it places and labels well: ``cliffs``,
``links``, ``parity``, ``roofline``, ``scatter`` and ``times``. Elsewhere it only makes the PNG.

Both write with one typeface, `typeface`, and `labels` measures with it, so a label that keeps clear of
another here does so wherever it is shown. ``draw.ring``, ``draw.systolic`` and ``draw.topology`` give
an SVG of whatever size their subject needs, to be looked at by itself and in no explorer.

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
    "Batches": "joules",
    "Cell": "exchange",
    "Curve": "times",
    "Factor": "factors",
    "Filled": "cache_bars",
    "Group": "parity",
    "Law": "counts",
    "Mark": "parity",
    "Operation": "roofline",
    "Point": "scatter",
    "Roof": "roofline",
    "Rung": "ladder",
    "Seen": "counts",
    "Share": "hiding",
    "Steps": "cliffs",
    "Tail": "tails",
    "Wire": "links",
}
_HOMES = {module.name: module.name for module in iter_modules(pictures.__path__)} | _PARTS
__all__ = ["Picture", "style", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{pictures.__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
