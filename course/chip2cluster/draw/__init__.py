"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics."""

from . import style
from .exchange import Cell, exchange
from .halves import halves
from .ladder import Rung, ladder
from .links import Wire, links
from .multiprocessor import multiprocessor
from .picture import Picture
from .ring import ring
from .roofline import Operation, Roof, roofline
from .scatter import Axis, Point, scatter
from .systolic import systolic
from .systolic_run import systolic_run
from .times import Curve, times
from .topology import topology
from .waterfall import waterfall

__all__ = [
    "Axis",
    "Cell",
    "Curve",
    "Operation",
    "Picture",
    "Point",
    "Roof",
    "Rung",
    "Wire",
    "exchange",
    "halves",
    "ladder",
    "links",
    "multiprocessor",
    "ring",
    "roofline",
    "scatter",
    "style",
    "systolic",
    "systolic_run",
    "times",
    "topology",
    "waterfall",
]
