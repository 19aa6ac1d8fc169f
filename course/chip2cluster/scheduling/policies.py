"""Scheduling policies: one pass over the queue with FCFS, EASY backfill or conservative backfill."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .._validate import choice
from .free_node_profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .dependencies import Name
from .jobs import Job

Starts: TypeAlias = list[tuple[int, float]]  # index of the job, granted time limit
Planned: TypeAlias = list[tuple[int, float, float]]  # index, reserved start, time limit


@dataclass
class SchedulerState:
    """Input of a scheduling pass; jobs are indices into the lists.

    ``ends`` are the times at which running jobs reach their limits, earliest first; ``queue`` is in scheduling order.
    ``guaranteed`` holds the guarantees given so far, ``freed`` tells whether nodes were released since the last pass,
    and ``report`` requests reservations also if nothing can start. With named nodes, ``held`` has the nodes of each
    running job, ``chosen`` receives those of each start, and a ``late`` pass ignores jobs that became eligible
    (``since``) at its own time. Nodes of several ``gpus`` are shared: all counts are then of GPUs, numbered node by node,
    and ``shapes`` has the nodes of each job and its GPUs on each.
    """

    now: float
    free: int
    ends: list[tuple[float, int]]
    queue: Sequence[int]
    nodes: Sequence[int]
    limits: Sequence[float]
    shortest: Sequence[float]
    guaranteed: dict[int, tuple[float, float]] = field(default_factory=dict)
    freed: bool = True
    report: bool = False
    machine: int = 0
    held: dict[int, frozenset[int]] = field(default_factory=dict)
    chosen: dict[int, frozenset[int]] = field(default_factory=dict)
    since: Mapping[int, float] = field(default_factory=dict)
    late: bool = False
    gpus: int = 1
    shapes: Sequence[tuple[int, int]] = ()

    def profile(self, started: Starts = ()) -> Profile:  # type: ignore[assignment]
        """Return the profile of free nodes, after the jobs started in this pass."""
        profile = Profile(self.now, self.free, [(end, self.nodes[number]) for end, number in self.ends])
        for number, limit in started:
            profile.take(self.now, self.now + limit, self.nodes[number])
        return profile


def strict(state: SchedulerState) -> tuple[Starts, Planned]:
    """Start jobs in order until one does not fit (FCFS without backfill)."""
    free, starts = state.free, []
    for number in state.queue:
        free -= state.nodes[number]
        if free < 0:
            break
        starts.append((number, state.limits[number]))
    return starts, []


def easy(state: SchedulerState) -> tuple[Starts, Planned]:
    """EASY backfill: like `strict`, then start jobs that fit and do not delay the head of the queue."""
    starts, _ = strict(state)
    waiting = state.queue[len(starts) :]
    free = state.free - sum(state.nodes[number] for number, _ in starts)
    if not waiting or not (free or state.report):
        return starts, []
    head, now, nodes, limits = waiting[0], state.now, state.nodes, state.limits
    shadow, spare = _shadow(state, starts, free)
    for number in waiting[1:]:
        size = nodes[number]
        if size > free:
            continue
        limit = limits[number]
        if now + limit > shadow:
            if size <= spare:
                spare -= size
            elif now + state.shortest[number] <= shadow:
                limit = shadow - now
            else:
                continue
        starts.append((number, limit))
        free -= size
        if not free:
            break
    return starts, [(head, shadow, limits[head])]


def _shadow(state: SchedulerState, starts: Starts, free: int) -> tuple[float, int]:
    """Return the reserved (shadow) time of the head of the queue, and the nodes that it leaves free then."""
    ends = list(state.ends)
    for number, limit in starts:
        insort(ends, (state.now + limit, number))
    need = state.nodes[state.queue[len(starts)]]
    shadow = state.now
    for end, number in ends:
        if free >= need and end > shadow:
            break
        free += state.nodes[number]
        shadow = end
    return shadow, free - need


def conservative(state: SchedulerState) -> tuple[Starts, Planned]:
    """Conservative backfill: reserve the earliest slot for each job in order, replanned at each pass."""
    if not (state.free or state.report):
        return [], []
    profile, starts, planned = state.profile(), [], []
    for number in state.queue:
        start, limit = _earliest(profile, state, number)
        profile.take(start, start + limit, state.nodes[number])
        if start > state.now:
            planned.append((number, start, limit))
            continue
        starts.append((number, limit))
        if not (profile.free[0] or state.report):
            break
    return starts, planned


def compress(state: SchedulerState) -> tuple[Starts, Planned]:
    """Conservative backfill with guarantees: keep each reservation, and move it forward when nodes are released early."""
    kept, profile = state.guaranteed, state.profile()
    for number in set(kept) - set(state.queue):
        del kept[number]
    for number, (start, limit) in kept.items():
        profile.take(start, start + limit, state.nodes[number])
    for number in state.queue:
        if number in kept:
            if not state.freed:
                continue
            start, limit = kept[number]
            profile.give_back(start, start + limit, state.nodes[number])
        start, limit = kept[number] = _earliest(profile, state, number)
        profile.take(start, start + limit, state.nodes[number])
    starts = [(number, kept[number][1]) for number in state.queue if kept[number][0] <= state.now]
    for number, _ in starts:
        del kept[number]
    return starts, [(number, *kept[number]) for number in state.queue if number in kept]


def _earliest(profile: Profile, state: SchedulerState, number: int) -> tuple[float, float]:
    """Return the earliest start of a job, and its time limit there."""
    limit, shortest, nodes = state.limits[number], state.shortest[number], state.nodes[number]
    start = profile.earliest(nodes, shortest)
    return start, limit if shortest == limit else min(limit, profile.lasts(start, nodes))


def by_priority(
    queue: Sequence[int],
    jobs: Sequence[Job],
    since: Mapping[int, float],
    now: float,
    machine: int,
    priority: Callable[[Job, float, int], float],
    qos_first: bool = False,
) -> list[int]:
    """Return the queue sorted by priority, highest first; ties keep their order."""
    rank = {n: (-jobs[n].qos if qos_first else 0, -priority(jobs[n], max(0.0, now - since[n]), machine)) for n in queue}
    return sorted(queue, key=rank.__getitem__)


def within_limits(queue: Sequence[int], jobs: Sequence[Job], running: Mapping[Name | None, int]) -> list[int]:
    """Return the queue without tasks whose array is at its limit."""
    taken = Counter(running)
    kept = []
    for number in queue:
        job = jobs[number]
        if job.array_limit is not None:
            taken[job.array] += 1
            if taken[job.array] > job.array_limit:
                continue
        kept.append(number)
    return kept


class AssociationLimits(NamedTuple):
    """Limits of users and accounts on what they run together: nodes, and jobs."""

    nodes: Mapping[str, int] = MappingProxyType({})
    jobs: Mapping[str, int] = MappingProxyType({})

    def exceeded(self, job: Job, running: Iterable[Job]) -> tuple[str, str, int, int] | None:
        """Return the association whose limit a start would exceed: name, "nodes" or "jobs", limit, and current use."""
        for name in sorted(job.associations & (self.nodes.keys() | self.jobs.keys())):
            mine = [one for one in running if name in one.associations]
            for kind, limits, used, more in (
                ("nodes", self.nodes, sum(one.nodes for one in mine), job.nodes), ("jobs", self.jobs, len(mine), 1),
            ):  # fmt: skip
                if used + more > limits.get(name, used + more):
                    return name, kind, limits[name], used
        return None

    def admits(self, job: Job, running: Iterable[Job]) -> bool:
        """Return whether a job may start beside the running ones."""
        return self.exceeded(job, running) is None


@dataclass(frozen=True)
class Policy:
    """Scheduling policy: order of the queue ("submit", "walltime" or "priority"), pass, and description."""

    order: str
    one_pass: Callable[[SchedulerState], tuple[Starts, Planned]]
    description: str


POLICIES = {
    "fcfs": Policy("submit", strict, "first come, first served (FCFS): no job overtakes the head of the queue"),
    "sjf": Policy("walltime", strict, "shortest job first: the smallest walltime is first, and no job overtakes it"),
    "easy": Policy(
        "submit",
        easy,
        "EASY backfill: the head of the queue has a reservation; others may overtake if they do not delay it",
    ),
    "conservative": Policy(
        "submit",
        conservative,
        "conservative backfill: all pending jobs have reservations, replanned at each event (Slurm's backfill)",
    ),
    "conservative_compress": Policy(
        "submit", compress, "conservative backfill with guarantees that never get later; early ends move them forward"
    ),
    "multifactor_strict": Policy("priority", strict, "highest priority first, and no job overtakes it"),
    "multifactor_easy": Policy(
        "priority", easy, "highest priority first, with a reservation for that job only (EASY backfill)"
    ),
    "multifactor_conservative": Policy(
        "priority", conservative, "highest priority first, with reservations for all (conservative backfill)"
    ),
}


def policies() -> dict[str, str]:
    """List the scheduling policies of `simulate` with their descriptions.

    Returns
    -------
    dict of str to str
        Descriptions by name.

    Notes
    -----
    Slurm has three of them: ``sched/builtin`` is "fcfs", ``sched/backfill`` with
    ``bf_job_part_count_reserve=1`` is "easy", and ``sched/backfill`` by default is "conservative". Source: Feitelson et al., *Parallel job scheduling: a status report*,
    2004; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.

    Examples
    --------
    >>> for name in policies():
    ...     print(name)
    fcfs
    sjf
    easy
    conservative
    conservative_compress
    multifactor_strict
    multifactor_easy
    multifactor_conservative
    """
    return {name: policy.description for name, policy in POLICIES.items()}


def policy(name: str) -> Policy:
    """Look up a policy by its name."""
    return POLICIES[choice("policy", name, POLICIES)]
