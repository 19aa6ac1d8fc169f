"""Time of a chain of small kernels, launched by the CPU one by one or as a CUDA graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive, one_whole, plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def launched_time(
    kernel_seconds: ArrayLike, launch_seconds: float, kernels: int, *, waits: bool = False
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

    Returns
    -------
    float or array
        Seconds from the first launch to the end of the last kernel.

    Notes
    -----
    Without synchronization launches run ahead: the slower of launch and kernel sets the pace, and the faster one counts
    once. Ignores that the launch queue is finite, and the gap of about a microsecond between two kernels. Source: a
    pipeline of two stages; A. Gray, *Getting started with CUDA graphs*, 2019.

    Examples
    --------
    >>> round(1e6 * launched_time(3e-6, 5e-6, 1000))
    5003
    """
    kernel, launch = positive("kernel_seconds", kernel_seconds), one_positive("launch_seconds", launch_seconds)
    count = one_whole("kernels", kernels)
    if waits:
        return plain(count * (launch + kernel))
    return plain(count * np.maximum(kernel, launch) + np.minimum(kernel, launch))


def graph_time(kernel_seconds: ArrayLike, launch_seconds: float, kernels: int) -> FloatOrArray:
    """Time of a chain of equal kernels as one CUDA graph, launched once.

    Parameters
    ----------
    kernel_seconds : float or array
        Duration of one kernel, seconds.
    launch_seconds : float
        Time of the CPU to launch the graph, seconds.
    kernels : int
        Number of kernels in the chain.

    Returns
    -------
    float or array
        Seconds from the launch to the end of the last kernel.

    Notes
    -----
    Ignores the cost of capturing the graph once, some hundred launches, and the gap between two kernels. Source: same as
    `launched_time`.

    Examples
    --------
    >>> round(1e6 * graph_time(3e-6, 5e-6, 1000))
    3005
    """
    kernel, launch = positive("kernel_seconds", kernel_seconds), one_positive("launch_seconds", launch_seconds)
    return plain(launch + one_whole("kernels", kernels) * np.asarray(kernel))
