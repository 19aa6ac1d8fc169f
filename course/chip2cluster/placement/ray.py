"""Ray's placement groups: bundles of resources put on nodes together, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .._validate import choice, one_positive

Resources: TypeAlias = dict[str, Fraction]
KNOWN = {"cpu": "CPU", "gpu": "GPU"}  # what Ray itself knows; other names are a site's own

STRATEGIES = {
    "PACK": "on as few nodes as the greedy rule finds",
    "SPREAD": "on as many nodes as there are, then again on these",
    "STRICT_PACK": "all on one node",
    "STRICT_SPREAD": "each on another node",
}


@dataclass(frozen=True)
class PlacementGroup:
    """Where the bundles of a placement group are: ``nodes[i]`` is the node of bundle i, None if it is not created.

    Examples
    --------
    >>> group = ray_placement([{"GPU": 1}] * 3, [{"GPU": 2}, {"GPU": 2}], "PACK")
    >>> group.created, group.nodes, group.nodes_used, group.bundles_per_node
    (True, (0, 0, 1), 2, (2, 1))
    """

    strategy: str
    nodes: tuple[int, ...] | None
    of: int

    @property
    def created(self) -> bool:
        """Whether all bundles have a place; otherwise the group is PENDING and holds nothing."""
        return self.nodes is not None

    @property
    def nodes_used(self) -> int:
        """On how many nodes."""
        return len(set(self.nodes or ()))

    @property
    def bundles_per_node(self) -> tuple[int, ...]:
        """How many bundles each node has."""
        return tuple((self.nodes or ()).count(node) for node in range(self.of))


def ray_placement(
    bundles: Sequence[Mapping[str, float]], nodes: Sequence[Mapping[str, float]], strategy: str = "PACK"
) -> PlacementGroup:
    """Place the bundles of a placement group as Ray does.

    Large bundles go first: by a site's own resources, then GPUs, then CPUs. Each takes the
    node on which the largest shares of what it asks for stay free.

    Parameters
    ----------
    bundles : sequence of mapping
        What each bundle asks for: ``{"GPU": 1, "CPU": 2}``.
    nodes : sequence of mapping
        What is free on each node.
    strategy : {"PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"}

    Returns
    -------
    PlacementGroup

    Raises
    ------
    ValueError, TypeError
        For an unknown strategy, no bundle, an empty one, no node, and negative amounts.

    Notes
    -----
    The rule is greedy: it can leave a group pending for which there is a place. Of equal
    nodes the first is taken; in Ray it is any. Ignores labels, and that a pending group is
    tried again. Source: Ray's ``bundle_scheduling_policy.cc`` and ``scorer.cc``; held against
    recordings of Ray 2.60.0.

    Examples
    --------
    Eight GPUs are free, but no node has four of them:

    >>> free = [{"GPU": 3, "CPU": 8}, {"GPU": 3, "CPU": 8}, {"GPU": 2, "CPU": 8}]
    >>> ray_placement([{"GPU": 4}, {"GPU": 4}], free, "SPREAD").created
    False
    >>> ray_placement([{"GPU": 1}] * 8, free, "SPREAD").bundles_per_node
    (3, 3, 2)
    """
    choice("strategy", strategy, STRATEGIES)
    wanted = [_resources(f"bundles[{number}]", bundle) for number, bundle in enumerate(bundles)]
    free = [_resources(f"nodes[{number}]", node) for number, node in enumerate(nodes)]
    if not wanted or not free:
        raise ValueError(f"bundles and nodes must hold at least one each, got {len(wanted)} and {len(free)}")
    if empty := [number for number, bundle in enumerate(wanted) if not any(bundle.values())]:
        raise ValueError(f"bundles[{empty[0]}] must ask for something, got {bundles[empty[0]]!r}")
    order = sorted(range(len(wanted)), key=lambda number: _size(wanted[number], wanted), reverse=True)
    places = RULES[strategy]([wanted[number] for number in order], free)
    if places is None:
        return PlacementGroup(strategy, None, len(free))
    of_bundle = dict(zip(order, places, strict=True))
    return PlacementGroup(strategy, tuple(of_bundle[number] for number in range(len(wanted))), len(free))


def _resources(name: str, given: Mapping[str, float]) -> Resources:
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must map resources to amounts, got {given!r}")
    found: Resources = {}
    for key, amount in given.items():
        known = KNOWN.get(str(key).lower(), str(key))
        if known in found:
            raise ValueError(f"{name} must name each resource once, got {known} twice in {given!r}")
        found[known] = Fraction(one_positive(f"{name}[{key!r}]", amount, allow_zero=True))
    return found


def _size(bundle: Resources, all_of_them: Sequence[Resources]) -> tuple[Fraction, ...]:
    own = sorted({name for one in all_of_them for name in one} - {"GPU", "memory", "CPU"})
    return tuple(bundle.get(name, Fraction(0)) for name in (*own, "GPU", "memory", "CPU"))


def _best(bundle: Resources, free: Sequence[Resources], among: Sequence[int]) -> int | None:
    """The node, of these, that keeps the largest shares; None if the bundle fits on none."""
    fitting = [node for node in among if _fits(bundle, free[node])]
    return max(fitting, key=lambda node: (_left(bundle, free[node]), -node), default=None)


def _fits(bundle: Resources, node: Resources) -> bool:
    return all(amount <= node.get(name, 0) for name, amount in bundle.items())


def _left(bundle: Resources, node: Resources) -> Fraction:
    shares = ((node[name] - amount) / node[name] for name, amount in bundle.items() if node.get(name))
    return sum(shares, Fraction(0))


def _take(bundle: Resources, node: Resources) -> None:
    for name, amount in bundle.items():
        if amount:
            node[name] -= amount


def _pack(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    """Choose a node for the first that is left, put on it whatever else fits, go on to the next node."""
    places: dict[int, int] = {}
    unused = list(range(len(free)))
    while len(places) < len(bundles):
        rest = [number for number in range(len(bundles)) if number not in places]
        node = _best(bundles[rest[0]], free, unused)
        if node is None:
            return None
        for number in rest:
            if _fits(bundles[number], free[node]):
                _take(bundles[number], free[node])
                places[number] = node
        unused.remove(node)
    return [places[number] for number in range(len(bundles))]


def _spread(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    """Each on a node that has none yet; where there is no such node, on one that has."""
    places: list[int] = []
    for bundle in bundles:
        unused = [node for node in range(len(free)) if node not in places]
        node = _best(bundle, free, unused)
        if node is None:
            node = _best(bundle, free, sorted(set(places)))
        if node is None:
            return None
        _take(bundle, free[node])
        places.append(node)
    return places


def _strict_pack(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    total = {name: sum((one.get(name, Fraction(0)) for one in bundles), Fraction(0)) for one in bundles for name in one}
    node = _best(total, free, range(len(free)))
    return None if node is None else [node] * len(bundles)


def _strict_spread(bundles: Sequence[Resources], free: list[Resources]) -> list[int] | None:
    places: list[int] = []
    for bundle in bundles:
        node = _best(bundle, free, [node for node in range(len(free)) if node not in places])
        if node is None:
            return None
        places.append(node)
    return places


RULES: dict[str, Callable[[Sequence[Resources], list[Resources]], list[int] | None]] = {
    "PACK": _pack,
    "SPREAD": _spread,
    "STRICT_PACK": _strict_pack,
    "STRICT_SPREAD": _strict_spread,
}
