"""Prefill and decode apart: one pool reads prompts, the other writes, the cache travels between them."""

from __future__ import annotations

from collections.abc import Sequence as Row
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive
from ..transformer import Config, kv_cache_memory
from .engine import Sequence
from .replica import Replica
from .requests import Requests
from .run import Timed
from .simulate import Router, serve, simulate

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray
    from .run import Run


@dataclass(frozen=True)
class Disaggregated(Timed):
    """Two runs, one behind the other: ``prefill`` gives each first token, ``decode`` the others.

    ``transfer_seconds`` of each request's keys and values lie between; ``token_seconds`` are
    those of both together, of the requests that were given; the transfer is in the first gap. Waits,
    percentiles and rates are asked for as of a `Run`.
    """

    requests: Requests
    prefill: Run
    decode: Run | None
    transfer_seconds: NDArray
    token_seconds: tuple[NDArray, ...]


def cache_transfer_seconds(
    config: Config, prompt: ArrayLike, bandwidth_one_way: ArrayLike, bytes_per_element: ArrayLike = 2
) -> FloatOrArray:
    """Time to send the keys and values of a prompt to another replica.

    Parameters
    ----------
    config : transformer.Config
    prompt : int or array of int
        Tokens.
    bandwidth_one_way : float or array
        Between the two replicas, bytes/s.
    bytes_per_element : float or array

    Returns
    -------
    float or array
        Seconds, from the first byte to the last.

    Raises
    ------
    ValueError, TypeError
        For numbers that make no sense.

    Notes
    -----
    Sent when all is read; sending each layer as it is ready hides most of it. Ignores latency.
    Source: Zhong et al. 2024, "DistServe"; Patel et al. 2024, "Splitwise".

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> round(1e3 * cache_transfer_seconds(model("Llama 3 70B").config, 2048, 50e9), 1)
    13.4
    """
    rate = positive("bandwidth_one_way", bandwidth_one_way)
    return kv_cache_memory(config, prompt, 1, bytes_per_element) / rate


def disaggregate(
    requests: Requests,
    prefill: Replica | Row[Replica],
    decode: Replica | Row[Replica],
    transfer_seconds: ArrayLike,
    router: Router = "least_loaded",
) -> Disaggregated:
    """Serve requests with one pool that reads and another that writes.

    Parameters
    ----------
    requests : Requests
    prefill, decode : Replica or sequence of Replica
    transfer_seconds : float or array
        Of each request's keys and values; see `cache_transfer_seconds`.
    router : str
        As `simulate`, in both pools.

    Returns
    -------
    Disaggregated

    Raises
    ------
    ValueError, TypeError
        As `simulate`, and for negative times.

    Notes
    -----
    The first token comes from the pool that reads. Ignores that blocks of the first pool are held
    until they are sent, and that transfers share a wire. Source: Zhong et al. 2024, "DistServe".

    Examples
    --------
    >>> from chip2cluster.serving import deploy, poisson_requests, replica
    >>> chip = replica(deploy("Llama 3 8B", "H100 SXM"))
    >>> parted = disaggregate(poisson_requests(5.0, 100, 512, 64, seed=1), chip, chip, 0.002)
    >>> bool(parted.time_between_tokens.max() < 0.02)
    True
    """
    if not isinstance(requests, Requests):
        raise TypeError(f"requests must be serving.Requests, got {requests!r}")
    sent = np.broadcast_to(positive("transfer_seconds", transfer_seconds, allow_zero=True), len(requests))
    first_only = Requests(requests.arrival_seconds, requests.prompt, 1, requests.prefix, requests.prefix_tokens)
    read = simulate(first_only, prefill, router)
    rules = (decode,) if isinstance(decode, Replica) else tuple(decode)
    if not rules or not all(isinstance(one, Replica) for one in rules):
        raise TypeError(f"decode must be one serving.Replica or several, got {decode!r}")
    long = np.flatnonzero(requests.output > 1)
    if not long.size:
        return Disaggregated(requests, read, None, sent, read.token_seconds)
    ready = np.array([read.token_seconds[index][0] for index in long]) + sent[long]
    order = np.argsort(ready, kind="stable")
    # What is left of a request: its prompt lies in the cache, and one token less is to be written.
    left = Requests(ready[order], requests.prompt[long][order], requests.output[long][order] - 1)
    loaded = [
        Sequence(number, int(prompt), int(output), loaded=True)
        for number, (prompt, output) in enumerate(zip(left.prompt, left.output, strict=True))
    ]
    written = serve(left, loaded, rules, router)
    times = list(read.token_seconds)
    for index, later in zip(long[order], written.token_seconds, strict=True):
        times[index] = np.concatenate([times[index], later])
    return Disaggregated(requests, read, written, sent, tuple(times))
