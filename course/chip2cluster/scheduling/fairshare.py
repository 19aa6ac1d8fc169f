"""Fair share in a simulated queue: usage is charged to users and decays with a half-life."""

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
from .usage_decay import decayed_usage

if TYPE_CHECKING:
    from .jobs import Job


@dataclass(frozen=True)
class UsageSample:
    """Decayed usage of each user at one priority calculation, and the resulting fair-share ``factors``."""

    time: float
    usage: Mapping[str, float]
    tree: Share = field(repr=False)

    @cached_property
    def factors(self) -> dict[str, float]:
        """Fair-share factor of each user, from `fair_tree`."""
        return fair_tree(_with_usage(self.tree, self.usage))


@dataclass(frozen=True)
class Fairshare:
    """Fair-share accounting of `simulate`: Slurm's Fair Tree with usage decay.

    At every priority calculation, ``period`` seconds apart, old usage decays, running jobs are charged for the time
    since the previous one, and users are ranked again; the age of pending jobs is updated at the same times.

    Parameters
    ----------
    tree : Share
        Accounts and users; the name of a user is the ``user`` of the jobs, and the usage is the initial one.
    half_life : float, optional
        ``PriorityDecayHalfLife``, seconds; None disables the decay.
    period : float
        ``PriorityCalcPeriod``, the time between two priority calculations, seconds.
    first : float, optional
        Time of the first calculation, seconds; None is one period after 0.
    cpus_per_node : float
        Usage of one node-second: its CPUs, or billing units.
    charge_final_interval : bool
        Whether a job is charged for the time between the last calculation and its end. The code of Slurm does;
        a recorded 22.05.8 did not, so jobs that ended between two calculations were free.

    Notes
    -----
    An interval of n seconds is charged as ``n * decay ** n`` at its end, same as in Slurm.
    Ignores ``PriorityUsageResetPeriod`` and billing weights. Source: Slurm's *Multifactor priority plugin*
    and ``priority_multifactor.c`` (22.05); verified against recorded ``sprio`` and ``sshare``.

    Examples
    --------
    Ann uses the machine first and Ben has no usage, so his job overtakes hers:

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
    charge_final_interval: bool = True

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        fair_tree(self.tree)
        if self.half_life is not None:
            decayed_usage(0.0, 0.0, one_positive("half_life", self.half_life))
        object.__setattr__(self, "period", one_positive("period", self.period))
        first = self.period if self.first is None else one_positive("first", self.first, allow_zero=True)
        object.__setattr__(self, "first", first)
        one_positive("cpus_per_node", self.cpus_per_node)
        flag("charge_final_interval", self.charge_final_interval)

    def calculation_index(self, time: float) -> int:
        """Return the index of the last priority calculation up to a time, from 0; -1 before the first."""
        return max(-1, floor((time - self.first) / self.period + 1e-9))  # type: ignore[operator]

    def calculation_time(self, index: int) -> float:
        """Return the time of a priority calculation, seconds."""
        return self.first + index * self.period  # type: ignore[operator]

    def decayed(self, usage: float, seconds: float) -> float:
        """Return the usage that remains after a time."""
        return usage if self.half_life is None else decayed_usage(usage, seconds, self.half_life)


class UsageLedger:
    """Usage accounting of one simulation: current usage, and a sample for each priority calculation."""

    def __init__(self, rule: Fairshare) -> None:
        self.rule, self.calculated, self.index = rule, 0.0, 0  # time of the last calculation, index of the next
        self.usage = dict(_usage(rule.tree))
        self.samples = [UsageSample(0.0, dict(self.usage), rule.tree)]

    @property
    def next(self) -> float:
        """Time of the next priority calculation, seconds."""
        return self.rule.calculation_time(self.index)

    @property
    def factors(self) -> dict[str, float]:
        """Fair-share factor of each user since the last calculation."""
        return self.samples[-1].factors

    def charge(self, job: Job, start: float, now: float) -> None:
        """Charge a job for its usage since the last calculation."""
        seconds = now - max(start, self.calculated)
        self.usage[job.user] += self.rule.decayed(seconds * job.nodes * self.rule.cpus_per_node, seconds)

    def recalculate(self, now: float, running: Sequence[tuple[Job, float]]) -> None:
        """Decay all usage, and charge running jobs (pairs of job and start).

        After an idle period the calculation is late and uses the time at which it was due.
        """
        index = max(self.index, self.rule.calculation_index(now))
        now = self.rule.calculation_time(index)
        kept = self.rule.decayed(1.0, now - self.calculated)
        self.usage = {user: used * kept for user, used in self.usage.items()}
        for job, start in running:
            self.charge(job, start, now)
        self.calculated, self.index = now, index + 1
        self.samples.append(UsageSample(now, dict(self.usage), self.rule.tree))


def usage_sample_at(rule: Fairshare, samples: Sequence[UsageSample], time: float) -> UsageSample:
    """Return usage and factors of the last calculation up to a time; idle periods have no stored samples."""
    sample = samples[bisect_right(samples, time, key=lambda one: one.time) - 1]
    calculated = rule.calculation_time(rule.calculation_index(time))
    if calculated <= sample.time:
        return sample
    kept = rule.decayed(1.0, calculated - sample.time)
    return UsageSample(calculated, {user: used * kept for user, used in sample.usage.items()}, sample.tree)


def with_current_fairshare(job: Job, factors: Mapping[str, float]) -> Job:
    """Return the job with the current fair-share factor of its user."""
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
