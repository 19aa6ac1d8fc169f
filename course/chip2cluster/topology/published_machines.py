"""Published machines: nodes with NVSwitches, directly linked nodes, and TPU pods."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from .clos import Clos, Level
from .grid_dimensions import factor
from .grids import dims_text
from .layout import Node, Positions
from .network import Topology, connect, sizes
from .product import Product
from .structure import Structure

if TYPE_CHECKING:
    import networkx as nx


def nvswitch_node(model: str) -> Topology:
    """Build a node of GPUs and NVSwitches: each GPU has links to every switch of its board.

    Parameters
    ----------
    model : str
        ``"DGX-2"``, ``"DGX A100"``, ``"DGX H100"``, ``"DGX B200"`` or ``"GB200 NVL72"``;
        ignores case, blanks and dashes, and accepts ``"H100"`` or ``"NVL72"``.

    Returns
    -------
    Topology
        Network of GPUs and NVSwitches.

    Notes
    -----
    Vendors state this bisection bidirectionally: 2.4 TB/s for the DGX-2 is 1.2 TB/s in
    one direction. Ignores protocol overhead. Source: NVIDIA, see
    ``data/topologies.json``.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> for model in ("DGX-2", "DGX H100", "GB200 NVL72"):
    ...     cut = topology.bisection(topology.nvswitch_node(model))
    ...     print(cut.links, cut.bandwidth_one_way / 1e12, cut.bandwidth_both_ways / 1e12)
    48 1.2 2.4
    72 1.8 3.6
    648 32.4 64.8
    """
    name, data = machine_entry("nvswitch_nodes", model)
    boards, gpus, trunks = (data[key]["value"] for key in ("boards", "gpus_per_board", "trunk_links_per_switch"))
    links, bandwidth = data["links_per_gpu_by_switch"]["value"], data["link_bandwidth_one_way"]["value"]
    planes = len(links)
    tiers = [Level(gpus, sum(links), sum(links) * bandwidth)]
    if boards > 1:
        tiers.insert(0, Level(boards, planes * trunks, planes * trunks * bandwidth))
    structure = Clos(tuple(tiers), rootless=boards > 1, names=("board", "GPU")[-len(tiers) :])

    def build() -> nx.Graph:
        import networkx as nx

        graph = nx.Graph()
        for board in range(boards):
            graph.add_nodes_from((("switch", board, plane) for plane in range(planes)), terminal=False)
            for gpu in range(board * gpus, (board + 1) * gpus):
                graph.add_node(("gpu", gpu), terminal=True)
                for plane, m in enumerate(links):
                    connect(graph, ("switch", board, plane), ("gpu", gpu), m, m * bandwidth)
        for plane in range(planes if boards > 1 else 0):
            connect(graph, ("switch", 0, plane), ("switch", 1, plane), trunks, trunks * bandwidth)
        return graph

    return Topology(name, "NVSwitch node", {"model": name}, structure.terminals, build, structure)


def direct_node(model: str) -> Topology:
    """Build a node whose accelerators are linked to each other without a switch.

    Parameters
    ----------
    model : str
        ``"DGX-1V"`` (hybrid cube mesh) or ``"MI300X"`` (full mesh).

    Returns
    -------
    Topology
        Network of accelerators.

    Notes
    -----
    Ignores PCIe, over which unlinked GPUs of a DGX-1V communicate. Source: NVIDIA and
    AMD, see ``data/topologies.json``.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.direct_node("DGX-1V")).bandwidth_one_way / 1e9
    150.0
    """
    name, data = machine_entry("direct_nodes", model)
    gpus, links, bandwidth = (data[key]["value"] for key in ("gpus", "links", "link_bandwidth_one_way"))
    if links == "all pairs":
        structure = Product((factor("clique", gpus, 1, bandwidth),))
        return Topology(name, "direct node", {"model": name}, gpus, structure.build, structure)
    build = partial(_graph_of_links, gpus, links, bandwidth)
    return Topology(name, "direct node", {"model": name}, gpus, build, HybridCubeMesh())


class HybridCubeMesh(Structure):
    """Hybrid cube mesh: two fully linked squares of four GPUs, with links between their corners."""

    def positions(self, graph: nx.Graph, side: Collection[Node]) -> Positions:
        """Return the positions of the nodes in a drawing."""
        return {
            ("gpu", gpu): ((gpu % 2) * 17 / 3 + (gpu // 4) * 12, (gpu % 4 // 2) * 17 / 3 + (gpu // 4) * 2)
            for gpu in range(len(graph))
        }


def tpu_pod(model: str, dims: Sequence[int] | None = None) -> Topology:
    """Build a TPU pod, or a slice of one: chips in a 2-D or 3-D torus.

    Parameters
    ----------
    model : str
        ``"v2"``, ``"v3"``, ``"v4"``, ``"v5e"``, ``"v5p"``, ``"v6e"`` or ``"7x"``, with or
        without ``"TPU"`` in front.
    dims : sequence of int, optional
        Number of chips along each dimension; by default the whole pod (not published for
        7x).

    Returns
    -------
    Topology
        Torus or mesh of chips.

    Raises
    ------
    ValueError
        If ``dims`` has the wrong length or exceeds the pod of a 2-D generation.

    Notes
    -----
    A slice has only its own wrap-around links. In 3-D generations they are connected by an
    optical circuit switch (OCS) at the faces of 4 x 4 x 4 cubes: a slice of whole cubes is
    a torus, a smaller one a mesh. In 2-D generations a dimension is a ring only at the
    pod's full size. Ignores twisted tori. Google states the bisection unidirectionally.
    Source: Google Cloud TPU documentation; Austin et al., "How to scale your model", 2025.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> for model, dims in (("v5e", None), ("v5e", (8, 16)), ("v4", None), ("v4", (2, 2, 4))):
    ...     print(topology.bisection(topology.tpu_pod(model, dims)).bandwidth_one_way / 1e12)
    1.6
    0.8
    25.6
    0.2
    """
    name, data = machine_entry("tpu_pods", model)
    pod, bandwidth = data["pod"]["value"], data["link_bandwidth_one_way"]["value"]
    flat = pod is not None and len(pod) == 2
    if dims is None:
        if pod is None:
            raise ValueError(f"dims must be given for TPU {name}: the shape of its pod is not published")
        dims = pod
    dims = sizes("dims", dims)
    if len(dims) != (2 if flat else 3):
        raise ValueError(f"dims of TPU {name} must be {2 if flat else 3} sizes, got {dims}")
    if flat and any(k > largest for k, largest in zip(dims, pod, strict=True)):
        raise ValueError(f"dims of TPU {name} must fit its pod of {dims_text(pod)} chips, got {dims}")
    wraps = [k == full for k, full in zip(dims, pod, strict=True)] if flat else [all(k % 4 == 0 for k in dims)] * 3
    structure = Product(
        tuple(factor("ring" if wrap else "path", k, 1, bandwidth) for k, wrap in zip(dims, wraps, strict=True))
    )
    parameters = {"model": name, "dims": dims, "wraps": tuple(wraps)}
    return Topology(
        f"TPU {name} {dims_text(dims)}", "TPU pod", parameters, structure.terminals, structure.build, structure
    )


def _graph_of_links(gpus: int, links: Sequence[tuple[int, int, int]], bandwidth: float) -> nx.Graph:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from((("gpu", gpu) for gpu in range(gpus)), terminal=True)
    for gpu, other, m in links:
        connect(graph, ("gpu", gpu), ("gpu", other), m, m * bandwidth)
    return graph


def machine_entry(section: str, model: str) -> tuple[str, dict[str, Any]]:
    """Return the full name and the stored entry of a machine, by any of its names."""
    if not isinstance(model, str):
        raise TypeError(f"model must be a name, got {model!r}")
    entries = _data()[section]
    wanted = _normalized(model)
    for name, entry in entries.items():
        if wanted in map(_normalized, (name, *entry.get("aliases", ()))):
            return name, entry
    raise ValueError(f"model must be one of {', '.join(map(repr, entries))}, got {model!r}")


def machine_entries(section: str) -> dict[str, Any]:
    """Return the stored entries of a section, by full name."""
    return dict(_data()[section])


def _normalized(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum()).removeprefix("tpu")


@cache
def _data() -> dict[str, Any]:
    return json.loads(resources.files("chip2cluster").joinpath("data/topologies.json").read_text("utf-8"))
