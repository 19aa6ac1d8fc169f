"""The two bounds of the roofline and the quantities derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive, plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, BoolOrArray, FloatOrArray


def ridge_point(peak_flops: ArrayLike, memory_bandwidth: ArrayLike) -> FloatOrArray:
    """Compute the ridge point: the intensity at which the memory roof meets the compute roof.

    Below it an operation is memory-bound, above it compute-bound.

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


MEASURED_FLOOR = 3e-6  # seconds; what the smallest kernels took on an H100 and an H200


def attainable(
    intensity: ArrayLike,
    peak_flops: ArrayLike,
    memory_bandwidth: ArrayLike,
    *,
    flops: ArrayLike | None = None,
    floor_seconds: float = 0.0,
) -> FloatOrArray:
    """Compute the attainable rate, the lower of the two roofs: ``min(peak, bandwidth * intensity)``.

    Parameters
    ----------
    intensity : float or array
        Arithmetic intensity, FLOP/byte; 0 is a pure copy.
    peak_flops, memory_bandwidth : float or array
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.
    flops : float or array, optional
        Arithmetic of the operation, FLOP; needed with a floor.
    floor_seconds : float
        Shortest time of any kernel, seconds, such as `MEASURED_FLOOR`; 0 is the roofline without a floor.

    Returns
    -------
    float or array
        FLOP/s. An upper bound, not a forecast: a measured rate is below it.

    Notes
    -----
    Both terms are upper bounds; the lower of the two holds. Without a floor the bound is far too
    high for small operations: a bf16 product of 64 rows on an H100 takes 689 times as long as its roofline says,
    because starting and ending a kernel takes about 3 microseconds. Ignores caches,
    latency and imperfect overlap. Source: Williams, Waterman, Patterson 2009; the floor: measured for this course.

    Examples
    --------
    >>> attainable([1.0, 156.0, 2730.7], 312e12, 2.0e12) / 1e12
    array([  2., 312., 312.])
    >>> round(attainable(21.3, 989e12, 3.35e12, flops=2 * 64**3, floor_seconds=MEASURED_FLOOR) / 1e12, 3)
    0.175
    """
    intensity = positive("intensity", intensity, allow_zero=True)
    peak_flops = positive("peak_flops", peak_flops)
    memory_bandwidth = positive("memory_bandwidth", memory_bandwidth)
    roof = np.minimum(peak_flops, memory_bandwidth * intensity)
    floor = one_positive("floor_seconds", floor_seconds, allow_zero=True)
    if floor:
        if flops is None:
            raise ValueError(
                "flops must be given with floor_seconds, because a shortest time bounds a rate by the work"
            )
        roof = np.minimum(roof, positive("flops", flops, allow_zero=True) / floor)
    return plain(roof)


def is_compute_bound(intensity: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike) -> BoolOrArray:
    """Return whether an operation is at or above the ridge point.

    Parameters
    ----------
    intensity : float or array
        Arithmetic intensity, FLOP/byte.
    peak_flops, memory_bandwidth : float or array
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.

    Returns
    -------
    bool or array of bool
        True for compute-bound; the ridge itself counts as compute-bound.

    Notes
    -----
    Every point is below both extended lines, so "below the memory roof"
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
    """Compute the attainable rate as a fraction of the compute peak, 0 to 1.

    Parameters
    ----------
    intensity : float or array
        Arithmetic intensity, FLOP/byte.
    peak_flops, memory_bandwidth : float or array
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.

    Returns
    -------
    float or array
        Fraction, 0 to 1.

    Notes
    -----
    Fraction of the bound, not of a measurement; see `efficiency` for that.
    Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> round(fraction_of_peak(2.0, 990e12, 3.35e12), 4)
    0.0068
    """
    return plain(attainable(intensity, peak_flops, memory_bandwidth) / np.asarray(peak_flops, dtype=float))


def kernel_time(
    flops: ArrayLike,
    bytes_moved: ArrayLike,
    peak_flops: ArrayLike,
    memory_bandwidth: ArrayLike,
    *,
    floor_seconds: float = 0.0,
) -> FloatOrArray:
    """Compute the shortest time of a kernel: the longer of arithmetic and memory traffic.

    Parameters
    ----------
    flops : float or array
        Arithmetic of the operation, FLOP.
    bytes_moved : float or array
        Traffic between memory and chip, bytes.
    peak_flops, memory_bandwidth : float or array
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.

    floor_seconds : float
        Shortest time of any kernel, seconds, such as `MEASURED_FLOOR`.

    Returns
    -------
    float or array
        Seconds; a lower bound.

    Notes
    -----
    Assumes that arithmetic and traffic overlap completely; without overlap the
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
    floor = one_positive("floor_seconds", floor_seconds, allow_zero=True)
    return plain(np.maximum(np.maximum(flops / peak_flops, bytes_moved / memory_bandwidth), floor))


def efficiency(
    measured_flops: ArrayLike, intensity: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike
) -> FloatOrArray:
    """Compute the measured rate as a fraction of the roofline's bound at that intensity.

    Parameters
    ----------
    measured_flops : float or array
        Achieved rate, FLOP/s.
    intensity : float or array
        Arithmetic intensity, FLOP/byte, above zero.
    peak_flops, memory_bandwidth : float or array
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.

    Returns
    -------
    float or array
        1 is a kernel on the roof. Above 1 an input is wrong: the
        traffic was counted too high (a cache served it) or a peak too low.

    Notes
    -----
    Says how good the kernel is, whereas `fraction_of_peak` says how well the
    operation suits the chip. Source: Williams, Waterman, Patterson 2009.

    Examples
    --------
    >>> round(efficiency(271e12, 2730.7, 312e12, 2.039e12), 2)
    0.87
    """
    measured_flops = positive("measured_flops", measured_flops, allow_zero=True)
    intensity = positive("intensity", intensity)
    return plain(measured_flops / attainable(intensity, peak_flops, memory_bandwidth))
