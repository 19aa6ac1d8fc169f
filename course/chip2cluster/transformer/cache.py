"""Memory of the KV cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive, whole
from .config import Config, check_config

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def kv_cache_per_token(config: Config | str, bytes_per_element: ArrayLike = 2) -> FloatOrArray:
    """KV-cache bytes of one token, all layers together (MHA, GQA, MQA or MLA).

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one. Its attention decides: multi-head (MHA),
        grouped-query (GQA), multi-query (MQA) or multi-head latent (MLA).
    bytes_per_element : float or array
        Bytes of an element: 2 for bf16 and fp16, 1 for fp8 and int8 (KV-cache quantization).

    Returns
    -------
    float or array
        Bytes.

    Notes
    -----
    Two vectors for each key-value head, ``2 L K Q``; latent attention stores one
    latent and one rotary key a layer, independent of the heads. Ignores paging and
    attention windows. Source: Pope et al. 2023 (multi-query); Ainslie et al. 2023 (grouped);
    DeepSeek-AI, arXiv:2405.04434, table 1 (latent).

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> kv_cache_per_token(model("Llama 3.1 405B").config), kv_cache_per_token(model("DeepSeek-V3").config)
    (516096.0, 70272.0)
    """
    size = positive("bytes_per_element", bytes_per_element)
    config = check_config(config)
    latent = config.latent
    width = latent.cached_width if latent else 2 * config.kv_heads * config.head_dim
    return plain(1.0 * config.layers * width * size)


def kv_cache_memory(
    config: Config | str, context: ArrayLike, batch: ArrayLike = 1, bytes_per_element: ArrayLike = 2
) -> FloatOrArray:
    """KV-cache bytes of a batch of sequences.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    context : int or array of int
        Cached tokens of each sequence.
    batch : int or array of int
        Number of sequences.
    bytes_per_element : float or array
        Bytes of an element of the cache.

    Returns
    -------
    float or array
        Bytes, without replication. Tensor parallelism shards the heads; a latent
        has no heads to shard, so each device holds it whole.

    Notes
    -----
    Ignores the same as `kv_cache_per_token`, and shared prefixes. Source: see there.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> kv_cache_memory(model("Llama 2 13B").config, context=8192, batch=1) / 1e9
    6.7108864
    """
    per_context = whole("batch", batch) * kv_cache_per_token(config, bytes_per_element)
    return plain(whole("context", context) * per_context)
