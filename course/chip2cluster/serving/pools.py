"""How large two pools must be, one that reads prompts and one that writes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from .._validate import one_positive, one_whole
from .deployment import Deployment, check_deployment
from .speed import largest_batch, time_between_tokens, time_to_first_token
from .step import Efficiency


@dataclass(frozen=True)
class PoolSizes:
    """Replicas of each pool, and the ``batch`` with which one of the second decodes."""

    prefill: int
    decode: int
    batch: int


@dataclass(frozen=True)
class PoolRates:
    """Requests a second that one replica reads and that one writes, and the ``batch`` with which it does."""

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
    """Requests a second that a replica carries when it only reads, and when it only writes within a limit.

    Parameters
    ----------
    deployment : Deployment
        A replica, the same in both pools.
    prompt, output : int
        Tokens of each that are read and written; at least two are written.
    between_tokens_seconds : float
        Limit of the time between tokens.
    efficiency : Efficiency, optional
        None gives the bound: no replica carries more.

    Returns
    -------
    PoolRates

    Raises
    ------
    ValueError, TypeError
        For numbers that make no sense, requests that do not fit, and a limit that not even one sequence alone meets.

    Notes
    -----
    Prompts are read one after the other, and the first token comes with the prompt. A sequence
    counts with half of its output as context for the time, and with all of it for the room.
    Ignores queues. Source: Little's law, and the counts of `step_kernel`.

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
    while least < most:  # the largest batch within the limit: a step is never shorter with more
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
    """Fewest replicas that read so many prompts a second, and that write the answers within a limit.

    Parameters
    ----------
    deployment : Deployment
        A replica, the same in both pools.
    request_rate : float
        Requests a second.
    prompt, output : int
        Tokens of each that are read and written; at least two are written.
    between_tokens_seconds : float
        Limit of the time between tokens.
    used : float
        Share of their time that either pool may work, above 0 and at most 1; the rest is for bursts.
    efficiency : Efficiency, optional
        None sizes by the bound: fewer will not do, and so many need not.

    Returns
    -------
    PoolSizes

    Raises
    ------
    ValueError, TypeError
        As `pool_rates`, and for ``used`` outside its range.

    Notes
    -----
    Both pools as in `pool_rates`. Ignores queues inside a pool and the wire between the two. Source: the counts of `step_kernel`; Zhong et al. 2024, "DistServe".

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> pool_sizes(deploy("Llama 3 8B", "H100 SXM"), 40.0, 4096, 256, 0.02)
    PoolSizes(prefill=4, decode=4, batch=93)
    """
    rate, share = one_positive("request_rate", request_rate), one_positive("used", used)
    if share > 1:
        raise ValueError(f"used must be a share of at most 1, got {used!r}")
    each = pool_rates(deployment, prompt, output, between_tokens_seconds, efficiency=efficiency)
    return PoolSizes(ceil(rate / (each.prefill * share)), ceil(rate / (each.decode * share)), each.batch)
