"""Who may start now: one pass of a scheduler over the queue, in the ways that are in use."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from .._validate import choice
from .profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .dependencies import Name
from .jobs import Job

Starts: TypeAlias = list[tuple[int, float]]  # a job's number and the limit that it gets
Planned: TypeAlias = list[tuple[int, float, float]]  # its number, when it would start, its limit


@dataclass
class State:
    """What a scheduler sees at one moment; jobs are numbers into the lists.

    ``ends`` says when running jobs reach their limits, the next first; ``queue`` is in the
    order in which jobs are to be looked at. ``guaranteed`` is the memory of a scheduler that
    keeps its word, ``freed`` whether nodes came back since its last pass, and ``report``
    whether plans are wanted that start nothing.
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

    def profile(self, started: Starts = ()) -> Profile:  # type: ignore[assignment]
        """The staircase of free nodes, without those that start in this pass."""
        profile = Profile(self.now, self.free, [(end, self.nodes[number]) for end, number in self.ends])
        for number, limit in started:
            profile.take(self.now, self.now + limit, self.nodes[number])
        return profile


def strict(state: State) -> tuple[Starts, Planned]:
    """Start jobs in order until one does not fit; nobody passes it."""
    free, starts = state.free, []
    for number in state.queue:
        free -= state.nodes[number]
        if free < 0:
            break
        starts.append((number, state.limits[number]))
    return starts, []


def easy(state: State) -> tuple[Starts, Planned]:
    """As `strict`; then whoever fits and does not delay the first that waits may pass it."""
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


def _shadow(state: State, starts: Starts, free: int) -> tuple[float, int]:
    """When the first that waits can start at the latest, and how many nodes it then leaves over."""
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


def conservative(state: State) -> tuple[Starts, Planned]:
    """Plan the whole queue afresh: each job gets the earliest place that those before it leave."""
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


def compress(state: State) -> tuple[Starts, Planned]:
    """Keep the place that each job was once given; when nodes come back early, move it forward, in order."""
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


def _earliest(profile: Profile, state: State, number: int) -> tuple[float, float]:
    """When a job could start, and the limit that it would get there."""
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
    """The queue by priority, the highest first; equals as they stood."""
    rank = {n: (-jobs[n].qos if qos_first else 0, -priority(jobs[n], max(0.0, now - since[n]), machine)) for n in queue}
    return sorted(queue, key=rank.__getitem__)


def within_limits(queue: Sequence[int], jobs: Sequence[Job], running: Mapping[Name | None, int]) -> list[int]:
    """The queue without tasks whose array already has as many at once as it may."""
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


@dataclass(frozen=True)
class Policy:
    """An order of the queue ("submit", "walltime" or "priority") and what a pass does with it."""

    order: str
    one_pass: Callable[[State], tuple[Starts, Planned]]
    words: str


POLICIES = {
    "fcfs": Policy("submit", strict, "first come, first served: nobody passes the first that waits"),
    "sjf": Policy("walltime", strict, "shortest job first: the smallest walltime is first, and nobody passes it"),
    "easy": Policy(
        "submit", easy, "the first that waits has a reservation; others may pass if they do not delay it (EASY)"
    ),
    "conservative": Policy(
        "submit", conservative, "all that wait have reservations, planned afresh at each event (Slurm's backfill)"
    ),
    "conservative_compress": Policy(
        "submit", compress, "all that wait have guarantees that never get later; early ends move them forward"
    ),
    "multifactor_strict": Policy("priority", strict, "highest priority first, and nobody passes it"),
    "multifactor_easy": Policy("priority", easy, "highest priority first, with a reservation for that one alone"),
    "multifactor_conservative": Policy("priority", conservative, "highest priority first, with reservations for all"),
}


def policies() -> dict[str, str]:
    """The names that `simulate` knows, and what each does in a sentence.

    Returns
    -------
    dict of str to str

    Notes
    -----
    Slurm gives three of them by one setting: ``sched/builtin`` is "fcfs", ``sched/backfill``
    with ``bf_job_part_count_reserve=1`` is "easy", and ``sched/backfill`` as it comes is
    "conservative". Source: Feitelson et al., *Parallel job scheduling: a status report*,
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
    return {name: policy.words for name, policy in POLICIES.items()}


def policy(name: str) -> Policy:
    """A policy by its name."""
    return POLICIES[choice("policy", name, POLICIES)]
