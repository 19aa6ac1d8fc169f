"""KV-cache memory that sequences occupy beyond what they fill: paged blocks, and replication across devices."""

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
    """Compute the tokens of KV cache that sequences reserve in a cache of blocks (paged attention).

    Parameters
    ----------
    lengths : int or array of int
        Tokens of each sequence, prompt and output so far.
    block_tokens : int
        Tokens of a block. The length of the longest possible request models a cache without
        pages: one contiguous region for each sequence.

    Returns
    -------
    int
        Tokens of cache: at least ``sum(lengths)``, and less than a block more for each sequence.

    Notes
    -----
    On average half of the last block of each sequence is filled. Ignores blocks that sequences
    share. Source: Kwon et al. 2023, "PagedAttention", SOSP.

    Examples
    --------
    >>> tokens_held([100, 30, 17]), tokens_held([100, 30, 17], 2048)
    (176, 6144)
    """
    size = one_whole("block_tokens", block_tokens)
    return int(np.sum(-(-np.atleast_1d(whole("lengths", lengths)) // size))) * size


def cache_copies(config: Config | str, devices: int) -> float:
    """Compute how many devices hold the same key or value when tensor parallelism (TP) shards the heads.

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    devices : int
        Devices of the replica.

    Returns
    -------
    float
        1 with at most as many devices as key-value heads; a latent (MLA) is replicated on each device.

    Notes
    -----
    Source: Pope et al. 2023; DeepSeek-AI, arXiv:2412.19437 (DP attention for that reason).

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
    """Return a model with another attention type (MHA, GQA, MQA or MLA) and everything else unchanged.

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    heads : {"multi_head", "grouped", "multi_query", "latent"}
        Keys and values for each query head (MHA); for each of ``groups`` (GQA); for all heads together
        (MQA); or a latent of 512 with a rotary key of 64, as in DeepSeek-V3 (MLA). A model that already
        has this type is returned unchanged.
    groups : int
        Number of key-value heads of grouped-query attention; must divide the heads.

    Returns
    -------
    transformer.Config
        Shape of the changed model.

    Notes
    -----
    Says what would be cached, not how well the model would answer. A latent model gets
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
    """Return the attention type of a model: MHA, GQA, MQA or MLA, by its name in ``HEADS``.

    >>> from chip2cluster.transformer import model
    >>> kind_of_heads(model("Llama 2 7B").config), kind_of_heads(model("DeepSeek-V3").config)
    ('multi_head', 'latent')

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.

    Returns
    -------
    {"multi_head", "grouped", "multi_query", "latent"}
        Attention type, as `with_heads` takes it.

    Examples
    --------
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
