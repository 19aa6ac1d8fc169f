"""Comparison tables of collectives, with times in milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import look_up, whole
from .algorithms import ALGORITHMS
from .cost import ring_all_reduce_time, steps, time
from .hierarchical_all_reduce import hierarchical_all_reduce_phases
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
        ``"all_reduce"``, ``"reduce_scatter"``, ``"all_gather"``, ``"broadcast"``,
        ``"reduce"``, ``"all_to_all"``, ``"gather"``, ``"scatter"`` or ``"send_recv"``.
    message_bytes : float
        Size of the collective as `meaning_of_size` defines it, bytes.
    ranks : int
        Number of ranks. Algorithms that need a power of two are omitted for other numbers.
    bandwidth_one_way : float
        Rate at which a rank can send and at the same time receive, bytes/s.
    latency : float
        Fixed cost of one message between two ranks, seconds.

    Returns
    -------
    pandas.DataFrame
        One row for each algorithm, the fastest first; units are in the headers.

    Notes
    -----
    Ignores what `time` ignores. Sources: see `algorithms`.

    Examples
    --------
    >>> table("all_reduce", 14e9, 6, 450e9, 2e-6)["time (ms)"].round(1).to_dict()
    {'in_network': 31.1, 'ring': 51.9, 'double_binary_tree': 62.2, 'tree': 186.7}
    """
    import pandas  # imported here because the models do not need it

    ranks = whole("ranks", ranks)
    rows = {}
    for name, row in look_up("collective", collective, ALGORITHMS).items():
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
    """Compare both hierarchical all-reduces with flat rings over one NIC and over all NICs of a node.

    Parameters
    ----------
    message_bytes : float or array
        Size of the vector that each rank holds, bytes.
    ranks_per_node : int or array of int
        Number of ranks in a node, g.
    nodes : int or array of int
        Number of nodes.
    intra_bandwidth_one_way : float or array
        Unidirectional bandwidth of one rank's link inside its node, bytes/s.
    inter_bandwidth_one_way_per_rank : float or array
        Unidirectional bandwidth of one rank's network link (one rail), not the sum over a
        node, bytes/s.

    Returns
    -------
    pandas.DataFrame
        One row for each scheme; time of each phase and in total, milliseconds.

    Notes
    -----
    Without latencies. A flat ring over all NICs is one ring for each NIC, each with its
    part of the message; inside the node they share a link. Source: Patarasuk and Yuan
    2009, phase by phase.

    Examples
    --------
    >>> hierarchy_table(14e9, 8, 64, 450e9, 50e9)["total (ms)"].round(1).to_list()
    [605.7, 123.4, 558.9, 69.9]
    """
    import pandas  # imported here because the models do not need it

    cluster = message_bytes, ranks_per_node, nodes, intra_bandwidth_one_way, inter_bandwidth_one_way_per_rank
    rows = {}
    for scheme in ("leader", "sharded"):
        phases = hierarchical_all_reduce_phases(*cluster, scheme=scheme)
        rows[scheme] = (phases.intra_reduce, phases.inter_all_reduce, phases.intra_broadcast, phases.total)
    for name, nics in (("flat ring, one NIC per node", 1), ("flat ring, all NICs", ranks_per_node)):
        bandwidth = min(nics * inter_bandwidth_one_way_per_rank, intra_bandwidth_one_way)
        flat = ring_all_reduce_time(message_bytes, ranks_per_node * nodes, bandwidth)
        rows[name] = (0.0, flat, 0.0, flat)
    header = ["reduce in node (ms)", "between nodes (ms)", "distribute in node (ms)", "total (ms)"]
    return 1e3 * pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def bucket_table(
    message_bytes: float,
    compute_seconds: float,
    buckets: Sequence[int],
    networks: Mapping[str, tuple[int, float, float]],
) -> DataFrame:
    """Compare the exposed communication time for several numbers of buckets and networks.

    Parameters
    ----------
    message_bytes : float
        Size of the whole gradient, bytes.
    compute_seconds : float
        Duration of the backward pass, during which the gradients appear evenly, seconds.
    buckets : sequence of int
        Numbers of equal buckets to try.
    networks : dict of str to tuple
        Number of ranks, unidirectional bandwidth (bytes/s) and latency (seconds) of each
        network.

    Returns
    -------
    pandas.DataFrame
        One row for each number of buckets: size of a bucket in MB, and exposed time on
        each network in milliseconds.

    Notes
    -----
    Ignores what `bucketed_exposed_time` ignores. Source: as there.

    Examples
    --------
    >>> bucket_table(14e9, 1.0, [1, 560], {"node": (8, 450e9, 2e-6)})["node (ms)"].round(1).to_list()
    [54.5, 0.1]
    """
    import pandas  # imported here because the models do not need it

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
