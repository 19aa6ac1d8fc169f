"""FLOP and memory traffic of attention and of a whole decode step, counted as in `kernels`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .kernels import Kernel

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray


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
    """Return the FLOP and bytes of a prefill's attention: scores and weighted sum.

    Parameters
    ----------
    sequence : int or array of int
        Tokens of the prompt, S.
    heads, head_dim : int
        Query heads and their width.
    kv_heads : int, optional
        Key and value heads (GQA, MQA); must divide ``heads``; as many as ``heads`` (MHA) when left out.
    batch : int
        Number of prompts.
    bytes_per_element : float
        Bytes of one element.
    causal : bool
        Whether to count only the half of the scores that a causal mask leaves.
    fused : bool
        True keeps the scores on the chip (FlashAttention); False writes and
        reads the S x S scores twice, before and after the softmax.

    Returns
    -------
    Kernel
        ``4 S^2 heads head_dim`` FLOP per prompt. Fused, the intensity grows with S.

    Notes
    -----
    Ignores the softmax and the projections around the attention, and assumes
    that the chip can hold the tiles of the fused kernel. Source: Dao et al. 2022 (fused).

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


def attention_prefill_per_cache(
    sequence: ArrayLike,
    heads: int,
    head_dim: int,
    query_block: ArrayLike = 128,
    batch: int = 1,
    bytes_per_element: float = 2,
    *,
    causal: bool = False,
) -> Kernel:
    """Return the FLOP and bytes of a prefill's attention at the L2 cache, where each block of queries reads all keys.

    Parameters
    ----------
    sequence : int or array of int
        Tokens of the prompt, S.
    heads, head_dim : int
        Query heads and their width.
    query_block : int or array of int
        Rows of queries that a thread block holds on its multiprocessor, 64 to 192.
    batch : int
        Number of prompts.
    bytes_per_element : float
        Bytes of one element.
    causal : bool
        Whether to count only the half of the scores that a causal mask leaves.

    Returns
    -------
    Kernel
        FLOP, and traffic between the L2 cache and the multiprocessors. The intensity is about
        ``2 * query_block / bytes_per_element`` however long the prompt.

    Notes
    -----
    The fused kernel of `attention_prefill`, one level of memory further in. Each query
    head reads for itself, so shared heads save nothing here. A causal mask halves
    the reads together with the work, except queries and results. Ignores blocks
    that share a load. Source: T. Dao, "FlashAttention-2", ICLR 2024 (loop over blocks).

    Examples
    --------
    >>> [round(attention_prefill_per_cache(length, heads=32, head_dim=128).intensity) for length in (1024, 65536)]
    [114, 128]
    """
    sequence, batch = whole("sequence", sequence), whole("batch", batch)
    heads, head_dim, _ = _heads(heads, head_dim, None)
    blocks = np.ceil(sequence / whole("query_block", query_block))
    size, half = positive("bytes_per_element", bytes_per_element), 0.5 if causal else 1.0
    rows = 1.0 * batch * heads * head_dim * sequence
    return Kernel(plain(4.0 * half * rows * sequence + 0.0 * blocks), plain(size * 2.0 * rows * (1.0 + half * blocks)))


def attention_decode(
    context: ArrayLike,
    heads: int,
    head_dim: int,
    kv_heads: int | None = None,
    batch: ArrayLike = 1,
    bytes_per_element: float = 2,
) -> Kernel:
    """Return the FLOP and bytes of attention of one new token of each sequence over its KV cache.

    Parameters
    ----------
    context : int or array of int
        Tokens in the cache of each sequence, T.
    heads, head_dim : int
        Query heads and their width.
    kv_heads : int, optional
        Key and value heads (GQA, MQA); must divide ``heads``; as many as ``heads`` (MHA) when left out.
    batch : int or array of int
        Sequences decoded together.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Kernel
        FLOP and bytes. The intensity tends to ``2 / bytes_per_element * heads / kv_heads`` as the
        context grows and does not depend on the batch, because each sequence has its own cache.

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
    """Return the FLOP and bytes of one decode step of a whole model: a new token for each sequence.

    Parameters
    ----------
    parameters : float
        Parameters read in a step.
    batch : int or array of int
        Sequences decoded together.
    cache_bytes_per_sequence : float
        KV cache of one sequence, bytes; read once a step.
    bytes_per_element : float
        Bytes of one weight.

    Returns
    -------
    Kernel
        ``2 parameters batch`` FLOP over weights plus caches.

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
