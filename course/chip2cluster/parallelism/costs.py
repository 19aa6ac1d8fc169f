"""What a step costs, part by part, for one layout or for columns of them; nothing is checked twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import utilization
from .._validate import plain
from ..collectives.algorithms import find
from ..collectives.cost import unchecked
from ..transformer import recomputed_flops_per_token, training_flops_per_token
from ..utilization.exchange import BACKWARD, FORWARD, halves, rounds
from ..utilization.speed import _fraction
from . import communication as sent
from . import tiers as network
from .bubbles import bubble_over_ideal
from .timeline import schedule

if TYPE_CHECKING:
    from .._typing import FloatOrArray
    from ..transformer import Config

OVERLAP = ("data", "pipeline")
BYTES = {"weight_bytes": 2.0, "gradient_bytes": 2.0, "bytes_per_element": 2.0, "expert_load": 1.0}


@dataclass(frozen=True)
class Parts:
    """Seconds of a step, numbers or arrays."""

    model: Any
    again: Any
    busy: Any
    bubble: Any
    axes: Mapping[str, tuple[Any, Any]]  # seconds, and those exposed

    @property
    def exposed(self) -> Any:
        """Seconds of messages that nothing hides."""
        return sum(exposed for _, exposed in self.axes.values())

    @property
    def step(self) -> utilization.Step:
        """The same as the waterfall of `utilization`."""
        slow = np.maximum(self.busy - self.model - self.again, 0.0)
        parts = np.broadcast_arrays(self.model, self.again, slow, self.bubble, self.exposed, 0.0)
        return utilization.Step(*(plain(part) for part in parts))


def parts_of(
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
    lines: Mapping[str, Sequence[Any]] | None = None,
) -> Parts:
    """The same for degrees that may be arrays of one shape; nothing is checked again. ``lines`` spares asking `lines_of`."""
    m, devices = micro_batches, layout.tensor * layout.pipeline * layout.data * layout.context
    tokens = global_batch * sequence / devices
    efficiency = _fraction("kernel_efficiency", kernel_efficiency)
    model, again = arithmetic(config, layout.recompute, peak_flops_dense, tokens, sequence, causal)
    busy = (model + again) / efficiency
    axes = {}
    lines = lines or lines_of(layout, tiers, order)
    for axis, exchanges in sent.by_axis(config, layout, sequence, m, **sizes).items():
        group, ring, exchange, neighbour, latency = lines[axis]
        by_kind = {"all_to_all": exchange, "send_recv": neighbour}
        seconds = sum(
            one.times * unchecked(find(one.collective, one.algorithm, one.group), one.message_bytes, one.group,
                                  by_kind.get(one.collective, ring), latency)
            for one in exchanges
        )  # fmt: skip
        seconds = seconds * (group > 1)
        axes[axis] = seconds, _exposed(axis, seconds, busy, layout.zero_stage, m, overlap)
    inner = sum(axes[axis][1] for axis in ("tensor", "context", "expert"))
    bubble = (busy + inner) * _bubble(layout, m)
    return Parts(model, again, busy, bubble, axes)


def arithmetic(
    config: Config, recompute: Any, peak_flops_dense: Any, tokens: Any, sequence: int, causal: bool
) -> tuple[Any, Any]:
    """Seconds at the peak for so many tokens of a step: of the model, and of what is computed twice."""
    model = tokens * training_flops_per_token(config, sequence, "megatron", causal=causal) / peak_flops_dense
    twice = recomputed_flops_per_token(config, sequence, recompute, "megatron", causal=causal, selective_rule="rerun")
    return model, tokens * twice / peak_flops_dense


def lines_of(layout: Any, tiers: Sequence[network.Tier], order: Sequence[str]) -> dict[str, list[Any]]:
    """Of each axis its group, the rates of `network.rates` and the latency, all axes in one go; arrays or numbers."""
    placed = network.by_axis(layout, tiers, order)
    group = np.stack(np.broadcast_arrays(*(found[0] for found in placed.values())))
    inside = [
        np.stack(np.broadcast_arrays(*members))
        for members in zip(*(found[2] for found in placed.values()), strict=True)
    ]
    rates: tuple[Any, ...] = network.rates(group, inside, tiers)
    ring, exchange, neighbour, _, latency = rates
    return {
        axis: [placed[axis][0], ring[row], exchange[row], neighbour[row], latency[row]]
        for row, axis in enumerate(placed)
    }


def checked_overlap(overlap: Any) -> tuple[str, ...]:
    """The axes whose messages run beside the arithmetic, or an error."""
    axes = tuple(overlap) if isinstance(overlap, Collection) and not isinstance(overlap, str) else (overlap,)
    for axis in axes:
        if axis not in sent.AXES:
            raise ValueError(f"overlap must hold axes among {', '.join(map(repr, sent.AXES))}, got {overlap!r}")
    return axes


def _exposed(axis: str, seconds: Any, busy: Any, zero_stage: int, m: Any, overlap: Collection[str]) -> FloatOrArray:
    """What is left of an axis' seconds when the arithmetic beside it is over."""
    if axis not in overlap:
        return seconds
    if axis != "data":
        return np.maximum(seconds - busy, 0.0)
    # Forward and backward pass each hide their own share: of one micro-batch, or of all.
    times = rounds(zero_stage, m)
    shares = [share * often for share, often in zip(halves(zero_stage, 1.0, 1.0), times, strict=True)]
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
    try:  # the formula holds for many micro-batches, whose simulation takes long
        return bubble_over_ideal(name, p, m)
    except ValueError:
        pass
    if isinstance(m, np.ndarray):
        return np.vectorize(lambda one: _simulated(name, p, int(one)), otypes=[float])(m)
    return _simulated(name, p, m)


@lru_cache(maxsize=512)
def _simulated(name: str, p: int, m: int) -> float:
    """The bubble over ideal of a schedule whose three kinds of passes take equally long."""
    return schedule(name, p, m, forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0).bubble_over_ideal
