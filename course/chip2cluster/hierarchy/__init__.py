"""Memory hierarchy from registers to remote storage: capacity, bandwidth and latency of each tier.

Each system is described from the viewpoint of one accelerator. A number without a source
is None; `Tier.source` gives the source and confidence of each number.

>>> from chip2cluster import hierarchy
>>> hbm = hierarchy.system("DGX A100").tier("HBM")
>>> hbm.capacity_bytes / 1e9, hbm.bandwidth_one_way / 1e9, round(hbm.latency_seconds * 1e9)
(80.0, 2039.0, 406)
"""

from .littles_law import RequestTimes, flight, requests_in_flight
from .measure_host import measure_memory
from .memory_kinds import MemoryKind, kinds, kinds_table, reading_joules
from .move_time import MoveTime, tier_for, time_to_move
from .nodes import Node, node
from .tables import compare
from .tiers import System, Tier, TierProtocol, system, systems
from .unified_memory import AccessTimes, access_seconds, access_table, page_bandwidth

__all__ = [
    "AccessTimes",
    "MemoryKind",
    "MoveTime",
    "Node",
    "RequestTimes",
    "System",
    "Tier",
    "TierProtocol",
    "access_seconds",
    "access_table",
    "compare",
    "flight",
    "kinds",
    "kinds_table",
    "measure_memory",
    "node",
    "page_bandwidth",
    "reading_joules",
    "requests_in_flight",
    "system",
    "systems",
    "tier_for",
    "time_to_move",
]  # fmt: skip
