"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics.

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
