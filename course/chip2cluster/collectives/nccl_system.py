"""GPUs as NCCL's tuner sees them, and the line that it draws for each of its methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import flag, positive, whole
from .algorithms import named
from .protocols import data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._typing import IntOrArray

_ADDING_SWITCH = ("hopper", "blackwell")  # GPUs whose NVLink switches can add
_GENERATIONS = {  # of products that stand for their generation
    "V100": "volta", "A100": "ampere", "H100": "hopper", "H200": "hopper", "B200": "blackwell", "B300": "blackwell",
}  # fmt: skip
_SMALLEST_CORRECTED = 64  # bytes: where the table of a tree's corrections begins


@dataclass(frozen=True)
class NcclCurve:
    """One method of the library: ``latency`` in seconds, ``bandwidth`` in bytes of message a second.

    ``corrections`` is for a tree: what its time a byte is multiplied by in each size class.
    """

    algorithm: str
    protocol: str
    latency: float
    bandwidth: float
    corrections: tuple[float, ...] = ()

    def seconds(self, message_bytes: Any, classes: IntOrArray) -> Any:
        """Time of a message that has been checked already and has its `size_class`."""
        if not self.corrections:
            return self.latency + message_bytes / self.bandwidth
        if isinstance(message_bytes, np.ndarray):
            return self.latency + message_bytes * (np.array(self.corrections) / self.bandwidth)[classes]
        return self.latency + message_bytes * self.corrections[classes] / self.bandwidth


def size_class(message_bytes: Any) -> IntOrArray:
    """Place in a tree's table of corrections: 0 below 64 bytes, then one for each power of two."""
    last = len(data()["tree_correction"]["LL"]) + 1
    if isinstance(message_bytes, np.ndarray):
        return np.clip(np.frexp(message_bytes * (1 / _SMALLEST_CORRECTED))[1], 0, last)
    return min((int(message_bytes) // _SMALLEST_CORRECTED).bit_length(), last)


@dataclass(frozen=True)
class NcclSystem:
    """GPUs that reduce together, as NCCL's tuner sees them.

    Attributes
    ----------
    gpu : str
        ``"volta"``, ``"ampere"``, ``"hopper"`` or (from version 2.27) ``"blackwell"``; a
        product such as ``"H100"`` is stored as its generation.
    ranks_per_node : int
        GPUs in a node, joined by NVLink; at least 2.
    ring_bandwidth_one_way : float
        Payload that the ring passes from GPU to GPU with all its channels, bytes/s: the
        bus bandwidth that a ring reaches with long messages. About 360e9 in a node of
        Hopper GPUs; on several nodes the network sets it.
    nodes : int
        Nodes, joined by a network.
    switch_adds : bool
        Whether the node has NVLink switches that add (NVLS): Hopper and later, one node.
    version : str
        One of `nccl_versions`.
    cpu : str
        ``"intel"`` or ``"amd"``: on several nodes the library limits LL, and counts the
        posting of a message, by the maker of the CPU.
    network_latency : float
        Seconds that the network's plug-in declares; the library adds them to its own count
        of each step between nodes, twice with Simple, which also flushes. InfiniBand
        declares none (NVIDIA/nccl, src/transport/net_ib.cc); AWS's plug-in 75e-6 for p4d,
        p4de and p5, 35e-6 from p5en on (aws/aws-ofi-nccl, src/platform-aws.cpp).

    Raises
    ------
    ValueError, TypeError
        For names and counts that the library's tables do not have, naming the choices.
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
        """Refuse what the tables do not hold."""
        row = named("version", self.version, data()["versions"])
        if isinstance(self.gpu, str):
            object.__setattr__(self, "gpu", _GENERATIONS.get(self.gpu, self.gpu))
        named("gpu", self.gpu, row["ll_limit"]["one_node"])
        named("cpu", self.cpu, row["ll_limit"]["nodes"])
        for name, minimum in (("ranks_per_node", 2), ("nodes", 1)):
            if isinstance(whole(name, getattr(self, name), minimum=minimum), np.ndarray):
                raise TypeError(f"{name} must be one whole number, got {getattr(self, name)!r}")
        if isinstance(positive("ring_bandwidth_one_way", self.ring_bandwidth_one_way), np.ndarray):
            raise TypeError(f"ring_bandwidth_one_way must be one number, got {self.ring_bandwidth_one_way!r}")
        if isinstance(positive("network_latency", self.network_latency, allow_zero=True), np.ndarray):
            raise TypeError(f"network_latency must be one number, got {self.network_latency!r}")
        if flag("switch_adds", self.switch_adds) and (self.nodes > 1 or self.gpu not in _ADDING_SWITCH):
            raise ValueError(
                f"switch_adds must be False for {self.nodes} nodes of {self.gpu!r}: "
                f"NVLS is modelled for one node of {', '.join(map(repr, _ADDING_SWITCH))}"
            )

    @property
    def ranks(self) -> int:
        """GPUs in all."""
        return self.ranks_per_node * self.nodes

    @cached_property
    def curves(self) -> tuple[NcclCurve, ...]:
        """The methods that the library can choose from on this system."""
        return tuple(_curves(self))


def _curves(system: NcclSystem) -> Iterator[NcclCurve]:
    """Latency and bandwidth of each method, step by step as the tuner adds them up."""
    row, common, several = data()["versions"][system.version], data(), data()["several_nodes"]
    p, nodes, ring = system.ranks, system.nodes, float(system.ring_bandwidth_one_way)
    inside, outside = row["hop"]["nvlink"], row["hop"]["network"]
    limits = row["ll_limit"]
    limit = 1e9 * (limits["one_node"][system.gpu] if nodes == 1 else limits["nodes"][system.cpu][nodes > 2])
    for i, protocol in enumerate(common["protocols"]):
        rate = row["ring_share"][i] * ring
        between = 2 * (nodes - 1) + row["extra_network_steps"] if nodes > 1 else 0
        step = outside["ring"][i] + _declared(system, protocol)
        hop = inside["ring"][i]
        if nodes > 1:  # each step of a ring that leaves the node posts a message
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
        crossing = levels * (outside["tree"][i] + _declared(system, protocol))
        latency = row["base"]["tree"][i] + 2 * ((p // nodes - 1) * inside["tree"][i] + crossing)
        rate = min(rate, limit) if protocol == "LL" else rate
        corrections = (1.0, *(1 / factor for factor in common["tree_correction"][protocol]), 1.0)
        yield NcclCurve("tree", protocol, latency * 1e-6, rate / 2, corrections)
    if system.switch_adds:
        yield NcclCurve("nvls", "Simple", row["nvls"]["latency"] * 1e-6, row["nvls"]["share"] * ring)


def _declared(system: NcclSystem, protocol: str) -> float:
    """What the plug-in adds to a step between nodes, microseconds."""
    return 1e6 * float(system.network_latency) * (2 if protocol == "Simple" else 1)
