"""Admission of jobs by quota, as Kueue does it: queues of a cohort borrow what the others do not use."""

from __future__ import annotations

from collections.abc import Sequence

from .._validate import one_whole


def kueue_admission(
    quotas: Sequence[int],
    borrowing_limits: Sequence[int | None],
    used: Sequence[int],
    jobs: Sequence[tuple[int, int]],
) -> tuple[bool, ...]:
    """Admit jobs in order of submission by the quota of their queue and of its cohort.

    Parameters
    ----------
    quotas : sequence of int
        Nominal quota of each queue (ClusterQueue), GPUs; all queues are in one cohort.
    borrowing_limits : sequence of int or None
        GPUs that each queue may hold beyond its quota; None for no limit.
    used : sequence of int
        GPUs that admitted jobs of each queue hold already.
    jobs : sequence of (int, int)
        Queue number and requested GPUs (of all pods) of each job.

    Returns
    -------
    tuple of bool
        Whether each job is admitted; the others stay suspended and create no pods.

    Raises
    ------
    ValueError
        The sequences of the queues differ in length, or a job names no queue.

    Notes
    -----
    A job of a queue is admitted if the queue then holds at most its quota and its borrowing limit, and all queues
    together at most the sum of the quotas. A job that is not admitted does not block later ones (BestEffortFIFO).
    Knows no nodes: an admitted job may still find none with room. Ignores preemption, lending limits, flavors and
    topology-aware scheduling. Source: Kueue's documentation, *ClusterQueue* and *Cohort*.

    Examples
    --------
    Queue 0 may borrow 8 of the 16 GPUs that queue 1 does not use:

    >>> kueue_admission([16, 16], [8, None], [16, 0], [(0, 16), (0, 8), (1, 16), (1, 8)])
    (False, True, False, True)
    """
    if not len(quotas) == len(borrowing_limits) == len(used):
        raise ValueError(
            f"quotas, borrowing_limits and used must have one value per queue, got {len(quotas)}, "
            f"{len(borrowing_limits)} and {len(used)}"
        )
    nominal = [one_whole(f"quotas[{queue}]", gpus, 0) for queue, gpus in enumerate(quotas)]
    held = [one_whole(f"used[{queue}]", gpus, 0) for queue, gpus in enumerate(used)]
    total = sum(nominal)
    most = [
        total if limit is None else nominal[queue] + one_whole(f"borrowing_limits[{queue}]", limit, 0)
        for queue, limit in enumerate(borrowing_limits)
    ]
    admitted = []
    for place, (queue, gpus) in enumerate(jobs):
        number, need = one_whole(f"jobs[{place}][0]", queue, 0), one_whole(f"jobs[{place}][1]", gpus)
        if number >= len(nominal):
            raise ValueError(f"jobs[{place}] names queue {number}, but there are {len(nominal)} queues, from 0")
        fits = held[number] + need <= most[number] and sum(held) + need <= total
        held[number] += need if fits else 0
        admitted.append(fits)
    return tuple(admitted)
