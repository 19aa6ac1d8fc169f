"""Batch size at which a product with a weight matrix becomes compute-bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive, whole
from .bounds import attainable, fraction_of_peak, is_compute_bound, ridge_point
from .kernels import gemm

if TYPE_CHECKING:
    from .._typing import ArrayLike, BoolOrArray, FloatOrArray, IntOrArray


@dataclass(frozen=True)
class BatchSweep:
    """Roofline results for several batches; every field has the shape of ``batch``.

    Attributes
    ----------
    batch : int or array of int
        Tokens that share the weights.
    intensity : float or array
        Arithmetic intensity, FLOP/byte.
    attainable : float or array
        Attainable rate, FLOP/s.
    fraction_of_peak : float or array
        Attainable rate as a fraction of peak.
    compute_bound : bool or array of bool
        Whether the product is compute-bound.
    """

    batch: IntOrArray
    intensity: FloatOrArray
    attainable: FloatOrArray
    fraction_of_peak: FloatOrArray
    compute_bound: BoolOrArray


def batch_sweep(
    batch: ArrayLike, d_in: int, d_out: int, peak_flops: float, memory_bandwidth: float, bytes_per_element: float = 2
) -> BatchSweep:
    """Evaluate the product [batch, d_in] x [d_in, d_out] on the roofline for each batch.

    Parameters
    ----------
    batch : int or array of int
        Tokens that share the weights.
    d_in, d_out : int
        Shape of the weight matrix.
    peak_flops, memory_bandwidth : float
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    BatchSweep
        Intensity, attainable rate and bound for each batch.

    Notes
    -----
    Ignores what `gemm` and `attainable` ignore. Source: Williams et al. 2009.

    Examples
    --------
    >>> batch_sweep([1, 8, 64, 512, 4096], 8192, 32768, 312e12, 2.0e12).intensity.round(2)
    array([1.00000e+00, 7.99000e+00, 6.33800e+01, 4.74900e+02, 2.52062e+03])
    """
    batch, d_in, d_out = whole("batch", batch), whole("d_in", d_in), whole("d_out", d_out)
    intensity = gemm(batch, d_out, d_in, bytes_per_element).intensity
    chip = (peak_flops, memory_bandwidth)
    return BatchSweep(
        batch,
        intensity,
        attainable(intensity, *chip),
        fraction_of_peak(intensity, *chip),
        is_compute_bound(intensity, *chip),
    )


def batch_threshold(
    d_in: ArrayLike,
    d_out: ArrayLike,
    peak_flops: ArrayLike,
    memory_bandwidth: ArrayLike,
    bytes_per_element: ArrayLike = 2,
) -> FloatOrArray:
    """Compute the smallest batch at which [batch, d_in] x [d_in, d_out] is compute-bound.

    Parameters
    ----------
    d_in, d_out : int or array of int
        Shape of the weight matrix.
    peak_flops, memory_bandwidth : float or array
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.
    bytes_per_element : float or array
        Bytes of one element.

    Returns
    -------
    float or array
        A whole number of tokens, or ``inf`` if no batch is large enough: the
        intensity never exceeds ``2 d_in d_out / (bytes (d_in + d_out))``.

    Notes
    -----
    A rule of thumb is the ridge itself (156 here); the exact answer is larger
    because the activations are traffic too. Ignores what `gemm` ignores.
    Source: solving ``intensity(batch) = ridge`` for the batch.

    Examples
    --------
    >>> batch_threshold(8192, 4 * 8192, peak_flops=312e12, memory_bandwidth=2.0e12)
    160.0
    """
    d_in, d_out = whole("d_in", d_in), whole("d_out", d_out)
    size = positive("bytes_per_element", bytes_per_element)
    ridge = ridge_point(peak_flops, memory_bandwidth)
    arguments = (d_in, d_out, ridge * size)
    if not any(isinstance(argument, np.ndarray) for argument in arguments):
        return _threshold(*arguments)
    return np.vectorize(_threshold, otypes=[float])(*arguments)


def _threshold(d_in: IntOrArray, d_out: IntOrArray, flop_per_element: float) -> float:
    # Exact in whole numbers: a rounded quotient could be one batch off.
    d_in, d_out = int(d_in), int(d_out)
    top, bottom = float(flop_per_element).as_integer_ratio()
    room = 2 * d_in * d_out * bottom - top * (d_in + d_out)
    if room <= 0:
        return inf
    return float(-(-top * d_in * d_out // room))
