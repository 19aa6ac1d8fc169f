"""Communication of a layout in one step: bytes, collective and group of each axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import collectives
from .._validate import one_whole, plain, positive
from ..transformer.config import check_config
from ..utilization.gradient_exchange import rounds
from .layout import Layout, check_layout
from .pipeline_schedules import find_schedule, schedule_problem
from .pipeline_stages import assign_layers, device_parameters

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray
    from ..transformer import Config

AXES = ("tensor", "context", "pipeline", "data", "expert")
ALGORITHMS = {"all_to_all": "pairwise", "send_recv": "direct"}  # all others use a ring
# For each ZeRO stage: collective, payload, and how often in a round of `rounds`.
ZERO_EXCHANGES = {
    0: (("all_reduce", "gradients", 1),),
    1: (("all_gather", "weights", 1), ("reduce_scatter", "gradients", 1)),
    2: (("all_gather", "weights", 1), ("reduce_scatter", "gradients", 1)),
    3: (("all_gather", "weights", 2), ("reduce_scatter", "gradients", 1)),
}


@dataclass(frozen=True)
class Exchange:
    """One kind of message of an axis.

    Attributes
    ----------
    collective : str
        Name of the collective, as in `collectives.time`.
    message_bytes : float or array
        Size of one message, bytes, see `collectives.meaning_of_size`.
    times : float or array
        Messages per step.
    group : int or array of int
        Ranks of the collective.
    """

    collective: str
    message_bytes: FloatOrArray
    times: FloatOrArray
    group: IntOrArray

    @property
    def algorithm(self) -> str:
        """Algorithm of the collective: a ring, or direct sends to each partner."""
        return ALGORITHMS.get(self.collective, "ring")

    @property
    def bytes_sent_one_way_per_step(self) -> FloatOrArray:
        """Bytes that one device sends in a step."""
        return self.times * collectives.traffic(self.collective, self.algorithm, self.message_bytes, self.group).sent


@dataclass(frozen=True)
class Volume:
    """Traffic of one axis in a step, for the device that sends most.

    Attributes
    ----------
    axis : str
        Name of the axis.
    group : int
        Devices that communicate: data times context for ``"data"``.
    exchanges : tuple of Exchange
        Messages of the axis.
    """

    axis: str
    group: int
    exchanges: tuple[Exchange, ...]

    @property
    def bytes_sent_one_way_per_step(self) -> float:
        """Bytes that one device sends in a step."""
        return plain(sum(one.bytes_sent_one_way_per_step for one in self.exchanges) + 0.0)

    @property
    def messages(self) -> float:
        """Number of collectives in a step."""
        return plain(sum(one.times for one in self.exchanges) + 0.0) if self.group > 1 else 0.0

    @property
    def collective(self) -> str:
        """Names of the axis's collectives."""
        return ", ".join(dict.fromkeys(one.collective for one in self.exchanges))


def volumes(
    config: Config | str,
    layout: Layout,
    sequence: int,
    micro_batches: int,
    *,
    weight_bytes: float = 2,
    gradient_bytes: float = 2,
    bytes_per_element: float = 2,
    expert_load: float = 1.0,
) -> dict[str, Volume]:
    """Compute the bytes that one device sends in a step for each axis of a layout (TP, CP, PP, DP, EP).

    Parameters
    ----------
    config : transformer.Config or str
        Shape of the model, or the name of a published one.
    layout : Layout
        Degrees of parallelism.
    sequence : int
        Tokens of a sequence, s.
    micro_batches : int
        Micro-batches of a step that pass one pipeline (gradient accumulation steps), m.
    weight_bytes, gradient_bytes, bytes_per_element : float
        Bytes of a weight, a gradient and an element of the activations in messages.
    expert_load : float
        Tokens routed to the experts of the busiest device, relative to the mean.

    Returns
    -------
    dict of str to Volume
        ``"tensor"``, ``"context"``, ``"pipeline"``, ``"data"`` and ``"expert"``, of the device with
        the most layers (parameters, neighbours); an axis of degree 1 sends nothing.

    Raises
    ------
    ValueError
        If the layout is illegal, or the micro-batches do not fit its schedule.

    Notes
    -----
    For each layer and micro-batch of b sequences, with h the width:
    tensor, 4 all-reduces of b s h elements (6 with full recomputation), or as many pairs of
    all-gather and reduce-scatter: the same bytes. Left out: with sequence parallelism (SP) the inputs of the
    column-parallel matrices stay sharded, and are gathered once more in the backward pass, for
    the weights' gradient: two more all-gathers per layer (Korthikanti, section 4.2.2). Context: keys and
    values of the others (of latent attention the latents), once forward, once backward, and their gradients
    back (ring attention). Expert: every token to its k experts and back, forward and backward. For each
    micro-batch and boundary between stages b s h elements forward and as many gradients back; 1/t of that
    with sequence parallelism. Data, for each step: all-reduce of the gradients; ZeRO 1 gathers weights
    instead of the second half; ZeRO 2 the same with gradients reduced in every micro-batch, since no device
    stores them whole; ZeRO 3 (FSDP) gathers weights twice and reduces gradients in every micro-batch. Ignores
    what embedding and head exchange, and headers. Source: Narayanan et al. 2021, section 3; Korthikanti et
    al. 2022; Rajbhandari et al. 2020, section 7; Liu et al. 2023, arXiv:2310.01889 (ring attention).

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> from chip2cluster.parallelism import Layout
    >>> sent = volumes(model("GPT-3 175B").config, Layout(tensor=8, pipeline=8, data=16), 2048, 96)
    >>> [round(sent[axis].bytes_sent_one_way_per_step / 1e9, 1) for axis in ("tensor", "pipeline", "data")]
    [405.9, 1.2, 10.6]
    """
    config = check_config(config)
    problems = check_layout(layout).problems(config, sequence=sequence)
    m = one_whole("micro_batches", micro_batches)
    wrong = schedule_problem(find_schedule(layout.schedule_name), layout.pipeline, m)
    if problems or wrong:
        raise ValueError("; ".join([*problems, *([wrong] if wrong else [])]))
    found = exchanges_by_axis(
        config, layout, sequence, m, weight_bytes=weight_bytes, gradient_bytes=gradient_bytes,
        bytes_per_element=bytes_per_element, expert_load=expert_load,
    )  # fmt: skip
    groups = {"tensor": layout.tensor, "context": layout.context, "pipeline": layout.pipeline,
              "data": layout.replicas, "expert": layout.expert}  # fmt: skip
    return {axis: Volume(axis, groups[axis], tuple(found[axis])) for axis in AXES}


