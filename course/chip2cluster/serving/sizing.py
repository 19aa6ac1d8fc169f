"""How many replicas read and how many write, so that both keep up with what arrives."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_positive, one_whole
from .speed import largest_batch, time_between_tokens, time_to_first_token

if TYPE_CHECKING:
    from .deployment import Deployment
    from .step import Efficiency


class Pools(NamedTuple):
    """Replicas that read prompts, and replicas that write tokens."""

    prefill: int
    decode: int


def batch_within(
    deployment: Deployment, context: int, limit_seconds: float, *, efficiency: Efficiency | None = None
) -> int:
    """Most sequences that decode together so that a token comes within a limit and the cache holds them.

    Parameters
    ----------
    deployment : Deployment
    context : int
        Tokens of each sequence.
    limit_seconds : float
        Between two tokens.
    efficiency : Efficiency, optional
        None takes the bound, so that no replica can do more.

    Returns
    -------
    int
        0 where a single sequence is too slow or does not fit.

    Raises
    ------
    ValueError, TypeError
        As `time_between_tokens`, and for a limit that is not above zero.

    Notes
    -----
    A step takes longer with each sequence, so the largest is found by halving. Source: as `step_seconds`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> llama = deploy("Llama 3 8B", "H100 SXM")
    >>> [batch_within(llama, 2000, limit) for limit in (0.004, 0.010, 0.020, 0.100)]
    [0, 70, 198, 243]
    """
    limit = one_positive("limit_seconds", limit_seconds)
    low, high = 0, int(largest_batch(deployment, one_whole("context", context)))
    while low < high:
        middle = (low + high + 1) // 2
        if time_between_tokens(deployment, context, middle, efficiency=efficiency) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def prefill_rate(deployment: Deployment, prompt: int, *, efficiency: Efficiency | None = None) -> float:
    """Prompts a second that a replica reads when it does nothing else, one after the other.

    Parameters
    ----------
    deployment : Deployment
    prompt : int
        Tokens of each.
    efficiency : Efficiency, optional
        None gives the bound.

    Returns
    -------
    float
        Requests/s.

    Raises
    ------
    ValueError, TypeError
        As `time_to_first_token`.

    Notes
    -----
    Prompts read together share the weights, which matters for short ones alone. Source: as `step_seconds`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> round(prefill_rate(deploy("Llama 3 8B", "H100 SXM"), 2000), 1)
    34.2
    """
    return float(1 / time_to_first_token(deployment, one_whole("prompt", prompt), efficiency=efficiency))


def decode_request_rate(
    deployment: Deployment, prompt: int, output: int, limit_seconds: float, *, efficiency: Efficiency | None = None
) -> float:
    """Requests a second that a replica finishes when it only writes, each token within a limit.

    Parameters
    ----------
    deployment : Deployment
    prompt, output : int
        Tokens of each request; the first of the output comes with the prompt, elsewhere.
    limit_seconds : float
        Between two tokens.
    efficiency : Efficiency, optional
        None gives the bound.

    Returns
    -------
    float
        Requests/s; 0 where no token comes within the limit, and no bound where there is one token only.

    Raises
    ------
    ValueError, TypeError
        As `batch_within`.

    Notes
    -----
    Sequences are on average half written, and the cache has room for all of them when whole. Source: Little's law,
    sequences = rate times the time that each stays.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> llama = deploy("Llama 3 8B", "H100 SXM")
    >>> [round(decode_request_rate(llama, 2000, 200, limit), 1) for limit in (0.006, 0.010, 0.050)]
    [15.2, 33.7, 49.0]
    """
    later = one_whole("output", output) - 1
    if not later:
        return float("inf")
    context = one_whole("prompt", prompt) + ceil(output / 2)
    most = int(largest_batch(deployment, prompt + output))
    batch = min(most, batch_within(deployment, context, limit_seconds, efficiency=efficiency))
    if not batch:
        return 0.0
    return float(batch / (later * time_between_tokens(deployment, context, batch, efficiency=efficiency)))


def size_pools(
    rate: float,
    deployment: Deployment,
    prompt: int,
    output: int,
    limit_seconds: float,
    *,
    used: float = 1.0,
    efficiency: Efficiency | None = None,
) -> Pools:
    """Fewest replicas that read and that write for requests at a mean rate.

    Parameters
    ----------
    rate : float
        Requests/s.
    deployment : Deployment
        Of each replica in both pools.
    prompt, output, limit_seconds, efficiency
        As `decode_request_rate`.
    used : float
        Share of the time in which the pools work, above 0 and at most 1; with 1 a queue grows without end.

    Returns
    -------
    Pools

    Raises
    ------
    ValueError, TypeError
        As there, for ``used`` outside its range, and for a limit that no replica keeps: the message says what it takes.

    Notes
    -----
    The least that arithmetic allows: what waits in a queue needs ``used`` below 1. Source: Zhong et al. 2024,
    "DistServe"; Patel et al. 2024, "Splitwise".

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> size_pools(100, deploy("Llama 3 8B", "H100 SXM"), 2000, 200, 0.050)
    Pools(prefill=3, decode=3)
    """
    arriving, share = one_positive("rate", rate), one_positive("used", used)
    if share > 1:
        raise ValueError(f"used must be a share of at most 1, got {used!r}")
    writes = decode_request_rate(deployment, prompt, output, limit_seconds, efficiency=efficiency)
    if not writes:
        raise ValueError(_too_slow(deployment, prompt, output, limit_seconds, efficiency))
    reads = prefill_rate(deployment, prompt, efficiency=efficiency)
    needed = np.ceil(arriving / share / np.array([reads, writes]) * (1 - 1e-12))
    return Pools(max(1, int(needed[0])), int(needed[1]))


def _too_slow(
    deployment: Deployment, prompt: int, output: int, limit_seconds: float, efficiency: Efficiency | None
) -> str:
    if not largest_batch(deployment, prompt + output):
        return f"no request of {prompt + output:,} tokens fits; the cache holds {deployment.cache_tokens:,.0f}"
    least = 1e3 * float(time_between_tokens(deployment, prompt + ceil(output / 2), efficiency=efficiency))
    return f"no token comes within limit_seconds={limit_seconds!r}: one sequence alone takes {least:.3g} ms"
