"""How many sequences decode together when requests keep coming: the batch that a rate makes by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .counts import read
from .deployment import check_deployment

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .deployment import Deployment


def step_parts(deployment: Deployment, context: ArrayLike) -> tuple[float, FloatOrArray]:
    """The two parts of a decoding step that memory sets: the weights, and the cache of each sequence.

    Parameters
    ----------
    deployment : Deployment
    context : int or array of int
        Tokens that a sequence attends to, its newest included.

    Returns
    -------
    tuple of float and float or array
        Seconds to read the weights once, and seconds that each sequence adds.

    Raises
    ------
    ValueError, TypeError
        For anything but a `Deployment`, and contexts that are not whole.

    Notes
    -----
    At the sheet's rate of the memory. Experts count as for one token: a batch visits more of them.
    Ignores arithmetic. Source: as `step_kernel`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> weights, cache = step_parts(deploy("Llama 3 8B", "H100 SXM"), 4096)
    >>> round(1e3 * weights, 2), round(1e6 * cache)
    (4.48, 160)
    """
    rate = check_deployment(deployment).devices * deployment.memory_bandwidth
    weights = read(deployment.counts, 1) * deployment.weight_bytes + deployment.weight_copies
    return float(weights / rate), plain(deployment.cache_per_token * whole("context", context) / rate)


def steady_batch(
    request_rate: ArrayLike, output: ArrayLike, weight_seconds: ArrayLike, cache_seconds: ArrayLike
) -> FloatOrArray:
    """Mean number of sequences that decode together at a steady rate of requests.

    Parameters
    ----------
    request_rate : float or array
        Requests a second that reach the replica.
    output : int or array of int
        Tokens that each of them writes here.
    weight_seconds, cache_seconds : float or array
        Parts of a step, see `step_parts`: one for all, and one for each sequence.

    Returns
    -------
    float or array
        Sequences; infinite from the rate on that no batch can keep up with.

    Raises
    ------
    ValueError, TypeError
        For rates, counts and times that make no sense.

    Notes
    -----
    Little's law: as many are there as come in a second, times the seconds that each stays; and
    each stays ``output`` steps, which are the longer the more are there. With ``w`` and ``k`` for
    the two parts, ``b = r n (w + k b)``, so ``b = r n w / (1 - r n k)``. Ignores prompts,
    arithmetic, and that the batch sways. Source: J. Little, Operations Research 9(3), 1961.

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
