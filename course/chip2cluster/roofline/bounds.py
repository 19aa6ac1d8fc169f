"""The two bounds of the roofline and what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, BoolOrArray, FloatOrArray


def ridge_point(peak_flops: ArrayLike, memory_bandwidth: ArrayLike) -> FloatOrArray:
    """Intensity at which the memory roof meets the compute roof.

    Below it an operation waits for bytes, above it for arithmetic.

    Parameters
    ----------
    peak_flops : float or array
        Dense peak of the precision in use, FLOP/s.
    memory_bandwidth : float or array
        Peak memory bandwidth, bytes/s.

    Returns
    -------
    float or array
        FLOP/byte.

    Raises
    ------
    ValueError, TypeError
        For anything but finite numbers above zero.

    Notes
    -----
    Ignores every level of memory but one, and everything that keeps a real
    kernel from a roof: latency, launch overhead, clocks that drop under load.
    Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> ridge_point(peak_flops=312e12, memory_bandwidth=2.0e12)
    156.0
    """
    peak_flops = positive("peak_flops", peak_flops)
    memory_bandwidth = positive("memory_bandwidth", memory_bandwidth)
    return plain(peak_flops / memory_bandwidth)


def attainable(intensity: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike) -> FloatOrArray:
    """Highest rate the two roofs allow: ``min(peak, bandwidth * intensity)``.

    Parameters
    ----------
    intensity : float or array
        Arithmetic intensity, FLOP/byte; 0 is a pure copy.
    peak_flops, memory_bandwidth : float or array
        Dense peak in FLOP/s and memory bandwidth in bytes/s.

    Returns
    -------
    float or array
        FLOP/s. An upper bound, not a forecast: a measured rate lies below it.

    Raises
    ------
    ValueError, TypeError
        For NaN, infinite or negative input, and for zero peaks.

    Notes
    -----
    Both terms are upper bounds; the lower of the two holds. Ignores caches,
    latency and imperfect overlap. Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> attainable([1.0, 156.0, 2730.7], 312e12, 2.0e12) / 1e12
    array([  2., 312., 312.])
    """
    intensity = positive("intensity", intensity, allow_zero=True)
    peak_flops = positive("peak_flops", peak_flops)
    memory_bandwidth = positive("memory_bandwidth", memory_bandwidth)
    return plain(np.minimum(peak_flops, memory_bandwidth * intensity))


def is_compute_bound(intensity: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike) -> BoolOrArray:
    """Whether an operation sits at or above the ridge point.

    Parameters
    ----------
    intensity, peak_flops, memory_bandwidth : float or array
        FLOP/byte, FLOP/s, bytes/s.

    Returns
    -------
    bool or array of bool
        The ridge itself counts as compute-bound.

    Raises
    ------
    ValueError, TypeError
        As `attainable`.

    Notes
    -----
    Every point lies below both extended lines, so "below the memory roof"
    decides nothing; only the comparison with the ridge does.
    Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> is_compute_bound(220, peak_flops=990e12, memory_bandwidth=3.35e12)
    False
    """
    intensity = positive("intensity", intensity, allow_zero=True)
    answer = intensity >= ridge_point(peak_flops, memory_bandwidth)
    return answer if isinstance(answer, np.ndarray) and answer.ndim else bool(answer)


def fraction_of_peak(intensity: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike) -> FloatOrArray:
    """Attainable rate as a share of the compute peak, 0 to 1.

    Parameters
    ----------
    intensity, peak_flops, memory_bandwidth : float or array
        FLOP/byte, FLOP/s, bytes/s.

    Returns
    -------
    float or array

    Raises
    ------
    ValueError, TypeError
        As `attainable`.

    Notes
    -----
    The bound's share, not the measured one; see `efficiency` for that.
    Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> round(fraction_of_peak(2.0, 990e12, 3.35e12), 4)
    0.0068
    """
    return plain(attainable(intensity, peak_flops, memory_bandwidth) / np.asarray(peak_flops, dtype=float))


def kernel_time(
    flops: ArrayLike, bytes_moved: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike
) -> FloatOrArray:
    """Shortest time for the work: the slower of computing and moving.

    Parameters
    ----------
    flops : float or array
        Arithmetic of the operation, FLOP.
    bytes_moved : float or array
        Traffic between memory and chip, bytes.
    peak_flops, memory_bandwidth : float or array
        FLOP/s and bytes/s.

    Returns
    -------
    float or array
        Seconds; a lower bound.

    Raises
    ------
    ValueError, TypeError
        For NaN, infinite or negative input, and for zero peaks.

    Notes
    -----
    Assumes that computing and moving overlap completely; without overlap the
    two times add. Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> kernel_time(flops=16e9, bytes_moved=16e9, peak_flops=312e12, memory_bandwidth=2.0e12)
    0.008
    """
    flops = positive("flops", flops, allow_zero=True)
    bytes_moved = positive("bytes_moved", bytes_moved, allow_zero=True)
    peak_flops = positive("peak_flops", peak_flops)
    memory_bandwidth = positive("memory_bandwidth", memory_bandwidth)
    return plain(np.maximum(flops / peak_flops, bytes_moved / memory_bandwidth))


def efficiency(
    measured_flops: ArrayLike, intensity: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike
) -> FloatOrArray:
    """Measured rate as a share of what the roofline allows at that intensity.

    Parameters
    ----------
    measured_flops : float or array
        Achieved rate, FLOP/s.
    intensity, peak_flops, memory_bandwidth : float or array
        FLOP/byte (above zero), FLOP/s, bytes/s.

    Returns
    -------
    float or array
        1 is a kernel that touches the roof. Above 1 a number is wrong: the
        traffic was counted too high (a cache served it) or a peak too low.

    Raises
    ------
    ValueError, TypeError
        As `attainable`, and for zero intensity.

    Notes
    -----
    Says how good the kernel is, where `fraction_of_peak` says how well the
    operation suits the chip. Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> round(efficiency(271e12, 2730.7, 312e12, 2.039e12), 2)
    0.87
    """
    measured_flops = positive("measured_flops", measured_flops, allow_zero=True)
    intensity = positive("intensity", intensity)
    return plain(measured_flops / attainable(intensity, peak_flops, memory_bandwidth))
