"""When which node and which switch is broken: the life of a machine, whatever the job on it decides."""

from __future__ import annotations

from itertools import count as numbers
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_positive, one_whole
from .plan import RunPlan

if TYPE_CHECKING:
    from .._typing import NDArray

EVENTS = ("node breaks", "node is back", "switch breaks", "switch is back")
NODE_BREAKS, NODE_BACK, SWITCH_BREAKS, SWITCH_BACK = range(len(EVENTS))
_DRAWN = 4  # gaps of each unit in one block of random numbers


class History(NamedTuple):
    """What breaks and comes back, in order: arrays of one shape."""

    times: NDArray  # seconds
    kinds: NDArray  # places in EVENTS
    units: NDArray  # the node, or the switch, by its number from 0


def history(plan: RunPlan, seed: int, until: float) -> History:
    """Draw the life of a machine: when each of its nodes and switches breaks, and when it is repaired.

    Parameters
    ----------
    plan : RunPlan
        Whose ``nodes``, ``spares``, times between failures and repairs count; switch number i feeds
        the nodes from i * ``group_nodes`` on, spares as well.
    seed : int
    until : float
        Seconds; nothing later is drawn.

    Returns
    -------
    History

    Raises
    ------
    ValueError, TypeError
        For anything but a plan, one whose failures are not at a constant rate, and an end that is not above zero.

    Notes
    -----
    Every node and every switch has random numbers of its own: the same seed gives node 7 the same
    failures, whatever the job's interval and dumps, and however many nodes there are beside it.
    Another MTBF stretches its times, another repair shifts those after the first. Spares and
    nodes of a job that waits break as often as others. ``spares=None`` is a machine whose
    repairs take no time. Source: an alternating renewal process for each unit.

    Examples
    --------
    >>> plan = RunPlan(60 * 86400, 1200, 60, 600, node_mtbf=264 * 86400, nodes=2048, spares=16, repair_seconds=86400)
    >>> lives = history(plan, seed=1, until=60 * 86400)
    >>> int((lives.kinds == NODE_BREAKS).sum())
    515
    """
    checked(plan)
    end, source = one_positive("until", until), one_whole("seed", seed, 0)
    total = machine_nodes(plan)
    repair = 0.0 if plan.spares is None else plan.repair_seconds
    kinds = [(total, plan.node_mtbf, NODE_BREAKS)]
    if plan.group_nodes is not None and plan.group_mtbf is not None:
        kinds.append((ceil(total / plan.group_nodes), plan.group_mtbf, SWITCH_BREAKS))
    times, whats, units = [], [], []
    for number, mean, kind in kinds:
        breaks, who = _breaks(number, mean, repair, (source, kind), end)
        back = breaks + repair
        shown = back <= end
        times += [breaks, back[shown]]
        units += [who, who[shown]]
        whats += [np.full(len(breaks), kind), np.full(int(shown.sum()), kind + 1)]
    moments = np.concatenate(times)
    order = np.argsort(moments, kind="stable")  # a repair that takes no time stays behind its failure
    return History(moments[order], np.concatenate(whats)[order], np.concatenate(units)[order])


def machine_nodes(plan: RunPlan) -> int:
    """Nodes of the job and its spares."""
    return plan.nodes + (plan.spares or 0)


def checked(plan: RunPlan) -> RunPlan:
    """Return a plan whose nodes can fail one by one."""
    if not isinstance(plan, RunPlan):
        raise TypeError(f"plan must be a RunPlan, got {plan!r}")
    if plan.shape != 1:
        raise ValueError(f"plan.shape must be 1 where nodes fail each on its own, got {plan.shape}")
    if not plan.failures_during_restart:
        raise ValueError("plan.failures_during_restart must be True where nodes fail each on its own, got False")
    return plan


def _breaks(units: int, mean: float, repair: float, source: tuple[int, int], until: float) -> tuple[NDArray, NDArray]:
    """When units break, and which; a block of random numbers holds the next gaps of all of them, unit by unit."""
    times, who = [], []
    since = np.zeros(units)
    for block in numbers():
        gaps = np.random.default_rng((*source, block)).standard_exponential((units, _DRAWN))
        breaks = since[:, None] + np.cumsum(gaps * mean + repair, axis=1) - repair
        rows, places = np.nonzero(breaks < until)
        times.append(breaks[rows, places])
        who.append(rows)
        since = breaks[:, -1] + repair
        if not (since < until).any():
            break
    return np.concatenate(times), np.concatenate(who)
