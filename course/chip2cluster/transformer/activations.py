"""Memory of the activations that a training step stores for its backward pass.

Source: Korthikanti et al., "Reducing activation recomputation in large transformer
models", arXiv:2205.05198, section 4 and table 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice, flag, holds, plain, positive, whole
from . import activation_split
from .config import MIXERS, Config, check_config
from .recomputation import RECOMPUTE

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray, Mixer, Recompute

MASK_BYTES, LOGIT_BYTES = activation_split.MASK_BYTES, 4


def activation_memory_per_layer(
    config: Config | str,
    sequence: ArrayLike,
    batch: ArrayLike = 1,
    *,
    tensor_parallel: ArrayLike = 1,
    sequence_parallel: bool = False,
    recompute: Recompute = "none",
    dropout: bool = True,
    bytes_per_element: ArrayLike = 2,
    context_parallel: ArrayLike = 1,
    dense_layer: bool = False,
    expert_load: ArrayLike = 1.0,
    fused_attention: bool = False,
    mixer: Mixer = "full",
    feed_forward: bool = True,
) -> FloatOrArray:
    """Bytes of activations that one device stores for one layer and one micro-batch, with activation checkpointing.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence, batch : int or array of int
        Tokens of a sequence, s, and sequences of a micro-batch, b.
    tensor_parallel : int or array of int
        Degree of tensor parallelism (TP), t; must divide the heads.
    sequence_parallel : bool
        Sequence parallelism (SP): whether the norms and dropouts are sharded over the t devices as well.
    recompute : {"none", "selective", "full"}
        Activation checkpointing: store all activations; recompute the attention scores (fused attention
        does so anyway); or store only the input of the layer.
    dropout : bool
        Whether the model has dropout, whose masks and results are stored too.
    bytes_per_element : float or array
        Bytes of an activation, 2 in 16 bits; a mask takes 1 in any case.
    context_parallel : int or array of int
        Degree of context parallelism (CP), c; must divide the sequence.
    dense_layer : bool
        Whether the layer of a mixture-of-experts (MoE) model is one without experts.
    expert_load : float or array
        Tokens routed to the experts of this device, relative to the mean.
    fused_attention : bool
        Whether one kernel computes the attention, so that the scores are never stored (FlashAttention); what
        ``recompute="selective"`` keeps.
    mixer : {"full", "window", "linear", "none"}
        Kind of the layer, see `Config`.
    feed_forward : bool
        Whether the layer has a feed-forward block.

    Returns
    -------
    float or array
        Bytes on one device.

    Notes
    -----
    A plain GPT at 2 bytes stores ``s b h (34 + 5 a s / h)``; with tensor parallelism
    ``s b h (10 + 24 / t + 5 a s / (h t))``; with sequence parallelism a t-th of the
    first. Selective recomputation drops the last term, full leaves ``2 s b h``.
    A gated block stores three hidden vectors, gate, up and their product, as a fused
    kernel does. Latent attention stores its latents before and after their norms, and
    queries, keys and values of all heads. A layer with experts stores hidden vectors for
    each expert of a token, the copy sent there, the returned result and 32 bits for
    each choice of the router; shared experts read what the block reads. With context
    parallelism a c-th of the tokens, each with scores for all, or for its window. State-space
    layers store their projections before and after the convolution. Ignores the states that their kernels
    keep, work space, fragmentation,
    communication buffers and the layer that is being recomputed. Source: Korthikanti et al. 2022,
    table 2; latents and experts: the same rule, inputs of products and norms are stored.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> gpt3 = model("GPT-3 175B").config
    >>> activation_memory_per_layer(gpt3, 2048) / (2048 * gpt3.d_model)      # 34 + 5 * 96 * 2048 / 12288
    114.0
    """
    config = check_config(config)
    choice("recompute", recompute, RECOMPUTE)
    flag("sequence_parallel", sequence_parallel)
    flag("dropout", dropout)
    sequence, batch = whole("sequence", sequence), whole("batch", batch)
    tensor = _tensor(config, tensor_parallel)
    size = positive("bytes_per_element", bytes_per_element)
    tokens = _tokens(sequence, context_parallel)
    load = positive("expert_load", expert_load)
    experts_per_token = (
        None
        if flag("dense_layer", dense_layer) or not config.experts or not feed_forward
        else config.experts.per_token * load
    )

    # tensor**0 is 1 in the shape of tensor, which the result must have.
    replicated_share = tensor if sequence_parallel else tensor**0
    if recompute == "full":
        return plain(tokens * (batch * (size * config.d_model / replicated_share)))
    kinds = (choice("mixer", mixer, MIXERS), "dense" if flag("feed_forward", feed_forward) else "none")
    per_token = activation_split.replicated_bytes(config, size, dropout, experts_per_token, kinds) / replicated_share
    per_token = (
        per_token
        + activation_split.sharded_bytes(config, size, experts_per_token, kinds) / tensor
        + activation_split.key_value_bytes(config, size, tensor, kinds)
    )
    if recompute == "none" and not flag("fused_attention", fused_attention) and mixer in ("full", "window"):
        keys = sequence if mixer == "full" or config.window is None else np.minimum(sequence, config.window)
        per_token = per_token + activation_split.score_bytes(config, size, dropout) / tensor * keys
    return plain(tokens * (batch * per_token))


def activation_memory(
    config: Config | str,
    sequence: ArrayLike,
    batch: ArrayLike = 1,
    *,
    tensor_parallel: ArrayLike = 1,
    pipeline_parallel: ArrayLike = 1,
    pipeline_chunks: ArrayLike = 1,
    sequence_parallel: bool = False,
    recompute: Recompute = "none",
    dropout: bool = True,
    bytes_per_element: ArrayLike = 2,
    include_ends: bool = False,
    logit_bytes: ArrayLike = LOGIT_BYTES,
    context_parallel: ArrayLike = 1,
    expert_load: ArrayLike = 1.0,
    fused_attention: bool = False,
) -> FloatOrArray:
    """Bytes of activations that the fullest device stores: the first pipeline stage (PP).

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence, batch : int or array of int
        Tokens of a sequence, and sequences of a micro-batch.
    tensor_parallel : int or array of int
        Degree of tensor parallelism (TP), t; must divide the heads.
    pipeline_parallel : int or array of int
        Pipeline stages, s. The first one has L / s layers and holds s micro-batches of
        each, so s cancels.
    pipeline_chunks : int or array of int
        Chunks of layers on each device in an interleaved schedule, m; above 1 the
        first stage holds 1 + (s - 1) / (s m) times as much.
    sequence_parallel : bool
        Sequence parallelism (SP), as in `activation_memory_per_layer`.
    recompute : {"none", "selective", "full"}
        Activation checkpointing, as in `activation_memory_per_layer`.
    dropout : bool
        Whether the model has dropout.
    bytes_per_element : float or array
        Bytes of an activation.
    include_ends : bool
        Whether to add the dropout of the embedding and, without a pipeline, the input of the
        final norm, the input of the head and its logits.
    logit_bytes : float or array
        Bytes of each logit: 4 for one 32-bit copy; 12 if the loss consists of separate
        operations, because its backward pass holds the logarithm of the softmax and the incoming
        and outgoing gradients, all in 32 bits.
    context_parallel : int or array of int
        Degree of context parallelism (CP); must divide the sequence.
    expert_load : float or array
        Tokens routed to the experts of this device, relative to the mean.
    fused_attention : bool
        Whether one kernel computes the attention, as in `activation_memory_per_layer`.

    Returns
    -------
    float or array
        Bytes on one device.

    Notes
    -----
    Assumes that at least p micro-batches follow each other, and uses the mean of layers with
    and without experts; `parallelism.memory` does neither. Ignores the same as
    `activation_memory_per_layer`. Source: Korthikanti et al. 2022, section 4.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> config = model("Megatron 22B").config
    >>> activation_memory(config, 2048, batch=4, tensor_parallel=8) / 2**30
    59.25
    >>> activation_memory(config, 2048, batch=4, tensor_parallel=8, sequence_parallel=True,
    ...                   recompute="selective") / 2**30
    9.5625
    """

    def layer(mixer: Any, block: str) -> FloatOrArray:
        return activation_memory_per_layer(
            config,
            sequence,
            batch,
            tensor_parallel=tensor_parallel,
            sequence_parallel=sequence_parallel,
            recompute=recompute,
            dropout=dropout,
            bytes_per_element=bytes_per_element,
            context_parallel=context_parallel,
            dense_layer=block == "dense",
            expert_load=expert_load,
            fused_attention=fused_attention,
            mixer=mixer,
            feed_forward=block != "none",
        )

    config = check_config(config)
    flag("include_ends", include_ends)
    stages, chunks = whole("pipeline_parallel", pipeline_parallel), whole("pipeline_chunks", pipeline_chunks)
    if holds(stages * chunks > config.layers):
        raise ValueError(
            f"pipeline_parallel times pipeline_chunks must be at most layers={config.layers}, "
            f"got {pipeline_parallel!r} and {pipeline_chunks!r}"
        )
    # The comparison adds the extra of an interleaved schedule only if there are chunks.
    held = 1 + (chunks > 1) * (stages - 1) / (stages * chunks)
    # The multiplication comes last, so that a uniform model is exactly layers times a layer.
    total = sum(layer(mixer, block) * count for (mixer, block), count in config.kind_counts.items()) * held
    if include_ends:
        tokens, batch = _tokens(whole("sequence", sequence), context_parallel), whole("batch", batch)
        tensor, size = _tensor(config, tensor_parallel), positive("bytes_per_element", bytes_per_element)
        share = tensor if sequence_parallel else 1
        masks = stages * MASK_BYTES * config.d_model / share if dropout else 0
        last = 2 * size * config.d_model / share + positive("logit_bytes", logit_bytes) * config.vocab_size / tensor
        total = total + 1.0 * tokens * batch * (masks + (stages == 1) * last)
    return plain(total)


def _tensor(config: Config, tensor_parallel: ArrayLike) -> IntOrArray:
    tensor = whole("tensor_parallel", tensor_parallel)
    if holds(config.heads % tensor != 0):
        raise ValueError(f"tensor_parallel must divide heads={config.heads}, got {tensor_parallel!r}")
    return tensor


def _tokens(sequence: IntOrArray, context_parallel: ArrayLike) -> FloatOrArray:
    """Return the tokens of a sequence on one device."""
    if isinstance(context_parallel, int) and context_parallel == 1 and context_parallel is not True:
        return sequence
    context = whole("context_parallel", context_parallel)
    if holds(sequence % context != 0):
        raise ValueError(f"context_parallel must divide sequence={sequence}, got {context_parallel!r}")
    return sequence / context
