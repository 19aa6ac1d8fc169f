"""Placement of a job in a leaf-spine fabric, and the bandwidth that it gets there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from .._validate import choice, flag, one_whole
from .network import Topology, require
from .structure import Bounds, Structure, Tier

if TYPE_CHECKING:
    import networkx as nx


def place(
    fabric: Topology,
    hosts: int | Sequence[int],
    strategy: Literal["packed", "scattered"] = "packed",
    *,
    shared: bool = False,
) -> Topology:
    """Build the part of a leaf-spine fabric that a job of ``hosts`` hosts uses.

    Parameters
    ----------
    fabric : Topology
        Fabric built by `leaf_spine`.
    hosts : int or sequence of int
        Number of hosts of the job, or its number of hosts at each leaf, which overrides
        the strategy.
    strategy : {"packed", "scattered"}
        "packed" fills leaf after leaf; "scattered" spreads hosts evenly over all leaves.
    shared : bool
        False: the job is alone and has all uplinks of its leaves. True: all other hosts
        are busy as well, and each host of a leaf gets an equal share of its uplinks.

    Returns
    -------
    Topology
        Fabric with only the job's hosts, for `bisection`, `hops` and `all_to_all_time`.

    Raises
    ------
    ValueError
        If the topology is not a leaf-spine network or has too few hosts.

    Notes
    -----
    Uplinks are shared by hosts, not by flows: ignores ECMP collisions. Source: the
    definition of a fair share at the leaf.

    Examples
    --------
    32 nodes in one rack of 32 and over four racks, with an oversubscribed spine:

    >>> from chip2cluster import topology
    >>> fabric = topology.leaf_spine(4, 8, 32, 50e9, oversubscription=4)
    >>> for strategy in ("packed", "scattered"):
    ...     job = topology.place(fabric, 32, strategy, shared=True)
    ...     print(strategy, topology.bisection(job).bandwidth_one_way / 1e9)
    packed 800.0
    scattered 200.0
    """
    if require(fabric).family != "leaf-spine":
        raise ValueError(f"fabric must be a leaf_spine, got a {fabric.family}")
    shared = flag("shared", shared)
    leaves, capacity = fabric.parameters["leaves"], fabric.parameters["hosts_per_leaf"]
    choice("strategy", strategy, ("packed", "scattered"))
    if hasattr(hosts, "__iter__") and not isinstance(hosts, (str, bytes)):
        hosts_at = tuple(one_whole(f"hosts[{leaf}]", n, minimum=0) for leaf, n in enumerate(hosts))
        if len(hosts_at) != leaves or max(hosts_at) > capacity or not sum(hosts_at):
            raise ValueError(
                f"hosts must give 0 to {capacity} hosts for each of {leaves} leaves, at least one in total, got {hosts!r}"
            )
    else:
        n = one_whole("hosts", hosts)
        if n > leaves * capacity:
            raise ValueError(f"hosts must be at most {leaves * capacity}, the hosts of the fabric, got {n}")
        if strategy == "packed":
            hosts_at = tuple(min(capacity, max(0, n - leaf * capacity)) for leaf in range(leaves))
        else:
            hosts_at = tuple(n // leaves + (leaf < n % leaves) for leaf in range(leaves))
    links = fabric.parameters["spines"] * fabric.parameters["uplinks_per_spine"]
    uplinks = links * fabric.parameters["uplink_bandwidth_one_way"]
    structure = PlacedJob(hosts_at, links, uplinks, capacity, fabric.injection_bandwidth_one_way, shared)

    def build() -> nx.Graph:
        graph = fabric.graph.copy()
        graph.remove_nodes_from(
            [("host", leaf, host) for leaf in range(leaves) for host in range(hosts_at[leaf], capacity)]
        )
        for leaf in range(leaves if shared else 0):
            for spine in range(fabric.parameters["spines"] if hosts_at[leaf] else 0):
                graph.edges[("spine", spine), ("leaf", leaf)]["capacity"] *= hosts_at[leaf] / capacity
        return graph

    parameters = {"fabric": fabric.name, "hosts_at_leaf": hosts_at, "strategy": strategy, "shared": shared}
    used = sum(n > 0 for n in hosts_at)
    name = f"{sum(hosts_at)} hosts on {used} lea{'f' if used == 1 else 'ves'} of {fabric.name}"
    return Topology(name, "job", parameters, structure.terminals, build, structure)


@dataclass(frozen=True)
class PlacedJob(Structure):
    """Bisection of a job with ``hosts_at[i]`` hosts at leaf i.

    With the spines on the second side (see the proof for trees) a leaf on the first side
    costs its uplinks, and every host above or below the half costs its own link. So the
    result is the minimum over w of the cheapest set of leaves that hold w hosts: a
    knapsack problem.
    """

    hosts_at: tuple[int, ...]
    links: int
    uplinks: float
    leaf_capacity: int
    host: float
    shared: bool

    @property
    def terminals(self) -> int:
        """Number of terminals."""
        return sum(self.hosts_at)

    def injection(self) -> float:
        """Return the bandwidth of the worst-connected terminal's links, bytes/s."""
        return self.host

    def cuts(self) -> tuple[tuple[int, float], ...]:
        """Return cuts other than a terminal and the bisection: terminals inside, bytes/s one way."""
        return tuple((hosts, self._uplinks(hosts)) for hosts in set(self.hosts_at) if hosts)

    def tiers(self) -> Sequence[Tier]:
        """Return the hosts, and the leaves if all of them hold the same number of hosts."""
        used = [hosts for hosts in self.hosts_at if hosts]
        hosts = Tier("host", self.terminals, 1, 1, self.host)
        if len(set(used)) > 1 or len(used) == 1:
            return [hosts]
        return [hosts, Tier("leaf", len(used), used[0], self.links, self._uplinks(used[0]))]

    def bounds(self) -> Bounds:
        """Return the proved bounds of the bisection."""
        bandwidth, links = self._cheapest()[:2]
        return Bounds(bandwidth, bandwidth, links, "closed form: cheapest leaves that hold half")

    def side(self) -> NDArray:
        """Return the first hosts of the chosen leaves, or those leaves and the first hosts elsewhere."""
        _, _, held, better = self._cheapest(keep=True)
        leaf_of = np.repeat(np.arange(len(self.hosts_at)), self.hosts_at)
        side = np.zeros(self.terminals, bool)
        short = min((half - held for half in (self.terminals // 2, (self.terminals + 1) // 2)), key=abs)
        for leaf in range(len(self.hosts_at) - 1, -1, -1):
            if held and better[leaf][held]:
                side |= leaf_of == leaf
                held -= self.hosts_at[leaf]
        surplus = np.flatnonzero(~side if short > 0 else side)[: abs(short)]
        side[surplus] ^= True
        return side

    def _uplinks(self, hosts: int) -> float:
        """Return the uplink bandwidth available to ``hosts`` hosts of the job at a leaf."""
        return self.uplinks * (hosts / self.leaf_capacity if self.shared else 1)

    def _cheapest(self, keep: bool = False) -> tuple[float, int, int, list[NDArray]]:
        """Return bandwidth, links, hosts at whole leaves, and the sums for which each leaf was chosen."""
        n = self.terminals
        held = np.arange(n + 1)
        price, links = np.full(n + 1, np.inf), np.zeros(n + 1, int)
        price[0], history = 0, []
        for hosts in self.hosts_at:
            better = np.zeros(n + 1, bool)
            if hosts:
                with_leaf = price[: n + 1 - hosts] + self._uplinks(hosts)
                better[hosts:] = with_leaf < price[hosts:]
                fewer = np.flatnonzero(better) - hosts
                price[better], links[better] = with_leaf[fewer], links[fewer] + self.links
            if keep:
                history.append(better)
        alone = np.minimum(abs(held - n // 2), abs(held - (n - n // 2)))
        best = int((price + alone * self.host).argmin())
        return float(price[best] + alone[best] * self.host), int(links[best] + alone[best]), best, history

    def hops(self) -> tuple[float, int]:
        """Return the mean and the largest distance of two terminals, in links."""
        n = self.terminals
        together = sum(number * hosts * (hosts - 1) for hosts, number in Counter(self.hosts_at).items())
        if n == 1:
            return 0.0, 0
        apart = n * (n - 1) - together
        return (2 * together + 4 * apart) / (n * (n - 1)), 4 if apart else 2
