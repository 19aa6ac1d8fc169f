"""Work per token when a model serves: parameters read, FLOP of the products, FLOP of attention scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import plain, whole
from ..transformer import Config, parameter_breakdown, recurrent_state_memory
from ..transformer.config import check_config

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class ModelCounts:
    """Counts of a model that do not depend on the batch.

    Attributes
    ----------
    layer_parameters : float
        Parameters of all layers that each token is multiplied with, its routed experts included.
    head_parameters : float
        Parameters of the output head, needed only where a next token is sampled.
    expert_parameters : float
        Parameters of one expert in every MoE layer together.
    routed, per_token : int
        Routed experts of a layer, and how many of them each token picks.
    score_flops_per_pair : float
        FLOP of one query with one cached token, all layers and heads together.
    score_flops_per_pair_latent : float
        The same with keys left in the latent (multi-head latent attention, MLA); equal without a latent.
    rebuild_flops : float
        FLOP that rebuild the keys and values of one token from its latent.
    windows : tuple of (float, int)
        Share of ``score_flops_per_pair`` in layers whose queries reach a limited number of tokens, and that
        number: windows, and the tokens that sparse attention picks.
    cache_windows : tuple of (float, int)
        Share of the cached bytes of a token that is read for a limited number of tokens, and that number.
    index_flops : float
        FLOP of the indexer of sparse attention for a query with one cached token.
    index_share : float
        Share of the cached bytes of a token that the indexer reads.
    state_flops : float
        FLOP of one token for the states of state-space layers and linear attention.
    state_bytes : float
        Bytes of the states of one sequence.
    growing_share : float
        Share of the cached bytes of a token that the cache keeps however long the sequence gets.
    """

    layer_parameters: float
    head_parameters: float
    expert_parameters: float
    routed: int
    per_token: int
    score_flops_per_pair: float
    score_flops_per_pair_latent: float
    rebuild_flops: float
    windows: tuple[tuple[float, int], ...] = ()
    cache_windows: tuple[tuple[float, int], ...] = ()
    index_flops: float = 0.0
    index_share: float = 0.0
    state_flops: float = 0.0
    state_bytes: float = 0.0
    growing_share: float = 1.0


@lru_cache(maxsize=256)
def count_model(config: Config) -> ModelCounts:
    """Count a model once; a config is frozen, so the answer is cached."""
    config = check_config(config)
    active, all_of_them = parameter_breakdown(config, active=True), parameter_breakdown(config)
    head = active["head"] or active["embedding"]  # a tied head is the table
    layers = sum(active.values()) - active["embedding"] - active["positions"] - active["head"]
    routed, per_token, expert = 1, 1, 0.0
    if config.experts and config.experts.routed > config.experts.per_token:
        routed, per_token = config.experts.routed, config.experts.per_token
        expert = (all_of_them["feed_forward"] - active["feed_forward"]) / (routed - per_token)
    attending = config.attention_layers
    pair = 2.0 * attending * (config.qk_width + config.v_width)
    latent_pair, rebuild = pair, 0.0
    if latent := config.latent:
        latent_pair = 2.0 * attending * config.heads * (latent.cached_width + latent.kv_lora_rank)
        width = config.heads * (latent.qk_nope_head_dim + latent.v_head_dim)
        rebuild = 2.0 * attending * latent.kv_lora_rank * width
    common = (float(layers), float(head), expert, routed, per_token, pair, latent_pair, rebuild)
    if config.mixers == ("full",) and not config.index:
        return ModelCounts(*common)
    return ModelCounts(*common, **_special_layers(config))


def _special_layers(config: Config) -> dict[str, Any]:
    """Return the counts of windows, sparse attention and states."""
    attending, index_share, index_flops = max(config.attention_layers, 1), 0.0, 0.0
    if config.index:
        index_share = config.index.cached_bytes / (config.index.cached_bytes + config.latent.cached_bytes(1))  # type: ignore[union-attr]
        index_flops = 2.0 * attending * config.index.heads * config.index.head_dim
    limited = tuple((one.layers / attending, one.reach) for one in config.attention_reaches if one.reach is not None)
    return {
        "windows": limited,
        "cache_windows": tuple((share * (1 - index_share), reach) for share, reach in limited),
        "index_flops": index_flops,
        "index_share": index_share,
        "state_flops": 1.0 * config.mixer_counts["linear"] * config.linear.state_flops if config.linear else 0.0,
        "state_bytes": recurrent_state_memory(config),
        "growing_share": 1 - config.mixer_counts.get("window", 0) / attending,
    }


def limited_tokens(
    windows: tuple[tuple[float, int], ...], tokens: FloatOrArray, sequences: FloatOrArray
) -> FloatOrArray:
    """Count the tokens that are read if some of the layers read a limited number of them.

    ``tokens`` are those of all sequences together; all sequences count as equally long.
    """
    if not windows:
        return tokens
    read = tokens * (1 - sum(share for share, _ in windows))
    for share, reach in windows:
        most = sequences * reach
        if isinstance(tokens, np.ndarray) or isinstance(most, np.ndarray):
            read = read + share * np.minimum(tokens, most)
        else:
            read = read + share * min(tokens, most)
    return read


def limited_pairs(windows: tuple[tuple[float, int], ...], prompt: FloatOrArray) -> FloatOrArray:
    """Count the query-key pairs of a causal prompt if some layers read a limited number of tokens."""
    pairs = prompt * (prompt + 1) / 2
    total = pairs * (1 - sum(share for share, _ in windows))
    for share, reach in windows:
        total = total + share * np.where(prompt > reach, prompt * reach - reach * (reach - 1) / 2, pairs)
    return total


def parameters_read(config: Config | str, tokens: ArrayLike = 1) -> FloatOrArray:
    """Count the parameters that one step reads from memory, including routed experts (MoE).

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    tokens : int or array of int
        Tokens of the step, all sequences together.

    Returns
    -------
    float or array
        Parameters. For one token of a dense model these are all but the tables that are only looked
        up: the input embedding unless it is tied, and learned positions.

    Notes
    -----
    With experts the number grows with the tokens: ``r (1 - (1 - k/r)**tokens)`` of r experts are active
    when each token picks k of them evenly and independently. Uneven routing reads fewer. Source:
    the shapes of the matrices; occupancy of cells by independent draws.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> parameters_read(model("Llama 3 8B").config) / 1e9             # 0.53 of 8.03 are the input table
    7.504924672
    >>> (parameters_read(model("Mixtral 8x7B").config, [1, 8, 64]) / 1e9).round(1)
    array([12.7, 42.1, 46.6])
    """
    tokens = whole("tokens", tokens)
    return plain(parameters_read_unchecked(count_model(config), tokens))


def parameters_read_unchecked(counted: ModelCounts, tokens: FloatOrArray) -> FloatOrArray:
    """Return `parameters_read` without argument checks."""
    always = counted.layer_parameters + counted.head_parameters
    if not counted.expert_parameters:
        return always if not isinstance(tokens, np.ndarray) else always + 0.0 * tokens
    routed, picked = counted.routed, counted.per_token
    visited = routed * (1.0 - (1.0 - picked / routed) ** tokens)
    return always + (visited - picked) * counted.expert_parameters
