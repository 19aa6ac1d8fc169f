"""Waiting time of an M/M/c queue: percentiles for requests that wait for one of several servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from ..scheduling import erlang_c

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def wait_percentile(
    servers: ArrayLike, utilization: ArrayLike, service_time: ArrayLike, percent: ArrayLike
) -> FloatOrArray:
    """Compute a percentile of the waiting time of an M/M/c queue, such as p99.

    Parameters
    ----------
    servers : int or array of int
        Servers c that take from the queue; each serves one request.
    utilization : float or array
        Fraction of time that they are busy, 0 up to but not including 1.
    service_time : float or array
        Mean time that a request takes, seconds.
    percent : float or array
        Percentile, 0 up to but not including 100.

    Returns
    -------
    float or array
        Seconds before service begins; 0 if that many requests do not wait at all.

    Notes
    -----
    A request waits longer than t with probability ``C exp(-c (1 - rho) t / S)``, with Erlang's C.
    Assumes Poisson arrivals, exponential service and first come, first served (FCFS). A server with
    continuous batching is different: use `simulate`. Source: L. Kleinrock, *Queueing systems*, 1975.

    Examples
    --------
    >>> round(wait_percentile(1, 0.9, 1.0, 99), 1), round(wait_percentile(8, 0.9, 1.0, 99), 1)
    (45.0, 5.3)
    """
    above = 1 - positive("percent", percent, allow_zero=True) / 100
    if np.min(above) <= 0:
        raise ValueError(f"percent must be below 100, got {percent!r}")
    late = np.maximum(np.divide(erlang_c(servers, utilization), above), 1.0)
    return plain(
        np.log(late)
        * positive("service_time", service_time)
        / (whole("servers", servers) * (1 - np.asarray(utilization, float)))
    )
