"""Event loop of the serving simulator: one replica, or several behind a router."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Literal

import numpy as np

from .._validate import choice, one_positive
from .replica import Replica
from .replica_scheduler import Engine, SequenceState
from .requests import Requests
from .simulation_results import ServingRun, Steps

ROUTERS = ("round_robin", "least_loaded", "cache_aware", "shared_queue")
Router = Literal["round_robin", "least_loaded", "cache_aware", "shared_queue"]


def simulate(
    requests: Requests, replicas: Replica | Sequence[Replica], router: Router = "least_loaded", *, slack: int = 8
) -> ServingRun:
    """Simulate serving with continuous batching; return the time of every token.

    Parameters
    ----------
    requests : Requests
        Requests in the order of arrival.
    replicas : Replica or sequence of Replica
        One replica, or the replicas behind the router.
    router : {"round_robin", "least_loaded", "cache_aware", "shared_queue"}
        Routing policy. ``"round_robin"``: each replica in turn. ``"least_loaded"``: the one with the fewest
        unfinished requests. ``"cache_aware"``: prefix-aware, the one that received the prefix before, unless it has
        more than ``slack`` requests more than the least loaded. ``"shared_queue"``: no routing on arrival;
        replicas take from one queue when they have room.
    slack : int
        Largest difference of unfinished requests that ``"cache_aware"`` accepts.

    Returns
    -------
    ServingRun
        Times of all tokens, steps, and counters.

    Raises
    ------
    ValueError
        If a request is longer than a replica's cache, or a step takes no time.

    Notes
    -----
    First come, first served (FCFS); a request that does not fit blocks the queue (head-of-line blocking). At one
    instant steps end before requests arrive, and both before steps begin. Ignores the network,
    speculative decoding, and swapping of blocks to the host. Source: see `Replica`; Zheng et al. 2024,
    "SGLang" (prefix-aware routing).

    Examples
    --------
    >>> from chip2cluster.serving import deploy, poisson_requests, replica
    >>> chip = replica(deploy("Llama 3 8B", "H100 SXM"))
    >>> run = simulate(poisson_requests(5.0, 200, prompt=512, output=64, seed=1), chip)
    >>> run.percentile("time_to_first_token", [50, 99]).round(3)
    array([0.009, 0.013])
    """
    pool = (replicas,) if isinstance(replicas, Replica) else tuple(replicas)
    if not pool or not all(isinstance(one, Replica) for one in pool):
        raise TypeError(f"replicas must be one serving.Replica or several, got {replicas!r}")
    if not isinstance(requests, Requests):
        raise TypeError(f"requests must be serving.Requests, got {requests!r}")
    choice("router", router, ROUTERS)
    one_positive("slack", slack, allow_zero=True)
    rows = zip(requests.prompt, requests.output, requests.prefix, requests.prefix_tokens, strict=True)
    sequences = [
        SequenceState(index, int(prompt), int(output), int(prefix), int(shared))
        for index, (prompt, output, prefix, shared) in enumerate(rows)
    ]
    return run_event_loop(requests, sequences, pool, router, slack)


def run_event_loop(
    requests: Requests, sequences: list[SequenceState], replicas: Sequence[Replica], router: str, slack: int = 8
) -> ServingRun:
    """Run the event loop; ``sequences`` may come with keys and values already cached."""
    least = min(replica.cache_blocks * replica.block_tokens for replica in replicas)
    for one in sequences:
        if one.longest > least:
            raise ValueError(f"request {one.index} needs {one.longest} tokens of cache, a replica has {least}")
    shared: deque[SequenceState] = deque()
    engines = [Engine(replica, shared if router == "shared_queue" else deque()) for replica in replicas]
    chosen = np.zeros(len(sequences), dtype=int)
    homes: dict[int, int] = {}
    arrivals = requests.arrival_seconds.tolist()
    ends: list[tuple[float, int]] = []
    running: dict[int, tuple] = {}
    log: list[tuple] = []
    arrived = 0
    while arrived < len(arrivals) or ends:
        now = min(ends[0][0] if ends else np.inf, arrivals[arrived] if arrived < len(arrivals) else np.inf)
        while ends and ends[0][0] == now:
            number = heappop(ends)[1]
            engine = engines[number]
            start, batch, blocks = running.pop(number)
            for one in engine.finish_step(now):
                chosen[one.index] = number
            row = (number, start, now, batch.decoding, batch.prompt, batch.finished, blocks, len(engine.waiting))
            log.append(row)
        while arrived < len(arrivals) and arrivals[arrived] == now:
            one = sequences[arrived]
            _route(engines, one, arrived, router, homes, slack).waiting.append(one)
            arrived += 1
        for number, engine in enumerate(engines):
            if number in running or engine.idle:
                continue
            batch = engine.start_step()
            if batch is not None:
                seconds = float(engine.replica.step_seconds(batch))
                if not 0 < seconds < np.inf:
                    raise ValueError(f"step_seconds must give a finite time above zero, got {seconds!r} for {batch}")
                running[number] = now, batch, engine.used_blocks
                heappush(ends, (now + seconds, number))
    return ServingRun(
        requests,
        chosen,
        tuple(np.array(one.times) for one in sequences),
        Steps(*map(np.array, zip(*log, strict=True))),
        sum(engine.preemptions for engine in engines),
        sum(engine.tokens_recomputed for engine in engines),
        sum(engine.tokens_from_prefix for engine in engines),
    )


def _route(
    engines: list[Engine], one: SequenceState, arrived: int, router: str, homes: dict[int, int], slack: int
) -> Engine:
    if router == "shared_queue":
        return engines[0]
    if router == "round_robin":
        number = arrived % len(engines)
    else:
        number = min(range(len(engines)), key=lambda candidate: engines[candidate].outstanding)
        if router == "cache_aware" and one.prefix >= 0:
            home = homes.setdefault(one.prefix, number)
            if engines[home].outstanding - engines[number].outstanding <= slack:
                number = home
            else:
                homes[one.prefix] = number
    engines[number].outstanding += 1
    return engines[number]
