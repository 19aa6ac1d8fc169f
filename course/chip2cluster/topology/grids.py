"""Direct networks: accelerators wired to their neighbours in paths, rings and grids."""

from collections.abc import Sequence
from typing import Any

from .factors import factor
from .network import Topology, count, rate, sizes
from .product import Product


def path(n: int, link_bandwidth_one_way: float = 1.0) -> Topology:
    """A chain of ``n`` nodes; one link holds its halves together.

    Parameters
    ----------
    n : int
        Nodes.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1, and rates not above zero.

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
    """A closed chain of ``n`` nodes; two links hold its halves together.

    Parameters
    ----------
    n : int
        Nodes. Two nodes are joined by one link, not by two.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        As `path`.

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
    """``2**d`` nodes; two are linked when their numbers differ in one of ``d`` bits.

    Parameters
    ----------
    d : int
        Dimensions; 0 is a single node.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.

    Returns
    -------
    Topology
        Its bisection is half as many links as there are nodes.

    Raises
    ------
    ValueError, TypeError
        For dimensions that are not whole numbers from 0 to 62, and as `path`.

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
    d = count("d", d, minimum=0)
    if d > 62:
        raise ValueError(f"d must be at most 62, got {d}")
    return _grid(
        "hypercube", f"hypercube {d}", ["path"] * d or ["path"], (2,) * d or (1,), {"d": d}, link_bandwidth_one_way
    )


def mesh(dims: Sequence[int], link_bandwidth_one_way: float = 1.0) -> Topology:
    """A grid without wrap-around links.

    Parameters
    ----------
    dims : sequence of int
        Nodes along each dimension, such as ``(5, 5)``.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.

    Returns
    -------
    Topology
        With odd sizes the best cut is a staircase: 5 x 5 needs 6 links, not 5.

    Raises
    ------
    ValueError, TypeError
        As `path`, and for no dimension at all.

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
    """A grid whose rows and columns close to rings.

    Parameters
    ----------
    dims : sequence of int
        Nodes along each dimension, such as ``(16, 16, 16)``. A dimension of 2 has
        one link between its two nodes, as in a hypercube, not two.
    link_bandwidth_one_way : float
        Bytes/s of a link in one direction. Left at 1.0, bandwidths come out in links.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError, TypeError
        As `path`, and for no dimension at all.

    Notes
    -----
    Proved for rings of any sizes, for dimensions of 2 and 3 together, and wherever
    the routing bound meets the staircase cut (always when the best dimension is even).
    What is left (a dimension of 2 beside an odd ring that is the longest) is settled
    by search up to some forty nodes and is an interval beyond.
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
    """A topology of one dimension."""
    n = count("n", n)
    return _grid(family, f"{family} {n}", [kind], (n,), {"n": n}, bandwidth)


def _lattice(family: str, kind: str, dims: Sequence[int], bandwidth: float) -> Topology:
    dims = sizes("dims", dims)
    return _grid(family, f"{family} {times(dims)}", [kind] * len(dims), dims, {"dims": dims}, bandwidth)


def _grid(
    family: str, name: str, kinds: Sequence[str], dims: Sequence[int], parameters: dict[str, Any], bandwidth: float
) -> Topology:
    bandwidth = rate("link_bandwidth_one_way", bandwidth)
    shape = Product(tuple(factor(kind, k, 1, bandwidth) for kind, k in zip(kinds, dims, strict=True)))
    return Topology(name, family, parameters, shape.terminals, shape.build, shape)


def times(dims: Sequence[int]) -> str:
    """``(4, 4)`` as text."""
    return "x".join(map(str, dims))