def exchanges_by_axis(
    config: Config,
    layout: Any,
    sequence: int,
    micro_batches: Any,
    *,
    weight_bytes: float,
    gradient_bytes: float,
    bytes_per_element: float,
    expert_load: float,
) -> dict[str, list[Exchange]]:
    """Return the exchanges of each axis; degrees and ``micro_batches`` may be arrays of one shape."""
    size, m = positive("bytes_per_element", bytes_per_element), micro_batches
    sizes = {
        "weights": positive("weight_bytes", weight_bytes),
        "gradients": positive("gradient_bytes", gradient_bytes),
    }
    stages = assign_layers(config, layout.pipeline, layout.chunks, layout.schedule_name)
    # In DualPipe a device holds two stages, and half of the micro-batches pass each.
    layers, experts = (int(count.max()) / stages.stages_held for count in (stages.layers, stages.experts))
    full_recompute = layout.recompute == "full"
    vector = sequence // layout.context * layout.micro_batch * config.d_model * size
    share = layout.tensor if layout.sequence_parallel else 1
    return {
        "tensor": _tensor(config, layout, vector, m, (layers, min(experts, layers)), full_recompute),
        "context": _context(config, layout, sequence, layers * m, size, full_recompute),
        "pipeline": _pipeline(layout, vector / share, m),
        "data": _data(config, layout, stages, m, sizes),
        "expert": _expert(
            config, layout, vector / share * positive("expert_load", expert_load), experts * m, full_recompute
        ),
    }


def _tensor(
    config: Config, layout: Any, vector: Any, m: Any, layers: tuple[float, float], full_recompute: bool
) -> list[Exchange]:
    both, experts = layers
    names = ("all_gather", "reduce_scatter") if layout.sequence_parallel else ("all_reduce",)
    times = 6 if full_recompute else 4
    # Half of them are around the feed-forward block; a token passes it once for each of its experts.
    per_token = config.experts.per_token if config.experts and layout.sequence_parallel else 1
    found = [Exchange(name, vector, times * (both - experts / 2) * m, layout.tensor) for name in names]
    if experts:
        found += [Exchange(name, per_token * vector, times / 2 * experts * m, layout.tensor) for name in names]
    return found


def _context(config: Config, layout: Any, sequence: int, times: Any, size: Any, full_recompute: bool) -> list[Exchange]:
    if config.latent:
        width = config.latent.cached_width
    else:
        width = 2 * config.head_dim * np.maximum(config.kv_heads / layout.tensor, 1)
    message = plain(sequence * layout.micro_batch * width * size)
    return [
        Exchange("all_gather", message, (3 if full_recompute else 2) * times, layout.context),
        Exchange("reduce_scatter", message, times, layout.context),
    ]


def _pipeline(layout: Any, message: Any, m: Any) -> list[Exchange]:
    # A device between two others sends in both directions; the two ends send in one.
    each = 2 * layout.chunks - (layout.pipeline == 2) if layout.pipeline > 1 else 0
    return [Exchange("send_recv", message, each * m, layout.pipeline)]


def _data(config: Config, layout: Any, stages: Any, m: Any, sizes: dict[str, Any]) -> list[Exchange]:
    replicas = layout.data * layout.context
    parameters, routed = device_parameters(config, layout, stages)
    groups = [(np.max(parameters, axis=-1, keepdims=parameters.ndim > 1), replicas)]
    if config.experts:
        groups.append((np.max(routed, axis=-1, keepdims=routed.ndim > 1), replicas // layout.expert))
    passes = dict(zip(("weights", "gradients"), rounds(layout.zero_stage, m), strict=True))
    return [
        Exchange(collective, plain(count * sizes[what]), often * passes[what], group)
        for count, group in groups
        for collective, what, often in ZERO_EXCHANGES[layout.zero_stage]
    ]


def _expert(config: Config, layout: Any, vector: Any, times: Any, full_recompute: bool) -> list[Exchange]:
    if not config.experts:
        return [Exchange("all_to_all", 0.0 * vector, 0 * times, layout.expert)]
    return [
        Exchange("all_to_all", config.experts.per_token * vector, (6 if full_recompute else 4) * times, layout.expert)
    ]
