"""Queueing theory: waits in M/M/c (Erlang C), M/G/1 (Pollaczek-Khinchine) and multi-node (M/G/k) queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import holds, plain, positive, shortened, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


MOST_SERVERS = 10**7  # each is one step of the recursion


def erlang_c(servers: ArrayLike, utilization: ArrayLike) -> FloatOrArray:
    """Erlang C: probability that an arriving job finds all servers busy (M/M/c).

    Parameters
    ----------
    servers : int or array of int
        Number of servers c, such as nodes for single-node jobs.
    utilization : float or array
        Utilization rho, 0 to below 1.

    Returns
    -------
    float or array
        Probability; for one server it equals the utilization.

    Raises
    ------
    ValueError
        Utilization is 1 or more, where the queue grows without bound, or there are more than ten million
        servers.

    Notes
    -----
    Assumes Poisson arrivals, exponential service times, FCFS order, and one server per job: multi-node jobs wait
    far longer and need `simulate`. Computed from the recursion of Erlang B, which does not overflow. Source: A. K.
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
    """Mean wait for one of c servers (M/M/c).

    Parameters
    ----------
    servers : int or array of int
        Number of servers.
    utilization : float or array
        Utilization rho, 0 to below 1.
    service_time : float or array
        Mean service time S of a job, seconds.

    Returns
    -------
    float or array
        Seconds, averaged over all jobs, including those that do not wait.

    Notes
    -----
    ``C S / (c (1 - rho))``. Same assumptions and sources as `erlang_c`.

    Examples
    --------
    One server at 80 % makes a job wait four times its service time; 64 servers hardly at all:

    >>> round(mean_wait(1, 0.8, 60.0)), round(mean_wait(64, 0.8, 60.0), 2)
    (240, 0.26)
    """
    time = positive("service_time", service_time)
    waits = erlang_c(servers, utilization)
    return plain(waits * time / (whole("servers", servers) * (1 - _below_one(utilization))))


def mean_queue(servers: ArrayLike, utilization: ArrayLike) -> FloatOrArray:
    """Mean number of waiting jobs with c servers (M/M/c), by Little's law.

    Parameters
    ----------
    servers : int or array of int
        Number of servers.
    utilization : float or array
        Utilization rho, 0 to below 1.

    Returns
    -------
    float or array
        Number of jobs in the queue, without those in service.

    Notes
    -----
    Arrival rate times `mean_wait`. Same assumptions and sources as `erlang_c`; J. Little,
    Operations Research 9(3), 1961.

    Examples
    --------
    >>> round(mean_queue(1, 0.8), 6)
    3.2
    """
    busy = _below_one(utilization)
    return plain(erlang_c(servers, utilization) * busy / (1 - busy))


def multi_node_wait(
    nodes: ArrayLike,
    nodes_per_job: ArrayLike,
    utilization: ArrayLike,
    service_time: ArrayLike,
    squared_cv: ArrayLike = 1.0,
) -> FloatOrArray:
    """Mean wait of jobs that each hold several nodes of a machine (M/G/k with k = nodes / nodes_per_job).

    Parameters
    ----------
    nodes : int or array of int
        Number of nodes of the machine.
    nodes_per_job : float or array
        Mean number of nodes of a job, at most ``nodes``.
    utilization : float or array
        Fraction of the nodes that are busy, 0 to below 1.
    service_time : float or array
        Mean length of a job, seconds.
    squared_cv : float or array
        Squared coefficient of variation of the lengths: 0 for equal ones, 1 for exponential ones.

    Returns
    -------
    float or array
        Seconds, an expectation.

    Raises
    ------
    ValueError
        A job is larger than the machine, or utilization is 1 or more.

    Notes
    -----
    ``(1 + CV^2) / 2`` times `mean_wait` of k servers, with k rounded to a whole number. Exact for jobs of equal size
    that divides the machine, if their lengths are exponential or if one job fills the machine; otherwise an
    approximation. Ignores backfill and mixed sizes. Source: A. O. Allen, *Probability, statistics, and queueing
    theory*, 1990, the Allen-Cunneen formula.

    Examples
    --------
    64 nodes, 90 % busy: jobs of one node hardly wait, jobs of half the machine wait for four job lengths.

    >>> round(multi_node_wait(64, 1, 0.9, 1.0), 2), round(multi_node_wait(64, 32, 0.9, 1.0), 2)
    (0.05, 4.26)
    """
    machine, each = whole("nodes", nodes), positive("nodes_per_job", nodes_per_job)
    if holds(each > machine):
        raise ValueError(f"nodes_per_job must be at most the {shortened(nodes)} nodes, got {shortened(nodes_per_job)}")
    servers = np.maximum(1, np.rint(np.divide(machine, each))).astype(int)
    varied = (1 + positive("squared_cv", squared_cv, allow_zero=True)) / 2
    return plain(varied * mean_wait(plain(servers), utilization, service_time))


def mg1_wait(utilization: ArrayLike, service_time: ArrayLike, squared_cv: ArrayLike = 1.0) -> FloatOrArray:
    """Mean wait for one server with any distribution of service times (M/G/1, Pollaczek-Khinchine).

    Parameters
    ----------
    utilization : float or array
        Utilization rho, 0 to below 1.
    service_time : float or array
        Mean service time S, seconds.
    squared_cv : float or array
        Squared coefficient of variation CV^2 of the service time: 0 for constant times (M/D/1), 1 for
        exponential ones, 10 and more on clusters.

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
    ``rho S (1 + CV^2) / (2 (1 - rho))``, dominated by the longest jobs (head-of-line blocking). Assumes Poisson
    arrivals and FCFS order. Source: F. Pollaczek, 1930; A. Khinchine, 1932;
    Kleinrock, same as in `erlang_c`.

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
        raise ValueError(f"utilization must be below 1, or the queue grows without bound, got {shortened(utilization)}")
    return busy
