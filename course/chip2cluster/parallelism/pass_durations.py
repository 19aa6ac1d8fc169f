"""Duration of the passes of one micro-batch on each stage: the input of a pipeline schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import flag, fraction, one_whole
from ..specs import Accelerator
from ..transformer.parameter_counts import attention_matrices, feed_forward_matrices
from .layout import Layout, check_layout
from .pipeline_stages import layers_of_chunks

if TYPE_CHECKING:
    from ..transformer import Config


def pass_seconds(
    config: Config,
    layout: Layout,
    device: Accelerator,
    *,
    sequence: int,
    precision: str = "bf16",
    kernel_efficiency: float = 1.0,
    causal: bool = False,
) -> dict[str, list[float]]:
    """Compute the time of one micro-batch's forward pass and both halves of its backward pass on each stage.

    Parameters
    ----------
    config : transformer.Config
        Shape of the model.
    layout : Layout
        Degrees of parallelism.
    device : specs.Accelerator
        Chip of the cluster.
    sequence : int
        Tokens of a sequence.
    precision : str
        Precision of the arithmetic, for the dense peak.
    kernel_efficiency : float
        Fraction of peak that the kernels reach while they run, above 0 and at most 1.
    causal : bool
        Whether only half of the attention scores are computed.

    Returns
    -------
    dict of str to list of float
        ``forward_seconds``, ``backward_seconds`` and ``weight_seconds`` of every chunk in the order of the layers:
        arguments of `schedule`.

    Raises
    ------
    ValueError
        If the layout is illegal.

    Notes
    -----
    Stages differ if the layers do not divide, if some have experts, and by the head, which the last
    one has. A matrix costs as much for the gradient of its input as for that of its weights; scores
    cost twice their forward pass for inputs alone; recomputation runs before the gradient
    of the inputs. Summed over all stages and micro-batches it is the arithmetic of `step_time`. Ignores
    the lookup of the embedding, the router, and the messages inside the layers. Source: see
    `transformer.flops_breakdown`.

    Examples
    --------
    The head makes the last of four stages of Llama 3 8B wait for nobody, and all others for it:

    >>> from chip2cluster import parallelism, specs, transformer
    >>> llama, layout = transformer.model("Llama 3 8B").config, parallelism.Layout(pipeline=4)
    >>> seconds = pass_seconds(llama, layout, specs.accelerator("H100 SXM"), sequence=8192)
    >>> run = parallelism.schedule("1f1b", 4, 16, **seconds)
    >>> [round(idle / run.makespan_seconds, 2) for idle in run.idle_seconds]
    [0.29, 0.29, 0.29, 0.13]
    """
    tokens = one_whole("sequence", sequence)
    problems = check_layout(layout).problems(config, sequence=tokens)
    if problems:
        raise ValueError("; ".join(problems))
    if not isinstance(device, Accelerator):
        raise TypeError(f"device must be a specs.Accelerator, got {device!r}")
    rate = device.peak_flops_dense(precision) * fraction("kernel_efficiency", kernel_efficiency)
    each = tokens * layout.micro_batch / (layout.tensor * layout.context) / rate  # seconds of one FLOP per token
    attention, hidden = attention_matrices(config), feed_forward_matrices(config, config.d_hidden)
    visited = 0
    if config.experts:
        visits = config.experts.per_token + config.experts.shared
        visited = visits * feed_forward_matrices(config, config.experts.d_hidden)
    dense, experts = layers_of_chunks(config, layout.pipeline * layout.chunks)
    matrices = 2.0 * each * (dense * (attention + hidden) + experts * (attention + visited))
    share = 0.5 if flag("causal", causal) else 1.0
    scores = 2.0 * each * share * (dense + experts) * (config.qk_width + config.v_width) * tokens
    again = {"none": 0.0, "selective": scores, "full": matrices + scores}[layout.recompute]
    forward, backward, weights = matrices + scores, matrices + 2 * scores + again, matrices.copy()
    for passes in (forward, backward, weights):
        passes[-1] += 2.0 * each * config.vocab_size * config.d_model
    return {
        "forward_seconds": forward.tolist(),
        "backward_seconds": backward.tolist(),
        "weight_seconds": weights.tolist(),
    }
