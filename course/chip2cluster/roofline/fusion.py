"""Kernel fusion: operations in one kernel pass intermediate results on without memory traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, shortened
from .kernels import Kernel

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def fuse(*kernels: Kernel, intermediate_bytes: ArrayLike) -> Kernel:
    """Merge operations into one kernel: FLOP add up, and intermediate results cause no traffic.

    Parameters
    ----------
    *kernels : Kernel
        Two or more kernels in the order in which they run.
    intermediate_bytes : float or array
        Size of all results that stay on the chip, bytes, each counted once. Unfused, each
        is written once and read once, so the traffic shrinks by twice this.

    Returns
    -------
    Kernel
        ``sum of flops`` over ``sum of bytes_moved - 2 * intermediate_bytes``: further
        right on the roofline than the kernels one after the other.

    Raises
    ------
    ValueError
        If there are fewer than two kernels, or no traffic would be left.

    Notes
    -----
    Ignores whether the chip can hold the intermediate results, that a fused kernel may
    recompute something (attention's running maximum, halos), and the saved
    launches. Source: the counting rule of Williams et al. 2009; the idea is
    that of T. Dao et al., FlashAttention, NeurIPS 2022.

    Examples
    --------
    >>> from chip2cluster.roofline import elementwise
    >>> bias, activation = elementwise(1_000_000), elementwise(1_000_000, flops_per_element=8)
    >>> both = fuse(bias, activation, intermediate_bytes=2_000_000)
    >>> (bias + activation).intensity, both.intensity
    (1.125, 2.25)
    """
    if len(kernels) < 2:
        raise ValueError(f"fusion takes at least two kernels, got {len(kernels)}")
    for kernel in kernels:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"only kernels can be fused, got {shortened(kernel)}")
    stays_on_chip = positive("intermediate_bytes", intermediate_bytes, allow_zero=True)
    apart = sum(kernels[1:], start=kernels[0])
    left = apart.bytes_moved - 2.0 * stays_on_chip
    if not (left.min(initial=np.inf) if isinstance(left, np.ndarray) else left) > 0:
        raise ValueError(
            f"intermediate_bytes must be less than half of the {shortened(apart.bytes_moved)} bytes that the kernels "
            f"move, got {shortened(intermediate_bytes)}"
        )
    return Kernel(plain(apart.flops + 0.0 * left), plain(left))


def fusion_speedup(
    *kernels: Kernel, intermediate_bytes: ArrayLike, peak_flops: ArrayLike, memory_bandwidth: ArrayLike
) -> FloatOrArray:
    """Compute the largest possible speedup of a fused kernel over its parts run one after the other.

    Parameters
    ----------
    *kernels : Kernel
        Two or more kernels in the order in which they run.
    intermediate_bytes : float or array
        Size of all results that stay on the chip, bytes.
    peak_flops, memory_bandwidth : float or array
        Dense peak, FLOP/s, and memory bandwidth, bytes/s.

    Returns
    -------
    float or array
        Sum of the unfused times over the fused time, at least 1.

    Raises
    ------
    ValueError
        If there are fewer than two kernels, or no traffic would be left.

    Notes
    -----
    Fusion gains twice: it moves fewer bytes, and it hides one part's arithmetic behind another's traffic. It
    is 1 if every part is compute-bound: nothing is left to save. Ignores what `fuse` and `kernel_time`
    ignore. Source: see `fuse`.

    Examples
    --------
    >>> from chip2cluster.roofline import elementwise
    >>> step = elementwise(1_000_000)
    >>> fusion_speedup(step, step, intermediate_bytes=2e6, peak_flops=312e12, memory_bandwidth=2e12)
    2.0
    """
    together = fuse(*kernels, intermediate_bytes=intermediate_bytes).time(peak_flops, memory_bandwidth)
    apart = sum(kernel.time(peak_flops, memory_bandwidth) for kernel in kernels)
    return plain(apart / together)
