"""Nodes of accelerators behind NVLink, their network cards wired by rail or by rack."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from .._validate import choice
from . import layout
from .layout import Node, Spots
from .network import Topology, connect, count, rate
from .shape import Bounds, Shape, Tier

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
) -> Topology:
    """A training cluster: a switch inside each node, a card for each GPU, leaf and spine switches.

    Parameters
    ----------
    nodes, gpus_per_node : int
        Nodes, and GPUs in each; GPU r of every node is on rail r.
    nodes_per_group : int, optional
        Nodes that share ``gpus_per_node`` leaf switches; divides ``nodes``; all of them
        if left out.
    spines : int, optional
        Spine switches, each linked once to each leaf; ``nodes_per_group`` of them if
        left out, which makes an uplink as fast as a card where nothing is oversubscribed.
    wiring : {"rail", "rack"}
        "rail": leaf r of a group takes the card of GPU r of each of its nodes
        (rail-optimized). "rack": a leaf takes all cards of ``nodes_per_group /
        gpus_per_node`` nodes (top of rack). Both need the same switches and ports.
    nvlink_bandwidth_one_way, nic_bandwidth_one_way : float
        Bytes/s in one direction of a GPU's NVLink connection and of its network card.
    oversubscription : float
        Card bandwidth below a leaf over uplink bandwidth above it.

    Returns
    -------
    Topology
        Terminals are the GPUs.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole or do not divide, an unknown wiring, and rates
        not above zero.

    Notes
    -----
    The NVSwitches of a node are one switch, and the card hangs at its GPU: PCIe is
    ignored. Source: NVIDIA DGX SuperPOD reference architecture (rail-optimized leaves).

    Examples
    --------
    >>> from chip2cluster import topology
    >>> rates = dict(nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=50e9)
    >>> pod = topology.gpu_cluster(128, nodes_per_group=32, **rates)
    >>> topology.bisection(pod).bandwidth_one_way / 1e12
    25.6
    """
    nodes, gpus = count("nodes", nodes), count("gpus_per_node", gpus_per_node)
    group = nodes if nodes_per_group is None else count("nodes_per_group", nodes_per_group)
    spines = group if spines is None else count("spines", spines)
    choice("wiring", wiring, ("rail", "rack"))
    if nodes % group:
        raise ValueError(f"nodes_per_group must divide nodes, got {group} and {nodes}")
    if wiring == "rack" and group % gpus:
        raise ValueError(
            f"nodes_per_group must be a multiple of gpus_per_node with wiring='rack', got {group} and {gpus}"
        )
    nvlink = rate("nvlink_bandwidth_one_way", nvlink_bandwidth_one_way)
    nic = rate("nic_bandwidth_one_way", nic_bandwidth_one_way)
    uplink = group * nic / (spines * rate("oversubscription", oversubscription))
    shape = GpuCluster(nodes, gpus, group, spines, wiring == "rail", nvlink, nic, uplink)
    parameters = {
        "nodes": nodes,
        "gpus_per_node": gpus,
        "nodes_per_group": group,
        "spines": spines,
        "wiring": wiring,
    }
    name = f"{nodes} nodes × {gpus} GPUs, wired by {wiring}"
    return Topology(name, "GPU cluster", parameters, shape.terminals, shape.build, shape)


@dataclass(frozen=True)
class GpuCluster(Shape):
    """Bounds of the bisection.

    The cards and the leaf-spine fabric share no link with NVLink, so the two costs
    add. The fabric alone costs at least what a leaf-spine costs: m leaves move at U
    each, the other cards one by one. A half that is not a whole number of nodes
    (an odd number of nodes) splits some of them, which severs NVLink of at least
    floor(GPUs a node / 2) GPUs. The cut that moves whole groups, then whole nodes,
    reaches this bound whenever the best m is a whole number of groups; with
    wiring by rack a leaf holds whole nodes and any m will do.
    """

    nodes: int
    gpus: int
    group: int
    spines: int
    rail: bool
    nvlink: float
    nic: float
    uplink: float
    part: str = "node"  # what its maker calls a node

    @property
    def terminals(self) -> int:
        return self.nodes * self.gpus

    def injection(self) -> float:
        return (self.nvlink if self.gpus > 1 else 0.0) + self.nic

    def outward(self) -> float:
        """The cards of the half, and the NVLink of the GPUs whose node is split: elsewhere NVLink ends at the node."""
        return (self.terminals // 2) * self.nic + self._split() * self.nvlink

    def cuts(self) -> Sequence[tuple[int, float]]:
        group = self.group * self.gpus, self.gpus * self.spines * self.uplink
        leaf = () if self.rail else ((self.group, self.spines * self.uplink),)
        return ((self.gpus, self.gpus * self.nic), *leaf, group)

    def tiers(self) -> Sequence[Tier]:
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
        half = self.terminals // 2
        split = self._split()
        lower = self._fabric(1, half)
        upper = self._fabric(self.gpus if self.rail else 1, half)
        extra = split * self.nvlink
        exact = lower[0] >= upper[0] * (1 - 1e-12)
        method = "closed form: whole nodes, leaf-spine bound" if exact else "bounds: whole groups, leaf-spine bound"
        return Bounds((upper if exact else lower)[0] + extra, upper[0] + extra, upper[1] + split, method)

    def side(self) -> NDArray:
        # With wiring by rail a rail's GPUs are spread over the nodes, so the first
        # terminals are whole nodes and whole groups, as the bound wants.
        return np.arange(self.terminals) < self.terminals // 2

    def oversubscription(self) -> float:
        return self.group * self.nic / (self.spines * self.uplink)

    def places(self, graph: nx.Graph, side: Collection[Node]) -> Spots:
        return layout.switched(graph, below={("nvswitch", node) for node in range(self.nodes)})

    def build(self) -> nx.Graph:
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from((("spine", s) for s in range(self.spines)), terminal=False)
        for group in range(self.nodes // self.group):
            for leaf in range(self.gpus):
                graph.add_node(("leaf", group, leaf), terminal=False)
                for s in range(self.spines):
                    connect(graph, ("spine", s), ("leaf", group, leaf), 1, self.uplink)
        for node in range(self.nodes):
            group, place = divmod(node, self.group)
            if self.gpus > 1:
                graph.add_node(("nvswitch", node), terminal=False)
            for gpu in range(self.gpus):
                graph.add_node(("gpu", node, gpu), terminal=True)
                if self.gpus > 1:
                    connect(graph, ("nvswitch", node), ("gpu", node, gpu), 1, self.nvlink)
                leaf = gpu if self.rail else place // (self.group // self.gpus)
                connect(graph, ("leaf", group, leaf), ("gpu", node, gpu), 1, self.nic)
        return graph

    def _split(self) -> int:
        """GPUs on the smaller side of the node that an odd number of nodes leaves in the middle."""
        return (self.gpus // 2) * (self.nodes % 2)

    def _fabric(self, leaves_at_once: int, half: int) -> tuple[float, int]:
        """Cheapest bandwidth and links with leaves moved ``leaves_at_once`` and cards one by one."""
        cards = leaves_at_once * self.group
        options = []
        for moved in {0, half // cards, min(half // cards + 1, self.terminals // cards)}:
            for target in {half, self.terminals - half}:
                alone = abs(target - moved * cards)
                links = moved * leaves_at_once * self.spines + alone
                options.append((moved * leaves_at_once * self.spines * self.uplink + alone * self.nic, links))
        return min(options)
