"""Network topologies between accelerators: wiring, bisection, distances, traffic and ECMP hashing.

>>> from chip2cluster import topology
>>> pod = topology.torus((16, 16), link_bandwidth_one_way=50e9)
>>> cut = topology.bisection(pod)
>>> cut.links, cut.bandwidth_one_way / 1e12, cut.bandwidth_both_ways / 1e12, cut.exact
(32, 1.6, 3.2, True)
"""

from .cut_traffic import (
    all_to_all_time,
    crossing_time,
    cut_time,
    full_bisection_share,
    injection_time,
    oversubscription,
)
from .cuts import Bisection, Cut, bisection, cut, cut_around
from .distance import Hops, hops, same_rank_hops, shortest_path
from .dragonfly_network import dragonfly
from .ecmp_hashing import hash_neighbours, hash_probabilities, hash_share, hash_time, hash_worst_load, spray_time
from .fair_rates import flow_rates, max_min_rates
from .full_meshes import complete, hyperx
from .grids import hypercube, mesh, path, ring, torus
from .incast import incast_fill_time, incast_queue, incast_time
from .job_placement import place
from .link_loads import Loads, cut_demand_time, link_loads
from .network import Topology, from_graph
from .published_machines import direct_node, nvswitch_node, tpu_pod
from .rails import gpu_cluster
from .structure import Tier
from .superpods import cluster
from .switches import SwitchCount, most_endpoints, switch_count
from .tables import table
from .traffic_patterns import demand
from .trees import fat_tree, leaf_spine, star, tree

__all__ = [
    "Bisection",
    "Cut",
    "Hops",
    "Loads",
    "SwitchCount",
    "Tier",
    "Topology",
    "all_to_all_time",
    "bisection",
    "cluster",
    "complete",
    "crossing_time",
    "cut",
    "cut_around",
    "cut_demand_time",
    "cut_time",
    "demand",
    "direct_node",
    "dragonfly",
    "fat_tree",
    "flow_rates",
    "from_graph",
    "full_bisection_share",
    "gpu_cluster",
    "hash_neighbours",
    "hash_probabilities",
    "hash_share",
    "hash_time",
    "hash_worst_load",
    "hops",
    "hypercube",
    "hyperx",
    "incast_fill_time",
    "incast_queue",
    "incast_time",
    "injection_time",
    "leaf_spine",
    "link_loads",
    "max_min_rates",
    "mesh",
    "most_endpoints",
    "nvswitch_node",
    "oversubscription",
    "path",
    "place",
    "ring",
    "same_rank_hops",
    "shortest_path",
    "spray_time",
    "star",
    "switch_count",
    "table",
    "torus",
    "tpu_pod",
    "tree",
]
