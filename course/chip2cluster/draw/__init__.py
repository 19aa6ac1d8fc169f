"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics."""

from . import style
from .exchange import Cell, exchange
from .links import Wire, links
from .multiprocessor import multiprocessor
from .picture import Picture
from .ring import ring
from .roofline import Operation, Roof, roofline
from .systolic import systolic
from .systolic_run import systolic_run
from .times import Curve, times
from .topology import topology
from .waterfall import waterfall

__all__ = [
    "Cell",
    "Curve",
    "Operation",
    "Picture",
    "Roof",
    "Wire",
    "exchange",
    "links",
    "multiprocessor",
    "ring",
    "roofline",
    "style",
    "systolic",
    "systolic_run",
    "times",
    "topology",
    "waterfall",
]
