"""Time of a chain of small kernels, launched by the CPU one by one or as a CUDA graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive, one_whole, plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


# Medians on an H100 with CUDA 13.0, by chains of 500 kernels launched from C; see `recorded_table("launches_from_c")`.
GRAPH_GAP, STREAM_GAP, WAKE = 1.06e-6, 1.87e-6, 5.8e-6


def launched_time(
    kernel_seconds: ArrayLike,
    launch_seconds: float,
    kernels: int,
    *,
    waits: bool = False,
    gap_seconds: float = 0.0,
    wake_seconds: float = 0.0,
) -> FloatOrArray:
    """Time of a chain of equal kernels, launched one by one.

    Parameters
    ----------
    kernel_seconds : float or array
        Duration of one kernel, seconds.
    launch_seconds : float
        Time of the CPU to launch one kernel, seconds.
    kernels : int
        Number of kernels in the chain.
    waits : bool
        Whether the CPU synchronizes with each kernel before it launches the next.
    gap_seconds : float
        Time between two kernels of a stream in which the GPU does nothing, seconds; `STREAM_GAP` was measured.
    wake_seconds : float
        Time from the end of a kernel until the waiting CPU goes on, seconds; counts only with ``waits``. `WAKE` was measured.

    Returns
    -------
    float or array
        Seconds from the first launch to the end of the last kernel.

    Notes
    -----
    Without synchronization launches run ahead: the slower of launch and kernel sets the pace, and the faster one counts
    once. With both gaps at 0 this is a lower bound, which a kernel of half a microsecond exceeds 3 times. Ignores that the
    launch queue is finite. Source: a pipeline of two stages; A. Gray, *Getting started with CUDA graphs*, 2019; the gaps:
    an H100, measured for this course (`recorded_table`).

    Examples
    --------
    >>> round(1e6 * launched_time(3e-6, 5e-6, 1000))
    5003
    >>> round(1e6 * launched_time(3e-6, 5e-6, 1000, waits=True, wake_seconds=WAKE))
    13800
    """
    kernel, launch = positive("kernel_seconds", kernel_seconds), one_positive("launch_seconds", launch_seconds)
    count = one_whole("kernels", kernels)
    gap = one_positive("gap_seconds", gap_seconds, allow_zero=True)
    wake = one_positive("wake_seconds", wake_seconds, allow_zero=True)
    if waits:
        return plain(count * (launch + kernel + wake))
    pace = np.maximum(kernel + gap, launch)
    return plain(launch + (count - 1) * pace + kernel)


def graph_time(
    kernel_seconds: ArrayLike, launch_seconds: float, kernels: int, *, gap_seconds: float = 0.0
) -> FloatOrArray:
    """Time of a chain of equal kernels as one CUDA graph, launched once.

    Parameters
    ----------
    kernel_seconds : float or array
        Duration of one kernel, seconds.
    launch_seconds : float
        Time of the CPU to launch the graph, seconds.
    kernels : int
        Number of kernels in the chain.
    gap_seconds : float
        Time between two kernels of the graph in which the GPU does nothing, seconds; `GRAPH_GAP` was measured.

    Returns
    -------
    float or array
        Seconds from the launch to the end of the last kernel.

    Notes
    -----
    With a gap of 0 this is a lower bound. Ignores the cost of capturing the graph once, some hundred launches. Source:
    same as `launched_time`.

    Examples
    --------
    >>> round(1e6 * graph_time(3e-6, 5e-6, 1000))
    3005
    """
    kernel, launch = positive("kernel_seconds", kernel_seconds), one_positive("launch_seconds", launch_seconds)
    count, gap = one_whole("kernels", kernels), one_positive("gap_seconds", gap_seconds, allow_zero=True)
    return plain(launch + count * np.asarray(kernel) + (count - 1) * gap)
