"""Pictures of models: a state or a simulator in, SVG text out. No widgets, no physics."""

from .ring import ring
from .systolic import systolic

__all__ = ["ring", "systolic"]
