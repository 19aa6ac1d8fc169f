"""Efficiency of published services: the fractions of peak and memory bandwidth that ``serve`` assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .assumptions import Assumptions
from .shared_options import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from ..serving import Efficiency
    from ..transformer import Config


def published_efficiency(
    options: Namespace, assumed: Assumptions, config: Config
) -> tuple[Efficiency, tuple[float, float]]:
    """Return the fractions of peak and memory bandwidth reached by published services, and the spread of the forecast."""
    import numpy as np

    from .. import reality, serving

    fitted = reality.fitted("serving")
    family = _fitted_precision(options.precision, fitted)
    compute, memory = (fitted[f"{family}, of the {part}"] for part in ("peak", "memory"))
    fit = f"two published rows in {family} of TensorRT-LLM (reality page)"
    rows = [
        1 / point.ratio for point in reality.counted("serving") if _mixture(point.row.given) == bool(config.experts)
    ]
    low, middle, high = (float(one) for one in np.percentile(rows, (10, 50, 90)))
    if config.experts:  # the fit covers dense models only: it excludes expert messages and load imbalance
        compute, memory, low, high = compute * middle, memory * middle, low / middle, high / middle
        fit += f", times {middle:.2f}, the median of mixtures of experts (MoE)"
    assumed.note("compute_share", "fraction of peak", compute, "share", "fitted", fit)
    assumed.note("rate_share", "fraction of memory bandwidth", memory, "share", "fitted", fit)
    assumed.note(
        "spread",
        "measured rates over this forecast",
        f"{low:.2f} to {high:.2f}",
        "",
        "measured",
        f"{len(rows)} published rows of {'mixtures of experts' if config.experts else 'dense models'}, 10th to 90th percentile",
    )
    return serving.Efficiency(compute=compute, memory=memory), (low, high)


def _fitted_precision(name: str, fitted: Mapping[str, float]) -> str:
    """Return the precision of the published rows whose elements are as wide, or refuse."""
    from .. import specs

    published = list(dict.fromkeys(key.partition(", of the ")[0] for key in fitted if ", of the " in key))
    for one in published:
        if specs.bytes_of(one) == specs.bytes_of(name):
            return one
    widths = {specs.bytes_of(one) for one in published}
    usable = ", ".join(one for one in specs.precisions(variants=False) if specs.bytes_of(one) in widths)
    raise UsageError(
        f"argument --precision: no serving measurements are published for the width of {name}; use one of {usable}"
    )


def _mixture(given: Mapping[str, Any]) -> bool:
    """Return whether the model of a published row has experts (MoE)."""
    from .. import serving

    names = ("model", "chip", "devices", "precision", "attention")
    return bool(serving.served_deployment(*(given[name] for name in names)).config.experts)
