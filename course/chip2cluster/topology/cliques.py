"""Networks of full meshes: everybody linked to everybody, in one dimension or in several."""

from collections.abc import Sequence

from .factors import factor
from .grids import line, times
from .network import Topology, count, rate, sizes
from .product import Product


def complete(n: int, link_bandwidth_one_way: float = 1.0) -> Topology:
    """A full mesh: a link between each two of ``n`` nodes.

    Parameters
    ----------
    n : int
        Nodes.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.

    Returns
    -------
    Topology
        Its bisection is ``floor(n/2) ceil(n/2)`` links.

    Raises
    ------
    ValueError, TypeError
        As `path`.

    Notes
    -----
    Ignores what n - 1 ports a node cost. Source: Dally and Towles 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.complete(8, link_bandwidth_one_way=64e9)).bandwidth_one_way / 1e9
    1024.0
    """
    return line("complete", "clique", n, link_bandwidth_one_way)


def hyperx(
    dims: Sequence[int],
    link_bandwidth_one_way: float = 1.0,
    *,
    links: int | Sequence[int] = 1,
    hosts_per_router: int = 0,
    host_bandwidth_one_way: float | None = None,
) -> Topology:
    """A grid of routers in which each row and column is a full mesh.

    Parameters
    ----------
    dims : sequence of int
        Routers along each dimension; ``(2, 2, 2)`` is a hypercube, ``(8,)`` a full mesh.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.
    links : int or sequence of int
        Parallel links between two routers, the same everywhere or one number a dimension.
    hosts_per_router : int
        Hosts at each router; with 0 the routers themselves are the terminals.
    host_bandwidth_one_way : float, optional
        Bytes/s of a host's link; that of the other links if left out.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        As `path`; for ``links`` that do not match ``dims``; for a host bandwidth without hosts.

    Notes
    -----
    Exact for equal ``links``; otherwise where the staircase cut meets the routing
    bound, else as `bisection` says. Source: Ahn et al., "HyperX", SC 2009;
    Lindsey, "Assignment of numbers to vertices", 1964.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.hyperx((4, 4))).links
    16
    >>> topology.bisection(topology.hyperx((4, 4), hosts_per_router=1)).links
    8
    """
    dims = sizes("dims", dims)
    each = sizes("links", links) if hasattr(links, "__iter__") else (count("links", links),) * len(dims)
    if len(each) != len(dims):
        raise ValueError(f"links must be one number or one for each of the {len(dims)} dims, got {links!r}")
    hosts = count("hosts_per_router", hosts_per_router, minimum=0)
    if host_bandwidth_one_way is not None and not hosts:
        raise ValueError("host_bandwidth_one_way needs hosts_per_router of at least 1, got 0")
    bandwidth = rate("link_bandwidth_one_way", link_bandwidth_one_way)
    host = bandwidth if host_bandwidth_one_way is None else rate("host_bandwidth_one_way", host_bandwidth_one_way)
    shape = Product(tuple(factor("clique", k, m, bandwidth) for k, m in zip(dims, each, strict=True)), hosts, host)
    parameters = {"dims": dims, "links": each, "hosts_per_router": hosts}
    return Topology(f"HyperX {times(dims)}", "hyperx", parameters, shape.terminals, shape.build, shape)
