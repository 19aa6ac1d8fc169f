"""Schedule of each collective and algorithm, with the options that it takes.

A schedule is a function of the number of ranks and of its options. It returns the number
of slots that the message is cut into, and the phases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from . import exchanges, rings, trees
from .schedule_steps import Plan


class Schedule(NamedTuple):
    """Function that builds the phases, and its options with their defaults."""

    build: Callable[..., Plan]
    options: Mapping[str, int | None] = MappingProxyType({})


_PIPELINED: dict[str, int | None] = {"segments": 8}
_NODES: dict[str, int | None] = {"ranks_per_node": None}

SCHEDULES = {
    "all_reduce": {
        "ring": Schedule(rings.all_reduce),
        "tree": Schedule(trees.all_reduce),
        "double_binary_tree": Schedule(trees.double_binary_tree_all_reduce, _PIPELINED),
        "recursive_doubling": Schedule(exchanges.recursive_doubling_all_reduce),
        "halving_doubling": Schedule(exchanges.halving_doubling_all_reduce),
        "hierarchical": Schedule(rings.hierarchical_all_reduce, _NODES),
    },
    "reduce_scatter": {
        "ring": Schedule(rings.reduce_scatter),
        "recursive_halving": Schedule(exchanges.recursive_halving),
        "pairwise": Schedule(exchanges.pairwise_reduce_scatter),
    },
    "all_gather": {
        "ring": Schedule(rings.all_gather),
        "recursive_doubling": Schedule(exchanges.recursive_doubling_all_gather),
        "bruck": Schedule(exchanges.bruck_all_gather),
    },
    "broadcast": {
        "ring": Schedule(rings.broadcast, _PIPELINED),
        "tree": Schedule(trees.broadcast),
        "van_de_geijn": Schedule(trees.van_de_geijn_broadcast),
    },
    "reduce": {
        "ring": Schedule(rings.reduce, _PIPELINED),
        "tree": Schedule(trees.reduce),
        "rabenseifner": Schedule(trees.rabenseifner_reduce),
    },
    "all_to_all": {
        "pairwise": Schedule(exchanges.pairwise_all_to_all),
        "bruck": Schedule(exchanges.bruck_all_to_all),
    },
    "gather": {"direct": Schedule(exchanges.direct_gather), "tree": Schedule(trees.gather)},
    "scatter": {"direct": Schedule(exchanges.direct_scatter), "tree": Schedule(trees.scatter)},
    "send_recv": {"direct": Schedule(exchanges.shift)},
}

# Collectives that take an operation, and collectives that take a root.
REDUCING = ("all_reduce", "reduce_scatter", "reduce")
ROOTED = ("broadcast", "reduce", "gather", "scatter")
