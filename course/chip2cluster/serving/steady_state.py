"""Decode batch in steady state: how many sequences decode together at a given request rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .deployment import check_deployment

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .deployment import Deployment


def step_parts(deployment: Deployment, context: ArrayLike) -> tuple[float, FloatOrArray]:
    """Compute the weight and cache parts of a memory-bound decode step.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    context : int or array of int
        Tokens that a sequence attends to, its newest included.

    Returns
    -------
    tuple of float and float or array
        Seconds to read the weights once, and seconds that each sequence adds.

    Notes
    -----
    Uses the datasheet's memory bandwidth. Experts are counted for one token; a batch activates more of them.
    Ignores arithmetic. Source: see `step_kernel`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> weights, cache = step_parts(deploy("Llama 3 8B", "H100 SXM"), 4096)
    >>> round(1e3 * weights, 2), round(1e6 * cache)
    (4.48, 160)
    """
    rate = check_deployment(deployment).devices * deployment.memory_bandwidth
    weights = deployment.weight_bytes_read(1)
    return float(weights / rate), plain(deployment.cache_bytes_read(whole("context", context), 1) / rate)


def steady_batch(
    request_rate: ArrayLike, output: ArrayLike, weight_seconds: ArrayLike, cache_seconds: ArrayLike
) -> FloatOrArray:
    """Compute the mean number of sequences that decode together at a steady request rate.

    Parameters
    ----------
    request_rate : float or array
        Mean arrival rate at the replica, requests/s.
    output : int or array of int
        Output tokens of each request.
    weight_seconds, cache_seconds : float or array
        Parts of a step, seconds, see `step_parts`: one for all sequences, one for each.

    Returns
    -------
    float or array
        Batch size; infinite at and beyond the rate that no batch sustains.

    Notes
    -----
    Little's law: the number present is the arrival rate times the seconds that each stays; each stays
    ``output`` steps, which take longer the more are present. With ``w`` and ``k`` for
    the two parts, ``b = r n (w + k b)``, so ``b = r n w / (1 - r n k)``. Ignores prompts,
    arithmetic, and fluctuations of the batch. Source: J. Little, Operations Research 9(3), 1961.

    Examples
    --------
    >>> round(steady_batch(10.0, 200, 4.48e-3, 160e-6), 1), steady_batch(40.0, 200, 4.48e-3, 160e-6)
    (13.2, inf)
    """
    tokens = positive("request_rate", request_rate) * whole("output", output)
    weights = positive("weight_seconds", weight_seconds)
    left = 1 - tokens * positive("cache_seconds", cache_seconds, allow_zero=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return plain(np.where(left > 0, tokens * weights / np.where(left > 0, left, 1.0), np.inf))
