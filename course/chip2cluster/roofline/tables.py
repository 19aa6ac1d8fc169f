"""Roofline of several operations on one chip as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bounds import attainable, fraction_of_peak, is_compute_bound, ridge_point
from .kernels import Kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame


def table(operations: Mapping[str, Kernel | float], peak_flops: float, memory_bandwidth: float) -> DataFrame:
    """Tabulate named operations on the roofline of one chip.

    Parameters
    ----------
    operations : dict of str to Kernel or float
        Each operation, or just its intensity in FLOP/byte.
    peak_flops, memory_bandwidth : float
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.

    Returns
    -------
    pandas.DataFrame
        One row per operation; units are in the headers.

    Notes
    -----
    Ignores what `attainable` ignores. Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> from chip2cluster.roofline import gemm
    >>> table({"product": gemm(512, 512, 512)}, 312e12, 2.0e12)["bound by"].item()
    'compute'
    """
    import pandas  # imported here because the models do not need it

    ridge_point(peak_flops, memory_bandwidth)  # validates the chip before any operation
    rows = {}
    for name, operation in operations.items():
        try:
            intensity = operation.intensity if isinstance(operation, Kernel) else operation
            rate = attainable(intensity, peak_flops, memory_bandwidth)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
        bound = "compute" if is_compute_bound(intensity, peak_flops, memory_bandwidth) else "memory"
        share = 100 * fraction_of_peak(intensity, peak_flops, memory_bandwidth)
        rows[name] = (round(intensity, 2), round(rate / 1e12, 1), round(share, 1), bound)
    header = ["intensity (FLOP/byte)", "attainable (TFLOP/s)", "of the peak (%)", "bound by"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)
