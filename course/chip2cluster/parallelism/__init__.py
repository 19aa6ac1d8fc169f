"""How a model is spread over many devices: memory by stage, messages by axis, pipelines in time, every layout.

A `Layout` is how many devices share what. `memory_by_stage` says which bytes lie where,
`volumes` what each axis sends, `place` over which wires, `step_time` how long a step takes and `layouts`
looks at all of them. `schedule` runs a pipeline pass by pass, `route` sends tokens to experts, `product_collective` names what a
product of cut matrices needs.

>>> from chip2cluster import parallelism, transformer
>>> layout = parallelism.Layout(tensor=8, pipeline=8, data=16)
>>> stages = parallelism.memory_by_stage(transformer.model("GPT-3 175B").config, layout, 2048, micro_batches=96)
>>> [round(stages[number].total / 1e9) for number in (0, 3, 7)]
[55, 50, 46]
>>> run = parallelism.schedule("zb_h1", 8, 32, forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0)
>>> run.bubble_seconds, max(run.in_flight)
(7.0, 8)
"""

from .bubbles import bubble_over_ideal, bubble_over_makespan
from .communication import Exchange, Volume, volumes
from .experts import Routing, expected_dropped_share, expert_capacity, route
from .kinds import schedules
from .layout import Layout
from .memory_model import StageMemory, memory, memory_by_stage
from .meshes import product_collective, single_collectives
from .passes import pass_seconds
from .published import PublishedLayout, published_layouts
from .search import Candidate, layouts
from .step import AxisTime, axis_times, step_time
from .tables import order_table, room_table, router_table, tensor_table
from .tiers import Placed, Tier, place
from .timeline import Schedule, Slot, schedule

__all__ = [
    "AxisTime",
    "Candidate",
    "Exchange",
    "Layout",
    "Placed",
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
