"""What a reader sees of a few numbers side by side: tables, times in milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import whole
from .algorithms import ALGORITHMS, named
from .cost import ring_all_reduce_time, steps, time
from .hierarchical import hierarchical_all_reduce_phases
from .overlap import bucketed_exposed_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pandas import DataFrame


def table(
    collective: str, message_bytes: float, ranks: int, bandwidth_one_way: float, latency: float = 0.0
) -> DataFrame:
    """Compare all algorithms of a collective on one message.

    Parameters
    ----------
    collective : str
        As `time`.
    message_bytes : float
        The message, bytes; see `meaning_of_size`.
    ranks : int
        Participants. Algorithms that need a power of two are left out for other numbers.
    bandwidth_one_way, latency : float
        As `time`.

    Returns
    -------
    pandas.DataFrame
        One row an algorithm, the fastest first; units are in the headers.

    Raises
    ------
    ValueError, TypeError
        As `time`.

    Notes
    -----
    Ignores what `time` ignores. Sources: see `algorithms`.

    Examples
    --------
    >>> table("all_reduce", 14e9, 6, 450e9, 2e-6)["time (ms)"].round(1).to_dict()
    {'in_network': 31.1, 'ring': 51.9, 'double_binary_tree': 62.2, 'tree': 186.7}
    """
    import pandas  # here, because the models do not need it

    ranks = whole("ranks", ranks)
    rows = {}
    for name, row in named("collective", collective, ALGORITHMS).items():
        if row.power_of_two and ranks & (ranks - 1):
            continue
        seconds = time(collective, name, message_bytes, ranks, bandwidth_one_way, latency)
        rows[name] = (steps(collective, name, ranks), round(float(row.wire(ranks)), 3), 1e3 * seconds)
    header = ["steps", "bytes in a row (× message)", "time (ms)"]
    compared = pandas.DataFrame.from_dict(rows, orient="index", columns=header)
    return compared.sort_values("time (ms)", kind="stable")


def hierarchy_table(
    message_bytes: float,
    ranks_per_node: int,
    nodes: int,
    intra_bandwidth_one_way: float,
    inter_bandwidth_one_way_per_rank: float,
) -> DataFrame:
    """Compare both hierarchical all-reduces with flat rings over one and over all adapters of a node.

    Parameters
    ----------
    message_bytes, ranks_per_node, nodes, intra_bandwidth_one_way, inter_bandwidth_one_way_per_rank
        As `hierarchical_all_reduce_time`.

    Returns
    -------
    pandas.DataFrame
        One row a scheme; milliseconds of each phase and in all.

    Raises
    ------
    ValueError, TypeError
        As `hierarchical_all_reduce_time`.

    Notes
    -----
    Without latencies. A flat ring over all adapters is as many rings side by side, each for
    its part of the message; inside the node they share a link. Source: Patarasuk and Yuan 2009, phase by phase.

    Examples
    --------
    >>> hierarchy_table(14e9, 8, 64, 450e9, 50e9)["total (ms)"].round(1).to_list()
    [605.7, 123.4, 558.9, 69.9]
    """
    import pandas  # here, because the models do not need it

    cluster = message_bytes, ranks_per_node, nodes, intra_bandwidth_one_way, inter_bandwidth_one_way_per_rank
    rows = {}
    for scheme in ("leader", "sharded"):
        phases = hierarchical_all_reduce_phases(*cluster, scheme=scheme)
        rows[scheme] = (phases.intra_reduce, phases.inter_all_reduce, phases.intra_broadcast, phases.total)
    for name, adapters in (("flat ring, one adapter a node", 1), ("flat ring, all adapters", ranks_per_node)):
        bandwidth = min(adapters * inter_bandwidth_one_way_per_rank, intra_bandwidth_one_way)
        flat = ring_all_reduce_time(message_bytes, ranks_per_node * nodes, bandwidth)
        rows[name] = (0.0, flat, 0.0, flat)
    header = ["into the node (ms)", "between nodes (ms)", "out again (ms)", "total (ms)"]
    return 1e3 * pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def bucket_table(
    message_bytes: float,
    compute_seconds: float,
    buckets: Sequence[int],
    networks: Mapping[str, tuple[int, float, float]],
) -> DataFrame:
    """What different numbers of buckets leave to be seen on different networks.

    Parameters
    ----------
    message_bytes, compute_seconds : float
        As `bucketed_exposed_time`.
    buckets : sequence of int
        Numbers of equal buckets to try.
    networks : dict of str to (ranks, bandwidth_one_way, latency)
        Each as in `bucketed_exposed_time`.

    Returns
    -------
    pandas.DataFrame
        One row for each number of buckets: the size of one in MB, and milliseconds
        exposed on each network.

    Raises
    ------
    ValueError, TypeError
        As `bucketed_exposed_time`.

    Notes
    -----
    Ignores what `bucketed_exposed_time` ignores. Source: as there.

    Examples
    --------
    >>> bucket_table(14e9, 1.0, [1, 560], {"node": (8, 450e9, 2e-6)})["node (ms)"].round(1).to_list()
    [54.5, 0.1]
    """
    import pandas  # here, because the models do not need it

    rows = {
        f"{count:,}": [message_bytes / count / 1e6]
        + [
            1e3 * bucketed_exposed_time(message_bytes, count, compute_seconds, *network)
            for network in networks.values()
        ]
        for count in buckets
    }
    header = ["one bucket (MB)"] + [f"{name} (ms)" for name in networks]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)
