"""Queues with a formula: how long a single-node job waits for one of c servers, or for one of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import holds, plain, positive, shortened, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


MOST_SERVERS = 10**7  # each is a step of the recursion


def erlang_c(servers: ArrayLike, utilization: ArrayLike) -> FloatOrArray:
    """The chance that a job that arrives finds all servers busy (M/M/c).

    Parameters
    ----------
    servers : int or array of int
        Servers c: nodes, where each job takes one.
    utilization : float or array
        Share of their time that they work, 0 up to but not including 1.

    Returns
    -------
    float or array
        A probability; for one server it is the utilization itself.

    Raises
    ------
    ValueError
        Utilization is 1 or more, where the queue grows without bound, or there are more than ten million
        servers.

    Notes
    -----
    Assumes Poisson arrivals, exponential service times, first come first served, and one
    server a job: jobs that need many nodes wait far longer, and need `simulate`. From Erlang's
    loss formula by its recursion, so that thousands of servers do not overflow. Source: A. K.
    Erlang, 1917; L. Kleinrock, *Queueing systems*, 1975.

    Examples
    --------
    >>> erlang_c(1, 0.8), round(erlang_c(64, 0.8), 4)
    (0.8, 0.0561)
    """
    most, share = whole("servers", servers), _below_one(utilization)
    if holds(most > MOST_SERVERS):
        raise ValueError(f"servers must be at most {MOST_SERVERS:,}, got {shortened(servers)}")
    if type(most) is int and type(share) is float:
        lost, offered = 1.0, most * share
        for server in range(1, most + 1):
            lost = offered * lost / (server + offered * lost)
        return lost / (1 - share * (1 - lost))
    count, busy = np.broadcast_arrays(most, share)
    load = count * busy
    loss = np.ones(load.shape)
    for server in range(1, int(count.max(initial=0)) + 1):
        step = load * loss / (server + load * loss)
        loss = np.where(server <= count, step, loss)
    return plain(loss / (1 - busy * (1 - loss)))


def mean_wait(servers: ArrayLike, utilization: ArrayLike, service_time: ArrayLike) -> FloatOrArray:
    """The mean time that a job waits for one of c servers (M/M/c).

    Parameters
    ----------
    servers, utilization
        As `erlang_c`.
    service_time : float or array
        Mean time that a job takes, seconds.

    Returns
    -------
    float or array
        Seconds, over all jobs, those that need not wait included.

    Notes
    -----
    ``C S / (c (1 - rho))``. Assumes and cites the same as `erlang_c`.

    Examples
    --------
    One server at 80 % makes a job wait four times as long as it takes; 64 of them hardly at all:

    >>> round(mean_wait(1, 0.8, 60.0)), round(mean_wait(64, 0.8, 60.0), 2)
    (240, 0.26)
    """
    time = positive("service_time", service_time)
    waits = erlang_c(servers, utilization)
    return plain(waits * time / (whole("servers", servers) * (1 - _below_one(utilization))))


def mean_queue(servers: ArrayLike, utilization: ArrayLike) -> FloatOrArray:
    """The mean number of jobs that wait for one of c servers (M/M/c), by Little's law.

    Parameters
    ----------
    servers, utilization
        As `erlang_c`.

    Returns
    -------
    float or array
        Jobs, without those that are served.

    Notes
    -----
    Arrivals a second times `mean_wait`. Assumes and cites the same as `erlang_c`; J. Little,
    Operations Research 9(3), 1961.

    Examples
    --------
    >>> round(mean_queue(1, 0.8), 6)
    3.2
    """
    busy = _below_one(utilization)
    return plain(erlang_c(servers, utilization) * busy / (1 - busy))


def mg1_wait(utilization: ArrayLike, service_time: ArrayLike, squared_cv: ArrayLike = 1.0) -> FloatOrArray:
    """The mean wait for one server when jobs differ in length in any way (M/G/1): Pollaczek and Khinchine.

    Parameters
    ----------
    utilization : float or array
        Share of its time that the server works, 0 up to but not including 1.
    service_time : float or array
        Mean time that a job takes, seconds.
    squared_cv : float or array
        Variance of the service time over the square of its mean: 0 where all take equally long
        (M/D/1), 1 where times are exponential; 10 and more on clusters.

    Returns
    -------
    float or array
        Seconds.

    Raises
    ------
    ValueError
        Utilization is 1 or more, where the queue grows without bound.

    Notes
    -----
    ``rho S (1 + CV^2) / (2 (1 - rho))``: a queue waits for its longest jobs. Assumes Poisson
    arrivals and first come first served. Source: F. Pollaczek, 1930; A. Khinchine, 1932;
    Kleinrock as in `erlang_c`.

    Examples
    --------
    >>> round(mg1_wait(0.9, 1.0, 16), 6), round(mg1_wait(0.9, 1.0, 0), 6)
    (76.5, 4.5)
    """
    busy, time = _below_one(utilization), positive("service_time", service_time)
    return plain(busy / (1 - busy) * (1 + positive("squared_cv", squared_cv, allow_zero=True)) / 2 * time)


def _below_one(utilization: ArrayLike) -> FloatOrArray:
    busy = positive("utilization", utilization, allow_zero=True)
    if holds(busy >= 1):
        raise ValueError(f"utilization must be below 1, or the queue grows without end; got {shortened(utilization)}")
    return busy
