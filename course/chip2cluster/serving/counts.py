"""What one token costs in a model when it is served: parameters read, products, scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, whole
from ..transformer import Config, parameter_breakdown
from ..transformer.config import check_config

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class Counts:
    """Counts of a model that do not depend on the batch.

    ``layer_parameters`` are those that every token is multiplied with, its own experts
    included and the head left out; ``head_parameters`` only those of which a next token is
    sampled. ``expert_parameters`` is one expert of every layer that has them.
    ``score_flops_per_pair`` is the arithmetic of one query with one cached token in all layers
    and heads, ``score_flops_per_pair_latent`` the same with keys left in the latent (equal where
    there is none), ``rebuild_flops`` what it takes to rebuild the keys and values of a token.
    """

    layer_parameters: float
    head_parameters: float
    expert_parameters: float
    routed: int
    per_token: int
    score_flops_per_pair: float
    score_flops_per_pair_latent: float
    rebuild_flops: float


@lru_cache(maxsize=256)
def counts(config: Config) -> Counts:
    """Count a model once; a config is frozen, so the answer is kept."""
    config = check_config(config)
    active, all_of_them = parameter_breakdown(config, active=True), parameter_breakdown(config)
    head = active["head"] or active["embedding"]  # a tied head is the table
    layers = sum(active.values()) - active["embedding"] - active["positions"] - active["head"]
    routed, per_token, expert = 1, 1, 0.0
    if config.experts and config.experts.routed > config.experts.per_token:
        routed, per_token = config.experts.routed, config.experts.per_token
        expert = (all_of_them["feed_forward"] - active["feed_forward"]) / (routed - per_token)
    pair = 2.0 * config.layers * (config.qk_width + config.v_width)
    latent_pair, rebuild = pair, 0.0
    if latent := config.latent:
        latent_pair = 2.0 * config.layers * config.heads * (latent.cached_width + latent.kv_lora_rank)
        width = config.heads * (latent.qk_nope_head_dim + latent.v_head_dim)
        rebuild = 2.0 * config.layers * latent.kv_lora_rank * width
    return Counts(float(layers), float(head), expert, routed, per_token, pair, latent_pair, rebuild)


def parameters_read(config: Config | str, tokens: ArrayLike = 1) -> FloatOrArray:
    """Parameters that a step must read from memory when it works on so many tokens.

    Parameters
    ----------
    config : transformer.Config or str
        Or the name of a published one.
    tokens : int or array of int
        Tokens of the step, of all sequences together.

    Returns
    -------
    float or array
        For one token and no experts all parameters but the tables that are only looked up:
        the input table where it is not tied, and learned positions.

    Raises
    ------
    ValueError, TypeError
        For anything but a `Config` or the name of a published model, and tokens that are not whole numbers of at least 1.

    Notes
    -----
    With experts it grows with the tokens: ``r (1 - (1 - k/r)**tokens)`` of r experts are visited
    when each token picks k of them evenly and by itself. Uneven routing reads fewer. Source:
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
    return plain(read(counts(config), tokens))


def read(counted: Counts, tokens: FloatOrArray) -> FloatOrArray:
    """`parameters_read` without checks."""
    always = counted.layer_parameters + counted.head_parameters
    if not counted.expert_parameters:
        return always if not isinstance(tokens, np.ndarray) else always + 0.0 * tokens
    routed, picked = counted.routed, counted.per_token
    visited = routed * (1.0 - (1.0 - picked / routed) ** tokens)
    return always + (visited - picked) * counted.expert_parameters
