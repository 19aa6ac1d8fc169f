"""Room that sequences hold in the cache beside what they fill: blocks, and copies on several devices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from .._validate import choice, one_whole, whole
from ..transformer import Config, LatentAttention
from ..transformer.config import check_config

if TYPE_CHECKING:
    from .._typing import ArrayLike

HEADS = ("multi_head", "grouped", "multi_query", "latent")
Heads = Literal["multi_head", "grouped", "multi_query", "latent"]
LATENT = LatentAttention(kv_lora_rank=512, q_lora_rank=1536, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)


def tokens_held(lengths: ArrayLike, block_tokens: int = 16) -> int:
    """Tokens for which sequences hold room in a cache of blocks.

    Parameters
    ----------
    lengths : int or array of int
        Tokens of each sequence, those of the prompt and those written so far.
    block_tokens : int
        Tokens of a block. As long as the longest request that may come it is the cache before
        pages: one stretch for each sequence.

    Returns
    -------
    int
        At least ``sum(lengths)``, and less than a block more for each sequence.

    Raises
    ------
    ValueError, TypeError
        For lengths that are not whole numbers of at least 1.

    Notes
    -----
    The last block of each sequence is full by half on average. Ignores blocks that sequences
    share. Source: Kwon et al. 2023, "PagedAttention", SOSP.

    Examples
    --------
    >>> tokens_held([100, 30, 17]), tokens_held([100, 30, 17], 2048)
    (176, 6144)
    """
    size = one_whole("block_tokens", block_tokens)
    return int(np.sum(-(-np.atleast_1d(whole("lengths", lengths)) // size))) * size


def cache_copies(config: Config | str, devices: int) -> float:
    """On how many devices the same key or value lies where the devices of a replica split the heads.

    Parameters
    ----------
    config : transformer.Config or str
        Or the name of a published one.
    devices : int

    Returns
    -------
    float
        1 up to as many devices as key-value heads; a latent lies on each device.

    Raises
    ------
    ValueError, TypeError
        For anything but a `Config` or the name of a published model, and devices that are not a whole number of at least 1.

    Notes
    -----
    Source: Pope et al. 2023; DeepSeek-AI, arXiv:2412.19437 (attention by data for that reason).

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> [cache_copies(model("Llama 3 70B").config, devices) for devices in (4, 8, 16)]
    [1.0, 1.0, 2.0]
    """
    count = one_whole("devices", devices)
    config = check_config(config)
    return count / (1 if config.latent else min(count, config.kv_heads))


def with_heads(config: Config | str, heads: Heads, groups: int = 8) -> Config:
    """Put another kind of keys and values into a model, everything else as it was.

    Parameters
    ----------
    config : transformer.Config or str
        Or the name of a published one.
    heads : {"multi_head", "grouped", "multi_query", "latent"}
        Keys and values for each query head; for each of ``groups``; for all heads together; or a
        latent of 512 with a rotary key of 64, as in DeepSeek-V3. A model that has this kind is
        returned as it is.
    groups : int
        Must divide the heads.

    Returns
    -------
    transformer.Config

    Raises
    ------
    ValueError, TypeError
        For anything but a `Config`, another kind, and groups that do not divide the heads.

    Notes
    -----
    Says what would have to be cached, not how well the model would answer. A latent model gets
    heads as wide as its values. Source: DeepSeek-AI, arXiv:2405.04434, table 1.

    Examples
    --------
    >>> from chip2cluster.transformer import kv_cache_per_token, model
    >>> llama = model("Llama 3 8B").config
    >>> [kv_cache_per_token(with_heads(llama, heads)) / 1e3 for heads in HEADS]
    [524.288, 131.072, 16.384, 36.864]
    """
    choice("heads", heads, HEADS)
    config = check_config(config)
    if heads == kind_of_heads(config):
        return config
    if heads == "latent":
        return replace(
            config, latent=LATENT, kv_heads=None, head_dim=None, bias=False, qkv_bias=False, norm_bias=False, qk_norm=False
        )  # fmt: skip
    count = {"multi_head": config.heads, "grouped": one_whole("groups", groups), "multi_query": 1}[heads]
    wide = config.latent.v_head_dim if config.latent else config.head_dim
    return replace(config, latent=None, kv_heads=count, head_dim=wide)


def kind_of_heads(config: Config | str) -> Heads:
    """Which of ``HEADS`` a model has.

    >>> from chip2cluster.transformer import model
    >>> kind_of_heads(model("Llama 2 7B").config), kind_of_heads(model("DeepSeek-V3").config)
    ('multi_head', 'latent')
    """
    config = check_config(config)
    if config.latent:
        return "latent"
    if config.kv_heads == config.heads:
        return "multi_head"
    return "multi_query" if config.kv_heads == 1 else "grouped"
