"""Pipeline schedule in time: start and end of every pass, idle time, and micro-batches in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_positive, positive
from . import schedule_events
from .pass_orders import PASSES, Orders
from .pipeline_schedules import PipelineSchedule, check_schedule

if TYPE_CHECKING:
    from .._typing import ArrayLike


class Slot(NamedTuple):
    """One pass of one micro-batch through one chunk of layers.

    Attributes
    ----------
    device : int
        Device of the pipeline.
    kind : str
        ``"forward"``, ``"backward"``, or a half of the latter: ``"input_gradient"``, ``"weight_gradient"``.
    micro_batch : int
        Number of the micro-batch.
    chunk : int
        Chunk of the device, from 0; in DualPipe chunk 0 is its own stage and 1 that of its mirror image.
    start, end : float
        Seconds.
    paired : bool
        Whether two passes run together: both have the same start and the same end.
    """

    device: int
    kind: str
    micro_batch: int
    chunk: int
    start: float
    end: float
    paired: bool = False


@dataclass(frozen=True)
class Schedule:
    """One training step of a pipeline; tuples hold one value for each device, from the first stage on.

    Attributes
    ----------
    name : str
        Name of the schedule.
    stages, micro_batches, chunks : int
        Devices of the pipeline, micro-batches of the step, and chunks of layers on each device.
    makespan_seconds : float
        Time from the start of the step to its end.
    busy_seconds : tuple of float
        Arithmetic of each device, seconds.
    span_seconds : tuple of float
        Time of each device from its first to its last pass, seconds.
    in_flight : tuple of float
        Most micro-batches whose activations a device holds at once, in
        fractions of its layers (DualPipe: of one of its two stages).
    """

    name: str
    stages: int
    micro_batches: int
    chunks: int
    makespan_seconds: float
    busy_seconds: tuple[float, ...]
    span_seconds: tuple[float, ...]
    in_flight: tuple[float, ...]
    _orders: Orders = field(repr=False, compare=False)
    _times: schedule_events.Times = field(repr=False, compare=False)

    @property
    def idle_seconds(self) -> tuple[float, ...]:
        """Idle time of each device from the start of the step to its end, seconds."""
        return tuple(self.makespan_seconds - busy for busy in self.busy_seconds)

    @property
    def bubble_seconds(self) -> float:
        """Longest span of a device, beyond the arithmetic of the busiest one.

        Spans are as long as the step, except in the zero-bubble schedules: there a device begins
        its next step before others have ended this one.
        """
        return max(self.span_seconds) - max(self.busy_seconds)

    @property
    def bubble_over_ideal(self) -> float:
        """Bubble relative to the arithmetic of the busiest device: how much longer it makes the step."""
        return self.bubble_seconds / max(self.busy_seconds)

    @property
    def bubble_over_makespan(self) -> float:
        """Bubble as a fraction of the longest span."""
        return self.bubble_seconds / max(self.span_seconds)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """All passes, device by device in the order of time."""
        size, pairs = self._orders.stages * self.micro_batches, self._orders.pairs
        half = self.micro_batches // 2
        found = []
        for device, (order, starts, ends) in enumerate(zip(self._orders.devices, *self._times, strict=True)):
            for number, start, end in zip(order, starts, ends, strict=True):
                together = [number, pairs[number]] if number in pairs else [number]
                for one in together:
                    kind, at = divmod(one, size)
                    stage, micro_batch = divmod(at, self.micro_batches)
                    # The second half of DualPipe's micro-batches goes up the devices.
                    chunk = int(micro_batch >= half) if self.name == "dualpipe" else stage // self.stages
                    found.append(Slot(device, PASSES[kind], micro_batch, chunk, start, end, len(together) > 1))
        return tuple(found)

    @cached_property
    def micro_batches_held(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Micro-batches in flight on each device over time: moments in seconds, and the number from then on.

        A micro-batch counts from the start of its forward pass to the end of its backward pass (of
        the gradient of the weights, if that is separate), in the fractions of `in_flight`.
        """
        share = 1.0 if self.name == "dualpipe" else 1.0 / self.chunks
        apart = {(slot.device, slot.micro_batch, slot.chunk) for slot in self.slots if slot.kind == "weight_gradient"}
        changes: list[dict[float, int]] = [{0.0: 0} for _ in range(self.stages)]
        for slot in self.slots:
            one = changes[slot.device]
            if slot.kind == "forward":
                one[slot.start] = one.get(slot.start, 0) + 1
            elif slot.kind != "input_gradient" or (slot.device, slot.micro_batch, slot.chunk) not in apart:
                one[slot.end] = one.get(slot.end, 0) - 1
        found = []
        for one in changes:
            merged: dict[float, int] = {}
            last = 0.0
            for moment in sorted(one):
                # Ends and starts at the same moment may differ by rounding.
                if moment - last > 1e-9 * self.makespan_seconds:
                    last = moment
                merged[last] = merged.get(last, 0) + one[moment]
            found.append(tuple(zip(merged, (share * count for count in accumulate(merged.values())), strict=True)))
        return tuple(found)


