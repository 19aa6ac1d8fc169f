"""Event loop of all pipeline schedules: from orders and durations to start and end times."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from .pass_orders import WEIGHT_GRADIENT, Orders

# Start and end of each number of each device's order.
Times = tuple[list[list[float]], list[list[float]]]
NO_DEPENDENCY = -1  # index of a result that is available from the start


def run_orders(
    orders: Orders,
    micro_batches: int,
    seconds: Sequence[Sequence[float]],
    paired_seconds: Sequence[float],
    p2p_seconds: float,
) -> Times:
    """Run every device through its order as soon as the results it depends on arrive.

    ``seconds[kind][stage]`` is the duration of each kind of pass, ``paired_seconds[stage]`` that of a
    forward pass of that stage together with a backward pass. A device is free while its result
    is in transit.
    """
    size = orders.stages * micro_batches
    transit = p2p_seconds if len(orders.devices) > 1 else 0.0
    first_dependency, second_dependency, durations = _dependencies(orders, micro_batches, seconds, paired_seconds)
    # Arrival time of the result of each forward and backward pass; the last index is NO_DEPENDENCY.
    available: list[float | None] = [None] * (2 * size + 1)
    available[NO_DEPENDENCY] = 0.0
    waiting: dict[int, int] = {}  # result: device that waits for it
    positions, clocks = [0] * len(orders.devices), [0.0] * len(orders.devices)
    starts: list[list[float]] = [[] for _ in orders.devices]
    ends: list[list[float]] = [[] for _ in orders.devices]
    ready = list(range(len(orders.devices)))[::-1]
    while ready:
        device = ready.pop()
        order, clock = orders.devices[device], clocks[device]
        begin, finish = starts[device].append, ends[device].append
        for number in order[positions[device] :]:
            first, second = available[first_dependency[number]], available[second_dependency[number]]
            if first is None or second is None:
                waiting[first_dependency[number] if first is None else second_dependency[number]] = device
                break
            if first > clock:
                clock = first
            if second > clock:
                clock = second
            begin(clock)
            clock += durations[number]
            finish(clock)
            for one in (number, orders.pairs[number]) if number in orders.pairs else (number,):
                if one < WEIGHT_GRADIENT * size:  # no other device waits for weight gradients
                    key = one if one < 2 * size else one - size
                    available[key] = clock + transit
                    if key in waiting:
                        ready.append(waiting.pop(key))
        positions[device], clocks[device] = len(starts[device]), clock
    return starts, ends


def _dependencies(
    orders: Orders, micro_batches: int, seconds: Sequence[Sequence[float]], paired_seconds: Sequence[float]
) -> tuple[list[int], list[int], list[float]]:
    """Return for every number its dependency on another device, a second one if any, and its duration.

    Dependencies within a device stand earlier in its order. A forward pass depends on that of
    the previous stage, a backward pass on that of the next stage.
    """
    size = orders.stages * micro_batches
    backward = [*range(size + micro_batches, 2 * size), *[NO_DEPENDENCY] * micro_batches]
    first_dependency = [
        *[NO_DEPENDENCY] * micro_batches,
        *range(size - micro_batches),
        *backward,
        *backward,
        *[NO_DEPENDENCY] * size,
    ]
    second_dependency = [NO_DEPENDENCY] * (4 * size)
    durations = list(chain.from_iterable(repeat(one, micro_batches) for kind in seconds for one in kind))
    for forward, back in orders.pairs.items():
        second_dependency[forward] = first_dependency[back]
        durations[forward] = paired_seconds[forward // micro_batches]
    return first_dependency, second_dependency, durations
