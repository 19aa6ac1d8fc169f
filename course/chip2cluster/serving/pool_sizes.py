"""Sizes of the prefill and decode pools of disaggregated serving."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from .._validate import one_fraction, one_positive, one_whole
from .deployment import Deployment, check_deployment
from .efficiency import Efficiency
from .replica_performance import largest_batch, time_between_tokens, time_to_first_token


@dataclass(frozen=True)
class PoolSizes:
    """Sizes of the prefill and decode pools.

    Attributes
    ----------
    prefill, decode : int
        Replicas of each pool.
    batch : int
        Batch of one decode replica.
    """

    prefill: int
    decode: int
    batch: int


@dataclass(frozen=True)
class PoolRates:
    """Sustained request rates of one prefill replica and of one decode replica.

    Attributes
    ----------
    prefill, decode : float
        Requests/s of each.
    batch : int
        Batch of the decode replica.
    """

    prefill: float
    decode: float
    batch: int


def pool_rates(
    deployment: Deployment,
    prompt: int,
    output: int,
    between_tokens_seconds: float,
    *,
    efficiency: Efficiency | None = None,
) -> PoolRates:
    """Compute the requests/s of a replica as a prefill instance, and as a decode instance under a TPOT limit.

    Parameters
    ----------
    deployment : Deployment
        Replica, the same in both pools.
    prompt, output : int
        Prompt and output tokens of each request; at least two output tokens.
    between_tokens_seconds : float
        Limit (SLO) of the time per output token (TPOT), seconds.
    efficiency : Efficiency, optional
        Efficiency of the replicas; None gives the bound: no replica sustains more.

    Returns
    -------
    PoolRates
        Requests/s of each instance, and the batch of the decode instance.

    Raises
    ------
    ValueError
        If a request does not fit in the cache, or even one sequence exceeds the limit.

    Notes
    -----
    Prompts are prefilled one after the other, and prefill generates the first token. The time of a sequence
    counts half of its output as context; its memory counts all of it. Ignores queues. Source: Little's law,
    and the counts of `step_kernel`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> rates = pool_rates(deploy("Llama 3 8B", "H100 SXM"), 4096, 256, 0.02)
    >>> round(rates.prefill, 1), round(rates.decode, 1), rates.batch
    (16.1, 18.4, 93)
    """
    check_deployment(deployment)
    prompt, output = one_whole("prompt", prompt), one_whole("output", output, minimum=2)
    limit = one_positive("between_tokens_seconds", between_tokens_seconds)
    context = prompt + ceil(output / 2)

    def step(batch: int) -> float:
        return float(time_between_tokens(deployment, context, batch, efficiency=efficiency))

    least, most = 0, int(largest_batch(deployment, prompt + output))
    if not most:
        raise ValueError(f"prompt and output, {prompt + output} tokens, must fit into the cache of one replica")
    if step(1) > limit:
        raise ValueError(
            f"between_tokens_seconds must be at least {step(1):.3g}, the step of one sequence, got {limit}"
        )
    while least < most:  # largest batch within the limit: a step never gets shorter with a larger batch
        middle = (least + most + 1) // 2
        least, most = (middle, most) if step(middle) <= limit else (least, middle - 1)
    reading = float(time_to_first_token(deployment, prompt, efficiency=efficiency))
    return PoolRates(1 / reading, least / ((output - 1) * step(least)), least)


def pool_sizes(
    deployment: Deployment,
    request_rate: float,
    prompt: int,
    output: int,
    between_tokens_seconds: float,
    *,
    used: float = 0.7,
    efficiency: Efficiency | None = None,
) -> PoolSizes:
    """Compute the fewest prefill and decode replicas for a request rate and a TPOT limit.

    Parameters
    ----------
    deployment : Deployment
        Replica, the same in both pools.
    request_rate : float
        Mean arrival rate, requests/s.
    prompt, output : int
        Prompt and output tokens of each request; at least two output tokens.
    between_tokens_seconds : float
        Limit (SLO) of the time per output token (TPOT), seconds.
    used : float
        Utilization of either pool, above 0 and at most 1; the rest is for bursts.
    efficiency : Efficiency, optional
        Efficiency of the replicas; None sizes by the bound: fewer do not suffice, and more may be needed.

    Returns
    -------
    PoolSizes
        Replicas of each pool, and the batch of a decode replica.

    Notes
    -----
    Pools as in `pool_rates`. Ignores queues inside a pool and the link between the two. Source: the counts of
    `step_kernel`; Zhong et al. 2024, "DistServe".

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> pool_sizes(deploy("Llama 3 8B", "H100 SXM"), 40.0, 4096, 256, 0.02)
    PoolSizes(prefill=4, decode=4, batch=93)
    """
    rate, share = one_positive("request_rate", request_rate), one_fraction("used", used)
    each = pool_rates(deployment, prompt, output, between_tokens_seconds, efficiency=efficiency)
    return PoolSizes(ceil(rate / (each.prefill * share)), ceil(rate / (each.decode * share)), each.batch)
