"""RDMA connections (queue pairs) per NIC, and the cluster size at which their state exceeds its cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._validate import choice, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray

SERVICES = ("RC", "UD")


def connections_per_adapter(
    nodes: ArrayLike, processes_per_node: ArrayLike, adapters_per_node: ArrayLike = 1, service: str = "RC"
) -> IntOrArray:
    """Count the RDMA queue pairs on one NIC if every process may send to every process of other nodes.

    Parameters
    ----------
    nodes : int or array of int
        Number of nodes.
    processes_per_node : int or array of int
        Number of processes on a node.
    adapters_per_node : int or array of int
        Number of NICs on a node, shared evenly by the processes; if the numbers do not
        divide, the fullest NIC counts.
    service : str
        ``"RC"`` (reliable connection): one queue pair for each pair of processes.
        ``"UD"`` (unreliable datagram): one queue pair for each process.

    Returns
    -------
    int or array of int
        Number of queue pairs.

    Notes
    -----
    Ignores that libraries connect only on first use: a ring needs two partners per
    process, but an all-to-all, such as that of a mixture of experts (MoE), needs all.

    Examples
    --------
    >>> connections_per_adapter(512, 8, adapters_per_node=8)
    4088
    >>> connections_per_adapter(512, 8, adapters_per_node=8, service="UD")
    1
    """
    nodes, processes = whole("nodes", nodes), whole("processes_per_node", processes_per_node)
    adapters = whole("adapters_per_node", adapters_per_node)
    each = processes * (nodes - 1) if choice("service", service, SERVICES) == "RC" else 0 * nodes + 1
    return _as_int(-(-processes // adapters) * each)


def largest_cluster(
    processes_per_node: ArrayLike,
    adapters_per_node: ArrayLike,
    bytes_per_connection: ArrayLike,
    cache_bytes: ArrayLike,
) -> IntOrArray:
    """Compute the largest number of nodes for which a NIC's cache holds the state of all RDMA connections.

    Parameters
    ----------
    processes_per_node : int or array of int
        Number of processes on a node.
    adapters_per_node : int or array of int
        Number of NICs on a node, shared evenly by the processes; if the numbers do not
        divide, the fullest NIC counts.
    bytes_per_connection : float or array
        State of one connection, bytes.
    cache_bytes : float or array
        Cache of the NIC for connection state, bytes.

    Returns
    -------
    int or array of int
        Number of nodes, at least 1, because a single node needs no connection.

    Notes
    -----
    With more nodes the NIC fetches state from host memory, over PCIe, for many of its
    packets. Ignores other contents of the cache: page tables, work requests.

    Examples
    --------
    >>> largest_cluster(8, 8, bytes_per_connection=400, cache_bytes=2e6)
    626
    """
    processes = whole("processes_per_node", processes_per_node)
    share = -(-processes // whole("adapters_per_node", adapters_per_node))
    fit = positive("cache_bytes", cache_bytes) // positive("bytes_per_connection", bytes_per_connection)
    return _as_int(fit // (share * processes) + 1)


def _as_int(numbers: Any) -> IntOrArray:
    return numbers.astype(int) if getattr(numbers, "ndim", 0) else int(numbers)
