"""How a model is spread over many devices: what fills their memory, and pipelines in time.

>>> from chip2cluster import parallelism
>>> run = parallelism.schedule("zb_h1", 8, 32, forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0)
>>> run.bubble_seconds, max(run.in_flight)
(7.0, 8)
"""

from .bubbles import bubble_over_ideal, bubble_over_makespan
from .kinds import schedules
from .layout import Layout
from .memory import StageMemory, memory, memory_by_stage
from .schedule import Schedule, Slot, schedule
from .volumes import Exchange, Volume, volumes

__all__ = [
    "Exchange",
    "Layout",
    "Schedule",
    "Slot",
    "StageMemory",
    "Volume",
    "bubble_over_ideal",
    "bubble_over_makespan",
    "memory",
    "memory_by_stage",
    "schedule",
    "schedules",
    "volumes",
]
