"""Tasks that wait for one another: the longest chain of them, and what failures and retries make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from .._validate import one_positive, one_whole

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Task:
    """A step of a pipeline.

    Parameters
    ----------
    name : str
    seconds : float
        One attempt.
    needs : tuple of str
        Tasks that must have ended well before it starts.
    failure : float
        Chance that an attempt fails, at its end, from 0 up to but not including 1; it is then tried again.

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
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"name must be a text, got {self.name!r}")
        one_positive("seconds", self.seconds)
        if isinstance(self.needs, str):
            raise TypeError(f"needs must be a tuple of names, got {self.needs!r}")
        if one_positive("failure", self.failure, allow_zero=True) >= 1:
            raise ValueError(f"failure must be below 1, got {self.failure!r}")

    @property
    def expected_seconds(self) -> float:
        """All attempts together, on average: a task that fails with chance p is tried 1/(1 - p) times."""
        return self.seconds / (1 - self.failure)


@dataclass(frozen=True)
class CriticalPath:
    """The chain of tasks that takes longest, and its time, seconds."""

    tasks: tuple[str, ...]
    seconds: float


def critical_path(tasks: Iterable[Task]) -> CriticalPath:
    """The chain that decides when a pipeline is done, if there is room for all that could run.

    Parameters
    ----------
    tasks : iterable of Task

    Returns
    -------
    CriticalPath
        With the expected time of each task. Where tasks fail, the pipeline takes at least as long on average: it
        waits for whichever chain was unlucky (`pipeline_times`).

    Raises
    ------
    ValueError
        Two tasks have the same name, a dependency is missing, or the dependencies form a cycle (which is
        named).

    Notes
    -----
    Ignores that machines are full, and the time in the queue. Source: J. Kelley and M. Walker, *Critical-path
    planning and scheduling*, 1959; that the mean of a maximum is at least the maximum of the means is Jensen's inequality.

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
    """How long a pipeline takes, run after run, when its tasks fail and are tried again.

    Parameters
    ----------
    tasks : iterable of Task
    runs : int
        How many.
    seed : int
        The same seed gives the same failures.

    Returns
    -------
    array, shape (runs,)
        Seconds.

    Notes
    -----
    Attempts are independent of one another. Ignores the same as `critical_path`. Source: the definition.

    Examples
    --------
    Two chains that are equally long on average: the pipeline waits for the slower one.

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
    """The tasks by name, and an order in which each stands behind those that it needs."""
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
            raise ValueError(f"task {task.name} needs {unknown[0]}, and there is no task of that name")
    graph = nx.DiGraph([(other, task.name) for task in listed for other in task.needs])
    graph.add_nodes_from(named)
    try:
        return named, list(nx.lexicographical_topological_sort(graph))
    except nx.NetworkXUnfeasible:
        circle = [edge[0] for edge in nx.find_cycle(graph)]
        raise ValueError(f"tasks must not wait in a circle, got {' -> '.join([*circle, circle[0]])}") from None
