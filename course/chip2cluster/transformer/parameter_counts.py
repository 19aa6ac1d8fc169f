"""Exact parameter counts of transformers."""

from __future__ import annotations

from .._validate import flag
from .config import Config, check_config


def parameters(config: Config | str, *, input_table: bool = True) -> int:
    """Count all trained parameters of the model.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    input_table : bool
        Whether the input embedding counts; a tied table always does, because it is the head as well.

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
    return sum(parameter_breakdown(config).values()) - _left_out(config, input_table)


def active_parameters(config: Config | str, *, input_table: bool = True) -> int:
    """Count the parameters that one token uses: all but the routed experts (MoE) that it is not sent to.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    input_table : bool
        Whether the input embedding counts, as in N of 6N. A token only looks up one of its rows, so
        some model cards leave it out: 5.1 instead of 5.7 billion for gpt-oss-120b.

    Returns
    -------
    int
        Number of parameters; equal to `parameters` for a model without experts.

    Notes
    -----
    Source: the shapes of the matrices, `parameter_breakdown`.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> active_parameters(model("Mixtral 8x7B").config)
    12879925248
    """
    return sum(parameter_breakdown(config, active=True).values()) - _left_out(config, input_table)


def _left_out(config: Config | str, input_table: bool) -> int:
    """Parameters of the input table if they are not to count and are not the head's."""
    config = check_config(config)
    return 0 if flag("input_table", input_table) or config.tied_embeddings else config.vocab_size * config.d_model


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
        as attention, and so do state-space layers.

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
    feed_forward = config.dense_layers * _feed_forward(config, config.d_hidden)
    router = 0
    if config.experts:
        experts = config.experts
        used = (experts.per_token if active else experts.routed) + experts.shared
        feed_forward += config.moe_layers * used * _feed_forward(config, experts.d_hidden)
        router = experts.routed * (config.d_model + experts.router_bias) + experts.shared_gate * config.d_model
        router *= config.moe_layers
    attention = mixer_matrices(config) + config.attention_layers * _attention_vectors(config)
    if config.linear:
        attention += config.mixer_counts["linear"] * config.linear.vectors()
    return {
        "embedding": table,
        "positions": config.positions * config.d_model,
        "attention": attention,
        "feed_forward": feed_forward,
        "router": router,
        "norms": (config.layers * config.norms_per_layer + 1) * norm,
        "head": (0 if config.tied_embeddings else table) + config.head_bias * config.vocab_size,
    }


def mixer_matrices(config: Config) -> int:
    """Elements of the projection matrices of attention, or what replaces it, in all layers."""
    total = config.attention_layers * attention_matrices(config)
    if config.linear:
        total += config.mixer_counts["linear"] * config.linear.matrices(config.d_model)
    return total


def attention_matrices(config: Config) -> int:
    """Elements of the projection matrices of one attention block."""
    d_model, latent = config.d_model, config.latent
    output = config.v_width * d_model * (2 if config.attention_gate else 1)
    if not latent:
        return d_model * (config.qk_width + 2 * config.kv_heads * config.head_dim) + output
    if config.index:
        output += config.index.matrices(d_model, latent.q_lora_rank)
    query_rank = latent.q_lora_rank
    queries = query_rank * (d_model + config.qk_width) if query_rank else d_model * config.qk_width
    rebuilt = config.heads * (latent.qk_nope_head_dim + latent.v_head_dim)
    return queries + d_model * latent.cached_width + latent.kv_lora_rank * rebuilt + output


def feed_forward_matrices(config: Config, d_hidden: int) -> int:
    """Elements of the matrices of one feed-forward block."""
    return (3 if config.gated else 2) * config.d_model * d_hidden


def active_matrices(config: Config) -> int:
    """Elements of all layer matrices that one token is multiplied with, without routers."""
    total = mixer_matrices(config)
    total += config.dense_layers * feed_forward_matrices(config, config.d_hidden)
    if config.experts:
        used = config.experts.per_token + config.experts.shared
        total += config.moe_layers * used * feed_forward_matrices(config, config.experts.d_hidden)
    return total


def _attention_vectors(config: Config) -> int:
    if config.latent:
        # The key of the indexer has a norm with bias.
        return (
            config.latent.q_lora_rank + config.latent.kv_lora_rank + (2 * config.index.head_dim if config.index else 0)
        )
    kv_width = config.kv_heads * config.head_dim
    total = config.qk_width + 2 * kv_width if config.qkv_bias else 0
    if config.bias or config.output_bias:
        total += config.d_model
    if config.attention_sinks:
        total += config.heads
    if config.qk_norm:
        total += config.qk_width + kv_width if config.qk_norm_each_head else 2 * config.head_dim
    return total


def _feed_forward(config: Config, d_hidden: int) -> int:
    biases = (2 if config.gated else 1) * d_hidden + config.d_model if config.bias else 0
    return feed_forward_matrices(config, d_hidden) + biases
