"""Arithmetic and traffic of the operations a transformer is made of.

All counts follow one convention: a multiply-accumulate is 2 FLOP, and each
operand crosses the memory interface once (a perfect cache, no refetch). Real
kernels move at least this much, so the intensity given here is an upper bound.
Softmax, biases and activations cost few FLOP beside the products; ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .._validate import choice, plain, positive, whole
from .bounds import kernel_time

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


@dataclass(frozen=True)
class Kernel:
    """An operation as the roofline sees it: ``flops`` (FLOP) over ``bytes_moved`` (bytes).

    Scalars or arrays of one shape. Kernels add: the sum is one after the other,
    each with its own traffic.

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

    def time(self, peak_flops: ArrayLike, memory_bandwidth: ArrayLike) -> FloatOrArray:
        """Shortest time in seconds on a chip with these two peaks; see `kernel_time`."""
        return kernel_time(self.flops, self.bytes_moved, peak_flops, memory_bandwidth)

    def __add__(self, other: Kernel) -> Kernel:
        if not isinstance(other, Kernel):
            return NotImplemented
        return Kernel(self.flops + other.flops, self.bytes_moved + other.bytes_moved)


def gemm(m: ArrayLike, n: ArrayLike, k: ArrayLike, bytes_per_element: float = 2) -> Kernel:
    """Matrix product C[m, n] = A[m, k] B[k, n].

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes; at least 1.
    bytes_per_element : float
        2 for bf16 and fp16, 1 for fp8 and int8, 0.5 for fp4.

    Returns
    -------
    Kernel
        ``2 m n k`` FLOP over ``(m k + k n + m n) * bytes_per_element`` bytes.

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1.

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
    """Matrix times vector, y[m] = A[m, k] x[k]: a product with a batch of one.

    Parameters
    ----------
    m, k : int or array of int
        Rows and columns of the matrix; at least 1.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Kernel
        Its intensity stays below ``2 / bytes_per_element``, whatever the size.

    Raises
    ------
    ValueError, TypeError
        As `gemm`.

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
    """An operation on each element alone: activation, residual sum, bias.

    Parameters
    ----------
    elements : int or array of int
        How many elements.
    flops_per_element : float
        FLOP for each.
    reads, writes : int
        Arrays read and written, each of ``elements`` elements.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Kernel

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, or no traffic at all.

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
    """Feed-forward block of a transformer on ``tokens`` tokens at once.

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
        1 is the up-projection [B, d] x [d, 4d] alone; 2 adds the way down;
        3 is the gated block (two up, one down).

    Returns
    -------
    Kernel
        With the default width the intensity is ``4 d B / (4 d + 5 B)`` FLOP/byte
        at 2 bytes, whatever ``matrices`` is: each product has the same shape.

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1.

    Notes
    -----
    The products run one by one, the hidden activations going through memory; a
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


def attention_prefill(
    sequence: ArrayLike,
    heads: int,
    head_dim: int,
    kv_heads: int | None = None,
    batch: int = 1,
    bytes_per_element: float = 2,
    *,
    causal: bool = False,
    fused: bool = True,
) -> Kernel:
    """Attention scores and weighted sum while a whole prompt is read.

    Parameters
    ----------
    sequence : int or array of int
        Tokens of the prompt, S.
    heads, head_dim : int
        Query heads and their width.
    kv_heads : int, optional
        Key and value heads; must divide ``heads``; all of them when left out.
    batch : int
        Prompts at once.
    bytes_per_element : float
        Bytes of one element.
    causal : bool
        True counts only the half of the scores that a causal mask keeps.
    fused : bool
        True keeps the scores on the chip (FlashAttention); False writes and
        reads the S x S scores twice, before and after the softmax.

    Returns
    -------
    Kernel
        ``4 S^2 heads head_dim`` FLOP a prompt. Fused, the intensity grows with S.

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole, or heads that do not divide.

    Notes
    -----
    Ignores the softmax and the projections around the attention, and assumes
    that the chip holds what the fused kernel needs. Source: Dao et al. 2022 (fused).

    Examples
    --------
    >>> attention_prefill(4096, heads=32, head_dim=128).intensity
    2048.0
    """
    sequence, batch = whole("sequence", sequence), whole("batch", batch)
    heads, head_dim, kv_heads = _heads(heads, head_dim, kv_heads)
    size = positive("bytes_per_element", bytes_per_element)
    scores = 1.0 * batch * heads * sequence * sequence
    flops = 4.0 * scores * head_dim * (0.5 if causal else 1.0)
    moved = size * 2.0 * batch * sequence * head_dim * (heads + kv_heads)
    if not fused:
        moved = moved + size * 4.0 * scores
    return Kernel(plain(flops), plain(moved))


