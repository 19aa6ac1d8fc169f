"""The life of a queue, event by event: ends, then arrivals, then one pass of the scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .._validate import choice, one_positive, one_whole, shortened
from .fair_tree import fair_tree
from .fairshare import Fairshare
from .jobs import Job, checked
from .machine import Simulation
from .policies import compress
from .policies import policy as named_policy
from .priority import Weights
from .schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Priority: TypeAlias = "Callable[[Job, float, int], float]"


@dataclass(frozen=True)
class Preemption:
    """What happens to running jobs when the first that waits has a higher ``qos`` than they.

    Whole jobs go, those of the lowest qos first and of these the youngest, until the waiting
    job fits. ``mode`` is "requeue" or "cancel"; ``grace`` is the time that they get to save
    themselves, ``requeue_delay`` the time until they may start again (Slurm: about two
    minutes), seconds. Work saved every ``checkpoint_interval`` seconds is not done again;
    None: a job begins anew.
    """

    mode: str = "requeue"
    grace: float = 0.0
    requeue_delay: float = 120.0
    checkpoint_interval: float | None = None

    def __post_init__(self) -> None:
        choice("mode", self.mode, ("requeue", "cancel"))
        one_positive("grace", self.grace, allow_zero=True)
        one_positive("requeue_delay", self.requeue_delay, allow_zero=True)
        if self.checkpoint_interval is not None:
            one_positive("checkpoint_interval", self.checkpoint_interval)


def simulate(
    jobs: Iterable[Job],
    nodes: int,
    policy: str,
    priority: Weights | Priority | None = None,
    *,
    preemption: Preemption | None = None,
    backfill_delay: float = 0.0,
    fairshare: Fairshare | None = None,
) -> Schedule:
    """Start and end times of rigid jobs on equal nodes under a scheduling policy.

    At each moment at which something happens, jobs end, jobs arrive, and the scheduler goes
    over the queue once. It knows walltimes, never runtimes.

    Parameters
    ----------
    jobs : iterable of Job
        In any order.
    nodes : int
        Nodes of the machine.
    policy : str
        One of `policies`.
    priority : Weights or callable, optional
        For a multifactor policy, and needed there: gives the priority of a job from the
        job, the seconds since it could first have started, and the nodes of the machine.
    preemption : Preemption, optional
        Whether a job of higher qos may end others. The queue is then ordered by qos first.
    backfill_delay : float
        Seconds from an event to the pass that lets others go ahead of the first that waits; at the
        event itself jobs start in order alone. Slurm's backfill runs about a second late, so that
        a job whose limit fills a hole exactly misses it.
    fairshare : Fairshare, optional
        For a multifactor policy: each user's factor follows what his jobs use, and decays; without it
        every job keeps the ``fairshare`` that it came with.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        A job is larger than the machine, a name repeats, a dependency is missing or circular, the policy and
        its options do not match, or a user is not in the fair-share tree.

    Notes
    -----
    Jobs that wait for the same place stand in order of submission, then of their ids. Ignores
    the time that a pass takes, nodes that differ or fail, everything smaller than a node, and which nodes
    a reservation stands on: Slurm names them, and a node to spare that is busy now lets nobody pass. Sources: as `policies`; Slurm's documentation on
    dependencies, arrays and preemption.

    Examples
    --------
    Job 3 is small and short enough to pass job 2, which waits for job 1:

    >>> jobs = [Job(1, 0, 3, 60), Job(2, 0, 4, 60), Job(3, 0, 1, 60)]
    >>> simulate(jobs, 4, "fcfs").starts
    {1: 0.0, 2: 60.0, 3: 120.0}
    >>> easy = simulate(jobs, 4, "easy")
    >>> easy.starts
    {1: 0.0, 2: 60.0, 3: 0.0}
    >>> print(easy.why(2))
    Job 2 needs 4 nodes and none is free; by the limits of running jobs they are at 60 s (Resources).
    """
    machine, rule = one_whole("nodes", nodes), named_policy(policy)
    if rule.order == "priority" and not callable(priority):
        raise ValueError(f"policy {policy!r} needs a priority such as scheduling.Weights(...), got {priority!r}")
    if rule.order != "priority" and priority is not None:
        raise ValueError(f"policy {policy!r} takes no priority; one of the multifactor policies does")
    if preemption is not None and not isinstance(preemption, Preemption):
        raise TypeError(f"preemption must be a scheduling.Preemption or None, got {preemption!r}")
    listed = checked(jobs, machine)
    _check_shares(fairshare, rule.order, listed)
    delay = one_positive("backfill_delay", backfill_delay, allow_zero=True)
    if delay and rule.one_pass is compress:
        raise ValueError(f"policy {policy!r} gives its guarantees at once; backfill_delay must be 0, got {delay:g}")
    simulation = Simulation(listed, machine, rule, priority, preemption, delay, fairshare)
    runs = simulation.run()
    return Schedule(
        tuple(listed), machine, policy, runs, simulation.left(), priority, tuple(simulation.promises),
        preemption is not None, fairshare, tuple(simulation.ledger.pages if simulation.ledger else ()),
        tuple(simulation.passes),
    )  # fmt: skip


def _check_shares(fairshare: Fairshare | None, order: str, jobs: list[Job]) -> None:
    if fairshare is None:
        return
    if not isinstance(fairshare, Fairshare):
        raise TypeError(f"fairshare must be a scheduling.Fairshare or None, got {shortened(fairshare)}")
    if order != "priority":
        raise ValueError("fairshare counts in a priority alone; one of the multifactor policies takes it")
    users = fair_tree(fairshare.tree)
    for job in jobs:
        if job.user not in users:
            raise ValueError(f"job {job.id} must be of a user of the tree, {', '.join(users)}; got {job.user!r}")
