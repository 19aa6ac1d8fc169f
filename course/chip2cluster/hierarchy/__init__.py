"""The ladder from registers to remote storage: how much, how fast, how far.

Each system is seen from one accelerator. A number without a source is None, never
a guess; `Tier.source` says where each comes from and how sure it is.

>>> from chip2cluster import hierarchy
>>> hbm = hierarchy.system("DGX A100").tier("HBM")
>>> hbm.capacity_bytes / 1e9, hbm.bandwidth_one_way / 1e9, round(hbm.latency_seconds * 1e9)
(80.0, 2039.0, 406)
"""

from .flight import Flight, flight, requests_in_flight
from .kinds import Kind, kinds, kinds_table, reading_joules
from .measure_host import measure_memory
from .moves import Move, tier_for, time_to_move
from .nodes import Node, node
from .pages import Access, access_seconds, access_table, page_bandwidth
from .tables import compare
from .tiers import System, Tier, TierProtocol, system, systems

__all__ = [
    "Access", "Flight", "Kind", "Move", "Node", "System", "Tier", "TierProtocol",
    "access_seconds", "access_table", "compare", "flight", "kinds", "kinds_table", "measure_memory", "node", "page_bandwidth", "reading_joules",
    "requests_in_flight", "system", "systems", "tier_for", "time_to_move",
]  # fmt: skip
