"""Routing policies compared on the same requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .replica import Replica
from .requests import Requests
from .simulation import simulate

if TYPE_CHECKING:
    from pandas import DataFrame

ROUTER_LABELS = {"round-robin": "round_robin", "least-loaded": "least_loaded", "prefix-aware": "cache_aware"}


def router_table(requests: Requests, replicas: Sequence[Replica]) -> DataFrame:
    """Tabulate time to first token (TTFT) under three routing policies for the same requests.

    Parameters
    ----------
    requests : Requests
        Requests, some with shared prefixes.
    replicas : sequence of Replica
        Replicas behind the router.

    Returns
    -------
    pandas.DataFrame
        One row for each policy: median (p50) and p99 of TTFT in ms, and the share of all prompt
        tokens found in a prefix cache, in percent.

    Notes
    -----
    One draw of requests: a p99 of a few thousand is rough. Source: see `simulate`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy, poisson_requests, replica
    >>> chip = replica(deploy("Llama 3 8B", "H100 SXM"))
    >>> requests = poisson_requests(20.0, 200, 3000, 20, seed=1, prefixes=40, prefix_tokens=2900)
    >>> router_table(requests, [chip] * 2)["prefix cache hits (% of prompt tokens)"].round().tolist()
    [60.0, 61.0, 77.0]
    """
    import pandas  # imported here because the models do not need it

    rows = {}
    for label, router in ROUTER_LABELS.items():
        run = simulate(requests, replicas, router)  # type: ignore[arg-type]
        waits = np.asarray(run.percentile("time_to_first_token", [50, 99]))
        rows[label] = *(1e3 * waits), 100 * run.tokens_from_prefix / requests.prompt.sum()
    header = ["TTFT p50 (ms)", "TTFT p99 (ms)", "prefix cache hits (% of prompt tokens)"]
    table = pandas.DataFrame.from_dict(rows, orient="index", columns=header)
    table.index.name = "routing policy"
    return table
