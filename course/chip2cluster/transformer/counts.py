"""Exact parameter counts of transformers."""

from __future__ import annotations

from .._validate import flag
from .config import Config, check_config


def parameters(config: Config | str) -> int:
    """Count all trained parameters of the model.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.

    Returns
    -------
    int
        Number of parameters.

    Notes
    -----
    Counts weights, biases and norms; the tied head once. A checkpoint can hold
    more: rotary frequencies stored as tensors, prediction heads used in training only.
    Source: the shapes of the matrices, `parameter_breakdown`.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> parameters(model("Llama 3 8B").config)
    8030261248
    """
    return sum(parameter_breakdown(config).values())


def active_parameters(config: Config | str) -> int:
    """Count the parameters that one token uses: all but the routed experts (MoE) that it is not sent to.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.

    Returns
    -------
    int
        Number of parameters; equal to `parameters` for a model without experts.

    Notes
    -----
    The embedding table is counted whole, as in N of 6N; some model cards leave the
    input table out (37 instead of 37.6 billion for DeepSeek-V3).
    Source: the shapes of the matrices, `parameter_breakdown`.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> active_parameters(model("Mixtral 8x7B").config)
    12879925248
    """
    return sum(parameter_breakdown(config, active=True).values())


def parameter_breakdown(config: Config | str, *, active: bool = False) -> dict[str, int]:
    """Count the parameters of each part of the model.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    active : bool
        Whether to leave out the experts that a token is not routed to.

    Returns
    -------
    dict of str to int
        Counts of ``embedding``, ``positions``, ``attention``, ``feed_forward``, ``router``,
        ``norms`` and ``head`` (0 if tied). The norms inside attention count
        as attention.

    Notes
    -----
    A plain GPT layer has 12 d^2 weights and 13 d biases and norms.
    Source: the shapes of the matrices; the layout of Narayanan et al. 2021, eq. 2,
    plus the final norm.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> parts = parameter_breakdown(model("Llama 2 7B").config)
    >>> parts["attention"], parts["feed_forward"]
    (2147483648, 4328521728)
    """
    config = check_config(config)
    flag("active", active)
    table = config.vocab_size * config.d_model
    norm = config.d_model * (2 if config.norm_bias else 1)
    dense_layers = config.layers - config.moe_layers
    feed_forward = dense_layers * _feed_forward(config, config.d_hidden)
    router = 0
    if config.experts:
        experts = config.experts
        used = (experts.per_token if active else experts.routed) + experts.shared
        feed_forward += config.moe_layers * used * _feed_forward(config, experts.d_hidden)
        router = config.moe_layers * experts.routed * (config.d_model + experts.router_bias)
    return {
        "embedding": table,
        "positions": config.positions * config.d_model,
        "attention": config.layers * (attention_matrices(config) + _attention_vectors(config)),
        "feed_forward": feed_forward,
        "router": router,
        "norms": (config.layers * config.norms_per_layer + 1) * norm,
        "head": 0 if config.tied_embeddings else table,
    }


def attention_matrices(config: Config) -> int:
    """Elements of the projection matrices of one attention block."""
    d_model, latent = config.d_model, config.latent
    output = config.v_width * d_model
    if not latent:
        return d_model * (config.qk_width + 2 * config.kv_heads * config.head_dim) + output
    query_rank = latent.q_lora_rank
    queries = query_rank * (d_model + config.qk_width) if query_rank else d_model * config.qk_width
    rebuilt = config.heads * (latent.qk_nope_head_dim + latent.v_head_dim)
    return queries + d_model * latent.cached_width + latent.kv_lora_rank * rebuilt + output


def feed_forward_matrices(config: Config, d_hidden: int) -> int:
    """Elements of the matrices of one feed-forward block."""
    return (3 if config.gated else 2) * config.d_model * d_hidden


def active_matrices(config: Config) -> int:
    """Elements of all layer matrices that one token is multiplied with, without routers."""
    dense_layers = config.layers - config.moe_layers
    total = config.layers * attention_matrices(config)
    total += dense_layers * feed_forward_matrices(config, config.d_hidden)
    if config.experts:
        used = config.experts.per_token + config.experts.shared
        total += config.moe_layers * used * feed_forward_matrices(config, config.experts.d_hidden)
    return total


def _attention_vectors(config: Config) -> int:
    if config.latent:
        return config.latent.q_lora_rank + config.latent.kv_lora_rank
    kv_width = config.kv_heads * config.head_dim
    total = config.qk_width + 2 * kv_width if config.qkv_bias else 0
    if config.bias:
        total += config.d_model
    return total + (2 * config.head_dim if config.qk_norm else 0)


def _feed_forward(config: Config, d_hidden: int) -> int:
    biases = (2 if config.gated else 1) * d_hidden + config.d_model if config.bias else 0
    return feed_forward_matrices(config, d_hidden) + biases
