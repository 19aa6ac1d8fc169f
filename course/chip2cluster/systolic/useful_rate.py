"""Upper bound of the useful rate of a product on a chip with systolic arrays and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import positive
from ..roofline import attainable, gemm
from .padding import padded_utilization

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def useful_rate(
    m: ArrayLike,
    n: ArrayLike,
    k: ArrayLike,
    rows: ArrayLike,
    cols: ArrayLike,
    peak_flops: ArrayLike,
    memory_bandwidth: ArrayLike,
    *,
    bytes_per_element: float = 2,
) -> FloatOrArray:
    """Compute the highest useful rate of C[m, n] = A[m, k] B[k, n] with padding and memory bandwidth.

    Parameters
    ----------
    m, n, k : int or array of int
        Size of the product, at least 1.
    rows : int or array of int
        Number of rows of cells of one array; the weights B are stationary.
    cols : int or array of int
        Number of columns of cells of one array.
    peak_flops : float or array
        Peak of all arrays of the chip together, FLOP/s.
    memory_bandwidth : float or array
        Bandwidth of the chip's memory, bytes/s.
    bytes_per_element : float
        Size of an element, 2 for bf16, bytes.

    Returns
    -------
    float or array
        Rate, ``min(peak_flops * padded_utilization, memory_bandwidth * intensity)``, FLOP/s.

    Notes
    -----
    Padding (tile quantization) lowers the compute roof but not the memory roof, because
    zeros are added on the chip. Ignores filling and draining, and that a product must have
    enough tiles for all arrays of the chip. Sources: Jouppi et al., ISCA 2017, section 7 (padding);
    Williams et al., Communications of the ACM 52(4), 2009 (roofline).

    Examples
    --------
    >>> chip = dict(rows=128, cols=128, peak_flops=459e12, memory_bandwidth=2765e9)  # TPU v5p
    >>> [round(useful_rate(65536, 4096, k, **chip) / 1e12) for k in (128, 129)]
    [343, 231]
    """
    share = padded_utilization(m, n, k, rows, cols)
    intensity = gemm(m, n, k, bytes_per_element).intensity
    return attainable(intensity, positive("peak_flops", peak_flops) * share, memory_bandwidth)
