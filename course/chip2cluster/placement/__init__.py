"""Placement of jobs: Ray placement groups, Kubernetes scores, Kueue quotas, gang scheduling, switch trees and MIG slices.

>>> from chip2cluster import placement
>>> placement.ray_placement([{"GPU": 1}] * 4, [{"GPU": 4}, {"GPU": 4}], "SPREAD").bundles_per_node
(2, 2)
"""

from .gang_scheduling import PlacedJobs, place_jobs
from .gangs import GangAllocation, fragmentation, gang
from .kubernetes import PodPlacement, balanced_allocation, kubernetes_placement, least_allocated, most_allocated
from .kueue import kueue_admission
from .mig import MigPlacement, mig_partitions, mig_placement
from .ray import PlacementGroup, ray_placement
from .slurm_text import expand_hosts, read_topology
from .switch_tree import TreeDistance, topology_cost, tree_allocation

__all__ = [
    "GangAllocation",
    "MigPlacement",
    "PlacedJobs",
    "PlacementGroup",
    "PodPlacement",
    "TreeDistance",
    "balanced_allocation",
    "expand_hosts",
    "fragmentation",
    "gang",
    "kubernetes_placement",
    "kueue_admission",
    "least_allocated",
    "mig_partitions",
    "mig_placement",
    "most_allocated",
    "place_jobs",
    "ray_placement",
    "read_topology",
    "topology_cost",
    "tree_allocation",
]
