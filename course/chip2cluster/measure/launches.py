"""A chain of small kernels: the processor that launches them, and the chip that runs them."""

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
        What the chip needs for one.
    launch_seconds : float
        What the processor needs to launch one.
    kernels : int
        In the chain.
    waits : bool
        Whether the processor waits for each to end before it launches the next.

    Returns
    -------
    float or array
        Seconds from the first launch to the end of the last kernel.

    Notes
    -----
    Without waiting, launches run ahead: the slower of the two sets the pace, and the quicker is seen once. Ignores that
    the queue of launches is finite, and the gap of about a microsecond between two kernels. Source: a pipeline of two stages;
    A. Gray, *Getting started with CUDA graphs*, 2019.

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
    """Time of the same chain as one graph: launched once, and then the chip goes on by itself.

    Parameters
    ----------
    kernel_seconds : float or array
        What the chip needs for one.
    launch_seconds : float
        What the processor needs to launch the graph.
    kernels : int
        In the chain.

    Returns
    -------
    float or array
        Seconds from the launch to the end of the last kernel.

    Notes
    -----
    Ignores what it costs to record the graph once, some hundred launches, and the gap between two kernels. Source: as
    `launched_time`.

    Examples
    --------
    >>> round(1e6 * graph_time(3e-6, 5e-6, 1000))
    3005
    """
    kernel, launch = positive("kernel_seconds", kernel_seconds), one_positive("launch_seconds", launch_seconds)
    return plain(launch + one_whole("kernels", kernels) * np.asarray(kernel))
