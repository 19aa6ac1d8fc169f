"""Inputs of NCCL's tuner for a set of GPUs, and its latency and bandwidth for each method."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import flag, look_up, one_positive, one_whole
from .protocols import data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._typing import IntOrArray

_NVLS_GENERATIONS = ("hopper", "blackwell")  # GPUs whose NVLink switches can reduce
_GENERATIONS = {  # product: generation
    "V100": "volta", "A100": "ampere", "H100": "hopper", "H200": "hopper", "B200": "blackwell", "B300": "blackwell",
}  # fmt: skip
_SMALLEST_CORRECTED = 64  # bytes: first size in the table of a tree's corrections


@dataclass(frozen=True)
class NcclCurve:
    """Predicted time of one method of NCCL as a function of the message size.

    Attributes
    ----------
    algorithm : str
        ``"ring"``, ``"tree"`` or ``"nvls"``.
    protocol : str
        ``"LL"``, ``"LL128"`` or ``"Simple"``.
    latency : float
        Fixed time of the whole all-reduce, seconds.
    bandwidth : float
        Algorithm bandwidth of large messages, bytes/s.
    corrections : tuple of float
        Factors on the time per byte of a tree, one for each size class.
    """

    algorithm: str
    protocol: str
    latency: float
    bandwidth: float
    corrections: tuple[float, ...] = ()

    def seconds(self, message_bytes: Any, classes: IntOrArray) -> Any:
        """Compute the time of a message that has been checked, given its `size_class`."""
        if not self.corrections:
            return self.latency + message_bytes / self.bandwidth
        if isinstance(message_bytes, np.ndarray):
            return self.latency + message_bytes * (np.array(self.corrections) / self.bandwidth)[classes]
        return self.latency + message_bytes * self.corrections[classes] / self.bandwidth


def size_class(message_bytes: Any) -> IntOrArray:
    """Return the index in a tree's table of corrections: 0 below 64 bytes, then one for each power of two."""
    last = len(data()["tree_correction"]["LL"]) + 1
    if isinstance(message_bytes, np.ndarray):
        return np.clip(np.frexp(message_bytes * (1 / _SMALLEST_CORRECTED))[1], 0, last)
    return min((int(message_bytes) // _SMALLEST_CORRECTED).bit_length(), last)


@dataclass(frozen=True)
class NcclSystem:
    """GPUs that reduce together, as NCCL's tuner describes them.

    Attributes
    ----------
    gpu : str
        ``"volta"``, ``"ampere"``, ``"hopper"`` or (from version 2.27) ``"blackwell"``; a
        product such as ``"H100"`` is stored as its generation.
    ranks_per_node : int
        Number of GPUs in a node, connected by NVLink; at least 2.
    ring_bandwidth_one_way : float
        Payload rate of the ring from GPU to GPU over all its channels, bytes/s: the bus
        bandwidth that a ring reaches with large messages. About 360e9 in a node of Hopper
        GPUs; with several nodes the network sets it.
    nodes : int
        Number of nodes, connected by a network.
    switch_adds : bool
        Whether NVLink switches reduce (NVLS): Hopper and later, one node.
    version : str
        NCCL version, one of `nccl_versions`.
    cpu : str
        ``"intel"`` or ``"amd"``: with several nodes the library's limit of LL and its cost
        of posting a message depend on the CPU vendor.
    network_latency : float
        Latency that the network plug-in declares, seconds; the library adds it to each
        step between nodes, twice with Simple, which also flushes. InfiniBand declares
        none (NVIDIA/nccl, src/transport/net_ib.cc); AWS's plug-in declares 75e-6 for p4d,
        p4de and p5, 35e-6 from p5en on (aws/aws-ofi-nccl, src/platform-aws.cpp).

    Raises
    ------
    ValueError
        If the library's tables lack the GPU, CPU or version.
    """

    gpu: str
    ranks_per_node: int
    ring_bandwidth_one_way: float
    nodes: int = 1
    switch_adds: bool = False
    version: str = "2.27"
    cpu: str = "intel"
    network_latency: float = 0.0

    def __post_init__(self) -> None:
        """Check the names and numbers against NCCL's tables."""
        row = look_up("version", self.version, data()["versions"])
        if isinstance(self.gpu, str):
            object.__setattr__(self, "gpu", _GENERATIONS.get(self.gpu, self.gpu))
        look_up("gpu", self.gpu, row["ll_limit"]["one_node"])
        look_up("cpu", self.cpu, row["ll_limit"]["nodes"])
        for name, minimum in (("ranks_per_node", 2), ("nodes", 1)):
            one_whole(name, getattr(self, name), minimum=minimum)
        one_positive("ring_bandwidth_one_way", self.ring_bandwidth_one_way)
        one_positive("network_latency", self.network_latency, allow_zero=True)
        if flag("switch_adds", self.switch_adds) and (self.nodes > 1 or self.gpu not in _NVLS_GENERATIONS):
            raise ValueError(
                f"switch_adds must be False for {self.nodes} nodes of {self.gpu!r}: "
                f"NVLS is modelled for one node of {', '.join(map(repr, _NVLS_GENERATIONS))}"
            )

    @property
    def ranks(self) -> int:
        """Total number of GPUs."""
        return self.ranks_per_node * self.nodes

    @cached_property
    def curves(self) -> tuple[NcclCurve, ...]:
        """Methods that the library can choose from on this system."""
        return tuple(_curves(self))


def _curves(system: NcclSystem) -> Iterator[NcclCurve]:
    """Yield the latency and bandwidth of each method as the tuner computes them."""
    row, common, several = data()["versions"][system.version], data(), data()["several_nodes"]
    p, nodes, ring = system.ranks, system.nodes, float(system.ring_bandwidth_one_way)
    inside, outside = row["hop"]["nvlink"], row["hop"]["network"]
    limits = row["ll_limit"]
    limit = 1e9 * (limits["one_node"][system.gpu] if nodes == 1 else limits["nodes"][system.cpu][nodes > 2])
    for i, protocol in enumerate(common["protocols"]):
        rate = row["ring_share"][i] * ring
        between = 2 * (nodes - 1) + row["extra_network_steps"] if nodes > 1 else 0
        step = outside["ring"][i] + _plugin_latency(system, protocol)
        hop = inside["ring"][i]
        if nodes > 1:  # each ring step that leaves the node posts a message
            hop = max(hop, several["post"][system.cpu] * (several["post_of_simple"] if protocol == "Simple" else 1))
        latency = row["base"]["ring"][i] + (2 * (p - 1) - between) * hop + between * step
        if nodes > 1 and protocol == "Simple":
            latency *= several["ring_simple_plateau"][system.gpu]
        rate = min(rate, limit) if protocol == "LL" else rate
        yield NcclCurve("ring", protocol, latency * 1e-6, rate * p / (2 * (p - 1)))
    for i, protocol in enumerate(common["protocols"]):
        rate = common["tree"]["of_ring"] * ring
        rate *= {"LL": common["tree"]["LL"], "Simple": 1.0}.get(
            protocol, common["tree"]["LL128"]["one_node" if nodes == 1 else "nodes"]
        )
        levels = nodes.bit_length() - 1
        crossing = levels * (outside["tree"][i] + _plugin_latency(system, protocol))
        latency = row["base"]["tree"][i] + 2 * ((p // nodes - 1) * inside["tree"][i] + crossing)
        rate = min(rate, limit) if protocol == "LL" else rate
        corrections = (1.0, *(1 / factor for factor in common["tree_correction"][protocol]), 1.0)
        yield NcclCurve("tree", protocol, latency * 1e-6, rate / 2, corrections)
    if system.switch_adds:
        yield NcclCurve("nvls", "Simple", row["nvls"]["latency"] * 1e-6, row["nvls"]["share"] * ring)


def _plugin_latency(system: NcclSystem, protocol: str) -> float:
    """Compute the plug-in's addition to a step between nodes, microseconds."""
    return 1e6 * float(system.network_latency) * (2 if protocol == "Simple" else 1)
