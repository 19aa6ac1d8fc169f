"""Baseline of every forecast: one constant, fitted to the measurements themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from .. import links, specs
from .comparison import counted, kind

LINKS = 18  # links of an NVLink 4; some export chips have fewer


def _peak(given: Mapping[str, Any]) -> float:
    return specs.accelerator(given["chip"]).peak_flops_dense(given.get("precision", "bf16"))


def _sheet(given: Mapping[str, Any]) -> float:
    if "sheet" in given:
        return float(given["sheet"])
    if given["wire"] == "PCIe 3 x16":
        return float(links.pcie(3, 16).bandwidth_one_way)
    return float(links.rates(given["wire"]).sheet_one_way * given.get("links", LINKS) / LINKS)


def _bound(given: Mapping[str, Any]) -> float:
    from .. import serving  # brings networkx along, which no other kind needs

    on = (given[name] for name in ("model", "chip", "devices", "precision", "attention"))
    deployment = serving.served_deployment(*on)
    return float(serving.throughput_bound(deployment, given["prompt"], given["output"], sequences=given["sequences"]))


# For each kind of forecasts, the obvious quantity to scale, and its name.
OBVIOUS: dict[str, tuple[str, Callable[[Mapping[str, Any]], float]]] = {
    "links": ("sheet rate", _sheet),
    "nodes": ("adapters of a node", lambda given: given["network_per_node"]),
    "ring": ("sheet rate", _sheet),
    "switch": ("sheet rate", _sheet),
    "tuner": ("one time", lambda given: 1.0),
    "little": ("sheet rate", _sheet),
    "triad": ("sheet rate", _sheet),
    "attention": ("peak", _peak),
    "designs": ("peak", _peak),
    "checkpoint": ("bytes of a writer", lambda given: given["gigabytes"] / given["writers"]),
    "gemm": ("peak", _peak),
    "memory": ("one size", lambda given: 1.0),
    "our_attention": ("peak", _peak),
    "our_concurrency": ("sheet rate", _sheet),
    "our_launches": ("time of the kernel", lambda given: given["kernel_seconds"]),
    "our_products": ("peak", _peak),
    "our_streams": ("sheet rate", _sheet),
    "pipeline": ("peak", _peak),
    "hours": ("arithmetic", lambda given: given["parameters"] * given["tokens"]),
    "training": ("peak", _peak),
    "queue": ("one time", lambda given: 1.0),
    "serving": ("bound", _bound),
}


def constant(name: str) -> dict[str, Any] | None:
    """Compute the error statistics of a constant fraction of the obvious quantity.

    Parameters
    ----------
    name : str
        Name of a kind.

    Returns
    -------
    dict or None
        ``of``, the quantity; ``share``, the median of measured over quantity; ``median_factor`` and
        ``share_within``, same as in `errors`. None for accounting, which forecasts nothing.

    Notes
    -----
    The constant is fitted to the rows that count, an advantage that no prediction has. A model that does not beat it
    has no skill beyond the average.

    Examples
    --------
    >>> constant("triad")["of"]
    'sheet rate'
    """
    if not kind(name).forecasts:
        return None
    of, quantity = OBVIOUS[name]
    rows = [point.row for point in counted(name)]
    ratios = [row.measured / quantity(row.given) for row in rows]
    share = median(ratios)
    factors = [max(ratio / share, share / ratio) for ratio in ratios]
    within = kind(name).band.within
    return {
        "of": of,
        "share": share,
        "median_factor": median(factors),
        "share_within": sum(factor <= within for factor in factors) / len(factors),
    }
