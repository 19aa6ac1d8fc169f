"""Where the axes of a layout lie: which of them stay inside a node, and how fast each may send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import plain, positive
from .layout import Layout, check_layout, one_whole

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray

ORDER = ("tensor", "context", "pipeline", "data")


@dataclass(frozen=True)
class Tier:
    """One rung of a cluster's network: so many devices reach each other at this rate.

    Parameters
    ----------
    name : str
        Such as ``"node"``.
    devices : int
        Devices of one instance: 8 in a node, 72 in a rack, all of a cluster.
    bandwidth_one_way : float
        What a device sends to others of the same instance, bytes/s: of the network between
        nodes a device's share of its node's adapters.
    latency_seconds : float
        Of one message.

    Raises
    ------
    ValueError, TypeError
        For a name that is no text, devices that are not whole, and numbers not above zero
        (the latency may be 0).

    Notes
    -----
    Rates from a sheet give bounds. Ignores oversubscription: give the share that is left.
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
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a text, got {self.name!r}")
        object.__setattr__(self, "devices", one_whole("devices", self.devices))
        for name, may_be_zero in (("bandwidth_one_way", False), ("latency_seconds", True)):
            value = positive(name, getattr(self, name), allow_zero=may_be_zero)
            if not isinstance(value, float):
                raise TypeError(f"{name} must be one number, got an array")
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Placed:
    """One axis on the network: the outermost tier that it needs, and what it may send there.

    ``group`` devices talk to each other, each ``stride`` devices from the next (of data and
    context together: the smaller stride). ``ring_bandwidth_one_way`` holds for rings,
    ``exchange_bandwidth_one_way`` for all-to-all, ``neighbour_bandwidth_one_way`` for sends to
    the next of the group; bytes/s of one device.
    """

    axis: str
    tier: Tier
    group: int
    stride: int
    ring_bandwidth_one_way: float
    exchange_bandwidth_one_way: float
    neighbour_bandwidth_one_way: float

    def bandwidth_one_way(self, collective: str) -> float:
        """The rate for one collective, bytes/s."""
        if collective == "all_to_all":
            return self.exchange_bandwidth_one_way
        return self.neighbour_bandwidth_one_way if collective == "send_recv" else self.ring_bandwidth_one_way


def place(layout: Layout, tiers: Sequence[Tier], order: Sequence[str] = ORDER) -> dict[str, Placed]:
    """Lay the axes of a layout on the tiers of a network, the first one innermost.

    Parameters
    ----------
    layout : Layout
    tiers : sequence of Tier
        From the innermost out; the last one holds all devices.
    order : sequence of str
        ``"tensor"``, ``"context"``, ``"pipeline"`` and ``"data"``: neighbours along the first differ by
        one device, along the second by the degree of the first, and so on.

    Returns
    -------
    dict of str to Placed
        These axes, and ``"expert"``, which lies innermost in ``"data"``. Data exchanges over
        data times context.

    Raises
    ------
    ValueError, TypeError
        For tiers out of order, a cluster too small for the layout, and an order that is none
        of the four axes.

    Notes
    -----
    An axis needs a tier if some of its groups have members in more than one instance of the tier
    below. A ring crosses a border once for each of the devices that a group has inside, so these
    share the rate beyond; in an all-to-all what stays inside does not cross. Axes are looked at one by one: two that
    send at once share their wires. Source: `utilization.ring_bandwidth`, tier by tier;
    the usual order is Megatron-LM's.

    Examples
    --------
    >>> cluster = Tier("node", 8, 450e9), Tier("network", 16384, 50e9)
    >>> found = place(Layout(tensor=8, pipeline=16, data=128), cluster)
    >>> {axis: found[axis].tier.name for axis in ("tensor", "pipeline", "data")}
    {'tensor': 'node', 'pipeline': 'network', 'data': 'network'}
    """
    check_layout(layout)
    rungs, axes = checked_tiers(tiers), checked_order(order)
    if layout.devices > rungs[-1].devices:
        raise ValueError(f"tiers must end with one that holds the layout's {layout.devices} devices, got {rungs[-1].devices}")  # fmt: skip
    found = {}
    for axis, (group, stride, inside) in by_axis(layout, rungs, axes).items():
        ring, exchange, neighbour, needed, _ = rates(group, inside, rungs)
        rung = rungs[int(needed)]
        found[axis] = Placed(axis, rung, int(group), int(stride), plain(ring), plain(exchange), plain(neighbour))
    return found


