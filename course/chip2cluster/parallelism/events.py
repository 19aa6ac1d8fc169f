"""One event loop for all schedules: orders and durations in, start and end of everything out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from .orders import WEIGHT_GRADIENT, Orders

# Start and end of each number of each device's order.
Times = tuple[list[list[float]], list[list[float]]]
NOTHING = -1  # the place of something that was always done


def run(
    orders: Orders,
    micro_batches: int,
    seconds: Sequence[Sequence[float]],
    paired_seconds: Sequence[float],
    p2p_seconds: float,
) -> Times:
    """Let every device go through its order as fast as what it needs from others arrives.

    ``seconds[kind][stage]`` is how long each kind of pass takes, ``paired_seconds[stage]`` a
    forward pass of that stage together with a backward pass. A device is free while what it
    sent is on its way.
    """
    size = orders.stages * micro_batches
    travel = p2p_seconds if len(orders.devices) > 1 else 0.0
    need, also, lasts = _tables(orders, micro_batches, seconds, paired_seconds)
    # When each forward and each backward pass has ended and its result has travelled; the last place is NOTHING.
    there: list[float | None] = [None] * (2 * size + 1)
    there[NOTHING] = 0.0
    waits: dict[int, int] = {}  # who waits for which of these
    places, clocks = [0] * len(orders.devices), [0.0] * len(orders.devices)
    starts: list[list[float]] = [[] for _ in orders.devices]
    ends: list[list[float]] = [[] for _ in orders.devices]
    ready = list(range(len(orders.devices)))[::-1]
    while ready:
        device = ready.pop()
        order, clock = orders.devices[device], clocks[device]
        begin, finish = starts[device].append, ends[device].append
        for number in order[places[device] :]:
            first, second = there[need[number]], there[also[number]]
            if first is None or second is None:
                waits[need[number] if first is None else also[number]] = device
                break
            if first > clock:
                clock = first
            if second > clock:
                clock = second
            begin(clock)
            clock += lasts[number]
            finish(clock)
            for one in (number, orders.pairs[number]) if number in orders.pairs else (number,):
                if one < WEIGHT_GRADIENT * size:  # nobody else waits for those
                    key = one if one < 2 * size else one - size
                    there[key] = clock + travel
                    if key in waits:
                        ready.append(waits.pop(key))
        places[device], clocks[device] = len(starts[device]), clock
    return starts, ends


def _tables(
    orders: Orders, micro_batches: int, seconds: Sequence[Sequence[float]], paired_seconds: Sequence[float]
) -> tuple[list[int], list[int], list[float]]:
    """For every number: what of another device it needs, what else, and how long it takes.

    What is needed of the own device stands earlier in its order. A forward pass needs the one of
    the stage before, a backward pass that of the stage behind.
    """
    size = orders.stages * micro_batches
    backward = [*range(size + micro_batches, 2 * size), *[NOTHING] * micro_batches]
    need = [*[NOTHING] * micro_batches, *range(size - micro_batches), *backward, *backward, *[NOTHING] * size]
    also = [NOTHING] * (4 * size)
    lasts = list(chain.from_iterable(repeat(one, micro_batches) for kind in seconds for one in kind))
    for forward, back in orders.pairs.items():
        also[forward] = need[back]
        lasts[forward] = paired_seconds[forward // micro_batches]
    return need, also, lasts
