"""GPU clusters: nodes with NVLink, and NICs connected by rail (rail-optimized) or by rack."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from .._validate import choice, one_positive, one_whole
from . import layout
from .layout import Node, Positions
from .network import Topology, connect
from .structure import Bounds, Structure, Tier
from .switches import switch_count

if TYPE_CHECKING:
    import networkx as nx


def gpu_cluster(
    nodes: int,
    gpus_per_node: int = 8,
    *,
    nodes_per_group: int | None = None,
    spines: int | None = None,
    wiring: Literal["rail", "rack"] = "rail",
    nvlink_bandwidth_one_way: float,
    nic_bandwidth_one_way: float,
    oversubscription: float = 1.0,
    radix: int | None = None,
) -> Topology:
    """Build a training cluster: nodes with NVLink, a NIC for each GPU, rail-optimized leaves, and spines.

    Parameters
    ----------
    nodes : int
        Number of nodes.
    gpus_per_node : int
        Number of GPUs in a node; GPU r of every node is on rail r.
    nodes_per_group : int, optional
        Number of nodes that share ``gpus_per_node`` leaf switches, a divisor of ``nodes``;
        by default all nodes.
    spines : int, optional
        Number of spine switches, each linked once to each leaf; by default
        ``nodes_per_group``, which makes an uplink as fast as a NIC without oversubscription.
    wiring : {"rail", "rack"}
        "rail": leaf r of a group connects the NIC of GPU r of each of its nodes
        (rail-optimized). "rack": a leaf connects all NICs of ``nodes_per_group /
        gpus_per_node`` nodes (top of rack). Both need the same switches and ports.
    nvlink_bandwidth_one_way : float
        Unidirectional bandwidth of a GPU's NVLink connection, bytes/s.
    nic_bandwidth_one_way : float
        Unidirectional bandwidth of a GPU's NIC, bytes/s.
    oversubscription : float
        Ratio of the NIC bandwidth below a leaf to the uplink bandwidth above it.
    radix : int, optional
        Ports of each switch at the speed of a NIC; if given, a cluster that two tiers of such switches
        cannot connect is refused. By default a spine is as large as it has to be.

    Returns
    -------
    Topology
        Cluster whose terminals are the GPUs.

    Raises
    ------
    ValueError
        If a count does not divide the one that it must divide, or switches of this radix have too few ports.

    Notes
    -----
    Treats the NVSwitches of a node as one switch, and connects the NIC to its GPU directly:
    ignores PCIe. Source: NVIDIA DGX SuperPOD reference architecture (rail-optimized
    leaves).

    Examples
    --------
    >>> from chip2cluster import topology
    >>> rates = dict(nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=50e9)
    >>> pod = topology.gpu_cluster(128, nodes_per_group=32, **rates)
    >>> topology.bisection(pod).bandwidth_one_way / 1e12
    25.6
    """
    nodes, gpus = one_whole("nodes", nodes), one_whole("gpus_per_node", gpus_per_node)
    group = nodes if nodes_per_group is None else one_whole("nodes_per_group", nodes_per_group)
    spines = group if spines is None else one_whole("spines", spines)
    choice("wiring", wiring, ("rail", "rack"))
    if nodes % group:
        raise ValueError(f"nodes_per_group must divide nodes, got {group} and {nodes}")
    if wiring == "rack" and group % gpus:
        raise ValueError(
            f"nodes_per_group must be a multiple of gpus_per_node with wiring='rack', got {group} and {gpus}"
        )
    nvlink = one_positive("nvlink_bandwidth_one_way", nvlink_bandwidth_one_way)
    nic = one_positive("nic_bandwidth_one_way", nic_bandwidth_one_way)
    if radix is not None:
        _check_ports(nodes * gpus, one_whole("radix", radix, minimum=2), float(oversubscription))
    uplink = group * nic / (spines * one_positive("oversubscription", oversubscription))
    structure = GpuCluster(nodes, gpus, group, spines, wiring == "rail", nvlink, nic, uplink)
    parameters = {
        "nodes": nodes,
        "gpus_per_node": gpus,
        "nodes_per_group": group,
        "spines": spines,
        "wiring": wiring,
    }
    name = f"{nodes} nodes × {gpus} GPUs, wired by {wiring}"
    return Topology(name, "GPU cluster", parameters, structure.terminals, structure.build, structure)


def _check_ports(endpoints: int, radix: int, oversubscription: float) -> None:
    """Raise a ValueError if two tiers of switches cannot connect so many NICs."""
    count = switch_count(endpoints, radix, oversubscription=oversubscription)
    if count.tiers > 2:
        raise ValueError(
            f"{endpoints:,} NICs do not fit two tiers of {radix}-port switches, which connect "
            f"{radix * (radix - int(radix / (1 + oversubscription))):,}; it takes three tiers: {count.leaves} leaves, "
            f"{count.spines} spines and {count.cores} cores"
        )


@dataclass(frozen=True)
class GpuCluster(Structure):
    """Bounds of a GPU cluster's bisection.

    The NICs and the leaf-spine fabric share no link with NVLink, so the two costs add.
    The fabric alone costs at least as much as a leaf-spine: U for each of m leaves, plus
    the links of the other NICs. A half that is not a whole number of nodes (an odd number
    of nodes) splits some of them, which severs NVLink of at least floor(GPUs per node / 2)
    GPUs. The cut that moves whole groups, then whole nodes, reaches this bound if the best
    m is a whole number of groups; with wiring by rack a leaf holds whole nodes and any m
    reaches it.
    """

    nodes: int
    gpus: int
    group: int
    spines: int
    rail: bool
    nvlink: float
    nic: float
    uplink: float
    part: str = "node"  # the vendor's name of a node

    @property
    def terminals(self) -> int:
        """Number of terminals."""
        return self.nodes * self.gpus

    def injection(self) -> float:
        """Return the bandwidth of the worst-connected terminal's links, bytes/s."""
        return (self.nvlink if self.gpus > 1 else 0.0) + self.nic

    def outward(self) -> float:
        """Return the bandwidth of the half's NICs, and of NVLink only in a node that is split."""
        return (self.terminals // 2) * self.nic + self._split() * self.nvlink

    def cuts(self) -> Sequence[tuple[int, float]]:
        """Return cuts other than a terminal and the bisection: terminals inside, bytes/s one way."""
        group = self.group * self.gpus, self.gpus * self.spines * self.uplink
        leaf = () if self.rail else ((self.group, self.spines * self.uplink),)
        return ((self.gpus, self.gpus * self.nic), *leaf, group)

    def tiers(self) -> Sequence[Tier]:
        """Return the levels of the hierarchy, from the terminals outwards."""
        inside = Tier("GPU", self.terminals, 1, 2 if self.gpus > 1 else 1, self.injection())
        node = Tier(self.part, self.nodes, self.gpus, self.gpus, self.gpus * self.nic)
        leaf = Tier("leaf", self.terminals // self.group, self.group, self.spines, self.spines * self.uplink)
        links = self.gpus * self.spines
        group = Tier("group", self.nodes // self.group, self.group * self.gpus, links, links * self.uplink)
        return [
            inside,
            *([node] if self.gpus > 1 else []),
            *([] if self.rail else [leaf]),
            *([group] if self.group < self.nodes else []),
        ]

    def bounds(self) -> Bounds:
        """Return the proved bounds of the bisection."""
        half = self.terminals // 2
        split = self._split()
        lower = self._fabric(1, half)
        upper = self._fabric(self.gpus if self.rail else 1, half)
        extra = split * self.nvlink
        exact = lower[0] >= upper[0] * (1 - 1e-12)
        method = "closed form: whole nodes, leaf-spine bound" if exact else "bounds: whole groups, leaf-spine bound"
        return Bounds((upper if exact else lower)[0] + extra, upper[0] + extra, upper[1] + split, method)

    def side(self) -> NDArray:
        """Return the terminals on one side of the best known cut."""
        # With wiring by rail the GPUs of a rail are spread over the nodes, so the first
        # terminals are whole nodes and whole groups, as the bound requires.
        return np.arange(self.terminals) < self.terminals // 2

    def oversubscription(self) -> float:
        """Return host bandwidth over uplink bandwidth at the worst tier."""
        return self.group * self.nic / (self.spines * self.uplink)

    def positions(self, graph: nx.Graph, side: Collection[Node]) -> Positions:
        """Return the positions of the nodes in a drawing."""
        return layout.switched(graph, below={("nvswitch", node) for node in range(self.nodes)})

    def build(self) -> nx.Graph:
        """Build the graph."""
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from((("spine", s) for s in range(self.spines)), terminal=False)
        for group in range(self.nodes // self.group):
            for leaf in range(self.gpus):
                graph.add_node(("leaf", group, leaf), terminal=False)
                for s in range(self.spines):
                    connect(graph, ("spine", s), ("leaf", group, leaf), 1, self.uplink)
        for node in range(self.nodes):
            group, index = divmod(node, self.group)
            if self.gpus > 1:
                graph.add_node(("nvswitch", node), terminal=False)
            for gpu in range(self.gpus):
                graph.add_node(("gpu", node, gpu), terminal=True)
                if self.gpus > 1:
                    connect(graph, ("nvswitch", node), ("gpu", node, gpu), 1, self.nvlink)
                leaf = gpu if self.rail else index // (self.group // self.gpus)
                connect(graph, ("leaf", group, leaf), ("gpu", node, gpu), 1, self.nic)
        return graph

    def _split(self) -> int:
        """Return the GPUs on the smaller side of the middle node if the number of nodes is odd."""
        return (self.gpus // 2) * (self.nodes % 2)

    def _fabric(self, leaves_at_once: int, half: int) -> tuple[float, int]:
        """Return the smallest bandwidth and links if leaves move ``leaves_at_once`` and NICs individually."""
        nics = leaves_at_once * self.group
        options = []
        for moved in {0, half // nics, min(half // nics + 1, self.terminals // nics)}:
            for target in {half, self.terminals - half}:
                alone = abs(target - moved * nics)
                links = moved * leaves_at_once * self.spines + alone
                options.append((moved * leaves_at_once * self.spines * self.uplink + alone * self.nic, links))
        return min(options)
