"""Comparison table of the bisections of networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .cut_traffic import full_bisection_share
from .cuts import bisection
from .network import Topology

if TYPE_CHECKING:
    import pandas


def table(networks: Iterable[Topology] | Mapping[str, Topology]) -> pandas.DataFrame:
    """Compare the bisections of networks.

    Parameters
    ----------
    networks : sequence of Topology, or dict of str to Topology
        Networks to compare; rows are named by the networks or by the keys.

    Returns
    -------
    pandas.DataFrame
        One row for each network; units are in the headers. The last column compares with
        the total link bandwidth of half of the terminals, p/2 times β; in a `gpu_cluster`
        with their NIC bandwidth, as in `full_bisection_share`.

    Notes
    -----
    Ignores what `bisection` ignores. Source: Dally and Towles 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> side_by_side = topology.table([topology.star(8, 50e9), topology.ring(8, 50e9)])
    >>> side_by_side["links cut"].tolist(), side_by_side["of p/2 · β (%)"].tolist()
    ([4, 2], [100.0, 25.0])
    """
    import pandas  # imported here because the models do not need it

    named = networks if isinstance(networks, Mapping) else {network.name: network for network in networks}
    rows = {}
    for name, network in named.items():
        narrowest = bisection(network)
        one_way, both_ways = narrowest.bandwidth_one_way / 1e9, narrowest.bandwidth_both_ways / 1e9
        share = 100 * full_bisection_share(network)
        rows[name] = (network.terminals, narrowest.links, round(one_way, 1), round(both_ways, 1), round(share, 2))
    header = ["terminals", "links cut", "one way (GB/s)", "both ways (GB/s)", "of p/2 · β (%)"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)
