"""Direct networks: accelerators linked to their neighbours in paths, rings and grids."""

from collections.abc import Sequence
from typing import Any

from .._validate import one_positive, one_whole
from .grid_dimensions import factor
from .network import Topology, sizes
from .product import Product


def path(n: int, link_bandwidth_one_way: float = 1.0) -> Topology:
    """Build a chain of ``n`` nodes; one link connects its halves.

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
        Chain of nodes.

    Notes
    -----
    Ignores the routers inside the nodes. Source: Dally and Towles, "Principles and
    Practices of Interconnection Networks", 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.path(8)).links
    1
    """
    return line("path", "path", n, link_bandwidth_one_way)


def ring(n: int, link_bandwidth_one_way: float = 1.0) -> Topology:
    """Build a ring of ``n`` nodes; two links connect its halves.

    Parameters
    ----------
    n : int
        Number of nodes. Two nodes have one link, not two.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.

    Returns
    -------
    Topology
        Ring of nodes.

    Notes
    -----
    Ignores the routers inside the nodes. Source: Dally and Towles 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> [topology.bisection(topology.ring(n)).links for n in (1, 2, 3, 8)]
    [0, 1, 2, 2]
    """
    return line("ring", "ring", n, link_bandwidth_one_way)


def hypercube(d: int, link_bandwidth_one_way: float = 1.0) -> Topology:
    """Build a hypercube: ``2**d`` nodes, two of which are linked if their numbers differ in one bit.

    Parameters
    ----------
    d : int
        Number of dimensions; 0 is a single node.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.

    Returns
    -------
    Topology
        Hypercube; its bisection is half as many links as it has nodes.

    Raises
    ------
    ValueError
        If ``d`` exceeds 62.

    Notes
    -----
    Nodes of the graph are tuples of bits. Source: Leighton, "Introduction to Parallel
    Algorithms and Architectures", 1992.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.bisection(topology.hypercube(16)).links
    32768
    """
    d = one_whole("d", d, minimum=0)
    if d > 62:
        raise ValueError(f"d must be at most 62, got {d}")
    return _grid(
        "hypercube", f"hypercube {d}", ["path"] * d or ["path"], (2,) * d or (1,), {"d": d}, link_bandwidth_one_way
    )


def mesh(dims: Sequence[int], link_bandwidth_one_way: float = 1.0) -> Topology:
    """Build a mesh: a grid without wrap-around links.

    Parameters
    ----------
    dims : sequence of int
        Number of nodes along each dimension, such as ``(5, 5)``.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.

    Returns
    -------
    Topology
        Mesh of nodes; for odd sizes the best cut is a staircase: 5 x 5 has 6 links, not 5.

    Notes
    -----
    Ignores the routers inside the nodes. Source: Arjona Aroca and Fernandez Anta 2014.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> [topology.bisection(topology.mesh(dims)).links for dims in ((16, 16), (5, 5))]
    [16, 6]
    """
    return _lattice("mesh", "path", dims, link_bandwidth_one_way)


def torus(dims: Sequence[int], link_bandwidth_one_way: float = 1.0) -> Topology:
    """Build a torus: a grid whose rows and columns are rings.

    Parameters
    ----------
    dims : sequence of int
        Number of nodes along each dimension, such as ``(16, 16, 16)``. A dimension of 2
        has one link between its two nodes, as in a hypercube, not two.
    link_bandwidth_one_way : float
        Unidirectional bandwidth of a link, bytes/s; with the default 1.0 bandwidths are
        numbers of links.

    Returns
    -------
    Topology
        Torus of nodes.

    Notes
    -----
    The bisection is proved for rings of any sizes, for dimensions of 2 and 3 together, and
    wherever the routing bound meets the staircase cut (always if the best dimension is
    even). The remaining case (a dimension of 2 with an odd ring that is the longest) is
    solved by search up to some forty nodes and is an interval beyond.
    Source: Arjona Aroca and Fernandez Anta 2014.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> for dims in ((16, 16, 16), (12, 12, 24), (7, 7, 7), (2, 2, 2)):
    ...     print(dims, topology.bisection(topology.torus(dims)).links)
    (16, 16, 16) 512
    (12, 12, 24) 288
    (7, 7, 7) 114
    (2, 2, 2) 4
    """
    return _lattice("torus", "ring", dims, link_bandwidth_one_way)


def line(family: str, kind: str, n: int, bandwidth: float) -> Topology:
    """Build a topology of one dimension."""
    n = one_whole("n", n)
    return _grid(family, f"{family} {n}", [kind], (n,), {"n": n}, bandwidth)


def _lattice(family: str, kind: str, dims: Sequence[int], bandwidth: float) -> Topology:
    dims = sizes("dims", dims)
    return _grid(family, f"{family} {dims_text(dims)}", [kind] * len(dims), dims, {"dims": dims}, bandwidth)


def _grid(
    family: str, name: str, kinds: Sequence[str], dims: Sequence[int], parameters: dict[str, Any], bandwidth: float
) -> Topology:
    bandwidth = one_positive("link_bandwidth_one_way", bandwidth)
    structure = Product(tuple(factor(kind, k, 1, bandwidth) for kind, k in zip(kinds, dims, strict=True)))
    return Topology(name, family, parameters, structure.terminals, structure.build, structure)


def dims_text(dims: Sequence[int]) -> str:
    """Return dimensions as text: ``4x4`` for ``(4, 4)``."""
    return "x".join(map(str, dims))
