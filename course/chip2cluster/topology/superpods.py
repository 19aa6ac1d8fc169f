"""Published clusters that are sold as one machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from .clos import Clos, Level
from .network import Topology, connect
from .published_machines import machine_entry
from .rails import GpuCluster, gpu_cluster

if TYPE_CHECKING:
    import networkx as nx


def cluster(model: str) -> Topology:
    """Build a cluster that is sold as one machine.

    Parameters
    ----------
    model : str
        ``"GB200 SuperPOD"``: eight racks of 72 GPUs; NVLink ends at the rack, and
        InfiniBand connects the racks. ``"CloudMatrix384"``: 48 nodes of eight Ascend 910C
        in one fabric of two tiers. Ignores case, blanks and dashes.

    Returns
    -------
    Topology
        Network of accelerators and switches.

    Notes
    -----
    Assumes that the InfiniBand of the SuperPOD is non-blocking, with as many leaves as a
    rack has GPUs; the assignment of NICs to leaves does not change the cut between racks.
    Ignores the Kunpeng processors, which are connected to the same switches of a
    CloudMatrix384, and its other networks. Source: NVIDIA 2025 and Zuo et al. 2025, see
    ``data/topologies.json``.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> for model in ("GB200 SuperPOD", "CloudMatrix384"):
    ...     machine = topology.cluster(model)
    ...     print([tier.name for tier in machine.tiers], topology.bisection(machine).bandwidth_one_way / 1e12)
    ['GPU', 'rack'] 14.4
    ['chip', 'node'] 75.264
    """
    name, data = machine_entry("clusters", model)
    values = {key: entry["value"] for key, entry in data.items() if key != "aliases"}
    if "planes" in values:
        return _planes(name, values)
    pod = gpu_cluster(
        values["nodes"],
        values["accelerators_per_node"],
        nvlink_bandwidth_one_way=values["inside_bandwidth_one_way"],
        nic_bandwidth_one_way=values["outside_bandwidth_one_way"],
    )
    structure = replace(cast(GpuCluster, pod._structure), part="rack")
    return Topology(name, pod.family, {"model": name, **pod.parameters}, pod.terminals, structure.build, structure)


def _planes(name: str, values: dict[str, Any]) -> Topology:
    """Build a network with a switch for each plane in every node, and upper switches that connect each plane."""
    nodes, chips, planes = values["nodes"], values["accelerators_per_node"], values["planes"]
    links, above, rate = (
        values[key] for key in ("links_per_accelerator_and_plane", "switches_above_per_plane", "link_bandwidth_one_way")
    )
    structure = Clos(
        (Level(nodes, planes * above, planes * above * rate), Level(chips, planes * links, planes * links * rate)),
        names=("node", "chip"),
    )

    def build() -> nx.Graph:
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from((("L2", plane, s) for plane in range(planes) for s in range(above)), terminal=False)
        graph.add_nodes_from((("L1", node, plane) for node in range(nodes) for plane in range(planes)), terminal=False)
        for node in range(nodes):
            for plane in range(planes):
                for s in range(above):
                    connect(graph, ("L2", plane, s), ("L1", node, plane), 1, rate)
            for chip in range(chips):
                graph.add_node(("npu", node, chip), terminal=True)
                for plane in range(planes):
                    connect(graph, ("L1", node, plane), ("npu", node, chip), links, links * rate)
        return graph

    return Topology(name, "planes of switches", {"model": name, "nodes": nodes}, structure.terminals, build, structure)
