"""Memory of the KV cache, and of the states that replace it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    latent and one rotary key a layer, independent of the heads, see `LatentAttention.cached_bytes`
    for 8 bits. A layer with a window stores the token too, until the window has passed it, see
    `kv_cache_memory`; state-space layers and linear attention store none. Ignores paging.
    Source: Pope et al. 2023 (multi-query); Ainslie et al. 2023 (grouped);
    DeepSeek-AI, arXiv:2405.04434, table 1 (latent).

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> kv_cache_per_token(model("Llama 3.1 405B").config), kv_cache_per_token(model("DeepSeek-V3").config)
    (516096.0, 70272.0)
    """
    size = positive("bytes_per_element", bytes_per_element)
    config = check_config(config)
    return plain(1.0 * config.attention_layers * _layer_bytes(config, size))


def _layer_bytes(config: Config, size: FloatOrArray) -> FloatOrArray:
    """Bytes of one token in the cache of one layer with attention."""
    if config.latent:
        stored = config.latent.cached_bytes(size)
        return stored + config.index.cached_bytes if config.index else stored
    return 2 * config.kv_heads * config.head_dim * size


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
    A layer with a window keeps its last ``window`` tokens. The states of state-space layers and
    linear attention are not part of it, see `recurrent_state_memory`. Ignores the same as
    `kv_cache_per_token`, and shared prefixes. Source: see there.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> kv_cache_memory(model("Llama 2 13B").config, context=8192, batch=1) / 1e9
    6.7108864
    """
    size, batch, context = (
        positive("bytes_per_element", bytes_per_element),
        whole("batch", batch),
        whole("context", context),
    )
    config = check_config(config)
    windowed = config.mixer_counts.get("window", 0)
    tokens: Any = 1.0 * context * (config.attention_layers - windowed)
    if windowed:
        window = config.window or 0
        kept = np.minimum(context, window) if isinstance(context, np.ndarray) else min(context, window)
        tokens = tokens + kept * windowed
    return plain(tokens * batch * _layer_bytes(config, size))


def recurrent_state_memory(
    config: Config | str, batch: ArrayLike = 1, *, state_bytes: ArrayLike = 4, bytes_per_element: ArrayLike = 2
) -> FloatOrArray:
    """Bytes of the states of state-space layers and linear attention, whatever the context.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one; 0 bytes without such layers.
    batch : int or array of int
        Number of sequences.
    state_bytes : float or array
        Bytes of an element of the state, 4 as in the released code.
    bytes_per_element : float or array
        Bytes of an element of the inputs that the short convolution keeps.

    Returns
    -------
    float or array
        Bytes, without replication.

    Notes
    -----
    A matrix of key by value width for each head, and the last ``conv_kernel - 1`` inputs of each channel.
    Source: Dao and Gu 2024, arXiv:2405.21060.

    Examples
    --------
    >>> recurrent_state_memory("Nemotron-H 8B") / 1e6            # as much as 6,200 tokens of its KV cache
    102.137856
    """
    config, batch = check_config(config), whole("batch", batch)
    state, size = positive("state_bytes", state_bytes), positive("bytes_per_element", bytes_per_element)
    if not config.linear:
        return plain(0.0 * batch * state * size)
    linear = config.linear
    each = linear.state_elements * state + (linear.conv_kernel - 1) * linear.conv_width * size
    return plain(1.0 * config.mixer_counts["linear"] * batch * each)
