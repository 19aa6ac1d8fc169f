"""Backfill with reservations of named nodes, as Slurm makes them: the lowest nodes that are free long enough."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from .policies import compress, conservative, strict

if TYPE_CHECKING:
    from collections.abc import Callable

    from .policies import Planned, SchedulerState, Starts


class Held(NamedTuple):
    """Nodes that a running job or a reservation holds from one time until its limit, seconds."""

    start: float
    end: float
    nodes: frozenset[int]


def named_pass(
    state: SchedulerState, rule: Callable[[SchedulerState], tuple[Starts, Planned]]
) -> tuple[Starts, Planned]:
    """Run one pass of a policy with named nodes; ``state.chosen`` receives the nodes of each start and reservation.

    Each job in order gets the earliest time at which enough nodes are in no entry of the plan that overlaps its
    run, and of these the lowest. It starts if that is now; otherwise the nodes are reserved, for every job
    (conservative backfill) or for the head of the queue (EASY). A late pass leaves out jobs that arrived at its
    own time.
    """
    if rule is strict:
        return strict(state) if state.gpus == 1 else (_strict_by_name(state), [])
    plan = [Held(state.now, end, state.held[number]) for end, number in state.ends]
    free = state.free
    starts: Starts = []
    planned: Planned = []
    for place, number in enumerate(state.queue):
        everyone = rule is conservative or place == len(starts) == 0 or (place == len(starts) and not planned)
        if not everyone and state.nodes[number] > free:
            continue
        begin, nodes = _earliest(plan, state, number, now_only=not everyone)
        if begin == inf:
            continue
        limit = _granted(plan, state, number, begin, nodes)
        if begin == state.now and not (state.late and state.since.get(number, -inf) >= state.now):
            starts.append((number, limit))
            free -= state.nodes[number]
        elif everyone:
            planned.append((number, begin, limit))
        else:
            continue
        plan.append(Held(begin, begin + limit, nodes))
        state.chosen[number] = nodes
        if not free and not state.report:
            break
    return starts, planned


def _earliest(plan: list[Held], state: SchedulerState, number: int, now_only: bool) -> tuple[float, frozenset[int]]:
    """Return the earliest start of a job and the lowest nodes that are free then for its shortest limit."""
    need, seconds = state.nodes[number], state.shortest[number]
    times = [state.now] if now_only else sorted({state.now, *(one.end for one in plan if one.end > state.now)})
    for begin in times:
        taken: set[int] = set()
        for one in plan:
            if one.start < begin + seconds and one.end > begin:
                taken |= one.nodes
        if state.machine - len(taken) >= need and (lowest := lowest_free(state, taken, number)):
            return begin, lowest
    return inf, frozenset()


def lowest_free(state: SchedulerState, taken: set[int], number: int) -> frozenset[int]:
    """Return the lowest free nodes of a job, or its GPUs on the lowest nodes that have enough; empty if too few."""
    if state.gpus == 1:
        need = state.nodes[number]
        found = [node for node in range(state.machine) if node not in taken][:need]
        return frozenset(found if len(found) == need else ())
    nodes, each = state.shapes[number]
    chosen: list[int] = []
    for first in range(0, state.machine, state.gpus):
        free = [gpu for gpu in range(first, first + state.gpus) if gpu not in taken]
        if len(free) >= each:
            chosen += free[:each]
        if len(chosen) == nodes * each:
            return frozenset(chosen)
    return frozenset()


def _strict_by_name(state: SchedulerState) -> Starts:
    """Start jobs in order until the GPUs of one are free on too few nodes (FCFS without backfill)."""
    plan = [Held(state.now, end, state.held[number]) for end, number in state.ends]
    starts: Starts = []
    for number in state.queue:
        begin, gpus = _earliest(plan, state, number, now_only=True)
        if begin == inf:
            break
        starts.append((number, state.limits[number]))
        plan.append(Held(begin, begin + state.limits[number], gpus))
        state.chosen[number] = gpus
    return starts


def _granted(plan: list[Held], state: SchedulerState, number: int, begin: float, nodes: frozenset[int]) -> float:
    """Return the limit of a job: as long as its nodes stay free, between its shortest and its requested one."""
    limit, shortest = state.limits[number], state.shortest[number]
    if shortest == limit:
        return limit
    until = min((one.start for one in plan if one.start > begin and one.nodes & nodes), default=inf)
    return min(limit, until - begin)


def names_are_modelled(rule: Callable) -> bool:
    """Return whether a policy can reserve named nodes."""
    return rule is not compress
