"""Comparison table of the four paths by which data reach an accelerator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tiers import system as find_system
from .tiers import systems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas import DataFrame

    from .tiers import System

# Beginning of the name of the tier behind each path; a system has at most one of each.
PATHS = {
    "own memory": ("HBM",),
    "its neighbours": ("node HBM", "pod HBM"),
    "the host": ("host memory",),
    "other nodes": ("cluster HBM",),
}


def compare(names: Iterable[str | System] | None = None) -> DataFrame:
    """Compare the bandwidth from an accelerator's own memory, its neighbours, the host and other nodes.

    Parameters
    ----------
    names : sequence of str or System, optional
        Systems to compare; by default all `systems`.

    Returns
    -------
    pandas.DataFrame
        One row for each system; unidirectional bandwidth of one accelerator, GB/s. NaN if a
        system has no such path or no source states its rate.

    Notes
    -----
    Datasheet rates, which are upper bounds. Source: `Tier.source` of each.

    Examples
    --------
    >>> compare(["DGX H100", "GH200"])["the host, one way (GB/s)"].round(1).tolist()
    [63.0, 384.0]
    """
    import pandas  # imported here because the models do not need it

    chosen = systems() if names is None else [find_system(name) for name in names]
    rows = {
        machine.name: [machine.accelerators, *(_rate(machine, prefixes) for prefixes in PATHS.values())]
        for machine in chosen
    }
    header = ["accelerators", *(f"{path}, one way (GB/s)" for path in PATHS)]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def _rate(system: System, prefixes: tuple[str, ...]) -> float:
    for tier in system.tiers:
        if tier.name.startswith(prefixes) and tier.bandwidth_one_way is not None:
            return tier.bandwidth_one_way / 1e9
    return float("nan")
