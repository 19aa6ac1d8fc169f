"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics.

Two ways of drawing meet in a picture. matplotlib draws what stays while a reader moves a control: axes,
ticks, grids and curves that depend on the chips or links alone. That takes tens of milliseconds, so it is
done once and kept. What follows the hand is a handful of `shapes` that write themselves as SVG in
microseconds; a whole frame then takes 1 to 10 ms. A shape can also join a matplotlib figure, which is how
the same picture becomes a PNG. Where no axis needs matplotlib, a picture is made of shapes alone.

Both write with one typeface, `typeface`, and `labels` measures with it, so a label that keeps clear of
another here does so wherever it is shown. ``draw.ring``, ``draw.systolic`` and ``draw.topology`` give
an SVG of whatever size their subject needs, to be looked at by itself and in no explorer.

Each picture loads when first asked for, and matplotlib with those that are drawn by it.
"""

from .._lazy import lazy
from . import style  # noqa: F401

lazy(
    __name__,
    {
        "exchange": "Cell exchange",
        "halves": "halves",
        "ladder": "Rung ladder",
        "links": "Wire links",
        "multiprocessor": "multiprocessor",
        "picture": "Picture",
        "ring": "ring",
        "roofline": "Operation Roof roofline",
        "scatter": "Axis Point scatter",
        "systolic": "systolic",
        "systolic_run": "systolic_run",
        "times": "Curve times",
        "topology": "topology",
        "waterfall": "waterfall",
    },
    own=("style",),
)