def checked_tiers(tiers: Any) -> tuple[Tier, ...]:
    """Tiers from the innermost out, or an error."""
    if isinstance(tiers, Tier) or not hasattr(tiers, "__iter__"):
        raise TypeError(f"tiers must be a sequence of parallelism.Tier, got {tiers!r}")
    rungs = tuple(tiers)
    if not rungs:
        raise ValueError("tiers must hold at least one parallelism.Tier, got none")
    for rung in rungs:
        if not isinstance(rung, Tier):
            raise TypeError(f"tiers must hold parallelism.Tier, got {rung!r}")
    sizes = [rung.devices for rung in rungs]
    if sizes != sorted(set(sizes)) or any(more % few for few, more in pairwise(sizes)):
        raise ValueError(f"tiers must grow from the innermost out, each a multiple of the one before, got {sizes} devices")  # fmt: skip
    return rungs


def checked_order(order: Any) -> tuple[str, ...]:
    """The four axes in some order, or an error."""
    axes = tuple(order) if isinstance(order, Sequence) and not isinstance(order, str) else ()
    if sorted(axes, key=str) != sorted(ORDER):
        raise ValueError(f"order must hold each of {', '.join(map(repr, ORDER))} once, got {order!r}")
    return axes


def by_axis(layout: Any, tiers: Sequence[Tier], order: Sequence[str]) -> dict[str, tuple[Any, Any, list[Any]]]:
    """Of each axis its group, its stride, and how many of a group any instance of each tier holds; arrays or numbers."""
    stride: Any = 1
    strides = {}
    for axis in order:
        strides[axis] = stride
        stride = stride * getattr(layout, axis)
    found = {axis: _alone(getattr(layout, axis), strides[axis], stride, tiers) for axis in order}
    found["expert"] = _alone(layout.expert, strides["data"], stride, tiers)
    one, other = found["data"], found["context"]
    both = [here * there for here, there in zip(one[2], other[2], strict=True)]
    found["data"] = one[0] * other[0], np.minimum(one[1], other[1]), both
    return found


def _alone(
    group: IntOrArray, stride: IntOrArray, devices: IntOrArray, tiers: Sequence[Tier]
) -> tuple[Any, Any, list[Any]]:
    inside = []
    for tier in tiers[:-1]:
        # Where groups do not fit evenly, some are cut: the greatest common divisor stays together in all of them.
        even = np.where(tier.devices % stride == 0, np.gcd(np.maximum(tier.devices // stride, 1), group), 1)
        inside.append(np.where(devices <= tier.devices, group, even))
    return group, stride, [*inside, group]


def rates(group: Any, inside: Sequence[Any], tiers: Sequence[Tier]) -> tuple[FloatOrArray, ...]:
    """Bytes/s of a device in rings, in all-to-all and to its neighbour; the outermost tier needed; its latency."""
    ring = exchange = neighbour = tiers[0].bandwidth_one_way + 0.0 * group
    needed, latency, before = 0 * group, tiers[0].latency_seconds + 0.0 * group, 1
    for place_of, (tier, members) in enumerate(zip(tiers, inside, strict=True)):
        crosses = (members > before) & (group > 1)
        rate = tier.bandwidth_one_way
        # Where no two stand together further in, the rates there are not asked for.
        beside = np.asarray(before) > 1
        leaving = rate * np.maximum(group - 1, 1) / np.maximum(group - before, 1)
        ring = np.where(crosses, np.where(beside, np.minimum(ring, before * rate), rate), ring)
        exchange = np.where(crosses, np.where(beside, np.minimum(exchange, leaving), leaving), exchange)
        neighbour = np.where(crosses, np.where(beside, np.minimum(neighbour, rate), rate), neighbour)
        needed = np.where(crosses, place_of, needed)
        latency = np.where(crosses, tier.latency_seconds, latency)
        before = members
    return ring, exchange, neighbour, needed, latency
