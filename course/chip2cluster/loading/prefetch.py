"""Prefetching: batches are fetched while the device computes, and a step takes the longer of the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import flag, one_whole, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray


def step_time(
    compute_seconds: ArrayLike, load_seconds: ArrayLike, *, workers: ArrayLike = 1, prefetch: bool = True
) -> FloatOrArray:
    """Time of a training step that waits for its batch.

    Parameters
    ----------
    compute_seconds : float or array
        Time of the device for one batch.
    load_seconds : float or array
        Time of one worker for one batch.
    workers : int or array of int
        Workers that each prepare a whole batch, in parallel.
    prefetch : bool
        Whether they continue while the device computes.

    Returns
    -------
    float or array
        Seconds: ``max(compute, load / workers)`` with prefetching, ``compute + load / workers``
        without it.

    Notes
    -----
    Steady state of a long run with equal batches: see `prefetch_run` for the first steps and for
    batches that differ. Workers share the cores, so too many of them slow each other down. Source:
    D. Murray et al., "tf.data: a machine learning data processing framework", VLDB 2021.

    Examples
    --------
    >>> [step_time(0.2, 0.9, workers=many) for many in (1, 2, 6)], step_time(0.2, 0.9, prefetch=False)
    ([0.9, 0.45, 0.2], 1.1)
    """
    compute = positive("compute_seconds", compute_seconds, allow_zero=True)
    load = positive("load_seconds", load_seconds, allow_zero=True) / whole("workers", workers)
    if flag("prefetch", prefetch):
        return max(compute, load) if type(compute) is type(load) is float else plain(np.maximum(compute, load))
    return plain(compute + load)


def workers_needed(compute_seconds: ArrayLike, load_seconds: ArrayLike) -> FloatOrArray:
    """Fewest workers with which the device never waits in the steady state.

    Parameters
    ----------
    compute_seconds, load_seconds : float or array
        Times of the device and of one worker for one batch, above zero.

    Returns
    -------
    float or array
        ``ceil(load / compute)``, at least 1.

    Notes
    -----
    Ignores what `step_time` ignores; batches of uneven length need more, or a longer queue.
    Source: follows from `step_time`.

    Examples
    --------
    >>> workers_needed(0.2, 0.9)
    5.0
    """
    ratio = positive("load_seconds", load_seconds) / positive("compute_seconds", compute_seconds)
    return plain(np.ceil(ratio * (1 - 1e-12)))


@dataclass(frozen=True)
class PrefetchRun:
    """Times at which each batch was fetched and used: arrays of shape (batches,), seconds.

    Attributes
    ----------
    load_start, ready : array
        Start and end of the worker's preparation.
    start, end : array
        Start and end of the device's computation.

    Examples
    --------
    >>> prefetch_run([1.0, 1.0], [2.0, 2.0]).stall.tolist()
    [1.0, 0.0]
    """

    load_start: NDArray
    ready: NDArray
    start: NDArray
    end: NDArray

    @property
    def stall(self) -> NDArray:
        """Time that the device waited for each batch, seconds."""
        return self.start - np.append(0.0, self.end[:-1])

    @property
    def seconds(self) -> float:
        """Time from the first request to the end of the last step."""
        return float(self.end[-1])


def prefetch_run(
    load_seconds: ArrayLike, compute_seconds: ArrayLike, *, workers: int = 1, prefetch_factor: int = 2
) -> PrefetchRun:
    """Simulate a loader with workers, batch by batch.

    Parameters
    ----------
    load_seconds, compute_seconds : array, shape (batches,), or one of them a float
        Times of each batch, for one worker and for the device, seconds.
    workers : int
        Number of workers; worker ``i mod workers`` prepares batch i, and the device takes them in order.
    prefetch_factor : int
        Batches that each worker may be ahead, the current one included; 2 in PyTorch.

    Returns
    -------
    PrefetchRun
        Times of each batch.

    Notes
    -----
    A worker begins its next batch when it has finished the last one, and the device has
    taken enough of them. Batches leave in order, so a slow one delays those behind it (head-of-line blocking). Ignores
    that workers share cores and storage (`loader_step`). Source: PyTorch, ``DataLoader``.

    Examples
    --------
    One slow batch in four: a long queue hides it, a short one does not.

    >>> loads = [0.1, 0.1, 0.1, 0.5] * 50
    >>> [round(prefetch_run(loads, 0.2, prefetch_factor=ahead).seconds, 1) for ahead in (1, 4)]
    [55.1, 40.2]
    """
    workers = one_whole("workers", workers)
    ahead = workers * one_whole("prefetch_factor", prefetch_factor)
    loads, computes = np.broadcast_arrays(
        *(
            np.atleast_1d(positive(name, value, allow_zero=True))
            for name, value in (("load_seconds", load_seconds), ("compute_seconds", compute_seconds))
        )
    )
    if loads.ndim != 1 or not loads.size:
        raise ValueError(f"load_seconds and compute_seconds must be lists of batches, got shape {loads.shape}")
    load_start: list[float] = []
    ready: list[float] = []
    start: list[float] = []
    end: list[float] = []
    for batch, (load, compute) in enumerate(zip(loads.tolist(), computes.tolist(), strict=True)):
        free = ready[batch - workers] if batch >= workers else 0.0
        taken = start[batch - ahead] if batch >= ahead else 0.0
        load_start.append(max(free, taken))
        ready.append(load_start[-1] + load)
        start.append(max(ready[-1], end[-1] if end else 0.0))
        end.append(start[-1] + compute)
    return PrefetchRun(*map(np.array, (load_start, ready, start, end)))
