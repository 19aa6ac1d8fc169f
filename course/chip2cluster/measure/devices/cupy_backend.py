"""CuPy on an NVIDIA GPU. Written to its documentation; nobody has run it on a device yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from .backend import Backend, NotSupported
from .state import DeviceState, device_state


class DeviceBackend(Backend):
    """Operations of CuPy on the current device."""

    name = "cupy"

    def __init__(self) -> None:
        self.cupy: Any = import_module("cupy")
        cupy = self.cupy
        self._properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        self._triad = cupy.ElementwiseKernel("T b, T c, T s", "T a", "a = b + s * c", "triad")
        code = 'extern "C" __global__ void spin(long long n) { long long s = clock64(); while (clock64() - s < n) {} }'
        self._spin = cupy.RawKernel(code, "spin")

    @classmethod
    def missing(cls) -> str:
        """Return why the backend cannot run here, or an empty string."""
        if find_spec("cupy") is None:
            return "CuPy is not installed"
        try:
            cupy = import_module("cupy")
            return "" if cupy.cuda.runtime.getDeviceCount() else "CuPy finds no device"
        except Exception as reason:  # the runtime's own error, or a missing library
            return f"CuPy finds no device: {str(reason).splitlines()[0]}"

    @property
    def device(self) -> str:
        """Name of the device."""
        return str(self._properties["name"].decode())

    @property
    def libraries(self) -> str:
        """Versions of CuPy and CUDA."""
        return f"CuPy {self.cupy.__version__}, CUDA {self.cupy.cuda.runtime.runtimeGetVersion()}"

    @property
    def l2_bytes(self) -> float:
        """Size of the L2 cache, bytes."""
        return float(self._properties.get("l2CacheSize", 0))

    @property
    def memory_bytes(self) -> float:
        """Size of the device's memory, bytes."""
        return float(self._properties["totalGlobalMem"])

    def state(self) -> DeviceState:
        """Return the state by the driver."""
        return device_state(self.cupy.cuda.Device().id)

    def synchronize(self) -> None:
        """Wait for the device."""
        self.cupy.cuda.Device().synchronize()

    def record(self) -> Any:
        """Record an event."""
        event = self.cupy.cuda.Event()
        event.record()
        return event

    def seconds_between(self, first: Any, second: Any) -> float:
        """Return the time between two events."""
        second.synchronize()
        return 1e-3 * float(self.cupy.cuda.get_elapsed_time(first, second))

    def hold(self, seconds: float) -> bool:
        """Spin on the device; the clock is taken to be 2 GHz."""
        self._spin((1,), (1,), (np.int64(2e9 * seconds),))
        return True

    def random(self, shape: Sequence[int], dtype: str) -> Any:
        """Return random numbers, a quarter of normal ones."""
        return (self.cupy.random.standard_normal(shape, dtype=np.float32) / 4).astype(_dtype(dtype))

    def zeros(self, shape: Sequence[int], dtype: str) -> Any:
        """Return zeros."""
        return self.cupy.zeros(shape, _dtype(dtype))

    def host(self, size_bytes: int, pinned: bool) -> Any:
        """Return bytes in the host's memory."""
        if not pinned:
            return np.ones(size_bytes, np.uint8)
        memory = self.cupy.cuda.alloc_pinned_memory(size_bytes)
        array = np.frombuffer(memory, np.uint8, size_bytes)
        array[:] = 1
        return array

    def fill(self, array: Any, value: float) -> None:
        """Fill an array."""
        array.fill(value)

    def copy(self, target: Any, source: Any, size_bytes: int) -> None:
        """Copy bytes on the current stream."""
        stream = self.cupy.cuda.get_current_stream()
        if isinstance(target, np.ndarray):
            source[:size_bytes].get(stream=stream, out=target[:size_bytes], blocking=False)
        elif isinstance(source, np.ndarray):
            target[:size_bytes].set(source[:size_bytes], stream=stream)
        else:
            target[:size_bytes] = source[:size_bytes]

    def add(self, out: Any, first: Any, second: Any) -> None:
        """Add two arrays."""
        self.cupy.add(first, second, out=out)

    def triad(self, out: Any, first: Any, second: Any, factor: float) -> None:
        """Compute the triad in one kernel."""
        self._triad(first, second, first.dtype.type(factor), out)

    def product(self, out: Any, first: Any, second: Any) -> None:
        """Multiply matrices by cuBLAS."""
        self.cupy.matmul(first, second.T, out=out)

    def capture(self, call: Callable[[], Any]) -> Callable[[], Any]:
        """Capture a graph on a stream of its own."""
        stream = self.cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            call()
            graph = stream.end_capture()

        def launch() -> None:
            graph.launch(stream)

        return launch

    def free(self) -> None:
        """Return the memory of CuPy's pool."""
        self.cupy.get_default_memory_pool().free_all_blocks()


def _dtype(name: str) -> Any:
    types = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64, "u8": np.uint8}
    if name not in types:
        raise NotSupported(f"cupy has {', '.join(types)} here, not {name!r}")
    return types[name]
