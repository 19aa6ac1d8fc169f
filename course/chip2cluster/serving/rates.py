"""What users wait at one rate of requests after another."""

from __future__ import annotations

from collections.abc import Sequence as Row
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive
from .requests import Requests, poisson_requests
from .simulate import Router, simulate

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray
    from .replica import Replica


@dataclass(frozen=True)
class RateSweep:
    """Percentiles at each rate: arrays of shape (rates, percents), seconds.

    ``rates`` in requests a second, ``output_tokens_per_second`` as simulated, one for each of them.
    """

    rates: NDArray
    percents: NDArray
    time_to_first_token: NDArray
    time_between_tokens: NDArray
    output_tokens_per_second: NDArray


def rate_sweep(
    rates: ArrayLike,
    replicas: Replica | Row[Replica],
    prompt: ArrayLike,
    output: ArrayLike,
    *,
    count: int = 1000,
    seed: int = 0,
    percents: ArrayLike = (50, 99),
    router: Router = "least_loaded",
) -> RateSweep:
    """Simulate the same requests at several rates of arrival.

    Parameters
    ----------
    rates : array
        Mean requests a second.
    replicas, router
        As `simulate`.
    prompt, output : int or array of int
        Tokens of each request; at least one writes more than one.
    count, seed : int
        Requests, and what their arrivals are drawn with.
    percents : array
        Which percentiles, 0 to 100.

    Returns
    -------
    RateSweep

    Raises
    ------
    ValueError, TypeError
        As `simulate` and `poisson_requests`.

    Notes
    -----
    The arrivals are one drawing, stretched: what differs between two rates is the rate. Beyond
    what the replicas can do the queue grows for as long as requests come, and so do percentiles with
    ``count``. Source: as `simulate`.

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
