"""The four ways that bytes reach an accelerator, side by side for several systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tiers import system as find_system
from .tiers import systems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas import DataFrame

    from .tiers import System

# How the tier behind each way is called; a system has at most one of each.
WAYS = {
    "own memory": ("HBM",),
    "its neighbours": ("node HBM", "pod HBM"),
    "the host": ("host memory",),
    "other nodes": ("cluster HBM",),
}


def compare(names: Iterable[str | System] | None = None) -> DataFrame:
    """Bandwidth from an accelerator's own memory, its neighbours, the host and other nodes.

    Parameters
    ----------
    names : sequence of str or System, optional
        All `systems` by default.

    Returns
    -------
    pandas.DataFrame
        One row a system; GB/s one way, as one accelerator sees them. NaN where a
        system has no such way or no source gives its rate.

    Raises
    ------
    ValueError, TypeError
        For an unknown system; see `system`.

    Notes
    -----
    Vendor's rates: no program reaches them quite. Source: `Tier.source` of each.

    Examples
    --------
    >>> compare(["DGX H100", "GH200"])["the host, one way (GB/s)"].round(1).tolist()
    [63.0, 384.0]
    """
    import pandas  # here, because the models do not need it

    chosen = systems() if names is None else [find_system(name) for name in names]
    rows = {
        machine.name: [machine.accelerators, *(_rate(machine, ways) for ways in WAYS.values())] for machine in chosen
    }
    header = ["accelerators", *(f"{way}, one way (GB/s)" for way in WAYS)]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def _rate(system: System, starts: tuple[str, ...]) -> float:
    for tier in system.tiers:
        if tier.name.startswith(starts) and tier.bandwidth_one_way is not None:
            return tier.bandwidth_one_way / 1e9
    return float("nan")
