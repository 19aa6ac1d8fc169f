"""Pictures of model results: each function returns a `Picture` and knows nothing of widgets."""

from . import style
from .picture import Picture
from .roofline import Operation, Roof, roofline

__all__ = ["Operation", "Picture", "Roof", "roofline", "style"]
