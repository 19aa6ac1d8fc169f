"""Backend whose device is arithmetic: a roofline with a floor, a queue, a host that needs time to launch."""

from types import SimpleNamespace

from chip2cluster.measure.devices import Backend, DeviceState, NotSupported

BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "tf32": 4, "fp64": 8, "u8": 1}


class FakeDevice(Backend):
    """Device of known rates, whose clock and the host's are one number each."""

    name = "fake"
    peak, memory, l2, floor, gap = 800e12, 3e12, 7.5e12, 2e-6, 1e-6

    attention_rates = {"flash": 4e14, "cudnn": 6e14}  # noqa: RUF012

    def __init__(self, launch=3e-6, throttle=(), noise=0.0, holds=True, graphs=True):
        self.host_time, self.free_at, self.launch_cost = 0.0, 0.0, launch
        self.throttle, self.noise, self.holds, self.graphs = throttle, noise, holds, graphs
        self.capturing, self.resident, self.launches = None, (), 0

    @classmethod
    def missing(cls):
        return ""

    device, libraries, l2_bytes, memory_bytes = "Fake GPU", "fake 1", 50e6, 80e9

    def now(self):
        self.host_time += 1e-8
        return self.host_time

    def state(self):
        clock = 1.3e9 if self.throttle else 1.98e9
        return DeviceState(clock, 1.98e9, 700.0 if self.throttle else 300.0, 700.0, 60.0, self.throttle, "1.2.3")

    def synchronize(self):
        self.host_time = max(self.host_time + 5e-6, self.free_at)

    def work(self, seconds, launches=True):
        if self.capturing is not None:
            self.capturing.append(seconds)
            return
        self.host_time += self.launch_cost if launches else 0.0
        self.launches += 1
        wobble = 1 + self.noise * ((self.launches * 7919) % 11 - 5) / 5
        self.free_at = max(self.free_at, self.host_time) + (seconds * wobble + self.gap)

    def record(self):
        self.host_time += 1e-6
        return SimpleNamespace(at=max(self.free_at, self.host_time))

    def seconds_between(self, first, second):
        self.host_time = max(self.host_time, second.at)
        return second.at - first.at

    def hold(self, seconds):
        if self.holds:
            self.free_at = max(self.free_at, self.host_time) + seconds
        return self.holds

    def random(self, shape, dtype):
        size = 1
        for side in shape:
            size *= side
        return SimpleNamespace(shape=tuple(shape), nbytes=size * BYTES[dtype])

    zeros = random

    def host(self, size_bytes, pinned):
        return SimpleNamespace(nbytes=size_bytes, pinned=pinned)

    def fill(self, array, value):
        self.moved(array)

    def moved(self, *arrays):
        names, size = tuple(map(id, arrays)), sum(array.nbytes for array in arrays)
        rate = self.l2 if names == self.resident and size <= self.l2_bytes else self.memory
        self.resident = names
        self.work(self.floor + size / rate)

    def copy(self, target, source, size_bytes):
        host = target if hasattr(target, "pinned") else source
        self.work(1e-5 + size_bytes / (55e9 if host.pinned else 9e9))
        if not host.pinned:
            self.synchronize()

    def add(self, out, first, second):
        self.moved(out, first, second)

    def triad(self, out, first, second, factor):
        self.moved(out, first, second)

    def product(self, out, first, second):
        (m, k), n = first.shape, second.shape[0]
        slow = 1 if n % 8 == k % 8 == 0 else 3 if n % 2 == k % 2 == 0 else 7
        self.work(self.floor + 2 * m * n * k * slow / self.peak)

    def capture(self, call):
        if not self.graphs:
            raise NotSupported("no graphs here")
        self.capturing = []
        call()
        kernels, self.capturing = self.capturing, None

        def launch():
            self.host_time += 1e-5
            self.free_at = max(self.free_at, self.host_time) + sum(kernels) + len(kernels) * self.gap

        return launch

    def attention(self, kernel, heads, sequence, head_dim, batch, causal):
        flops = 4 * batch * heads * sequence**2 * head_dim * (0.5 if causal else 1)
        if kernel not in self.attention_rates:
            raise NotSupported(f"no {kernel} attention here")
        return lambda: self.work(self.floor + flops / self.attention_rates[kernel])

    def training_step(self, layers, d_model, heads, batch, sequence):
        flops = 6 * (12 * layers * d_model**2 + 50304 * d_model) * batch * sequence
        return lambda: [self.work(flops / 4e14 / 100) for _ in range(100)]