def schedule(
    name: str,
    stages: int,
    micro_batches: int,
    chunks: int | None = None,
    *,
    forward_seconds: ArrayLike,
    backward_seconds: ArrayLike,
    weight_seconds: ArrayLike = 0.0,
    p2p_seconds: float = 0.0,
    overlapped_seconds: ArrayLike | None = None,
) -> Schedule:
    """Simulate one training step of a pipeline (PP): every device runs its passes as soon as it can.

    Parameters
    ----------
    name : str
        One of `schedules`.
    stages, micro_batches : int
        Devices of the pipeline, p, and micro-batches of a step, m.
    chunks : int, optional
        Chunks of layers on each device (virtual stages), v: 2 or more for ``"interleaved_1f1b"``, which needs
        it; 2 for ``"dualpipe"``; 1 for the others.
    forward_seconds : float or sequence of float
        Forward time of one micro-batch through all layers of a device: one number for all, one for
        each device, or one for each of the p v chunks in the order of the layers.
    backward_seconds, weight_seconds : float or sequence of float
        Backward times: gradients of the inputs, and gradients of the weights. A schedule
        that does not split the backward pass does both together; for these the whole pass may
        be given as ``backward_seconds`` alone.
    p2p_seconds : float
        Time of a point-to-point (P2P) send from the end of a pass to the arrival of its result on the next
        device; both devices compute in the meantime.
    overlapped_seconds : float or sequence of float, optional
        DualPipe only: time of a forward pass (of the stage at this index) together with
        a whole backward pass; their sum when left out.

    Returns
    -------
    Schedule
        Times of all passes.

    Raises
    ------
    ValueError
        If the counts do not fit the schedule (interleaved: p divides m; DualPipe: p and m even, m at least 2 p),
        or ``weight_seconds`` is missing for a schedule that splits the backward pass.

    Notes
    -----
    GPipe and 1F1B take the same time and differ in memory. Ignores the optimizer, contention
    on the links and activation recomputation, which belongs to ``backward_seconds``.
    Source: Huang et al. 2019 (GPipe); Narayanan et al. 2021, arXiv:2104.04473 (1F1B,
    interleaved); Qi et al. 2023, arXiv:2401.10241 (zero bubble); DeepSeek-AI 2024,
    arXiv:2412.19437 (DualPipe).

    Examples
    --------
    >>> run = schedule("1f1b", 4, 8, forward_seconds=1.0, backward_seconds=2.0)
    >>> run.makespan_seconds, run.in_flight, round(run.bubble_over_makespan, 3)
    (33.0, (4, 3, 2, 1), 0.273)
    >>> schedule("interleaved_1f1b", 4, 8, 2, forward_seconds=1.0, backward_seconds=2.0).makespan_seconds
    28.5
    """
    pipeline, p, m, v = check_schedule(name, stages, micro_batches, chunks)
    forward = _by_chunk("forward_seconds", forward_seconds, p, v, pipeline)
    inputs = _by_chunk("backward_seconds", backward_seconds, p, v, pipeline)
    weights = _by_chunk("weight_seconds", weight_seconds, p, v, pipeline, allow_zero=True)
    if pipeline.splits and not min(weights):
        raise ValueError(f"weight_seconds must be greater than zero, because {name!r} splits the backward pass")
    transit = one_positive("p2p_seconds", p2p_seconds, allow_zero=True)
    backward = [one + other for one, other in zip(inputs, weights, strict=True)]
    if overlapped_seconds is None:
        paired = [one + other for one, other in zip(forward, backward[::-1], strict=True)]
    elif pipeline.name != "dualpipe":
        raise ValueError(f"overlapped_seconds has no meaning for {name!r}, only for 'dualpipe'")
    else:
        paired = _by_chunk("overlapped_seconds", overlapped_seconds, p, v, pipeline)
    orders = pipeline.orders(p, m, v)
    starts, ends = times = schedule_events.run_orders(orders, m, (forward, backward, inputs, weights), paired, transit)
    busy = tuple(sum(e - s for s, e in zip(*device, strict=True)) for device in zip(starts, ends, strict=True))
    spans = tuple(end[-1] - start[0] for start, end in zip(starts, ends, strict=True))
    in_flight = tuple(pipeline.in_flight(p, m, v, device) for device in range(p))
    return Schedule(name, p, m, v, max(end[-1] for end in ends), busy, spans, in_flight, orders, times)


def _by_chunk(
    name: str, value: ArrayLike, p: int, v: int, pipeline: PipelineSchedule, *, allow_zero: bool = False
) -> list[float]:
    """Return the seconds of each chunk in the order of the layers."""
    seconds = positive(name, value, allow_zero=allow_zero)
    share = 1 if pipeline.name == "dualpipe" else v  # both chunks of DualPipe are whole stages
    if isinstance(seconds, float):
        return [seconds / share] * (p * share)
    given: Sequence[float] = np.asarray(seconds).tolist()
    if seconds.ndim == 1 and len(given) == p * share:
        return list(given)
    if seconds.ndim == 1 and len(given) == p:
        return [one / share for _ in range(share) for one in given]
    legal = f"{p} (one a device)" + (f" or {p * share} (one a chunk)" if share > 1 else "")
    raise ValueError(f"{name} must be one number or {legal}, got an array of shape {seconds.shape}")
