"""Arithmetic done twice: the price of activations that were not kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import choice, plain
from .config import check_config
from .flops import in_shape_of, score_flops, training_flops_per_token

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
    """Arithmetic that is done twice because activations were not kept.

    Parameters
    ----------
    config : Config or str
        Or the name of a published one.
    sequence : int or array of int
        Tokens of a training sequence.
    recompute : {"none", "selective", "full"}
        Nothing, the attention scores and what follows from them, or each layer.
    convention : {"6n", "palm", "torchtitan", "megatron"}
        As in `training_flops_per_token`, with which the result is to be added.
    causal : bool
        As in `training_flops_per_token`.
    selective_rule : {"rerun", "paper"}, optional
        What selective recomputation is charged with. ``"rerun"``: what runs again, the
        forward pass of the scores, a third of ``attention_scores`` (2s/9h in the form of
        the paper's equation). ``"paper"``: all that the scores cost, forward and backward,
        as the paper that introduced it counts (s/3h). Left out, it follows the convention:
        ``"paper"`` for ``"megatron"``, ``"rerun"`` for the others.

    Returns
    -------
    float or array
        FLOP/token.

    Raises
    ------
    ValueError, TypeError
        For unknown names, and for selective recomputation under ``"6n"``, which
        does not count what is recomputed.

    Notes
    -----
    One more forward pass is a third of the training arithmetic: that is ``"full"``,
    but ``"megatron"`` knows that the head is not rerun. The two rules for selective
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
        return in_shape_of(0.0, sequence)
    if recompute == "full":
        head = 6.0 * config.vocab_size * config.d_model if convention == "megatron" else 0.0
        return plain((total - head) / 3)
    if convention == "6n":
        raise ValueError("recompute='selective' reruns attention scores, which convention '6n' does not count")
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
    """Arithmetic that the hardware does for one token: training plus recomputation.

    Parameters
    ----------
    config, sequence, recompute, convention, causal, selective_rule
        As in `recomputed_flops_per_token`.

    Returns
    -------
    float or array
        FLOP/token; what hardware utilization (HFU) is made of.

    Raises
    ------
    ValueError, TypeError
        As `recomputed_flops_per_token`.

    Notes
    -----
    Ignores the same. Say with an HFU by which ``selective_rule`` it was counted.
    Source: as `recomputed_flops_per_token`.

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
