"""Hierarchical roofline: one roof for each level of memory, and the level that limits the operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import plain, positive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class HierarchicalRoofline:
    """Result of `hierarchical_attainable`; arrays when any argument was an array.

    Attributes
    ----------
    attainable : float or array
        Attainable rate, FLOP/s.
    binding : str or array of str
        Name of the lowest roof: ``"compute"`` or a level.
    by_level : dict of str to float or array
        FLOP/s that each level allows.
    """

    attainable: FloatOrArray
    binding: str | Any
    by_level: dict[str, FloatOrArray]


def hierarchical_attainable(
    flops: ArrayLike,
    bytes_by_level: Mapping[str, ArrayLike],
    peak_flops: ArrayLike,
    bandwidth_by_level: Mapping[str, ArrayLike],
) -> HierarchicalRoofline:
    """Compute the attainable rate under the compute roof and one memory roof for each level.

    Parameters
    ----------
    flops : float or array
        Arithmetic of the operation, FLOP.
    bytes_by_level : dict of str to float or array
        Bytes that cross each level's interface, such as ``{"L2": ..., "HBM": ...}``;
        0 for a level that is not used.
    peak_flops : float or array
        Dense peak, FLOP/s.
    bandwidth_by_level : dict of str to float or array
        Bandwidth of the same levels, bytes/s.

    Returns
    -------
    HierarchicalRoofline
        Attainable rate, lowest roof, and the rate that each level allows.

    Raises
    ------
    ValueError
        If the two dicts name different levels.

    Notes
    -----
    The hierarchical roofline gives each level its own intensity. The cache-aware
    roofline is another model: one intensity, measured at the core, for all levels.
    Ignores contention between levels. Source: Yang, Kurth, Williams 2020.

    Examples
    --------
    >>> roofs = {"L2": 5.5e12, "HBM": 2.0e12}
    >>> hierarchical_attainable(1e12, {"L2": 2e10, "HBM": 4e9}, 312e12, roofs).binding
    'L2'
    """
    flops = positive("flops", flops)
    if not bytes_by_level or set(bytes_by_level) != set(bandwidth_by_level):
        raise ValueError(
            "bytes_by_level and bandwidth_by_level must name the same levels, got "
            f"{sorted(bytes_by_level)} and {sorted(bandwidth_by_level)}"
        )
    peak = positive("peak_flops", peak_flops)
    by_level = {"compute": peak}
    for level, moved in bytes_by_level.items():
        moved = positive(f"bytes_by_level[{level!r}]", moved, allow_zero=True)
        bandwidth = positive(f"bandwidth_by_level[{level!r}]", bandwidth_by_level[level])
        # A level without traffic sets no limit.
        with np.errstate(divide="ignore", over="ignore"):
            by_level[level] = np.minimum(peak, np.float64(flops) * bandwidth / moved)
    roofs = np.stack(np.broadcast_arrays(*by_level.values()))
    # argmin takes the first of equals, so compute wins a tie, as at the ridge.
    binding = np.array(list(by_level))[roofs.argmin(axis=0)]
    return HierarchicalRoofline(
        plain(roofs.min(axis=0)),
        binding if binding.ndim else str(binding),
        {level: plain(np.broadcast_to(rate, roofs.shape[1:])) for level, rate in by_level.items()},
    )
