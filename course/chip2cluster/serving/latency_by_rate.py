"""Latency percentiles at several request rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive
from .requests import Requests, poisson_requests
from .simulation import Router, simulate

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray
    from .replica import Replica


@dataclass(frozen=True)
class RateSweep:
    """Latency percentiles at each request rate.

    Attributes
    ----------
    rates : array, shape (rates,)
        Mean arrival rates, requests/s.
    percents : array, shape (percents,)
        Percentiles, 0 to 100.
    time_to_first_token, time_between_tokens : array, shape (rates, percents)
        Percentiles of TTFT and of inter-token latency (ITL), seconds.
    output_tokens_per_second : array, shape (rates,)
        Simulated throughput of all replicas together.
    """

    rates: NDArray
    percents: NDArray
    time_to_first_token: NDArray
    time_between_tokens: NDArray
    output_tokens_per_second: NDArray


def rate_sweep(
    rates: ArrayLike,
    replicas: Replica | Sequence[Replica],
    prompt: ArrayLike,
    output: ArrayLike,
    *,
    count: int = 1000,
    seed: int = 0,
    percents: ArrayLike = (50, 99),
    router: Router = "least_loaded",
) -> RateSweep:
    """Simulate the same requests at several arrival rates.

    Parameters
    ----------
    rates : array
        Mean arrival rates, requests/s.
    replicas : Replica or sequence of Replica
        Replicas behind the router.
    prompt, output : int or array of int
        Tokens of each request; at least one request has more than one output token.
    count : int
        Number of requests.
    seed : int
        Seed of the arrivals.
    percents : array
        Percentiles to return, 0 to 100.
    router : str
        Routing policy, see `simulate`.

    Returns
    -------
    RateSweep
        Percentiles of TTFT and ITL, and throughput, at each rate.

    Notes
    -----
    The arrivals are one draw, rescaled, so results differ only by the rate. Beyond
    the capacity of the replicas the queue grows as long as requests arrive, so percentiles grow with
    ``count``. Source: see `simulate`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy, replica
    >>> chip = replica(deploy("Llama 3 8B", "H100 SXM"))
    >>> (1e3 * rate_sweep([1, 40], chip, 1000, 100, count=400).time_to_first_token).round()
    array([[14., 26.],
           [21., 68.]])
    """
    speeds = np.atleast_1d(positive("rates", rates))
    wanted = np.atleast_1d(positive("percents", percents, allow_zero=True))
    drawn = poisson_requests(1.0, count, prompt, output, seed)
    runs = [
        simulate(Requests(drawn.arrival_seconds / rate, drawn.prompt, drawn.output), replicas, router)
        for rate in speeds
    ]
    return RateSweep(
        speeds,
        wanted,
        np.array([run.percentile("time_to_first_token", wanted) for run in runs]),
        np.array([run.percentile("time_between_tokens", wanted) for run in runs]),
        np.array([run.output_tokens_per_second for run in runs]),
    )
