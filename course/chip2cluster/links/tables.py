"""Comparison table of links, in the units of datasheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas import DataFrame

    from .link import Link


def table(links: Iterable[Link]) -> DataFrame:
    """Compare the signalling rates, encodings and data bandwidths of links.

    Parameters
    ----------
    links : iterable of Link
        Links such as ``[pcie(generation, 16) for generation in range(1, 8)]``.

    Returns
    -------
    pandas.DataFrame
        Rows by name: width, signalling rate of one lane or link in Gb/s, encoding, and data
        bandwidth one way and both ways in GB/s.

    Examples
    --------
    >>> from chip2cluster.links import pcie
    >>> table([pcie(5, 16)])["one way (GB/s)"].round(2).item()
    63.02
    """
    import pandas  # imported here because the models do not need it

    rows = [
        {
            "link": link.name,
            "width": link.width,
            "signal (Gb/s each)": link.signal_rate / 1e9,
            "encoding": link.encoding,
            "one way (GB/s)": link.bandwidth_one_way / 1e9,
            "both ways (GB/s)": link.bandwidth_both_ways / 1e9,
        }
        for link in links
    ]
    if not rows:
        raise ValueError("links must hold at least one link, got none")
    return pandas.DataFrame(rows).set_index("link")
