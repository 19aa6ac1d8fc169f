"""Requests meet replicas: one event loop for a single replica and for many behind a router."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence as Row
from heapq import heappop, heappush
from typing import Literal

import numpy as np

from .._validate import choice, one_positive
from .engine import Engine, Sequence
from .replica import Replica
from .requests import Requests
from .run import Run, Steps

ROUTERS = ("round_robin", "least_loaded", "cache_aware", "shared_queue")
Router = Literal["round_robin", "least_loaded", "cache_aware", "shared_queue"]


def simulate(
    requests: Requests, replicas: Replica | Row[Replica], router: Router = "least_loaded", *, slack: int = 8
) -> Run:
    """Serve requests step by step with continuous batching.

    Parameters
    ----------
    requests : Requests
    replicas : Replica or sequence of Replica
    router : {"round_robin", "least_loaded", "cache_aware", "shared_queue"}
        Who gets a request when it arrives: each in turn; who has the fewest unfinished; who
        got its prefix before, unless that one has more than ``slack`` more than the least loaded;
        or nobody yet: replicas take from one queue when they have room.
    slack : int
        See there.

    Returns
    -------
    Run

    Raises
    ------
    ValueError, TypeError
        For anything else, requests longer than a replica's cache, and steps that take no time.

    Notes
    -----
    First come, first served; a request that does not fit makes those behind it wait. At one
    instant steps end before requests arrive, and both before steps begin. Ignores the network,
    speculation, and swapping of blocks to the host. Source: see `Replica`; Zheng et al. 2024,
    "SGLang" (routing by prefix).

    Examples
    --------
    >>> from chip2cluster.serving import deploy, poisson_requests, replica
    >>> chip = replica(deploy("Llama 3 8B", "H100 SXM"))
    >>> run = simulate(poisson_requests(5.0, 200, prompt=512, output=64, seed=1), chip)
    >>> run.percentile("time_to_first_token", [50, 99]).round(3)
    array([0.009, 0.013])
    """
    rules = (replicas,) if isinstance(replicas, Replica) else tuple(replicas)
    if not rules or not all(isinstance(one, Replica) for one in rules):
        raise TypeError(f"replicas must be one serving.Replica or several, got {replicas!r}")
    if not isinstance(requests, Requests):
        raise TypeError(f"requests must be serving.Requests, got {requests!r}")
    choice("router", router, ROUTERS)
    one_positive("slack", slack, allow_zero=True)
    rows = zip(requests.prompt, requests.output, requests.prefix, requests.prefix_tokens, strict=True)
    sequences = [
        Sequence(index, int(prompt), int(output), int(prefix), int(shared))
        for index, (prompt, output, prefix, shared) in enumerate(rows)
    ]
    return serve(requests, sequences, rules, router, slack)


def serve(requests: Requests, sequences: list[Sequence], rules: Row[Replica], router: str, slack: int = 8) -> Run:
    """The event loop; sequences may come with keys and values already cached."""
    least = min(rule.cache_blocks * rule.block_tokens for rule in rules)
    for one in sequences:
        if one.longest > least:
            raise ValueError(f"request {one.index} needs {one.longest} tokens of cache, a replica has {least}")
    shared: deque[Sequence] = deque()
    engines = [Engine(rule, shared if router == "shared_queue" else deque()) for rule in rules]
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
            for one in engine.finish(now):
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
            batch = engine.start()
            if batch is not None:
                seconds = float(engine.rules.step_seconds(batch))
                if not 0 < seconds < np.inf:
                    raise ValueError(f"step_seconds must give a finite time above zero, got {seconds!r} for {batch}")
                running[number] = now, batch, engine.used
                heappush(ends, (now + seconds, number))
    return Run(
        requests,
        chosen,
        tuple(np.array(one.times) for one in sequences),
        Steps(*map(np.array, zip(*log, strict=True))),
        sum(engine.preemptions for engine in engines),
        sum(engine.read_again for engine in engines),
        sum(engine.hit_tokens for engine in engines),
    )


def _route(
    engines: list[Engine], one: Sequence, arrived: int, router: str, homes: dict[int, int], slack: int
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
