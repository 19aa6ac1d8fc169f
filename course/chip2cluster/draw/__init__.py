"""Pictures of model results, each with title and description. No widgets, no physics.

A picture combines two ways of drawing. matplotlib draws the parts that stay while a reader moves a control: axes, ticks,
grids and curves that depend on the chips or links alone. That takes tens of milliseconds, so it is done once and cached.
The parts that follow a control are `shapes` that write themselves as SVG in microseconds; a whole frame then takes 1 to
10 ms. A shape can also join a matplotlib figure, which makes the PNG. Pictures whose axes do not need matplotlib consist
of shapes alone.
Six pictures keep matplotlib for their logarithmic axes, whose ticks it places and labels well: ``utilization_by_size``,
``links``, ``parity``, ``roofline``, ``scatter`` and ``message_times``. Elsewhere it only makes the PNG.

Both write with one typeface, `typeface`, and `labels` measures with it, so a label that keeps clear of
another here does so wherever it is shown. ``draw.ring``, ``draw.systolic`` and ``draw.topology`` give
an SVG of whatever size their subject needs, to be looked at by itself and in no explorer.

A picture is imported at its first use, and matplotlib with the first picture that needs it.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from . import machines, pictures, style
from .picture import Picture

# Each file of ``pictures`` and ``machines`` has the function of its name. These are the classes of arguments, and the file of each.
_PARTS = {
    "Axis": "scatter",
    "Batches": "token_energy",
    "Cell": "exchange",
    "Curve": "message_times",
    "Factor": "factor_chart",
    "Filled": "cache_bars",
    "Group": "parity",
    "Law": "rates_by_gpus",
    "Mark": "parity",
    "MeasuredLine": "alignment",
    "Operation": "roofline",
    "Point": "scatter",
    "Roof": "roofline",
    "Rung": "memory_tiers",
    "Seen": "rates_by_gpus",
    "Share": "busy_fraction",
    "Steps": "utilization_by_size",
    "Tail": "latency_distribution",
    "Wait": "serving_steps",
    "Wire": "links",
}
_HOMES = {
    name: f"{folder.__name__}.{file}"
    for folder, names in (
        (pictures, {module.name: module.name for module in iter_modules(pictures.__path__)} | _PARTS),
        (machines, {one.name: one.name for one in iter_modules(machines.__path__) if one.name not in machines.HELPERS}),
        (machines, {"Door": "course_map"}),
    )
    for name, file in names.items()
}
# Documents of several pictures and tables, and the file of each.
_DOCUMENTS = {"MemoPage": "design_memo", "memo": "design_memo"}
__all__ = ["Picture", "style", *_HOMES, *_DOCUMENTS]
# Names in readers' copies of notebooks of earlier versions.
_FORMER = {
    "axes": "communication_by_axis",
    "box": "node_diagram",
    "cliffs": "utilization_by_size",
    "cut_matrices": "sharded_matrices",
    "fit": "fit_residuals",
    "gpu_beside": "gpu_comparison",
    "halves": "network_bisection",
    "names_and_bytes": "striped_read",
    "rooms": "rate_by_memory",
    "served": "serving_steps",
}


def __getattr__(name: str) -> Any:
    name = _FORMER.get(name, name)
    if name in _DOCUMENTS:
        return getattr(import_module(f"{__name__}.{_DOCUMENTS[name]}"), name)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
