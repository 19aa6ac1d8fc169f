"""Metrics of schedules: wait, bounded slowdown, utilization, makespan."""

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
    """Metrics of a schedule; times in seconds.

    Attributes
    ----------
    makespan : float
        Time from the first submission to the last end.
    utilization : float
        Fraction of the node-seconds in the makespan that jobs held.
    mean_wait, median_wait, max_wait : float
        Wait of the jobs, up to the start of their last run.
    mean_bounded_slowdown : float
        Mean of (wait + run) / max(run, bound), at least 1.
    mean_turnaround : float
        Mean time from submission to end.
    node_seconds, lost_node_seconds : float
        Node-seconds held by all runs, and by preempted runs.
    unfinished : int
        Number of jobs that never started, which count nowhere else.
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


def schedule_metrics(schedule: Schedule, bound: float) -> Metrics:
    """Compute the metrics of a schedule; ``bound`` is the shortest run in the bounded slowdown, seconds."""
    if not schedule.runs:
        raise ValueError("the schedule has no metrics, because nothing ran")
    mine = schedule.last
    done = [job for job in schedule.jobs if job.id in mine]
    submit = np.array([job.submit for job in done])
    start = np.array([mine[job.id].start for job in done])
    end = np.array([mine[job.id].end for job in done])
    wait, ran = start - submit, end - start
    slowdown = np.maximum(1.0, (wait + ran) / np.maximum(ran, bound))
    held = np.array([schedule.node_seconds(run) for run in schedule.runs])
    lost = np.array([run.state == "PREEMPTED" for run in schedule.runs])
    makespan = float(max(run.end for run in schedule.runs) - min(job.submit for job in schedule.jobs))
    return Metrics(
        makespan, float(held.sum() / (schedule.nodes * makespan)) if makespan else 0.0, float(wait.mean()),
        float(np.median(wait)), float(wait.max()), float(slowdown.mean()), float((end - submit).mean()),
        float(held.sum()), float(held[lost].sum()), len(schedule.never),
    )  # fmt: skip


def gpu_hours(node_seconds: ArrayLike, gpus_per_node: ArrayLike) -> FloatOrArray:
    """GPU-hours of node-seconds: nodes are allocated whole, whether or not their GPUs work.

    Parameters
    ----------
    node_seconds : float or array
        Nodes times seconds held.
    gpus_per_node : int or array of int
        Number of GPUs in a node.

    Returns
    -------
    float or array
        GPU-hours.

    Notes
    -----
    Ignores partial nodes. Source: the definition.

    Examples
    --------
    Six hours on four nodes with eight GPUs:

    >>> gpu_hours(4 * 6 * 3600, 8)
    192.0
    """
    return positive("node_seconds", node_seconds, allow_zero=True) * whole("gpus_per_node", gpus_per_node) / 3600
