"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics."""

from . import style
from .links import Wire, links
from .multiprocessor import multiprocessor
from .picture import Picture
from .ring import ring
from .roofline import Operation, Roof, roofline
from .systolic import systolic
from .topology import topology
from .waterfall import waterfall

__all__ = [
    "Operation",
    "Picture",
    "Roof",
    "Wire",
    "links",
    "multiprocessor",
    "ring",
    "roofline",
    "style",
    "systolic",
    "topology",
    "waterfall",
]
