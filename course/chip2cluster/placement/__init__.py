"""Where things go: bundles on nodes as Ray puts them, pods as Kubernetes scores them, gangs, nodes below switches, and slices of a GPU.

>>> from chip2cluster import placement
>>> placement.ray_placement([{"GPU": 1}] * 4, [{"GPU": 4}, {"GPU": 4}], "SPREAD").bundles_per_node
(2, 2)
"""

from .gang_scheduling import PlacedJobs, place_jobs
from .gangs import Gangs, fragmentation, gang
from .kubernetes import Pods, balanced_allocation, kubernetes_placement, least_allocated, most_allocated
from .ray import PlacementGroup, ray_placement
from .reading import expand_hosts, read_topology
from .slices import Slices, mig_cuts, mig_placement
from .tree import Spread, topology_cost, tree_allocation

__all__ = [
    "Gangs",
    "PlacedJobs",
    "PlacementGroup",
    "Pods",
    "Slices",
    "Spread",
    "balanced_allocation",
    "expand_hosts",
    "fragmentation",
    "gang",
    "kubernetes_placement",
    "least_allocated",
    "mig_cuts",
    "mig_placement",
    "most_allocated",
    "place_jobs",
    "ray_placement",
    "read_topology",
    "topology_cost",
    "tree_allocation",
]
