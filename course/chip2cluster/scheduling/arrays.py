"""Slurm job arrays: parsing of ``--array``, and expansion to jobs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .jobs import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TASKS = 4_000_001  # upper limit of Slurm's MaxArraySize


@dataclass(frozen=True)
class JobArray:
    """Tasks of a job array.

    Attributes
    ----------
    tasks : tuple of int
        Task numbers.
    limit : int or None
        Number of tasks that may run at once; None for all.

    Notes
    -----
    The properties ``count``, ``first`` and ``last`` are ``SLURM_ARRAY_TASK_COUNT``, ``SLURM_ARRAY_TASK_MIN`` and
    ``SLURM_ARRAY_TASK_MAX``.
    """

    tasks: tuple[int, ...]
    limit: int | None = None

    @property
    def count(self) -> int:
        """Number of tasks."""
        return len(self.tasks)

    @property
    def first(self) -> int:
        """Smallest task number."""
        return min(self.tasks)

    @property
    def last(self) -> int:
        """Largest task number."""
        return max(self.tasks)


def expand_array(specification: str) -> JobArray:
    """Expand Slurm's ``--array`` specification to task numbers.

    Parameters
    ----------
    specification : str
        Numbers, inclusive ranges, ranges with a step, and after a ``%`` the number of
        tasks that may run at once: ``"0-999%20"``, ``"1,3,5-9"``, ``"0-15:4"``.

    Returns
    -------
    JobArray
        Tasks and limit.

    Raises
    ------
    ValueError
        The text is not a Slurm array range: it runs backwards, has a step or limit of 0, or repeats an index.

    Notes
    -----
    Ignores the ``MaxArraySize`` of a site. Source: the ``sbatch`` manual of Slurm 22.05.

    Examples
    --------
    >>> array = expand_array("0-999%20")
    >>> array.count, array.first, array.last, array.limit
    (1000, 0, 999, 20)
    >>> expand_array("0-15:4,99").tasks
    (0, 4, 8, 12, 99)
    """
    if not isinstance(specification, str):
        raise TypeError(f"specification must be a text such as '0-15:4%2', got {specification!r}")
    written = re.fullmatch(r"([\d,:-]+)(?:%(\d+))?", specification.strip())
    if not written:
        raise ValueError(f"specification must look like '0-999%20' or '1,3,5-9' or '0-15:4', got {specification!r}")
    tasks = [task for part in written[1].split(",") for task in _range(part, specification)]
    if len(set(tasks)) < len(tasks):
        raise ValueError(f"specification must name each task once, got {specification!r}")
    if written[2] is not None and not int(written[2]):
        raise ValueError(f"the limit after % must be at least 1, got {specification!r}")
    return JobArray(tuple(tasks), int(written[2]) if written[2] else None)


def _range(part: str, specification: str) -> Iterator[int]:
    written = re.fullmatch(r"(\d+)(?:-(\d+)(?::(\d+))?)?", part)
    if not written:
        raise ValueError(f"{part!r} is not a number, a range or a range with a step, in {specification!r}")
    first, last, step = int(written[1]), int(written[2] or written[1]), int(written[3] or 1)
    if last < first or not step or last >= MOST_TASKS:
        raise ValueError(
            f"a range must increase in steps of at least 1 and end below {MOST_TASKS:,}, got {part!r} in {specification!r}"
        )
    yield from range(first, last + 1, step)


def array_jobs(job: Job, specification: str, runtimes: dict[int, float] | None = None) -> list[Job]:
    """Expand a job array to jobs: one copy of a job per task.

    Parameters
    ----------
    job : Job
        Resources of each task; its id becomes the id of the array.
    specification : str
        Task numbers, same as in `expand_array`.
    runtimes : dict of int to float, optional
        Runtimes of the tasks that differ from that of the job, seconds.

    Returns
    -------
    list of Job
        Jobs with ids such as ``"27_3"``.

    Raises
    ------
    ValueError
        A runtime is given for a task that does not exist.

    Notes
    -----
    Ignores that Slurm creates the record of a task only when it starts. Source: *Job array
    support*, documentation of Slurm.

    Examples
    --------
    >>> [task.id for task in array_jobs(Job(27, 0, 1, 60), "0-2%2")]
    ['27_0', '27_1', '27_2']
    """
    if not isinstance(job, Job):
        raise TypeError(f"job must be a scheduling.Job, got {job!r}")
    array, runtimes = expand_array(specification), dict(runtimes or {})
    if unknown := set(runtimes) - set(array.tasks):
        raise ValueError(f"runtimes must belong to tasks of {specification}, got {sorted(unknown)[:5]}")
    return [
        replace(
            job, id=f"{job.id}_{task}", array=job.id, array_limit=array.limit,
            runtime=runtimes.get(task, job.runtime),
        )
        for task in array.tasks
    ]  # fmt: skip
