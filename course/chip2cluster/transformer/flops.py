"""Training FLOP of a transformer, by the conventions of published utilizations.

A multiply-accumulate is 2 FLOP; the backward pass costs twice the forward pass, so
each weight costs 6 FLOP a token. The conventions differ in the rest: which
parameters are in N, whether the attention scores count, and whether a causal mask
halves them. Source: Kaplan et al. 2020; Chowdhery et al. 2022 (PaLM), appendix B;
Narayanan et al. 2021; Korthikanti et al. 2022, appendix A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy import full_like, ndarray, where

from .._validate import choice, flag, plain, positive, whole
from .config import Config, check_config
from .parameter_counts import active_matrices, active_parameters, mixer_matrices

if TYPE_CHECKING:
    from .._typing import ArrayLike, Convention, FloatOrArray, IntOrArray

CONVENTIONS = ("6n", "palm", "torchtitan", "megatron")


def training_flops(parameters: ArrayLike, tokens: ArrayLike) -> FloatOrArray:
    """FLOP of a whole training run by the rule of thumb 6 N D.

    Parameters
    ----------
    parameters : float or array
        Number of parameters, N; the active ones for a mixture of experts (MoE).
    tokens : float or array
        Training tokens, D; some 20 N by Chinchilla scaling.

    Returns
    -------
    float or array
        FLOP.

    Notes
    -----
    Ignores the attention scores, recomputation and restarts.
    Source: Kaplan et al., "Scaling laws for neural language models", arXiv:2001.08361.

    Examples
    --------
    >>> f"{training_flops(405e9, 15.6e12):.2e}"      # Llama 3.1 405B: 3.8e25 published
    '3.79e+25'
    """
    return plain(6.0 * positive("parameters", parameters) * positive("tokens", tokens))


def training_flops_per_token(
    config: Config | str,
    sequence: ArrayLike | None = None,
    convention: Convention = "palm",
    *,
    causal: bool = False,
    parameters: ArrayLike | None = None,
) -> FloatOrArray:
    """FLOP of forward and backward pass for one token.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence : int or array of int, optional
        Tokens of a training sequence, T; all conventions but ``"6n"`` need it.
    convention : {"6n", "palm", "torchtitan", "megatron"}
        ``"6n"``: 6 N. ``"palm"``: 6 N + 12 L H d_head T, all parameters in N.
        ``"torchtitan"``: the same without the input embedding in N.
        ``"megatron"``: only products of matrices, the head included:
        72 L d^2 (1 + T / 6d + V / 12 L d) for a plain GPT.
    causal : bool
        False counts all T x T scores, as published utilizations do unless
        they say otherwise; True counts half of them.
    parameters : float or array, optional
        N to use instead of the count of the config, such as a published
        rounded one; not allowed with ``"megatron"``.

    Returns
    -------
    float or array
        FLOP/token, shape of ``sequence`` and ``parameters`` broadcast.

    Notes
    -----
    With experts N counts the active ones. Latent attention has query
    and value heads of different width; 12 H d_head becomes 6 H (d_qk + d_v). A window counts
    the tokens in it, sparse attention the tokens that it picks and the scores of its indexer;
    state-space layers and linear attention the arithmetic of their state in its recurrent form. Ignores
    softmax, norms, activation functions, optimizer and (``"megatron"``) the router.
    Source: in the order of the conventions: Kaplan et al. 2020; Chowdhery
    et al. 2022, appendix B; torchtitan ``models/utils.py``; Narayanan et al. 2021 and
    Korthikanti et al. 2022, appendix A. Newer Megatron-LM counts as ``causal=True``.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> llama = model("Llama 3 8B").config
    >>> training_flops_per_token(llama, convention="6n") / 1e9
    48.181567488
    >>> training_flops_per_token(llama, 8192, "torchtitan") / 1e9
    57.91444992
    >>> training_flops_per_token(llama, 8192, causal=True) / 1e9
    54.624018432
    """
    config = check_config(config)
    choice("convention", convention, CONVENTIONS)
    flag("causal", causal)
    weights: FloatOrArray
    if convention == "megatron":
        if parameters is not None:
            raise ValueError(f"parameters has no meaning for convention 'megatron', got {parameters!r}")
        weights = active_matrices(config) + config.vocab_size * config.d_model
    elif parameters is not None:
        weights = positive("parameters", parameters)
    else:
        weights = active_parameters(config)
        if convention == "torchtitan":
            # A lookup multiplies nothing; a tied table multiplies as the head.
            tables = config.positions if config.tied_embeddings else config.positions + config.vocab_size
            weights -= tables * config.d_model
    if convention == "6n":
        return broadcast_to_sequence(6.0 * weights, sequence)
    return plain(6.0 * weights + score_flops(config, sequence, causal))


def flops_breakdown(config: Config | str, sequence: ArrayLike, *, causal: bool = False) -> dict[str, FloatOrArray]:
    """Training FLOP of a token by kind of product.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence : int or array of int
        Tokens of a training sequence.
    causal : bool
        Whether only half of the scores count, see `training_flops_per_token`.

    Returns
    -------
    dict of str to float or array
        FLOP/token of ``attention_projections``, ``attention_scores``,
        ``feed_forward`` and ``head``; the sum is the ``"megatron"`` convention.

    Notes
    -----
    Ignores the same as `training_flops_per_token`. For multi-head attention the scores cost as much as the
    projections at T = 2 d.
    Source: Korthikanti et al. 2022, appendix A.

    Examples
    --------
    >>> from chip2cluster.transformer import Config
    >>> plain_gpt = Config(layers=1, d_model=4096, heads=32, vocab_size=50304)
    >>> parts = flops_breakdown(plain_gpt, sequence=8192)
    >>> parts["attention_scores"] == parts["attention_projections"]
    True
    """
    config = check_config(config)
    projections = mixer_matrices(config)
    return {
        "attention_projections": 6.0 * projections,
        "attention_scores": plain(score_flops(config, sequence, causal)),
        "feed_forward": 6.0 * (active_matrices(config) - projections),
        "head": 6.0 * config.vocab_size * config.d_model,
    }


def score_flops(config: Config, sequence: IntOrArray, causal: bool) -> FloatOrArray:
    """Training FLOP/token of scores and weighted sum: 12 L H d_head T for equal head widths."""
    if sequence is None:
        raise TypeError("sequence is needed for every convention but '6n', got None")
    flag("causal", causal)
    sequence = whole("sequence", sequence)
    total: FloatOrArray = 0.0
    for group in config.attention_reaches:
        total = total + 6.0 * group.layers * group.pair_elements * _mean_reach(sequence, group.reach, causal)
    if config.linear:
        total = total + 3.0 * config.mixer_counts["linear"] * config.linear.state_flops
    return broadcast_to_sequence(total, sequence)


def _mean_reach(sequence: IntOrArray, reach: int | None, causal: bool) -> FloatOrArray:
    """Tokens that a query reads, on average over the sequence: T or T/2, and less in a window."""
    whole_sequence = sequence / 2 if causal else 1.0 * sequence
    if reach is None:
        return whole_sequence
    limited = reach - reach**2 / (2 * sequence) if causal else 1.0 * reach
    if isinstance(sequence, ndarray):
        return where(sequence <= reach, whole_sequence, limited)
    return whole_sequence if sequence <= reach else limited


def broadcast_to_sequence(value: FloatOrArray, sequence: Any) -> FloatOrArray:
    """Broadcast a value that does not depend on the sequence to the sequence's shape."""
    if sequence is not None:
        sequence = whole("sequence", sequence)
        if isinstance(sequence, ndarray):
            return value + full_like(sequence, 0.0)
    return plain(value)
