"""Array and memory together: the rate of useful work that a product can reach on a chip."""

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
    """Highest rate of useful work for C[m, n] = A[m, k] B[k, n], padding and memory counted.

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes of the product; at least 1.
    rows, cols : int or array of int
        Cells of one array, down and across; the weights B stay.
    peak_flops : float or array
        Of all arrays of the chip together, FLOP/s.
    memory_bandwidth : float or array
        bytes/s.
    bytes_per_element : float
        2 for bf16.

    Returns
    -------
    float or array
        ``min(peak_flops * padded_utilization, memory_bandwidth * intensity)``, FLOP/s.

    Raises
    ------
    ValueError, TypeError
        As `padded_utilization` and `roofline.attainable`.

    Notes
    -----
    Padding lowers the compute roof; the memory roof stays, since zeros are added on
    the chip. Ignores filling and draining, and that a product must have enough tiles
    for all arrays of the chip. Sources: Jouppi et al., ISCA 2017, section 7 (padding);
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