def attention_decode(
    context: ArrayLike,
    heads: int,
    head_dim: int,
    kv_heads: int | None = None,
    batch: ArrayLike = 1,
    bytes_per_element: float = 2,
) -> Kernel:
    """Attention for one new token of each sequence over its cached keys and values.

    Parameters
    ----------
    context : int or array of int
        Tokens in the cache of each sequence, T.
    heads, head_dim : int
        Query heads and their width.
    kv_heads : int, optional
        Key and value heads; must divide ``heads``; all of them when left out.
    batch : int or array of int
        Sequences decoded together.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Kernel
        The intensity tends to ``2 / bytes_per_element * heads / kv_heads`` as the
        context grows and does not depend on the batch: each sequence has a cache
        of its own.

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole, or heads that do not divide.

    Notes
    -----
    Ignores the softmax and the write of the new token's key and value. Source:
    Pope et al. 2023; Ainslie et al. 2023 (grouped queries).

    Examples
    --------
    >>> round(attention_decode(8192, heads=32, head_dim=128, kv_heads=8).intensity, 2)
    4.0
    """
    context, batch = whole("context", context), whole("batch", batch)
    heads, head_dim, kv_heads = _heads(heads, head_dim, kv_heads)
    size = positive("bytes_per_element", bytes_per_element)
    flops = 4.0 * batch * heads * context * head_dim
    moved = size * 2.0 * batch * head_dim * (1.0 * kv_heads * context + heads)
    return Kernel(plain(flops), plain(moved))


def decode_step(
    parameters: float, batch: ArrayLike = 1, cache_bytes_per_sequence: float = 0, bytes_per_element: float = 2
) -> Kernel:
    """One decoding step of a whole model: a new token for each sequence.

    Parameters
    ----------
    parameters : float
        Parameters read in a step.
    batch : int or array of int
        Sequences decoded together.
    cache_bytes_per_sequence : float
        Key-value cache of one sequence, bytes; read once a step.
    bytes_per_element : float
        Bytes of one weight.

    Returns
    -------
    Kernel
        ``2 parameters batch`` FLOP over weights plus caches.

    Raises
    ------
    ValueError, TypeError
        For NaN, negative or non-positive sizes.

    Notes
    -----
    Ignores the arithmetic of attention and the activations. Source: Pope et al. 2023.

    Examples
    --------
    >>> step = decode_step(8e9)
    >>> step.bytes_moved / 1e9, step.intensity
    (16.0, 1.0)
    """
    parameters = positive("parameters", parameters)
    batch = whole("batch", batch)
    cache = positive("cache_bytes_per_sequence", cache_bytes_per_sequence, allow_zero=True)
    size = positive("bytes_per_element", bytes_per_element)
    return Kernel(plain(2.0 * parameters * batch), plain(size * parameters + cache * batch))


def _heads(
    heads: ArrayLike, head_dim: ArrayLike, kv_heads: ArrayLike | None
) -> tuple[IntOrArray, IntOrArray, IntOrArray]:
    heads, head_dim = whole("heads", heads), whole("head_dim", head_dim)
    kv_heads = heads if kv_heads is None else whole("kv_heads", kv_heads)
    remainder = heads % kv_heads
    if getattr(remainder, "any", lambda: remainder)():
        raise ValueError(f"kv_heads must divide heads, got kv_heads={kv_heads!r} and heads={heads!r}")
    return heads, head_dim, kv_heads
