"""Recomputed FLOP: the cost of activation checkpointing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import choice, plain
from .config import check_config
from .flops import broadcast_to_sequence, score_flops, training_flops_per_token

if TYPE_CHECKING:
    from .._typing import ArrayLike, Convention, FloatOrArray, Recompute, SelectiveRule
    from .config import Config

RECOMPUTE = ("none", "selective", "full")
SELECTIVE_RULES: tuple[SelectiveRule, ...] = ("rerun", "paper")


def recomputed_flops_per_token(
    config: Config | str,
    sequence: ArrayLike,
    recompute: Recompute,
    convention: Convention = "palm",
    *,
    causal: bool = False,
    selective_rule: SelectiveRule | None = None,
) -> FloatOrArray:
    """FLOP per token that activation checkpointing computes a second time.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence : int or array of int
        Tokens of a training sequence.
    recompute : {"none", "selective", "full"}
        Recomputed part: nothing, the attention scores and what follows from them, or each layer.
    convention : {"6n", "palm", "torchtitan", "megatron"}
        Convention of `training_flops_per_token`, to which the result is to be added.
    causal : bool
        Whether only half of the scores count, see `training_flops_per_token`.
    selective_rule : {"rerun", "paper"}, optional
        Cost of selective recomputation. ``"rerun"``: what runs again, the
        forward pass of the scores, a third of ``attention_scores`` (2s/9h in the form of
        the paper's equation). ``"paper"``: forward and backward pass of the scores,
        as the paper that introduced it counts (s/3h). When left out, it follows the convention:
        ``"paper"`` for ``"megatron"``, ``"rerun"`` for the others.

    Returns
    -------
    float or array
        FLOP/token.

    Raises
    ------
    ValueError
        If selective recomputation is combined with ``"6n"``, which does not count attention scores.

    Notes
    -----
    One more forward pass is a third of the training arithmetic: that is ``"full"``,
    but ``"megatron"`` knows that the head is not recomputed. The two rules for selective
    recomputation are conventions of counting; the time of a step depends on neither.
    Published Megatron utilizations follow ``"paper"``. Ignores the products that
    FlashAttention recomputes inside its kernel.
    Source: Narayanan et al. 2021, eq. 3; Korthikanti et al. 2022, appendix A; the
    llm-foundry benchmark notes (full).

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> mpt = model("MPT 7B").config
    >>> extra = recomputed_flops_per_token(mpt, 2048, "full")
    >>> round(1 + extra / training_flops_per_token(mpt, 2048), 3)
    1.333
    >>> rules = [recomputed_flops_per_token(mpt, 2048, "selective", selective_rule=r) for r in ("rerun", "paper")]
    >>> rules[1] / rules[0]
    3.0
    """
    choice("recompute", recompute, RECOMPUTE)
    if selective_rule is None:
        selective_rule = "paper" if convention == "megatron" else "rerun"
    choice("selective_rule", selective_rule, SELECTIVE_RULES)
    config = check_config(config)
    total = training_flops_per_token(config, sequence, convention, causal=causal)
    if recompute == "none":
        return broadcast_to_sequence(0.0, sequence)
    if recompute == "full":
        head = 6.0 * config.vocab_size * config.d_model if convention == "megatron" else 0.0
        return plain((total - head) / 3)
    if convention == "6n":
        raise ValueError("recompute='selective' recomputes attention scores, which convention '6n' does not count")
    scores = score_flops(config, sequence, causal)
    return plain(scores if selective_rule == "paper" else scores / 3)


def hardware_flops_per_token(
    config: Config | str,
    sequence: ArrayLike,
    recompute: Recompute,
    convention: Convention = "palm",
    *,
    causal: bool = False,
    selective_rule: SelectiveRule | None = None,
) -> FloatOrArray:
    """FLOP per token that the hardware executes: training plus recomputation, the numerator of HFU.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence : int or array of int
        Tokens of a training sequence.
    recompute : {"none", "selective", "full"}
        Recomputed part.
    convention : {"6n", "palm", "torchtitan", "megatron"}
        Convention of `training_flops_per_token`.
    causal : bool
        Whether only half of the scores count.
    selective_rule : {"rerun", "paper"}, optional
        Cost of selective recomputation, see `recomputed_flops_per_token`.

    Returns
    -------
    float or array
        FLOP/token.

    Raises
    ------
    ValueError
        If selective recomputation is combined with ``"6n"``.

    Notes
    -----
    Ignores the same as `recomputed_flops_per_token`. State the ``selective_rule`` with an HFU.
    Source: see there.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> trillion = model("Megatron 1T").config
    >>> tokens = 512 * 2048
    >>> f"{tokens * hardware_flops_per_token(trillion, 2048, 'selective', 'megatron'):.3e}"
    '6.510e+18'
    """
    extra = recomputed_flops_per_token(
        config, sequence, recompute, convention, causal=causal, selective_rule=selective_rule
    )
    return extra + training_flops_per_token(config, sequence, convention, causal=causal)
