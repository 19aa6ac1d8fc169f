"""Disaggregated serving: prefill and decode instances apart, with the KV cache sent between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive
from ..transformer import Config, kv_cache_memory
from .replica import Replica
from .replica_scheduler import SequenceState
from .requests import Requests
from .simulation import Router, run_event_loop, simulate
from .simulation_results import TokenTimes

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray
    from .simulation_results import ServingRun


@dataclass(frozen=True)
class Disaggregated(TokenTimes):
    """Result of disaggregated serving: a prefill run, a decode run, and both together per request.

    Latencies, percentiles and rates are those of `ServingRun`; the transfer is part of the first
    inter-token latency.

    Attributes
    ----------
    requests : Requests
        Requests as they were given.
    prefill : ServingRun
        Run of the prefill instances, which generate each first token.
    decode : ServingRun or None
        Run of the decode instances; None if every request has a single output token.
    transfer_seconds : array
        Seconds to send each request's keys and values.
    token_seconds : tuple of arrays
        Times at which the tokens of each request were generated, seconds.
    """

    requests: Requests
    prefill: ServingRun
    decode: ServingRun | None
    transfer_seconds: NDArray
    token_seconds: tuple[NDArray, ...]


def cache_transfer_seconds(
    config: Config, prompt: ArrayLike, bandwidth_one_way: ArrayLike, bytes_per_element: ArrayLike = 2
) -> FloatOrArray:
    """Compute the time to send the KV cache of a prompt to another replica (GPUDirect RDMA, NIXL).

    Parameters
    ----------
    config : transformer.Config
        Shape of the model.
    prompt : int or array of int
        Tokens of the prompt.
    bandwidth_one_way : float or array
        Unidirectional bandwidth between the two replicas, bytes/s.
    bytes_per_element : float or array
        Bytes of one element of the cache.

    Returns
    -------
    float or array
        Seconds from the first byte to the last.

    Notes
    -----
    Assumes that the transfer starts after the prefill; sending each layer as it is ready hides most of it.
    Ignores latency. Source: Zhong et al. 2024, "DistServe"; Patel et al. 2024, "Splitwise".

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
    prefill: Replica | Sequence[Replica],
    decode: Replica | Sequence[Replica],
    transfer_seconds: ArrayLike,
    router: Router = "least_loaded",
) -> Disaggregated:
    """Simulate disaggregated serving: prefill instances, then decode instances.

    Parameters
    ----------
    requests : Requests
        Requests in the order of arrival.
    prefill, decode : Replica or sequence of Replica
        Instances of each pool.
    transfer_seconds : float or array
        Time to send each request's keys and values, seconds; see `cache_transfer_seconds`.
    router : str
        Routing policy of both pools, see `simulate`.

    Returns
    -------
    Disaggregated
        Both runs, and the times of each request's tokens.

    Notes
    -----
    The prefill pool generates the first token. Ignores that its blocks are held
    until they are sent, and that transfers share a link. Source: Zhong et al. 2024, "DistServe".

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
    pool = (decode,) if isinstance(decode, Replica) else tuple(decode)
    if not pool or not all(isinstance(one, Replica) for one in pool):
        raise TypeError(f"decode must be one serving.Replica or several, got {decode!r}")
    long = np.flatnonzero(requests.output > 1)
    if not long.size:
        return Disaggregated(requests, read, None, sent, read.token_seconds)
    ready = np.array([read.token_seconds[index][0] for index in long]) + sent[long]
    order = np.argsort(ready, kind="stable")
    # Remaining work of a request: its prompt is cached, and one output token is already generated.
    left = Requests(ready[order], requests.prompt[long][order], requests.output[long][order] - 1)
    loaded = [
        SequenceState(number, int(prompt), int(output), loaded=True)
        for number, (prompt, output) in enumerate(zip(left.prompt, left.output, strict=True))
    ]
    written = run_event_loop(left, loaded, pool, router)
    times = list(read.token_seconds)
    for index, later in zip(long[order], written.token_seconds, strict=True):
        times[index] = np.concatenate([times[index], later])
    return Disaggregated(requests, read, written, sent, tuple(times))
