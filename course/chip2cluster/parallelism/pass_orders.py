"""Orders of passes: the sequence of passes of each device under a pipeline schedule, without times.

An order is a list of whole numbers for each device. With ``n = stages * micro_batches`` the
number of a forward pass is ``stage * micro_batches + micro_batch``; a whole backward pass
is ``n`` higher, a gradient of the inputs ``2 n`` and one of the weights ``3 n``. A stage is
a chunk of layers: an interleaved schedule has more of them than devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

FORWARD, BACKWARD, INPUT_GRADIENT, WEIGHT_GRADIENT = range(4)
PASSES = ("forward", "backward", "input_gradient", "weight_gradient")


@dataclass(frozen=True)
class Orders:
    """Order of passes of each device, and the forward passes that run together with a backward pass."""

    devices: list[list[int]]
    stages: int
    pairs: dict[int, int] = field(default_factory=dict)


def gpipe(devices: int, micro_batches: int, chunks: int = 1) -> Orders:
    """Return the order of GPipe: all forward passes, then all backward passes."""
    n = devices * micro_batches
    return Orders([[*range(a, a + micro_batches), *range(n + a, n + a + micro_batches)] for a in range(0, n, micro_batches)], devices)  # fmt: skip


def one_f_one_b(devices: int, micro_batches: int, chunks: int = 1) -> Orders:
    """Return the order of 1F1B: fill the pipeline, then one backward pass for each forward pass."""
    n = devices * micro_batches
    return Orders(
        [
            _alternate(
                range(device * micro_batches, (device + 1) * micro_batches),
                range(n + device * micro_batches, n + (device + 1) * micro_batches),
                min(micro_batches, devices - 1 - device),
            )
            for device in range(devices)
        ],
        devices,
    )


def interleaved(devices: int, micro_batches: int, chunks: int) -> Orders:
    """Return the order of interleaved 1F1B: several chunks per device, ``devices`` micro-batches at a time."""
    stages = devices * chunks
    n = stages * micro_batches
    turns = [
        (chunk, micro_batch)
        for first in range(0, micro_batches, devices)
        for chunk in range(chunks)
        for micro_batch in range(first, first + devices)
    ]
    lists = []
    for device in range(devices):
        forward = [(chunk * devices + device) * micro_batches + micro_batch for chunk, micro_batch in turns]
        backward = [
            n + ((chunks - 1 - chunk) * devices + device) * micro_batches + micro_batch for chunk, micro_batch in turns
        ]
        warm_up = 2 * (devices - 1 - device) + (chunks - 1) * devices
        lists.append(_alternate(forward, backward, min(len(turns), warm_up)))
    return Orders(lists, stages)


def zero_bubble_h1(devices: int, micro_batches: int, chunks: int = 1) -> Orders:
    """Return the order of ZB-H1: weight gradients wait until a device would be idle; in flight as in 1F1B."""
    return _zero_bubble(devices, micro_batches, devices - 1, 1)


def zero_bubble_h2(devices: int, micro_batches: int, chunks: int = 1) -> Orders:
    """Return the order of ZB-H2: nearly twice as many forward passes first, so that no device waits at the end."""
    return _zero_bubble(devices, micro_batches, 2 * devices - 2, 2)


def _zero_bubble(devices: int, micro_batches: int, ahead: int, pace: int) -> Orders:
    """Let device i begin with ``ahead - pace * i`` extra forward passes, and delay weight gradients by ``pace * i``."""
    n = devices * micro_batches
    lists = []
    for device in range(devices):
        first = device * micro_batches
        warm_up, late = min(micro_batches, ahead - pace * device), pace * device
        order = list(range(first, first + warm_up))
        for step in range(micro_batches):
            if step + warm_up < micro_batches:
                order.append(first + step + warm_up)
            order.append(2 * n + first + step)
            if step >= late:
                order.append(3 * n + first + step - late)
        order.extend(range(3 * n + first + max(micro_batches - late, 0), 3 * n + first + micro_batches))
        lists.append(order)
    return Orders(lists, devices)


def _alternate(forward: Sequence[int], backward: Sequence[int], warm_up: int) -> list[int]:
    """Return some forward passes first, then one of each alternately, then the remaining backward passes."""
    count = len(forward)
    order = [0] * (2 * count)
    order[:warm_up] = forward[:warm_up]
    order[warm_up : 2 * count - warm_up : 2] = forward[warm_up:]
    order[warm_up + 1 : 2 * count - warm_up : 2] = backward[: count - warm_up]
    order[2 * count - warm_up :] = backward[count - warm_up :]
    return order
