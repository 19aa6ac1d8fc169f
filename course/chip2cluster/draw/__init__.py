"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics."""

from . import style
from .picture import Picture
from .ring import ring
from .roofline import Operation, Roof, roofline
from .systolic import systolic
from .systolic_run import systolic_run
from .topology import topology

__all__ = ["Operation", "Picture", "Roof", "ring", "roofline", "style", "systolic", "systolic_run", "topology"]
