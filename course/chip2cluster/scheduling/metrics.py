"""The figures by which schedules are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .schedule import Schedule


@dataclass(frozen=True)
class Metrics:
    """Figures of a schedule; times in seconds.

    ``makespan`` runs from the first submission to the last end, ``utilization`` is the share of all node-seconds
    in it that were held. The wait of a job ends with the start of its last run. Its bounded
    slowdown is wait and run over the run, no run counted as shorter than the bound, and at
    least 1. ``lost_node_seconds`` were held by runs that were preempted; ``unfinished`` jobs
    never started and count nowhere else.
    """

    makespan: float
    utilization: float
    mean_wait: float
    median_wait: float
    max_wait: float
    mean_bounded_slowdown: float
    mean_turnaround: float
    node_seconds: float
    lost_node_seconds: float
    unfinished: int


def measured(schedule: Schedule, least: float) -> Metrics:
    """The figures of a schedule; no run counts as shorter than ``least`` seconds in a slowdown."""
    if not schedule.runs:
        raise ValueError("a schedule in which nothing ran has no metrics")
    mine = schedule.last
    done = [job for job in schedule.jobs if job.id in mine]
    submit = np.array([job.submit for job in done])
    start = np.array([mine[job.id].start for job in done])
    end = np.array([mine[job.id].end for job in done])
    wait, ran = start - submit, end - start
    slowdown = np.maximum(1.0, (wait + ran) / np.maximum(ran, least))
    held = np.array([(run.end - run.start) * run.nodes for run in schedule.runs])
    lost = np.array([run.state == "PREEMPTED" for run in schedule.runs])
    makespan = float(max(run.end for run in schedule.runs) - min(job.submit for job in schedule.jobs))
    return Metrics(
        makespan, float(held.sum() / (schedule.nodes * makespan)) if makespan else 0.0, float(wait.mean()),
        float(np.median(wait)), float(wait.max()), float(slowdown.mean()), float((end - submit).mean()),
        float(held.sum()), float(held[lost].sum()), len(schedule.never),
    )  # fmt: skip


def gpu_hours(node_seconds: ArrayLike, gpus_per_node: ArrayLike) -> FloatOrArray:
    """GPU-hours of node-seconds: nodes are held whole, whether their GPUs work or not.

    Parameters
    ----------
    node_seconds : float or array
        Nodes times the seconds that they are held, used or not.
    gpus_per_node : int or array of int

    Returns
    -------
    float or array
        Hours.

    Notes
    -----
    Ignores partial nodes. Source: the definition.

    Examples
    --------
    Six hours on four nodes of eight:

    >>> gpu_hours(4 * 6 * 3600, 8)
    192.0
    """
    return positive("node_seconds", node_seconds, allow_zero=True) * whole("gpus_per_node", gpus_per_node) / 3600
