"""How many connections one adapter keeps, and when their state no longer fits into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._validate import choice, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray

SERVICES = ("RC", "UD")


def connections_per_adapter(
    nodes: ArrayLike, processes_per_node: ArrayLike, adapters_per_node: ArrayLike = 1, service: str = "RC"
) -> IntOrArray:
    """Queue pairs on one adapter when every process may speak to every process of the other nodes.

    Parameters
    ----------
    nodes, processes_per_node : int or array
    adapters_per_node : int or array
        The processes share them evenly; where it does not come out even, the fullest counts.
    service : str
        ``"RC"``: a connection for each pair of processes. ``"UD"``: one queue pair a
        process, whoever it speaks to.

    Returns
    -------
    int or array

    Raises
    ------
    ValueError, TypeError
        For numbers that are not whole, too small, or another service.

    Notes
    -----
    Ignores that libraries connect only when there is something to say: a ring needs
    two partners a process, and an all-to-all, such as that of a mixture of experts,
    needs them all.

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
    return _counts(-(-processes // adapters) * each)


def largest_cluster(
    processes_per_node: ArrayLike,
    adapters_per_node: ArrayLike,
    bytes_per_connection: ArrayLike,
    cache_bytes: ArrayLike,
) -> IntOrArray:
    """The most nodes at which the state of all reliable connections still fits into the adapter.

    Parameters
    ----------
    processes_per_node, adapters_per_node : int or array
        As `connections_per_adapter` takes them.
    bytes_per_connection, cache_bytes : float or array
        Bytes of state that one connection needs, and that the adapter can keep.

    Returns
    -------
    int or array
        At least 1: a node alone needs no connection.

    Raises
    ------
    ValueError, TypeError
        For numbers that are not whole, zero or negative.

    Notes
    -----
    Beyond it the adapter fetches state from the host's memory, over PCIe, for many of
    its packets. Ignores what else is in the same memory: page tables, work requests.

    Examples
    --------
    >>> largest_cluster(8, 8, bytes_per_connection=400, cache_bytes=2e6)
    626
    """
    processes = whole("processes_per_node", processes_per_node)
    share = -(-processes // whole("adapters_per_node", adapters_per_node))
    fit = positive("cache_bytes", cache_bytes) // positive("bytes_per_connection", bytes_per_connection)
    return _counts(fit // (share * processes) + 1)


def _counts(numbers: Any) -> IntOrArray:
    return numbers.astype(int) if getattr(numbers, "ndim", 0) else int(numbers)
