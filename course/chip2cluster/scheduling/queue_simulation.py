"""Simulation of a batch queue; each event processes ends, arrivals, and one scheduling pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from .._validate import choice, flag, one_positive, one_whole, shortened
from .fair_tree import fair_tree
from .fairshare import Fairshare
from .jobs import Job, check_jobs
from .machine_state import Simulation
from .named_reservations import names_are_modelled
from .policies import AssociationLimits, compress
from .policies import policy as named_policy
from .priority import Weights
from .schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Priority: TypeAlias = "Callable[[Job, float, int], float]"


@dataclass(frozen=True)
class Preemption:
    """Preemption of running jobs by a pending job with a higher ``qos``.

    Whole jobs are preempted, the lowest qos first and of these the youngest, until the pending job fits.

    Parameters
    ----------
    mode : {"requeue", "cancel"}
        Whether preempted jobs return to the queue.
    grace : float
        Grace time for a final checkpoint, seconds.
    requeue_delay : float
        Time until a requeued job may start again, seconds (about two minutes in Slurm).
    checkpoint_interval : float, optional
        Interval of the checkpoints from which a requeued job continues, seconds; None restarts from the beginning.
    """

    mode: str = "requeue"
    grace: float = 0.0
    requeue_delay: float = 120.0
    checkpoint_interval: float | None = None

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
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
    reservations: Literal["counted", "named"] = "counted",
    strict: bool = False,
    node_limits: Mapping[str, int] | None = None,
    job_limits: Mapping[str, int] | None = None,
    gpus_per_node: int | None = None,
) -> Schedule:
    """Simulate rigid (gang-scheduled) jobs on equal nodes under a policy: FCFS, backfill, multifactor priority.

    At each event, jobs end, jobs arrive, and the scheduler makes one pass over the queue. It knows walltimes, not
    run times.

    Parameters
    ----------
    jobs : iterable of Job
        Jobs in any order.
    nodes : int
        Number of nodes of the machine.
    policy : str
        Name from `policies`.
    priority : Weights or callable, optional
        Priority function of a multifactor policy, required there; its arguments are the
        job, the seconds since it became eligible, and the nodes of the machine.
    preemption : Preemption, optional
        Rules by which a job of higher qos preempts others; the queue is then ordered by qos first.
    backfill_delay : float
        Time from an event to the backfill pass, seconds; at the event itself jobs start in queue order only. Slurm's
        backfill runs about a second late, so a job that fills a backfill window exactly misses it.
    fairshare : Fairshare, optional
        Fair-share accounting for a multifactor policy: the factor of each user follows the decayed usage; without it
        every job keeps its ``fairshare``.
    reservations : {"counted", "named"}
        Whether a reservation promises a number of nodes, as in textbooks, or the lowest nodes that are free long
        enough by name, as Slurm does. A name can prevent a backfill that the count would allow.
    strict : bool
        Whether a job larger than the machine is an error, as at sites with ``EnforcePartLimits=ALL``. By default it
        waits forever (PartitionNodeLimit), as Slurm's default lets it.
    node_limits : mapping of str to int, optional
        Nodes that the running jobs of a user or account may hold together (``GrpTRES=node=``); a job over the limit
        waits and blocks nobody (AssocGrpNodeLimit).
    job_limits : mapping of str to int, optional
        Jobs that a user or account may run at once (``GrpJobs``, AssocGrpJobsLimit).
    gpus_per_node : int, optional
        GPUs of a node, which jobs with ``gpus`` share (``SelectType=select/cons_tres``); needs
        ``reservations="named"``, because the GPUs of a job must be free on its nodes, not only in number.

    Returns
    -------
    Schedule
        Runs of all jobs, with metrics, reservations and pending reasons.

    Raises
    ------
    ValueError
        A name repeats, a job is larger than the machine and ``strict`` is True, a dependency is missing or circular, the policy and
        its options do not match, or a user is not in the fair-share tree.

    Notes
    -----
    Ties are broken by submission time, then by id. Ignores the duration of a pass, different or failing nodes,
    and sharing of cores and memory; shared nodes are filled from the lowest. With ``reservations="named"`` and a ``backfill_delay`` of 1 s it reproduces
    all our recordings of a real Slurm within 10 s. Sources: same as `policies`; documentation of Slurm on dependencies,
    arrays and preemption.

    Examples
    --------
    Job 3 is small and short enough to be backfilled ahead of job 2, which waits for job 1:

    >>> jobs = [Job(1, 0, 3, 60), Job(2, 0, 4, 60), Job(3, 0, 1, 60)]
    >>> simulate(jobs, 4, "fcfs").starts
    {1: 0.0, 2: 60.0, 3: 120.0}
    >>> easy = simulate(jobs, 4, "easy")
    >>> easy.starts
    {1: 0.0, 2: 60.0, 3: 0.0}
    >>> print(easy.why(2))
    Job 2 needs 4 nodes and none is free; by the time limits of running jobs they are free at 60 s (Resources).
    """
    machine, rule = one_whole("nodes", nodes), named_policy(policy)
    if rule.order == "priority" and not callable(priority):
        raise ValueError(f"policy {policy!r} needs a priority such as scheduling.Weights(...), got {priority!r}")
    if rule.order != "priority" and priority is not None:
        raise ValueError(f"policy {policy!r} takes no priority; the multifactor policies do")
    if preemption is not None and not isinstance(preemption, Preemption):
        raise TypeError(f"preemption must be a scheduling.Preemption or None, got {preemption!r}")
    listed = check_jobs(jobs, machine if flag("strict", strict) else None)
    limits = AssociationLimits(_counts("node_limits", node_limits), _counts("job_limits", job_limits))
    if any(limits) and rule.one_pass is compress:
        raise ValueError(f"policy {policy!r} does not model node_limits and job_limits; use 'conservative'")
    named = choice("reservations", reservations, ("counted", "named")) == "named"
    if named and not names_are_modelled(rule.one_pass):
        raise ValueError(f"policy {policy!r} keeps guarantees by count; use reservations='counted', or 'conservative'")
    _check_shares(fairshare, rule.order, listed)
    delay = one_positive("backfill_delay", backfill_delay, allow_zero=True)
    if delay and rule.one_pass is compress:
        raise ValueError(f"policy {policy!r} gives its guarantees immediately; backfill_delay must be 0, got {delay:g}")
    gpus = _check_gpus(gpus_per_node, listed, named, preemption is not None or fairshare is not None)
    simulation = Simulation(listed, machine, rule, priority, preemption, delay, fairshare, named,
                            limits if any(limits) else None, gpus)  # fmt: skip
    runs = simulation.run()
    return Schedule(
        tuple(listed), machine, policy, runs, simulation.unstarted(), priority, tuple(simulation.promises),
        preemption is not None, fairshare, tuple(simulation.ledger.samples if simulation.ledger else ()),
        tuple(simulation.passes), simulation.allocated if named else None, limits, gpus,
    )  # fmt: skip


def _counts(name: str, limits: Mapping[str, int] | None) -> dict[str, int]:
    return {who: one_whole(f"{name} of {who!r}", limit) for who, limit in (limits or {}).items()}


def _check_gpus(gpus_per_node: int | None, jobs: list[Job], named: bool, weighted: bool) -> int:
    """Return the GPUs by which nodes are shared; 1 if jobs take whole nodes."""
    if gpus_per_node is None:
        if shared := [job.id for job in jobs if job.gpus is not None]:
            raise ValueError(f"job {shared[0]} asks for GPUs of a node; give gpus_per_node and reservations='named'")
        return 1
    gpus = one_whole("gpus_per_node", gpus_per_node)
    if not named:
        raise ValueError("gpus_per_node needs reservations='named', because GPUs are free on nodes, not only in number")
    if weighted:
        raise ValueError("gpus_per_node is not modelled with preemption or fairshare; leave one of them out")
    for job in jobs:
        if (job.gpus or 0) > gpus:
            raise ValueError(
                f"job {job.id} asks for {job.gpus} GPUs of a node that has {gpus}: sbatch refuses it "
                "(requested node configuration is not available)"
            )
    return gpus


def _check_shares(fairshare: Fairshare | None, order: str, jobs: list[Job]) -> None:
    if fairshare is None:
        return
    if not isinstance(fairshare, Fairshare):
        raise TypeError(f"fairshare must be a scheduling.Fairshare or None, got {shortened(fairshare)}")
    if order != "priority":
        raise ValueError("fairshare only affects priorities; use one of the multifactor policies")
    users = fair_tree(fairshare.tree)
    for job in jobs:
        if job.user not in users:
            raise ValueError(
                f"job {job.id} must belong to a user of the fair-share tree, {', '.join(users)}; got {job.user!r}"
            )
