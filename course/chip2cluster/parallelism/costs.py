"""Parts of a step's time for one layout or for columns of layouts, without argument checks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import utilization
from .._validate import fraction, plain
from ..collectives.algorithms import algorithm_cost
from ..collectives.cost import transfer_seconds
from ..transformer import recomputed_flops_per_token, training_flops_per_token
from ..utilization.gradient_exchange import BACKWARD, FORWARD, forward_and_backward, rounds
from . import axis_placement as network
from . import communication as sent
from .bubbles import bubble_over_ideal
from .timeline import schedule

if TYPE_CHECKING:
    from .._typing import FloatOrArray
    from ..transformer import Config

OVERLAP = ("data", "pipeline")
BYTES = {"weight_bytes": 2.0, "gradient_bytes": 2.0, "bytes_per_element": 2.0, "expert_load": 1.0}


@dataclass(frozen=True)
class StepParts:
    """Seconds of a step, numbers or arrays.

    Attributes
    ----------
    model : float or array
        Arithmetic of the model at the peak.
    recomputed : float or array
        Arithmetic of recomputed activations at the peak.
    busy : float or array
        All arithmetic with the kernel efficiency.
    bubble : float or array
        Pipeline bubble.
    axes : dict
        For each axis the seconds of its messages, and the seconds exposed.
    """

    model: Any
    recomputed: Any
    busy: Any
    bubble: Any
    axes: Mapping[str, tuple[Any, Any]]  # seconds in all, and exposed

    @property
    def exposed(self) -> Any:
        """Seconds of exposed communication, all axes together."""
        return sum(exposed for _, exposed in self.axes.values())

    @property
    def step(self) -> utilization.Step:
        """The same parts as the waterfall of `utilization`."""
        slow = np.maximum(self.busy - self.model - self.recomputed, 0.0)
        parts = np.broadcast_arrays(self.model, self.recomputed, slow, self.bubble, self.exposed, 0.0)
        return utilization.Step(*(plain(part) for part in parts))


def step_parts(
    config: Config,
    layout: Any,
    micro_batches: Any,
    peak_flops_dense: float,
    tiers: Sequence[network.Tier],
    *,
    sequence: int,
    global_batch: int,
    kernel_efficiency: float,
    overlap: Collection[str],
    order: Sequence[str],
    causal: bool,
    sizes: Mapping[str, float],
    rates: Mapping[str, Sequence[Any]] | None = None,
) -> StepParts:
    """Return the parts of a step; degrees may be arrays of one shape. ``rates`` spares calling `axis_rates`."""
    m, devices = micro_batches, layout.tensor * layout.pipeline * layout.data * layout.context
    tokens = global_batch * sequence / devices
    efficiency = fraction("kernel_efficiency", kernel_efficiency)
    model, recomputed = arithmetic_seconds(config, layout.recompute, peak_flops_dense, tokens, sequence, causal)
    busy = (model + recomputed) / efficiency
    axes = {}
    rates = rates or axis_rates(layout, tiers, order)
    for axis, exchanges in sent.exchanges_by_axis(config, layout, sequence, m, **sizes).items():
        group, ring, exchange, neighbour, latency = rates[axis]
        by_kind = {"all_to_all": exchange, "send_recv": neighbour}
        seconds = sum(
            one.times * transfer_seconds(algorithm_cost(one.collective, one.algorithm, one.group), one.message_bytes,
                                         one.group, by_kind.get(one.collective, ring), latency)
            for one in exchanges
        )  # fmt: skip
        seconds = seconds * (group > 1)
        axes[axis] = seconds, _exposed(axis, seconds, busy, layout.zero_stage, m, overlap)
    inner = sum(axes[axis][1] for axis in ("tensor", "context", "expert"))
    bubble = (busy + inner) * _bubble(layout, m)
    return StepParts(model, recomputed, busy, bubble, axes)


def arithmetic_seconds(
    config: Config, recompute: Any, peak_flops_dense: Any, tokens: Any, sequence: int, causal: bool
) -> tuple[Any, Any]:
    """Return the seconds at the peak of a step's tokens: of the model, and of recomputation."""
    model = tokens * training_flops_per_token(config, sequence, "megatron", causal=causal) / peak_flops_dense
    repeated = recomputed_flops_per_token(
        config, sequence, recompute, "megatron", causal=causal, selective_rule="rerun"
    )
    return model, tokens * repeated / peak_flops_dense


def axis_rates(layout: Any, tiers: Sequence[network.Tier], order: Sequence[str]) -> dict[str, list[Any]]:
    """Return for each axis its group, the rates of `network.tier_rates` and the latency; arrays or numbers."""
    groups = network.groups_by_axis(layout, tiers, order)
    group = np.stack(np.broadcast_arrays(*(found[0] for found in groups.values())))
    inside = [
        np.stack(np.broadcast_arrays(*members))
        for members in zip(*(found[2] for found in groups.values()), strict=True)
    ]
    found: tuple[Any, ...] = network.tier_rates(group, inside, tiers)
    ring, exchange, neighbour, _, latency = found
    return {
        axis: [groups[axis][0], ring[row], exchange[row], neighbour[row], latency[row]]
        for row, axis in enumerate(groups)
    }


def check_overlap(overlap: Any) -> tuple[str, ...]:
    """Return the axes whose messages overlap with the arithmetic, or raise an error."""
    axes = tuple(overlap) if isinstance(overlap, Collection) and not isinstance(overlap, str) else (overlap,)
    for axis in axes:
        if axis not in sent.AXES:
            raise ValueError(f"overlap must hold axes among {', '.join(map(repr, sent.AXES))}, got {overlap!r}")
    return axes


def _exposed(axis: str, seconds: Any, busy: Any, zero_stage: int, m: Any, overlap: Collection[str]) -> FloatOrArray:
    """Return the seconds of an axis that the arithmetic does not hide."""
    if axis not in overlap:
        return seconds
    if axis != "data":
        return np.maximum(seconds - busy, 0.0)
    # The forward and the backward pass each hide their own exchange: in one micro-batch, or in all.
    times = rounds(zero_stage, m)
    shares = [share * often for share, often in zip(forward_and_backward(zero_stage, 1.0, 1.0), times, strict=True)]
    late = 0.0
    for share, work, often in zip(shares, (FORWARD, BACKWARD), times, strict=True):
        hides = busy * work / (FORWARD + BACKWARD) * often / m
        late = late + np.maximum(seconds * share / sum(shares) - hides, 0.0)
    return late


def _bubble(layout: Any, m: Any) -> Any:
    name, p = layout.schedule_name, layout.pipeline
    if p == 1:
        return 0.0
    if name in ("gpipe", "1f1b", "interleaved_1f1b"):
        return bubble_over_ideal(name, p, m, layout.chunks)
    try:  # the formula holds for many micro-batches, for which a simulation is slow
        return bubble_over_ideal(name, p, m)
    except ValueError:
        pass
    if isinstance(m, np.ndarray):
        return np.vectorize(lambda one: _simulated(name, p, int(one)), otypes=[float])(m)
    return _simulated(name, p, m)


@lru_cache(maxsize=512)
def _simulated(name: str, p: int, m: int) -> float:
    """Return the bubble over ideal of a schedule whose three kinds of passes take equally long."""
    return schedule(name, p, m, forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0).bubble_over_ideal
