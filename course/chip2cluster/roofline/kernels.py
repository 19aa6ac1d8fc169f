"""FLOP and memory traffic of matrix products and element-wise operations.

All counts follow one convention: a multiply-accumulate is 2 FLOP, and each
operand crosses the memory interface once (a perfect cache, no refetch). Real
kernels move at least this much, so the intensity given here is an upper bound.
Softmax, biases and activations cost few FLOP compared with the products; ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .._validate import choice, plain, positive, whole
from .bounds import kernel_time

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class Kernel:
    """An operation on the roofline: FLOP and bytes moved.

    Scalars or arrays of one shape. The sum of kernels runs one after the other, each with its own traffic.

    Attributes
    ----------
    flops : float or array
        Arithmetic, FLOP.
    bytes_moved : float or array
        Memory traffic, bytes.

    Examples
    --------
    >>> Kernel(flops=6.0, bytes_moved=3.0).intensity
    2.0
    """

    flops: FloatOrArray
    bytes_moved: FloatOrArray

    @property
    def intensity(self) -> FloatOrArray:
        """Arithmetic intensity, FLOP/byte."""
        return plain(self.flops / self.bytes_moved)

    def time(self, peak_flops: ArrayLike, memory_bandwidth: ArrayLike, *, floor_seconds: float = 0.0) -> FloatOrArray:
        """Return the shortest time in seconds on a chip with these two peaks; see `kernel_time`."""
        return kernel_time(self.flops, self.bytes_moved, peak_flops, memory_bandwidth, floor_seconds=floor_seconds)

    def __add__(self, other: Kernel) -> Kernel:
        """Return the two kernels one after the other."""
        if not isinstance(other, Kernel):
            return NotImplemented
        return Kernel(self.flops + other.flops, self.bytes_moved + other.bytes_moved)


def gemm(m: ArrayLike, n: ArrayLike, k: ArrayLike, bytes_per_element: float = 2) -> Kernel:
    """Return the FLOP and bytes of the matrix product (GEMM) C[m, n] = A[m, k] B[k, n].

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes; at least 1.
    bytes_per_element : float
        Bytes of one element: 2 for bf16 and fp16, 1 for fp8 and int8, 0.5 for fp4.

    Returns
    -------
    Kernel
        ``2 m n k`` FLOP over ``(m k + k n + m n) * bytes_per_element`` bytes.

    Notes
    -----
    Reads A and B once, writes C once, never reads C. Source: Williams et al. 2009
    for the counting rule.

    Examples
    --------
    >>> round(gemm(8192, 8192, 8192).intensity, 1)
    2730.7
    """
    m, n, k = whole("m", m), whole("n", n), whole("k", k)
    size = positive("bytes_per_element", bytes_per_element)
    return Kernel(plain(2.0 * m * n * k), plain(size * (1.0 * m * k + 1.0 * k * n + 1.0 * m * n)))


def gemv(m: ArrayLike, k: ArrayLike, bytes_per_element: float = 2) -> Kernel:
    """Return the FLOP and bytes of the matrix-vector product (GEMV) y[m] = A[m, k] x[k], a product with batch 1.

    Parameters
    ----------
    m, k : int or array of int
        Rows and columns of the matrix; at least 1.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Kernel
        FLOP and bytes; the intensity stays below ``2 / bytes_per_element``, whatever the size.

    Notes
    -----
    Each matrix element is used once, so nothing can be reused. Same counting
    rule and source as `gemm`.

    Examples
    --------
    >>> round(gemv(8192, 8192).intensity, 1)
    1.0
    """
    return gemm(m, 1, k, bytes_per_element)


def elementwise(
    elements: ArrayLike, flops_per_element: float = 1, reads: int = 1, writes: int = 1, bytes_per_element: float = 2
) -> Kernel:
    """Return the FLOP and bytes of an element-wise operation: activation, residual sum, bias.

    Parameters
    ----------
    elements : int or array of int
        Number of elements.
    flops_per_element : float
        FLOP per element.
    reads, writes : int
        Arrays read and written, each of ``elements`` elements; at least one in all.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Kernel
        FLOP and bytes.

    Notes
    -----
    Intensity does not depend on size: no batch makes it compute-bound. Source:
    Williams et al. 2009 for the counting rule.

    Examples
    --------
    >>> round(elementwise(1_000_000, reads=2).intensity, 3)      # residual sum
    0.167
    """
    elements = whole("elements", elements)
    flops = positive("flops_per_element", flops_per_element, allow_zero=True)
    arrays = whole("reads", reads, minimum=0) + whole("writes", writes, minimum=0)
    size = positive("bytes_per_element", bytes_per_element)
    traffic = positive("reads + writes", arrays)
    return Kernel(plain(1.0 * elements * flops), plain(1.0 * elements * traffic * size))


def feed_forward(
    tokens: ArrayLike,
    d_model: int,
    d_hidden: int | None = None,
    bytes_per_element: float = 2,
    *,
    matrices: Literal[1, 2, 3] = 1,
) -> Kernel:
    """Return the FLOP and bytes of the feed-forward block of a transformer.

    Parameters
    ----------
    tokens : int or array of int
        Tokens in the batch, B.
    d_model : int
        Model width, d.
    d_hidden : int, optional
        Hidden width; ``4 * d_model`` when left out.
    bytes_per_element : float
        Bytes of one element.
    matrices : {1, 2, 3}
        1 is the up-projection [B, d] x [d, 4d] alone; 2 adds the down-projection;
        3 is the gated block (two up, one down).

    Returns
    -------
    Kernel
        FLOP and bytes. With the default width the intensity is ``4 d B / (4 d + 5 B)`` FLOP/byte
        at 2 bytes, whatever ``matrices`` is: each product has the same shape.

    Notes
    -----
    The products run one by one with the hidden activations in memory; a
    fused kernel moves less. Ignores the activation function.
    Source: the counting rule of `gemm`.

    Examples
    --------
    >>> feed_forward(512, 8192).intensity.__round__(2)
    474.9
    """
    tokens, d_model = whole("tokens", tokens), whole("d_model", d_model)
    d_hidden = 4 * d_model if d_hidden is None else whole("d_hidden", d_hidden)
    count = choice("matrices", matrices, (1, 2, 3))
    product = gemm(tokens, d_hidden, d_model, bytes_per_element)
    return Kernel(count * product.flops, count * product.bytes_moved)
