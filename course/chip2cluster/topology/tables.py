"""Networks side by side: what a reader sees of their cuts."""

from .cuts import bisection
from .traffic import full_bisection_share


def table(networks):
    """Put the bisections of networks side by side.

    Parameters
    ----------
    networks : sequence of Topology, or dict of str to Topology
        Rows take the names of the networks, or the keys.

    Returns
    -------
    pandas.DataFrame
        One row a network; units are in the headers. The last column compares with what
        half of the terminals could send over all of their links: p/2 times β.

    Raises
    ------
    ValueError, TypeError
        As `bisection`.

    Notes
    -----
    Ignores what `bisection` ignores. Source: Dally and Towles 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> found = topology.table([topology.star(8, 50e9), topology.ring(8, 50e9)])
    >>> found["links cut"].tolist(), found["of p/2 · β (%)"].tolist()
    ([4, 2], [100.0, 25.0])
    """
    import pandas  # here, because the models do not need it

    named = networks if hasattr(networks, "items") else {network.name: network for network in networks}
    rows = {}
    for name, network in named.items():
        found = bisection(network)
        one, both = found.bandwidth_one_way / 1e9, found.bandwidth_both_ways / 1e9
        share = 100 * full_bisection_share(network)
        rows[name] = (network.terminals, found.links, round(one, 1), round(both, 1), round(share, 2))
    header = ["terminals", "links cut", "one way (GB/s)", "both ways (GB/s)", "of p/2 · β (%)"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)
