"""Pictures of models: a state in, a picture with title and description out. No widgets, no physics."""

from . import style
from .halves import halves
from .picture import Picture
from .ring import ring
from .roofline import Operation, Roof, roofline
from .systolic import systolic
from .topology import topology

__all__ = ["Operation", "Picture", "Roof", "halves", "ring", "roofline", "style", "systolic", "topology"]
