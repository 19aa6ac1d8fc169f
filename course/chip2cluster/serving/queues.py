"""How long the unlucky ones wait, where requests queue for one of several servers."""

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
    """The wait that so many per cent of the requests do not exceed (M/M/c, one queue).

    Parameters
    ----------
    servers : int or array of int
        Servers c that take from the queue; each works on one request.
    utilization : float or array
        Share of their time that they work, 0 up to but not including 1.
    service_time : float or array
        Mean time that a request takes, seconds.
    percent : float or array
        0 up to but not including 100.

    Returns
    -------
    float or array
        Seconds before the service begins; 0 where so many need not wait at all.

    Raises
    ------
    ValueError, TypeError
        As `scheduling.mean_wait`, and for a percentage of 100 or more.

    Notes
    -----
    A request waits longer than t with the chance ``C exp(-c (1 - rho) t / S)``, with Erlang's C.
    Assumes Poisson arrivals, exponential service and first come first served. A server that
    batches is none of that: `simulate` it. Source: L. Kleinrock, *Queueing systems*, 1975.

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
