"""How many tokens must share a weight matrix before the chip stops waiting for memory."""

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
class Sweep:
    """A batch sweep; every field has the shape of ``batch``.

    ``intensity`` in FLOP/byte, ``attainable`` in FLOP/s, ``fraction_of_peak``
    from 0 to 1, ``compute_bound`` as truth values.
    """

    batch: IntOrArray
    intensity: FloatOrArray
    attainable: FloatOrArray
    fraction_of_peak: FloatOrArray
    compute_bound: BoolOrArray


def batch_sweep(
    batch: ArrayLike, d_in: int, d_out: int, peak_flops: float, memory_bandwidth: float, bytes_per_element: float = 2
) -> Sweep:
    """Place the product [batch, d_in] x [d_in, d_out] on the roofline for each batch.

    Parameters
    ----------
    batch : int or array of int
        Tokens that share the weights.
    d_in, d_out : int
        Shape of the weight matrix.
    peak_flops, memory_bandwidth : float
        FLOP/s and bytes/s.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Sweep

    Raises
    ------
    ValueError, TypeError
        For a batch that is not whole, and as `attainable`.

    Notes
    -----
    Ignores the same as `gemm` and `attainable`. Source: Williams et al. 2009.

    Examples
    --------
    >>> batch_sweep([1, 8, 64, 512, 4096], 8192, 32768, 312e12, 2.0e12).intensity.round(2)
    array([1.00000e+00, 7.99000e+00, 6.33800e+01, 4.74900e+02, 2.52062e+03])
    """
    batch, d_in, d_out = whole("batch", batch), whole("d_in", d_in), whole("d_out", d_out)
    intensity = gemm(batch, d_out, d_in, bytes_per_element).intensity
    chip = (peak_flops, memory_bandwidth)
    return Sweep(
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
    """Smallest whole batch at which [batch, d_in] x [d_in, d_out] is compute-bound.

    Parameters
    ----------
    d_in, d_out : int or array of int
        Shape of the weight matrix.
    peak_flops, memory_bandwidth : float or array
        FLOP/s and bytes/s.
    bytes_per_element : float or array
        Bytes of one element.

    Returns
    -------
    float or array
        A whole number of tokens, or ``inf`` where no batch is large enough: the
        intensity never passes ``2 d_in d_out / (bytes (d_in + d_out))``.

    Raises
    ------
    ValueError, TypeError
        As `gemm` and `ridge_point`.

    Notes
    -----
    A rule of thumb takes the ridge itself (156 here); the exact answer is larger
    because the activations are traffic too. Ignores the same as `gemm`.
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
