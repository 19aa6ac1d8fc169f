"""Workflows of dependent tasks: critical path, and duration with failures and retries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive, one_whole

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Task:
    """Task of a workflow.

    Parameters
    ----------
    name : str
        Unique name.
    seconds : float
        Duration of one attempt, seconds.
    needs : tuple of str
        Names of the tasks that must complete before it starts.
    failure : float
        Probability that an attempt fails at its end and is retried, 0 to below 1.

    Examples
    --------
    >>> Task("train", 3600, needs=("prepare",), failure=0.25).expected_seconds
    4800.0
    """

    name: str
    seconds: float
    needs: tuple[str, ...] = ()
    failure: float = 0.0

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"name must be a text, got {self.name!r}")
        one_positive("seconds", self.seconds)
        if isinstance(self.needs, str):
            raise TypeError(f"needs must be a tuple of names, got {self.needs!r}")
        if one_positive("failure", self.failure, allow_zero=True) >= 1:
            raise ValueError(f"failure must be below 1, got {self.failure!r}")

    @property
    def expected_seconds(self) -> float:
        """Expected duration of all attempts, seconds; failure probability p gives 1/(1 - p) attempts."""
        return self.seconds / (1 - self.failure)


@dataclass(frozen=True)
class CriticalPath:
    """Critical path: the longest chain of tasks, and its duration, seconds."""

    tasks: tuple[str, ...]
    seconds: float


def critical_path(tasks: Iterable[Task]) -> CriticalPath:
    """Find the critical path of a workflow, with unlimited resources.

    Parameters
    ----------
    tasks : iterable of Task
        Tasks with their dependencies.

    Returns
    -------
    CriticalPath
        Path by the expected durations. If tasks can fail, the mean duration of the workflow is at least that, because
        it waits for the slowest chain (`pipeline_times`).

    Raises
    ------
    ValueError
        Two tasks have the same name, a dependency is missing, or the dependencies form a cycle (which is
        named).

    Notes
    -----
    Ignores limited resources, and the wait in the queue. Source: J. Kelley and M. Walker, *Critical-path
    planning and scheduling*, 1959; Jensen's inequality for the mean of a maximum.

    Examples
    --------
    >>> steps = [Task("prepare", 60), Task("a", 600, ("prepare",)), Task("b", 400, ("prepare",), failure=0.5),
    ...          Task("judge", 60, ("a", "b"))]
    >>> critical_path(steps)
    CriticalPath(tasks=('prepare', 'b', 'judge'), seconds=920.0)
    """
    named, order = _ordered(tasks)
    end: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for name in order:
        task = named[name]
        last = max(task.needs, key=end.__getitem__, default=None)
        before[name] = last
        end[name] = (end[last] if last else 0.0) + task.expected_seconds
    place: str | None = max(order, key=end.__getitem__)
    seconds, path = end[place], []  # type: ignore[index]
    while place:
        path.append(place)
        place = before[place]
    return CriticalPath(tuple(reversed(path)), seconds)


def pipeline_times(tasks: Iterable[Task], runs: int = 1000, *, seed: int) -> np.ndarray:
    """Simulate the duration of a workflow whose tasks fail and are retried.

    Parameters
    ----------
    tasks : iterable of Task
        Tasks with their dependencies.
    runs : int
        Number of simulated runs.
    seed : int
        Seed of the random failures.

    Returns
    -------
    array, shape (runs,)
        Durations, seconds.

    Notes
    -----
    Attempts are independent. Ignores the same effects as `critical_path`. Source: the definition.

    Examples
    --------
    Two chains of equal mean duration: the workflow waits for the slower one.

    >>> pair = [Task("a", 60, failure=0.5), Task("b", 60, failure=0.5)]
    >>> critical_path(pair).seconds, bool(pipeline_times(pair, seed=1).mean() > 150)
    (120.0, True)
    """
    named, order = _ordered(tasks)
    count = one_whole("runs", runs)
    draw = np.random.default_rng(one_whole("seed", seed, 0))
    end: dict[str, np.ndarray] = {}
    for name in order:
        task = named[name]
        begin = np.max([end[other] for other in task.needs], axis=0) if task.needs else 0.0
        end[name] = begin + task.seconds * draw.geometric(1 - task.failure, count)
    return np.asarray(np.max(list(end.values()), axis=0))


def _ordered(tasks: Iterable[Task]) -> tuple[dict[str, Task], list[str]]:
    """Return the tasks by name, and a topological order."""
    import networkx as nx  # imported here because loading it takes half a second

    listed = list(tasks)
    named = {}
    for task in listed:
        if not isinstance(task, Task):
            raise TypeError(f"tasks must hold scheduling.Task objects, got {task!r}")
        if task.name in named:
            raise ValueError(f"tasks must have different names, got {task.name!r} twice")
        named[task.name] = task
    if not named:
        raise ValueError("tasks must hold at least one")
    for task in listed:
        if unknown := [other for other in task.needs if other not in named]:
            raise ValueError(f"task {task.name} needs {unknown[0]}, but there is no task of that name")
    graph = nx.DiGraph([(other, task.name) for task in listed for other in task.needs])
    graph.add_nodes_from(named)
    try:
        return named, list(nx.lexicographical_topological_sort(graph))
    except nx.NetworkXUnfeasible:
        circle = [edge[0] for edge in nx.find_cycle(graph)]
        raise ValueError(
            f"dependencies of tasks must not form a cycle, got {' -> '.join([*circle, circle[0]])}"
        ) from None
