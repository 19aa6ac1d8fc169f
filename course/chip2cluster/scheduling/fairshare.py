"""Fair shares while a queue runs: who uses the machine falls behind, and what was used is forgotten by halves."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING

from .._validate import flag, one_positive
from .fair_tree import Share, fair_tree
from .priority import WEEK
from .usage import decayed_usage

if TYPE_CHECKING:
    from .jobs import Job


@dataclass(frozen=True)
class UsageSample:
    """Usage of each user as it was counted at a moment, seconds, and the fair-share ``factors`` that follow from it."""

    time: float
    usage: Mapping[str, float]
    tree: Share = field(repr=False)

    @cached_property
    def factors(self) -> dict[str, float]:
        """As `fair_tree`, of each user."""
        return fair_tree(_with_usage(self.tree, self.usage))


@dataclass(frozen=True)
class Fairshare:
    """How `simulate` counts what users use, and turns it into their factor: Slurm's Fair Tree and its decay.

    At every look, ``period`` seconds apart, old usage decays, running jobs are charged for what they
    used since the last one, and users are ranked anew; the age of waiting jobs counts up to that look, too.

    Parameters
    ----------
    tree : Share
        Accounts and users; a user's name is the ``user`` of his jobs, his usage that of the time before.
    half_life : float, optional
        ``PriorityDecayHalfLife``, seconds; None: nothing is forgotten.
    period : float
        ``PriorityCalcPeriod``: seconds between two looks.
    first : float, optional
        When the first look is, seconds; one period after 0 where it is not given.
    cpus_per_node : float
        What a second of a node counts: its CPUs, or what the site bills.
    tails : bool
        Whether a job is charged for the time between the last look and its end. Slurm's own code says
        yes; a recorded 22.05.8 never did, so jobs that ended between two looks were free.

    Notes
    -----
    A stretch of n seconds is charged as ``n * decay ** n`` at the look that ends it, as Slurm does it.
    Ignores ``PriorityUsageResetPeriod`` and weights of billing. Source: Slurm's *Multifactor priority plugin*
    and ``priority_multifactor.c`` (22.05); held against recorded ``sprio`` and ``sshare``.

    Examples
    --------
    Ann has the machine first and Ben used nothing, so his job passes hers:

    >>> from chip2cluster.scheduling import Job, Weights, simulate
    >>> jobs = [Job(1, 0, 4, 600, user="ann"), Job(2, 1, 4, 60, user="ann"), Job(3, 2, 4, 60, user="ben")]
    >>> shares = Fairshare(Share("root", children=[Share("ann"), Share("ben")]), half_life=3600, period=300)
    >>> schedule = simulate(jobs, 4, "multifactor_easy", Weights(fairshare=1000), fairshare=shares)
    >>> schedule.starts, schedule.priorities_at(300)
    ({1: 0.0, 2: 660.0, 3: 600.0}, {3: 1000, 2: 500})
    """

    tree: Share
    half_life: float | None = WEEK
    period: float = 300.0
    first: float | None = None
    cpus_per_node: float = 1.0
    tails: bool = True

    def __post_init__(self) -> None:
        fair_tree(self.tree)
        if self.half_life is not None:
            decayed_usage(0.0, 0.0, one_positive("half_life", self.half_life))
        object.__setattr__(self, "period", one_positive("period", self.period))
        first = self.period if self.first is None else one_positive("first", self.first, allow_zero=True)
        object.__setattr__(self, "first", first)
        one_positive("cpus_per_node", self.cpus_per_node)
        flag("tails", self.tails)

    def turn(self, time: float) -> int:
        """Number of the last look up to a moment, from 0 on; -1 before the first."""
        return max(-1, floor((time - self.first) / self.period + 1e-9))  # type: ignore[operator]

    def moment(self, turn: int) -> float:
        """When a look is, seconds."""
        return self.first + turn * self.period  # type: ignore[operator]

    def left(self, usage: float, seconds: float) -> float:
        """What is still counted of usage after so many seconds."""
        return usage if self.half_life is None else decayed_usage(usage, seconds, self.half_life)


class Ledger:
    """The book of one simulation: usage and factors now, and every page before."""

    def __init__(self, rule: Fairshare) -> None:
        self.rule, self.looked, self.turn = rule, 0.0, 0
        self.usage = dict(_usage(rule.tree))
        self.pages = [UsageSample(0.0, dict(self.usage), rule.tree)]

    @property
    def next(self) -> float:
        """When the next look is, seconds."""
        return self.rule.moment(self.turn)

    @property
    def factors(self) -> dict[str, float]:
        """Of each user, since the last look."""
        return self.pages[-1].factors

    def charge(self, job: Job, start: float, now: float) -> None:
        """Count what a job used since the last look."""
        seconds = now - max(start, self.looked)
        self.usage[job.user] += self.rule.left(seconds * job.nodes * self.rule.cpus_per_node, seconds)

    def look(self, now: float, running: Sequence[tuple[Job, float]]) -> None:
        """Forget, and charge whoever runs (jobs with their starts).

        It is late where the machine stood empty meanwhile; then it counts as of when it should have been.
        """
        turn = max(self.turn, self.rule.turn(now))
        now = self.rule.moment(turn)
        kept = self.rule.left(1.0, now - self.looked)
        self.usage = {user: used * kept for user, used in self.usage.items()}
        for job, start in running:
            self.charge(job, start, now)
        self.looked, self.turn = now, turn + 1
        self.pages.append(UsageSample(now, dict(self.usage), self.rule.tree))


def counted_at(rule: Fairshare, pages: Sequence[UsageSample], time: float) -> UsageSample:
    """Usage and factors as of the last look up to a moment; none was written down while nothing ran or waited."""
    page = pages[bisect_right(pages, time, key=lambda one: one.time) - 1]
    looked = rule.moment(rule.turn(time))
    if looked <= page.time:
        return page
    kept = rule.left(1.0, looked - page.time)
    return UsageSample(looked, {user: used * kept for user, used in page.usage.items()}, page.tree)


def rated(job: Job, factors: Mapping[str, float]) -> Job:
    """The job with the factor that its user has now."""
    factor = factors[job.user]
    return job if job.fairshare == factor else replace(job, fairshare=factor)


def _usage(share: Share) -> list[tuple[str, float]]:
    if share.children is None:
        return [(share.name, share.usage)]
    return [pair for child in share.children for pair in _usage(child)]


def _with_usage(share: Share, usage: Mapping[str, float]) -> Share:
    if share.children is None:
        return replace(share, usage=usage[share.name])
    return replace(share, children=tuple(_with_usage(child, usage) for child in share.children))
