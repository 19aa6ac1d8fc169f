"""Networks of full meshes in one or several dimensions."""

from collections.abc import Sequence

from .._validate import one_positive, one_whole
from .grid_dimensions import factor
from .grids import dims_text, line
from .network import Topology, sizes
from .product import Product


def complete(n: int, link_bandwidth_one_way: float = 1.0) -> Topology:
    """Build a full mesh: a link between each two of ``n`` nodes.

    Parameters
    ----------
    n : int
        Number of nodes.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.

    Returns
    -------
    Topology
        Full mesh; its bisection is ``floor(n/2) ceil(n/2)`` links.

    Notes
    -----
    Ignores the cost of n - 1 ports per node. Source: Dally and Towles 2004.

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
    """Build a HyperX: a grid of routers in which each row and column is a full mesh.

    Parameters
    ----------
    dims : sequence of int
        Number of routers along each dimension; ``(2, 2, 2)`` is a hypercube, ``(8,)`` a
        full mesh.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.
    links : int or sequence of int
        Number of parallel links between two routers, one for all or one for each dimension.
    hosts_per_router : int
        Number of hosts at each router; with 0 the routers are the terminals.
    host_bandwidth_one_way : float, optional
        Unidirectional bandwidth of a host's link, bytes/s; by default that of the other
        links.

    Returns
    -------
    Topology
        Network of routers and hosts.

    Raises
    ------
    ValueError
        If ``links`` and ``dims`` differ in length.

    Notes
    -----
    The bisection is exact for equal ``links``, and otherwise if the staircase cut meets
    the routing bound; see `bisection`. Source: Ahn et al., "HyperX", SC 2009;
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
    each = sizes("links", links) if hasattr(links, "__iter__") else (one_whole("links", links),) * len(dims)
    if len(each) != len(dims):
        raise ValueError(f"links must be one number or one for each of the {len(dims)} dims, got {links!r}")
    hosts = one_whole("hosts_per_router", hosts_per_router, minimum=0)
    if host_bandwidth_one_way is not None and not hosts:
        raise ValueError("host_bandwidth_one_way needs hosts_per_router of at least 1, got 0")
    bandwidth = one_positive("link_bandwidth_one_way", link_bandwidth_one_way)
    host = (
        bandwidth if host_bandwidth_one_way is None else one_positive("host_bandwidth_one_way", host_bandwidth_one_way)
    )
    structure = Product(tuple(factor("clique", k, m, bandwidth) for k, m in zip(dims, each, strict=True)), hosts, host)
    parameters = {"dims": dims, "links": each, "hosts_per_router": hosts}
    return Topology(f"HyperX {dims_text(dims)}", "hyperx", parameters, structure.terminals, structure.build, structure)
