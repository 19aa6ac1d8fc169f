"""Training parallelism: memory per pipeline stage, communication per axis, pipeline schedules, layout search.

The axes are tensor (TP), pipeline (PP), data (DP), context (CP) and expert parallelism (EP), with sequence
parallelism (SP) along the tensor axis and ZeRO or FSDP along the data axis. A `Layout` holds the degrees.
`memory_by_stage` returns the bytes on each device, `volumes` the traffic of each axis, `place` the network tier
of each axis, `step_time` the time of a step, and `layouts` searches all layouts. `schedule` simulates a pipeline
pass by pass, `route` sends tokens to experts, and `product_collective` names the collective that a
product of sharded matrices needs.

>>> from chip2cluster import parallelism, transformer
>>> layout = parallelism.Layout(tensor=8, pipeline=8, data=16)
>>> stages = parallelism.memory_by_stage(transformer.model("GPT-3 175B").config, layout, 2048, micro_batches=96)
>>> [round(stages[number].total / 1e9) for number in (0, 3, 7)]
[55, 50, 46]
>>> run = parallelism.schedule("zb_h1", 8, 32, forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0)
>>> run.bubble_seconds, max(run.in_flight)
(7.0, 8)
"""

from .axis_placement import AxisPlacement, Tier, place
from .bubbles import bubble_over_ideal, bubble_over_makespan
from .communication import Exchange, Volume, volumes
from .device_mesh import product_collective, single_collectives
from .experts import Routing, expected_dropped_share, expert_capacity, route
from .layout import Layout
from .layouts_in_papers import PublishedLayout, published_layouts
from .memory_model import OffloadedStageMemory, StageMemory, memory, memory_by_stage
from .pass_durations import pass_seconds
from .pipeline_schedules import schedules
from .search import Candidate, layouts
from .step import AxisTime, axis_times, step_time
from .tables import order_table, room_table, router_table, tensor_table
from .timeline import Schedule, Slot, schedule

__all__ = [
    "AxisPlacement",
    "AxisTime",
    "Candidate",
    "Exchange",
    "Layout",
    "OffloadedStageMemory",
    "PublishedLayout",
    "Routing",
    "Schedule",
    "Slot",
    "StageMemory",
    "Tier",
    "Volume",
    "axis_times",
    "bubble_over_ideal",
    "bubble_over_makespan",
    "expected_dropped_share",
    "expert_capacity",
    "layouts",
    "memory",
    "memory_by_stage",
    "order_table",
    "pass_seconds",
    "place",
    "product_collective",
    "published_layouts",
    "room_table",
    "route",
    "router_table",
    "schedule",
    "schedules",
    "single_collectives",
    "step_time",
    "tensor_table",
    "volumes",
]
