"""Memory of the keys and values that decoding keeps for each token it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive, whole
from .config import Config, check_config

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def kv_cache_per_token(config: Config | str, bytes_per_element: ArrayLike = 2) -> FloatOrArray:
    """Bytes that one token leaves in the caches of all layers.

    Parameters
    ----------
    config : Config or str
        Or the name of a published one.
        Its attention decides: multi-head, grouped-query, multi-query or latent.
    bytes_per_element : float or array
        2 for bf16 and fp16, 1 for fp8 and int8.

    Returns
    -------
    float or array
        Bytes.

    Raises
    ------
    ValueError, TypeError
        For anything but a `Config` or the name of a published model, and sizes that are not above zero.

    Notes
    -----
    Two vectors for each key-value head, ``2 L K Q``; latent attention keeps one
    latent and one rotary key a layer, whatever the heads. Ignores paging and
    windows. Source: Pope et al. 2023 (multi-query); Ainslie et al. 2023 (grouped);
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
    """Bytes of the cache of a batch of sequences.

    Parameters
    ----------
    config : Config or str
        Or the name of a published one.
    context : int or array of int
        Tokens cached of each sequence.
    batch : int or array of int
        Sequences.
    bytes_per_element : float or array
        As in `kv_cache_per_token`.

    Returns
    -------
    float or array
        Bytes, over all devices. Tensor parallelism splits the heads; a latent
        has none to split, so each device holds it whole.

    Raises
    ------
    ValueError, TypeError
        As `kv_cache_per_token`, and for counts that are not whole.

    Notes
    -----
    Ignores the same, and prefixes that sequences share. Source: as `kv_cache_per_token`.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> kv_cache_memory(model("Llama 2 13B").config, context=8192, batch=1) / 1e9
    6.7108864
    """
    per_context = whole("batch", batch) * kv_cache_per_token(config, bytes_per_element)
    return plain(whole("context", context) * per_context)
