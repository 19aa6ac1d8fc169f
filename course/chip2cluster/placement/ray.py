"""Ray placement groups: all-or-nothing placement of bundles of resources on nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .._validate import choice, one_positive

Resources: TypeAlias = dict[str, Fraction]
RAY_RESOURCES = {"cpu": "CPU", "gpu": "GPU"}  # predefined resources of Ray; other names are custom resources

STRATEGIES = {
    "PACK": "on as few nodes as the greedy rule finds",
    "SPREAD": "on as many nodes as possible, then again on these",
    "STRICT_PACK": "all on one node",
    "STRICT_SPREAD": "each on a different node",
}


@dataclass(frozen=True)
class PlacementGroup:
    """Placement of the bundles of a placement group.

    Attributes
    ----------
    strategy : str
        Placement strategy.
    nodes : tuple of int or None
        Node of each bundle; None if the group is not created.
    node_count : int
        Number of nodes of the cluster.

    Examples
    --------
    >>> group = ray_placement([{"GPU": 1}] * 3, [{"GPU": 2}, {"GPU": 2}], "PACK")
    >>> group.created, group.nodes, group.nodes_used, group.bundles_per_node
    (True, (0, 0, 1), 2, (2, 1))
    """

    strategy: str
    nodes: tuple[int, ...] | None
    node_count: int

    @property
    def created(self) -> bool:
        """Whether all bundles have a node; otherwise the group is PENDING and holds nothing."""
        return self.nodes is not None

    @property
    def nodes_used(self) -> int:
        """Number of nodes that have a bundle."""
        return len(set(self.nodes or ()))

    @property
    def bundles_per_node(self) -> tuple[int, ...]:
        """Number of bundles on each node."""
        return tuple((self.nodes or ()).count(node) for node in range(self.node_count))


def ray_placement(
    bundles: Sequence[Mapping[str, float]], nodes: Sequence[Mapping[str, float]], strategy: str = "PACK"
) -> PlacementGroup:
    """Place the bundles of a placement group as Ray does.

    Large bundles are placed first: by custom resources, then GPUs, then CPUs. Each is
    placed on the node on which the largest fractions of the requested resources stay free.

    Parameters
    ----------
    bundles : sequence of mapping
        Resources that each bundle requests, such as ``{"GPU": 1, "CPU": 2}``.
    nodes : sequence of mapping
        Free resources of each node.
    strategy : {"PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"}
        Few nodes, many nodes, exactly one node, or a different node for each bundle.

    Returns
    -------
    PlacementGroup
        Node of each bundle, if all bundles fit.

    Raises
    ------
    ValueError
        If there is no bundle, an empty bundle, or no node.

    Notes
    -----
    The rule is greedy: it can leave a group pending although a placement exists. Chooses
    the first of equal nodes; Ray chooses any. Ignores labels, and retries of pending
    groups. Source: Ray's ``bundle_scheduling_policy.cc`` and ``scorer.cc``; tested against
    recordings of Ray 2.60.0.

    Examples
    --------
    Eight GPUs are free, but no node has four free GPUs:

    >>> free = [{"GPU": 3, "CPU": 8}, {"GPU": 3, "CPU": 8}, {"GPU": 2, "CPU": 8}]
    >>> ray_placement([{"GPU": 4}, {"GPU": 4}], free, "SPREAD").created
    False
    >>> ray_placement([{"GPU": 1}] * 8, free, "SPREAD").bundles_per_node
    (3, 3, 2)
    """
    choice("strategy", strategy, STRATEGIES)
    requests = [_resources(f"bundles[{number}]", bundle) for number, bundle in enumerate(bundles)]
    free = [_resources(f"nodes[{number}]", node) for number, node in enumerate(nodes)]
    if not requests or not free:
        raise ValueError(f"bundles and nodes must hold at least one each, got {len(requests)} and {len(free)}")
    if empty := [number for number, bundle in enumerate(requests) if not any(bundle.values())]:
        raise ValueError(f"bundles[{empty[0]}] must request a resource, got {bundles[empty[0]]!r}")
    order = sorted(range(len(requests)), key=lambda number: _sort_key(requests[number], requests), reverse=True)
    chosen = RULES[strategy]([requests[number] for number in order], free)
    if chosen is None:
        return PlacementGroup(strategy, None, len(free))
    node_of_bundle = dict(zip(order, chosen, strict=True))
    return PlacementGroup(strategy, tuple(node_of_bundle[number] for number in range(len(requests))), len(free))


def _resources(name: str, given: Mapping[str, float]) -> Resources:
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must map resources to amounts, got {given!r}")
    found: Resources = {}
    for key, amount in given.items():
        resource = RAY_RESOURCES.get(str(key).lower(), str(key))
        if resource in found:
            raise ValueError(f"{name} must name each resource once, got {resource} twice in {given!r}")
        found[resource] = Fraction(one_positive(f"{name}[{key!r}]", amount, allow_zero=True))
    return found


def _sort_key(bundle: Resources, bundles: Sequence[Resources]) -> tuple[Fraction, ...]:
    custom = sorted({name for one in bundles for name in one} - {"GPU", "memory", "CPU"})
    return tuple(bundle.get(name, Fraction(0)) for name in (*custom, "GPU", "memory", "CPU"))


def _best(bundle: Resources, free: Sequence[Resources], candidates: Sequence[int]) -> int | None:
    """Return the candidate on which the largest fractions stay free; None if the bundle fits on none."""
    fitting = [node for node in candidates if _fits(bundle, free[node])]
    return max(fitting, key=lambda node: (_free_fractions(bundle, free[node]), -node), default=None)


def _fits(bundle: Resources, node: Resources) -> bool:
    return all(amount <= node.get(name, 0) for name, amount in bundle.items())


def _free_fractions(bundle: Resources, node: Resources) -> Fraction:
    fractions = ((node[name] - amount) / node[name] for name, amount in bundle.items() if node.get(name))
    return sum(fractions, Fraction(0))


def _allocate(bundle: Resources, node: Resources) -> None:
    for name, amount in bundle.items():
        if amount:
            node[name] -= amount


def _pack(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    """Choose a node for the first remaining bundle, place all others that fit on it, and repeat with another node."""
    chosen: dict[int, int] = {}
    unused = list(range(len(free)))
    while len(chosen) < len(bundles):
        rest = [number for number in range(len(bundles)) if number not in chosen]
        node = _best(bundles[rest[0]], free, unused)
        if node is None:
            return None
        for number in rest:
            if _fits(bundles[number], free[node]):
                _allocate(bundles[number], free[node])
                chosen[number] = node
        unused.remove(node)
    return [chosen[number] for number in range(len(bundles))]


def _spread(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    """Place each bundle on an unused node, or on a used one if it fits on no unused node."""
    chosen: list[int] = []
    for bundle in bundles:
        unused = [node for node in range(len(free)) if node not in chosen]
        node = _best(bundle, free, unused)
        if node is None:
            node = _best(bundle, free, sorted(set(chosen)))
        if node is None:
            return None
        _allocate(bundle, free[node])
        chosen.append(node)
    return chosen


def _strict_pack(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    total = {name: sum((one.get(name, Fraction(0)) for one in bundles), Fraction(0)) for one in bundles for name in one}
    node = _best(total, free, range(len(free)))
    return None if node is None else [node] * len(bundles)


def _strict_spread(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    chosen: list[int] = []
    for bundle in bundles:
        node = _best(bundle, free, [node for node in range(len(free)) if node not in chosen])
        if node is None:
            return None
        chosen.append(node)
    return chosen


RULES: dict[str, Callable[[Sequence[Resources], list[Resources]], list[int] | None]] = {
    "PACK": _pack,
    "SPREAD": _spread,
    "STRICT_PACK": _strict_pack,
    "STRICT_SPREAD": _strict_spread,
}
