"""What the policy of a router makes of the same requests."""

from __future__ import annotations

from collections.abc import Sequence as Row
from typing import TYPE_CHECKING

import numpy as np

from .replica import Replica
from .requests import Requests
from .simulate import simulate

if TYPE_CHECKING:
    from pandas import DataFrame

POLICIES = {"each in turn": "round_robin", "the least loaded": "least_loaded", "who knows the prefix": "cache_aware"}


def router_table(requests: Requests, replicas: Row[Replica]) -> DataFrame:
    """Time to first token under three policies of a router, for the same requests.

    Parameters
    ----------
    requests : Requests
        With prefixes that some share.
    replicas : sequence of Replica

    Returns
    -------
    pandas.DataFrame
        One row a policy: the median and the 99th percentile in ms, and the share of all prompt
        tokens that a prefix cache held, in per cent.

    Raises
    ------
    ValueError, TypeError
        As `simulate`.

    Notes
    -----
    One draw of requests: a 99th percentile of a few thousand is rough. Source: as `simulate`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy, poisson_requests, replica
    >>> chip = replica(deploy("Llama 3 8B", "H100 SXM"))
    >>> requests = poisson_requests(20.0, 200, 3000, 20, seed=1, prefixes=40, prefix_tokens=2900)
    >>> router_table(requests, [chip] * 2)["not read again (% of prompts)"].round().tolist()
    [60.0, 61.0, 77.0]
    """
    import pandas  # here, because the models do not need it

    rows = {}
    for words, router in POLICIES.items():
        run = simulate(requests, replicas, router)  # type: ignore[arg-type]
        waits = np.asarray(run.percentile("time_to_first_token", [50, 99]))
        rows[words] = *(1e3 * waits), 100 * run.tokens_from_prefix / requests.prompt.sum()
    header = ["first token, half (ms)", "first token, p99 (ms)", "not read again (% of prompts)"]
    table = pandas.DataFrame.from_dict(rows, orient="index", columns=header)
    table.index.name = "the router picks"
    return table
