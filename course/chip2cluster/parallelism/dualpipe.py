"""DualPipe schedule: micro-batches enter at both ends, and passes of the two directions run together.

Each device holds two stages, its own and that of its mirror image. The first half of the
micro-batches goes down the devices, the second half up. Source: the published steps of
DeepSeek-AI, https://github.com/deepseek-ai/DualPipe (MIT), and arXiv:2412.19437, figure 5.
"""

from __future__ import annotations

from .pass_orders import BACKWARD, FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, Orders


def dualpipe(devices: int, micro_batches: int, chunks: int = 1) -> Orders:
    """Return the eight steps of every device; devices even, micro-batches even and at least twice as many."""
    pairs: dict[int, int] = {}
    lists = [_DeviceOrder(device, devices, micro_batches, pairs).order for device in range(devices)]
    return Orders(lists, devices, pairs)


class _DeviceOrder:
    """Builder of one device's order; ``near`` is the direction that starts at the device's own end."""

    def __init__(self, device: int, devices: int, micro_batches: int, pairs: dict[int, int]) -> None:
        self.size = devices * micro_batches
        half = micro_batches // 2
        down = [device * micro_batches, device * micro_batches + half]
        mirror = devices - 1 - device
        up = [mirror * micro_batches + half, mirror * micro_batches + micro_batches]
        near, far = (down, up) if device < devices // 2 else (up, down)
        # The next forward and the next backward pass of both directions, and delayed gradients of weights.
        self.forward = [near[0], far[0]]
        self.backward = [near[0], far[0]]
        self.delayed: list[int] = []
        self.pairs = pairs
        self.order: list[int] = []
        self._build(min(device, mirror), devices // 2, half)

    def _build(self, depth: int, half_devices: int, half: int) -> None:
        near, far, above = 0, 1, half_devices - depth - 1
        for _ in range(2 * above):
            self._forward(near)
        for _ in range(depth + 1):
            self._forward(near)
            self._forward(far)
        for _ in range(above):
            self._backward(far, split=True)
            self._weights()
            self._forward(far)
        for turn in range(half - 2 * half_devices + depth + 1):
            if not turn and not above:  # the two middle devices are faster unpaired here
                self._forward(near)
                self._backward(far)
            else:
                self._pair(near, far)
            self._pair(far, near)
        for _ in range(above):
            self._backward(far)
            self._pair(far, near)
        split = False
        for turn in range(depth + 1):
            middle = turn == (depth + 1) // 2
            split = split or (middle and depth % 2 == 1)
            self._backward(far, split=split)
            split = split or (middle and depth % 2 == 0)
            self._backward(near, split=split)
        for _ in range(above):
            self._weights()
            self._backward(near, split=True)
        while self.delayed:
            self._weights()

    def _forward(self, way: int) -> int:
        number = FORWARD * self.size + self.forward[way]
        self.forward[way] += 1
        self.order.append(number)
        return number

    def _backward(self, way: int, split: bool = False) -> int:
        number = self.backward[way]
        self.backward[way] += 1
        if split:
            self.delayed.append(number)
        self.order.append((INPUT_GRADIENT if split else BACKWARD) * self.size + number)
        return self.order[-1]

    def _weights(self) -> None:
        self.order.append(WEIGHT_GRADIENT * self.size + self.delayed.pop(0))

    def _pair(self, ahead: int, back: int) -> None:
        forward = self._forward(ahead)
        self.pairs[forward] = self._backward(back)
        self.order.pop()  # runs together with the forward pass before it
