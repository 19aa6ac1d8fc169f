"""Memory of each device during training: weights, gradients, optimizer states, activations."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import flag, one_whole, positive
from ..transformer import TrainingMemory, activation_memory_per_layer, state_memory
from ..transformer.activation_split import MASK_BYTES
from ..transformer.activations import LOGIT_BYTES
from ..transformer.config import check_config
from ..transformer.memory import check_offload, offloaded
from .layout import Layout, check_layout
from .pipeline_schedules import find_schedule, schedule_problem
from .pipeline_stages import assign_layers, device_parameters, end_shards, layer_shards

if TYPE_CHECKING:
    from ..transformer import Config


@dataclass(frozen=True)
class StageMemory:
    """Bytes on one device of a pipeline stage, by content.

    Attributes
    ----------
    weights, gradients, optimizer : float
        Training states on the device, bytes.
    activations : float
        Activations stored for their backward pass, bytes.
    gathered : float
        Weights and gradients that ZeRO-3 (FSDP) gathers for its largest layer, bytes.
    logits : float
        Logits of one micro-batch, bytes.
    rerun : float
        Activations of the one layer that full activation checkpointing has recomputed, bytes.
    """

    weights: float
    gradients: float
    optimizer: float
    activations: float
    gathered: float
    logits: float
    rerun: float = 0.0

    @property
    def parts(self) -> dict[str, float]:
        """Name and bytes of each part."""
        return {part.name: getattr(self, part.name) for part in fields(StageMemory)}

    @property
    def states(self) -> float:
        """Weights, gradients and optimizer states together, bytes."""
        return self.weights + self.gradients + self.optimizer

    @property
    def total(self) -> float:
        """All parts together, bytes."""
        return sum(self.parts.values())


@dataclass(frozen=True)
class OffloadedStageMemory(StageMemory):
    """Bytes on one device of a pipeline stage, and on its host.

    Attributes
    ----------
    host : float
        Training states of the device that are in the memory of its host, bytes; not part of ``parts`` and ``total``.
    pcie_bytes : float
        Bytes between the device and its host in one step, both directions together.
    """

    host: float = 0.0
    pcie_bytes: float = 0.0


def memory(
    config: Config | str, layout: Layout, sequence: int, micro_batches: int, stage: int = 0, **options: Any
) -> StageMemory:
    """Compute the bytes on a device of one pipeline stage during training.

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    layout : Layout
        Degrees of parallelism.
    sequence : int
        Tokens of a sequence, s.
    micro_batches : int
        Micro-batches of a step that pass one pipeline, m.
    stage : int
        Device of the pipeline, from 0.
    **options : object
        Options of `memory_by_stage`.

    Returns
    -------
    StageMemory
        Bytes by content.

    Raises
    ------
    ValueError
        If the layout is illegal, the micro-batches do not fit its schedule, or there is no such stage.

    Notes
    -----
    Ignores what `memory_by_stage` ignores. Source: see there.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> from chip2cluster.parallelism import Layout
    >>> need = memory(model("Megatron 175B").config, Layout(tensor=8, pipeline=8, chunks=3), 2048, micro_batches=64)
    >>> round(need.states / 1e9), round(need.activations / 1e9)
    (45, 13)
    """
    number = one_whole("stage", stage, minimum=0)
    if number >= check_layout(layout).pipeline:
        raise ValueError(f"stage must be at most {layout.pipeline - 1}, the last of pipeline={layout.pipeline}, got {stage}")  # fmt: skip
    return memory_by_stage(config, layout, sequence, micro_batches, **options)[number]


def memory_by_stage(
    config: Config | str,
    layout: Layout,
    sequence: int,
    micro_batches: int,
    *,
    include_ends: bool = True,
    dropout: bool = True,
    expert_load: float = 1.0,
    weight_bytes: float = 2,
    gradient_bytes: float = 2,
    optimizer_bytes: float = 12,
    bytes_per_element: float = 2,
    logit_bytes: float = LOGIT_BYTES,
    offload: tuple[str, ...] = (),
) -> tuple[StageMemory, ...]:
    """Compute the bytes on a device of each pipeline stage (ZeRO, FSDP, activation checkpointing).

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    layout : Layout
        Degrees of parallelism.
    sequence : int
        Tokens of a sequence, s.
    micro_batches : int
        Micro-batches of a step that pass one pipeline, m.
    include_ends : bool
        Whether to count the dropout of the embedding, the inputs of final norm and head, and the logits.
    dropout : bool
        Whether the model has dropout, see `transformer.activation_memory_per_layer`.
    expert_load : float
        Tokens routed to the experts of the fullest device, relative to the mean.
    weight_bytes, gradient_bytes, optimizer_bytes : float
        Bytes per parameter, see `transformer.state_memory`.
    bytes_per_element : float
        Bytes of an element of the activations.
    logit_bytes : float
        Bytes of a logit, see `transformer.activation_memory`.
    offload : tuple of {"optimizer", "weights"}
        States in the memory of the host, see `transformer.state_memory`.

    Returns
    -------
    tuple of StageMemory
        One for each device of the pipeline, the first stage first; with ``offload`` each an
        ``OffloadedStageMemory``, which also has the bytes on the host and over PCIe.

    Raises
    ------
    ValueError
        If the layout is illegal (the message says why), or the micro-batches do not fit its schedule.

    Notes
    -----
    A device holds the layers of its stage, the first one the embedding, the last one norm, head
    and logits; a tied table is on both ends. It stores activations of as many micro-batches as
    its schedule has in flight: in 1F1B the i-th of p stages min(m, p - i). ZeRO shards states over
    data times context; those of the routed experts over 1/e of that. ZeRO-3 gathers weights and
    gradients of its largest layer or table. Some libraries keep gradients and gathered weights whole from one
    micro-batch of a pipeline to the next; ZeRO 2 and 3 then need as much as ZeRO 1, which is not
    counted here. Ignores work space, communication buffers,
    fragmentation (some 5 to 20 % of what a tool reports), the sharing of one logit buffer in the
    loss, prefetched layers, and that some zero-bubble passes store less between their two halves.
    Source: Korthikanti et al. 2022, arXiv:2205.05198; Rajbhandari et al. 2020, arXiv:1910.02054.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> from chip2cluster.parallelism import Layout
    >>> llama = model("Llama 3.1 405B").config
    >>> stages = memory_by_stage(llama, Layout(tensor=8, pipeline=16, data=128, zero_stage=1), 8192, 16, dropout=False)
    >>> [round(stages[number].total / 1e9) for number in (0, 1, 15)]
    [72, 77, 17]
    """
    config = check_config(config)
    problems = check_layout(layout).problems(config, sequence=sequence)
    m = one_whole("micro_batches", micro_batches)
    wrong = schedule_problem(find_schedule(layout.schedule_name), layout.pipeline, m)
    if problems or wrong:
        raise ValueError("; ".join([*problems, *([wrong] if wrong else [])]))
    parts = stage_memory_arrays(
        config, layout, sequence, m,
        include_ends=flag("include_ends", include_ends), dropout=dropout, expert_load=expert_load, weight_bytes=weight_bytes, gradient_bytes=gradient_bytes,
        optimizer_bytes=optimizer_bytes, bytes_per_element=bytes_per_element, logit_bytes=logit_bytes,
    )  # fmt: skip
    rows = np.broadcast_arrays(*parts.values(), np.empty(layout.pipeline))[:-1]
    stages = tuple(StageMemory(*values) for values in zip(*(row.tolist() for row in rows), strict=True))
    if not offload:
        return stages
    check_offload(offload, layout.zero_stage)
    share = 1 / (layout.data * layout.context) if layout.zero_stage else 1.0
    sizes = {"weight_bytes": weight_bytes, "gradient_bytes": gradient_bytes}
    return tuple(_offloaded(stage, offload, layout.zero_stage, share, m, **sizes) for stage in stages)


def _offloaded(
    stage: StageMemory, offload: tuple[str, ...], zero_stage: int, share: float, micro_batches: int,
    *, weight_bytes: float, gradient_bytes: float,
) -> OffloadedStageMemory:  # fmt: skip
    """Move the states of a stage to the host."""
    # The states of the routed experts are sharded less; their optimizer states follow the weights.
    updated = stage.weights if zero_stage >= 3 else stage.weights * share
    held = TrainingMemory(stage.weights, stage.gradients, stage.optimizer)
    moved = offloaded(held, offload, updated * gradient_bytes / weight_bytes, updated, micro_batches)
    rest = {name: getattr(stage, name) for name in ("activations", "gathered", "logits", "rerun")}
    return OffloadedStageMemory(
        moved.weights, moved.gradients, moved.optimizer, **rest, host=moved.host, pcie_bytes=moved.pcie_bytes
    )


def stage_memory_arrays(
    config: Config,
    layout: Any,
    sequence: int,
    micro_batches: Any,
    *,
    include_ends: bool,
    dropout: bool,
    expert_load: float,
    weight_bytes: float,
    gradient_bytes: float,
    optimizer_bytes: float,
    bytes_per_element: float,
    logit_bytes: float,
) -> dict[str, Any]:
    """Return the parts of `StageMemory` as arrays whose last axis is the device of the pipeline.

    ``layout`` has the fields of a `Layout`; its tensor, data, context and expert and
    ``micro_batches`` may be arrays of shape (layouts, 1).
    """
    t, replicas = layout.tensor, layout.data * layout.context
    stages = assign_layers(config, layout.pipeline, layout.chunks, layout.schedule_name)
    dense, common, routed = layer_shards(config, t, layout.expert)
    first, last = end_shards(config, t, alone=layout.pipeline == 1)
    common_parameters, routed_parameters = device_parameters(config, layout, stages)
    states = {"zero_stage": layout.zero_stage, "weight_bytes": weight_bytes, "gradient_bytes": gradient_bytes, "optimizer_bytes": optimizer_bytes}  # fmt: skip
    each = state_memory(1.0, data_parallel=replicas, **states)
    parts = {name: common_parameters * getattr(each, name) for name in ("weights", "gradients", "optimizer")}
    if config.experts:
        one = state_memory(1.0, data_parallel=replicas // layout.expert, **states)
        parts = {name: value + routed_parameters * getattr(one, name) for name, value in parts.items()}

    size = positive("bytes_per_element", bytes_per_element)
    options = {"tensor_parallel": t, "sequence_parallel": layout.sequence_parallel, "context_parallel": layout.context,
               "dropout": dropout, "bytes_per_element": size, "expert_load": expert_load}  # fmt: skip

    def layers(recompute: str, counts: tuple[Any, Any] = (stages.dense, stages.experts)) -> Any:
        """Return the activations of the given numbers of dense and MoE layers, for one micro-batch."""
        total = 0.0
        for count, without in zip(counts, (True, False), strict=True):
            if np.any(count):
                layer = {"recompute": recompute, "dense_layer": without, **options}
                total = total + count * activation_memory_per_layer(config, sequence, layout.micro_batch, **layer)
        return total

    in_flight = find_schedule(layout.schedule_name).in_flight(layout.pipeline, micro_batches, layout.chunks, np.arange(layout.pipeline)) / stages.stages_held  # fmt: skip
    tokens = sequence / layout.context * layout.micro_batch
    share = t if layout.sequence_parallel else 1
    # Only GPipe starts the backward pass of the head after all forward passes.
    at_head = include_ends * stages.last * (micro_batches if layout.schedule_name == "gpipe" else 1)
    masks = include_ends * stages.first * in_flight * (MASK_BYTES * config.d_model / share if dropout else 0.0)
    ends = tokens * (masks + at_head * 2 * size * config.d_model / share)
    parts["activations"] = in_flight * layers(layout.recompute) + ends
    largest = np.maximum.reduce(np.broadcast_arrays(
        dense * (stages.dense > 0),
        (common + routed * (replicas // layout.expert > 1)) * (stages.experts > 0),
        first * (stages.first > 0),
        last * (stages.last > 0),
    ))  # fmt: skip
    needs = (layout.zero_stage == 3) * (replicas > 1)
    parts["gathered"] = needs * largest * (weight_bytes + gradient_bytes)
    parts["logits"] = at_head * tokens * (positive("logit_bytes", logit_bytes) * config.vocab_size / t)
    parts["rerun"] = (
        layers("selective", (stages.experts == 0, stages.experts > 0)) if layout.recompute == "full" else 0.0
    )
    return parts
