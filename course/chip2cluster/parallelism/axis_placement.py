"""Placement of the axes of a layout on network tiers, and the bandwidth of each axis there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import one_positive, one_whole, plain, set_fields
from .layout import Layout, check_layout

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray

ORDER = ("tensor", "context", "pipeline", "data")


@dataclass(frozen=True)
class Tier:
    """One tier of a cluster's network: devices that reach each other at one rate.

    Parameters
    ----------
    name : str
        Name of the tier, such as ``"node"``.
    devices : int
        Devices of one instance: 8 in a node, 72 in a rack, all of a cluster.
    bandwidth_one_way : float
        Unidirectional bandwidth of a device to others of the same instance, bytes/s; between
        nodes a device's share of its node's NICs.
    latency_seconds : float
        Latency of one message, seconds.

    Notes
    -----
    Datasheet rates give bounds. Ignores oversubscription: give the bandwidth that is left.
    Source: the definition.

    Examples
    --------
    >>> Tier("node", 8, 450e9).devices
    8
    """

    name: str
    devices: int
    bandwidth_one_way: float
    latency_seconds: float = 0.0

    def __post_init__(self) -> None:
        """Validate the fields."""
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a string, got {self.name!r}")
        set_fields(self, one_whole, "devices")
        set_fields(self, one_positive, "bandwidth_one_way")
        set_fields(self, one_positive, "latency_seconds", allow_zero=True)


@dataclass(frozen=True)
class AxisPlacement:
    """Placement of one axis on the network.

    Attributes
    ----------
    axis : str
        Name of the axis.
    tier : Tier
        Outermost tier that it needs.
    group : int
        Devices that communicate.
    stride : int
        Distance between neighbours of a group, in devices (of data and context together: the smaller stride).
    ring_bandwidth_one_way : float
        Bandwidth of a device in rings, bytes/s.
    exchange_bandwidth_one_way : float
        Bandwidth of a device in an all-to-all, bytes/s.
    neighbour_bandwidth_one_way : float
        Bandwidth of point-to-point (P2P) sends to the next device of the group, bytes/s.
    """

    axis: str
    tier: Tier
    group: int
    stride: int
    ring_bandwidth_one_way: float
    exchange_bandwidth_one_way: float
    neighbour_bandwidth_one_way: float

    def bandwidth_one_way(self, collective: str) -> float:
        """Return the bandwidth for one collective, bytes/s."""
        if collective == "all_to_all":
            return self.exchange_bandwidth_one_way
        return self.neighbour_bandwidth_one_way if collective == "send_recv" else self.ring_bandwidth_one_way


def place(layout: Layout, tiers: Sequence[Tier], order: Sequence[str] = ORDER) -> dict[str, AxisPlacement]:
    """Place the axes of a layout on the tiers of a network, the first one innermost.

    Parameters
    ----------
    layout : Layout
        Degrees of parallelism.
    tiers : sequence of Tier
        Network tiers from the innermost out; the last one holds all devices.
    order : sequence of str
        ``"tensor"``, ``"context"``, ``"pipeline"`` and ``"data"``: neighbours along the first differ by
        one device, along the second by the degree of the first, and so on.

    Returns
    -------
    dict of str to AxisPlacement
        These axes, and ``"expert"``, which is innermost in ``"data"``. Data exchanges over
        data times context.

    Raises
    ------
    ValueError
        If the tiers do not grow, the cluster is too small for the layout, or the order does not hold
        each of the four axes once.

    Notes
    -----
    An axis needs a tier if some of its groups have members in more than one instance of the tier
    below. A ring crosses a border once for each of the devices that a group has inside, so these
    share the rate beyond; in an all-to-all the traffic inside does not cross. Axes are considered one by one: two that
    send at once share their links. Source: `utilization.ring_bandwidth`, tier by tier;
    the usual order is Megatron-LM's.

    Examples
    --------
    >>> cluster = Tier("node", 8, 450e9), Tier("network", 16384, 50e9)
    >>> found = place(Layout(tensor=8, pipeline=16, data=128), cluster)
    >>> {axis: found[axis].tier.name for axis in ("tensor", "pipeline", "data")}
    {'tensor': 'node', 'pipeline': 'network', 'data': 'network'}
    """
    check_layout(layout)
    checked, axes = check_tiers(tiers), check_order(order)
    if layout.devices > checked[-1].devices:
        raise ValueError(f"the last of tiers must hold the {layout.devices} devices of the layout, got {checked[-1].devices}")  # fmt: skip
    found = {}
    for axis, (group, stride, inside) in groups_by_axis(layout, checked, axes).items():
        ring, exchange, neighbour, needed, _ = tier_rates(group, inside, checked)
        tier = checked[int(needed)]
        found[axis] = AxisPlacement(axis, tier, int(group), int(stride), plain(ring), plain(exchange), plain(neighbour))
    return found


def check_tiers(tiers: Any) -> tuple[Tier, ...]:
    """Return the tiers from the innermost out, or raise an error."""
    if isinstance(tiers, Tier) or not hasattr(tiers, "__iter__"):
        raise TypeError(f"tiers must be a sequence of parallelism.Tier, got {tiers!r}")
    checked = tuple(tiers)
    if not checked:
        raise ValueError("tiers must hold at least one parallelism.Tier, got none")
    for tier in checked:
        if not isinstance(tier, Tier):
            raise TypeError(f"tiers must hold parallelism.Tier, got {tier!r}")
    sizes = [tier.devices for tier in checked]
    if sizes != sorted(set(sizes)) or any(more % few for few, more in pairwise(sizes)):
        raise ValueError(f"tiers must grow from the innermost out, each a multiple of the one before, got {sizes} devices")  # fmt: skip
    return checked


def check_order(order: Any) -> tuple[str, ...]:
    """Return the four axes in their order, or raise an error."""
    axes = tuple(order) if isinstance(order, Sequence) and not isinstance(order, str) else ()
    if sorted(axes, key=str) != sorted(ORDER):
        raise ValueError(f"order must hold each of {', '.join(map(repr, ORDER))} once, got {order!r}")
    return axes


def groups_by_axis(layout: Any, tiers: Sequence[Tier], order: Sequence[str]) -> dict[str, tuple[Any, Any, list[Any]]]:
    """Return for each axis its group, its stride, and its members in an instance of each tier; arrays or numbers."""
    stride: Any = 1
    strides = {}
    for axis in order:
        strides[axis] = stride
        stride = stride * getattr(layout, axis)
    found = {axis: _axis_group(getattr(layout, axis), strides[axis], stride, tiers) for axis in order}
    found["expert"] = _axis_group(layout.expert, strides["data"], stride, tiers)
    one, other = found["data"], found["context"]
    both = [here * there for here, there in zip(one[2], other[2], strict=True)]
    found["data"] = one[0] * other[0], np.minimum(one[1], other[1]), both
    return found


def _axis_group(
    group: IntOrArray, stride: IntOrArray, devices: IntOrArray, tiers: Sequence[Tier]
) -> tuple[Any, Any, list[Any]]:
    inside = []
    for tier in tiers[:-1]:
        # If groups do not fit evenly some are split: only the greatest common divisor stays together in all of them.
        even = np.where(tier.devices % stride == 0, np.gcd(np.maximum(tier.devices // stride, 1), group), 1)
        inside.append(np.where(devices <= tier.devices, group, even))
    return group, stride, [*inside, group]


def tier_rates(group: Any, inside: Sequence[Any], tiers: Sequence[Tier]) -> tuple[FloatOrArray, ...]:
    """Return bytes/s of a device in rings, all-to-all and P2P; the outermost tier needed; its latency."""
    ring = exchange = neighbour = tiers[0].bandwidth_one_way + 0.0 * group
    needed, latency, before = 0 * group, tiers[0].latency_seconds + 0.0 * group, 1
    for position, (tier, members) in enumerate(zip(tiers, inside, strict=True)):
        crosses = (members > before) & (group > 1)
        rate = tier.bandwidth_one_way
        # If no two members share an inner tier, its rates do not count.
        together = np.asarray(before) > 1
        leaving = rate * np.maximum(group - 1, 1) / np.maximum(group - before, 1)
        ring = np.where(crosses, np.where(together, np.minimum(ring, before * rate), rate), ring)
        exchange = np.where(crosses, np.where(together, np.minimum(exchange, leaving), leaving), exchange)
        neighbour = np.where(crosses, np.where(together, np.minimum(neighbour, rate), rate), neighbour)
        needed = np.where(crosses, position, needed)
        latency = np.where(crosses, tier.latency_seconds, latency)
        before = members
    return ring, exchange, neighbour, needed, latency
