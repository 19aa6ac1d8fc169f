"""A call that returned before its work ended is named, with a device that is a clock."""

import sys
from types import SimpleNamespace

import pytest

from chip2cluster import measure


class Device:
    """Clock of a machine whose launches cost 10 µs and whose kernels take longer."""

    def __init__(self, kernel):
        self.now, self.free, self.kernel = 0.0, 0.0, kernel

    def clock(self):
        self.now += 5e-8
        return self.now

    def launch(self):
        self.now += 1e-5
        self.free = max(self.free, self.now) + self.kernel

    def synchronize(self):
        self.now = max(self.now + 2e-6, self.free)


@pytest.fixture
def device(monkeypatch):
    made = Device(kernel=1.58e-3)
    cuda = SimpleNamespace(is_initialized=lambda: True, synchronize=made.synchronize)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    return made


def test_benchmark_names_a_call_that_returned_early(device):
    sample = measure.benchmark(device.launch, repeats=20, budget_seconds=60, clock=device.clock)
    assert sample.verdict == "unusable" and sample.median < 2e-5
    (reason,) = sample.reasons
    assert "returned before their work ended" in reason and "synchronize=torch.cuda.synchronize" in reason
    assert sample.pending_seconds == pytest.approx(1.58e-3, rel=0.01)


def test_benchmark_with_synchronize_times_the_work(device):
    sample = measure.benchmark(
        device.launch, repeats=20, budget_seconds=60, synchronize=device.synchronize, clock=device.clock
    )
    assert sample.median == pytest.approx(1.59e-3, rel=0.01) and sample.verdict == "quiet"


def test_benchmark_names_a_synchronize_that_does_not_wait(device):
    sample = measure.benchmark(device.launch, repeats=20, budget_seconds=60, synchronize=list, clock=device.clock)
    assert sample.verdict == "unusable"
    with pytest.raises(TypeError, match="synchronize"):
        measure.benchmark(device.launch, synchronize=3)


def test_benchmark_ignores_an_idle_device(device):
    def on_the_cpu():
        device.now += 1e-3

    assert measure.benchmark(on_the_cpu, repeats=20, budget_seconds=60, clock=device.clock).verdict == "quiet"


def test_benchmark_waits_for_cupy(monkeypatch):
    made = Device(kernel=1e-3)
    cupy = SimpleNamespace(
        cuda=SimpleNamespace(Device=lambda: made),
        get_default_memory_pool=lambda: SimpleNamespace(total_bytes=lambda: 8),
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    sample = measure.benchmark(made.launch, repeats=20, budget_seconds=60, clock=made.clock)
    assert "cupy.cuda.Device().synchronize" in sample.reasons[0]


def test_benchmark_waits_for_arrays_that_become_ready():
    made = Device(kernel=1e-3)

    class Array:
        def block_until_ready(self):
            made.synchronize()

    def call():
        made.launch()
        return [Array()]

    sample = measure.benchmark(call, repeats=20, budget_seconds=60, clock=made.clock)
    assert "jax.block_until_ready" in sample.reasons[0]
