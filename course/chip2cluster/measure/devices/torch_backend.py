"""PyTorch on an NVIDIA or AMD GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .backend import Backend, NotSupported
from .state import DeviceState, device_state

VOCABULARY = 50304


class DeviceBackend(Backend):
    """Operations of PyTorch on the current CUDA device."""

    name = "torch"

    def __init__(self) -> None:
        self.torch: Any = import_module("torch")
        self.torch.cuda.init()
        self._properties: Any = self.torch.cuda.get_device_properties(self.torch.cuda.current_device())

    @classmethod
    def missing(cls) -> str:
        """Return why the backend cannot run here, or an empty string."""
        if find_spec("torch") is None:
            return "PyTorch is not installed"
        return "" if import_module("torch").cuda.is_available() else "PyTorch finds no CUDA device"

    @property
    def device(self) -> str:
        """Name of the device."""
        return str(self._properties.name)

    @property
    def libraries(self) -> str:
        """Versions of PyTorch, CUDA and cuDNN."""
        torch = self.torch
        return f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"

    @property
    def l2_bytes(self) -> float:
        """Size of the L2 cache, bytes."""
        return float(getattr(self._properties, "L2_cache_size", 0))

    @property
    def memory_bytes(self) -> float:
        """Size of the device's memory, bytes."""
        return float(self._properties.total_memory)

    def state(self) -> DeviceState:
        """Return the state by the driver."""
        return device_state(self.torch.cuda.current_device())

    def synchronize(self) -> None:
        """Wait for the device."""
        self.torch.cuda.synchronize()

    def record(self) -> Any:
        """Record an event."""
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds_between(self, first: Any, second: Any) -> float:
        """Return the time between two events."""
        second.synchronize()
        return 1e-3 * float(first.elapsed_time(second))

    def hold(self, seconds: float) -> bool:
        """Spin on the device; the clock is taken to be 2 GHz."""
        if not hasattr(self.torch.cuda, "_sleep"):
            return False
        self.torch.cuda._sleep(int(2e9 * seconds))
        return True

    def random(self, shape: Sequence[int], dtype: str) -> Any:
        """Return random numbers, a quarter of normal ones, so that sums fit fp16."""
        torch = self.torch
        return (torch.randn(*shape, device="cuda", dtype=torch.float32) / 4).to(self._dtype(dtype))

    def zeros(self, shape: Sequence[int], dtype: str) -> Any:
        """Return zeros."""
        return self.torch.zeros(*shape, device="cuda", dtype=self._dtype(dtype))

    def host(self, size_bytes: int, pinned: bool) -> Any:
        """Return bytes in the host's memory."""
        return self.torch.ones(size_bytes, dtype=self.torch.uint8, pin_memory=pinned)

    def fill(self, array: Any, value: float) -> None:
        """Fill an array."""
        array.fill_(value)

    def copy(self, target: Any, source: Any, size_bytes: int) -> None:
        """Copy bytes; asynchronous where the host's memory is pinned."""
        target[:size_bytes].copy_(source[:size_bytes], non_blocking=True)

    def add(self, out: Any, first: Any, second: Any) -> None:
        """Add two arrays."""
        self.torch.add(first, second, out=out)

    def triad(self, out: Any, first: Any, second: Any, factor: float) -> None:
        """Compute the triad in one kernel."""
        self.torch.add(first, second, alpha=factor, out=out)

    def product(self, out: Any, first: Any, second: Any) -> None:
        """Multiply matrices by cuBLAS; TF32 is chosen by the caller's type ``tf32``."""
        self.torch.mm(first, second.t(), out=out)

    def capture(self, call: Callable[[], Any]) -> Callable[[], Any]:
        """Capture a graph on a stream of its own, as PyTorch requires."""
        torch = self.torch
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream), torch.cuda.graph(graph, stream=stream):
            call()
        torch.cuda.synchronize()
        replay: Callable[[], Any] = graph.replay
        return replay

    def attention(
        self, kernel: str, heads: int, sequence: int, head_dim: int, batch: int, causal: bool
    ) -> Callable[[], Any]:
        """Return a call of scaled_dot_product_attention by FlashAttention or cuDNN."""
        torch = self.torch
        q, k, v = (torch.randn(batch, heads, sequence, head_dim, device="cuda", dtype=torch.bfloat16) for _ in range(3))

        def call() -> Any:
            with self._attention_kernel(kernel):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        try:
            call()
        except RuntimeError as reason:
            raise NotSupported(f"{kernel} attention does not run here: {str(reason).splitlines()[0]}") from reason
        return call

    def _attention_kernel(self, kernel: str) -> Any:
        kinds: Any = import_module("torch.nn.attention")
        chosen = getattr(kinds.SDPBackend, {"flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION"}[kernel], None)
        if chosen is None:
            raise NotSupported(f"PyTorch {self.torch.__version__} has no {kernel} attention")
        return kinds.sdpa_kernel(chosen)

    def training_step(self, layers: int, d_model: int, heads: int, batch: int, sequence: int) -> Callable[[], Any]:
        """Return a step of a GPT with learned positions, tied embeddings, FlashAttention and fused AdamW."""
        from ._torch_gpt import gpt

        torch = self.torch
        model = gpt(torch, layers, d_model, heads, VOCABULARY, sequence).cuda()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        tokens, targets = (torch.randint(0, 50257, (batch, sequence), device="cuda") for _ in range(2))

        def step() -> Any:
            with self._attention_kernel("flash"), torch.autocast("cuda", torch.bfloat16):
                loss = model(tokens, targets)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            return None

        return step

    def free(self) -> None:
        """Empty PyTorch's cache of memory."""
        import gc

        gc.collect()
        self.torch.cuda.empty_cache()

    def _dtype(self, name: str) -> Any:
        torch = self.torch
        self.torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        types = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32, "tf32": torch.float32,
                 "fp64": torch.float64, "u8": torch.uint8}  # fmt: skip
        if name not in types:
            raise NotSupported(f"torch has {', '.join(types)} here, not {name!r}")
        return types[name]
