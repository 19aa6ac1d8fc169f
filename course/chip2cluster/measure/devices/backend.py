"""Interface between the experiments and a GPU library, and the search for an installed one."""

from __future__ import annotations

import pkgutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._validate import shortened

if TYPE_CHECKING:
    from .state import DeviceState

SUFFIX = "_backend"
FOLDER = str(Path(__file__).parent)


class NoDevice(RuntimeError):
    """No backend can run on this machine; the message has the reason of each."""


class NotSupported(RuntimeError):
    """The backend, its library or the device lacks an operation."""


class Backend(ABC):
    """Operations, events and copies of one GPU library on one device.

    Arrays are the library's own. Every operation returns at once; `synchronize` waits for all of them.
    """

    name: str

    @classmethod
    @abstractmethod
    def missing(cls) -> str:
        """Return why the backend cannot run here, or an empty string."""

    def now(self) -> float:
        """Return the host's clock, seconds."""
        return time.perf_counter()

    @property
    @abstractmethod
    def device(self) -> str:
        """Name of the device, as its driver has it."""

    @property
    @abstractmethod
    def libraries(self) -> str:
        """Names and versions of the libraries."""

    @property
    @abstractmethod
    def l2_bytes(self) -> float:
        """Size of the L2 cache, bytes; 0 if unknown."""

    @property
    @abstractmethod
    def memory_bytes(self) -> float:
        """Size of the device's memory, bytes."""

    @abstractmethod
    def state(self) -> DeviceState:
        """Return clock, power and throttle reasons at this moment."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all work on the device has ended."""

    @abstractmethod
    def record(self) -> Any:
        """Put an event into the stream and return it."""

    @abstractmethod
    def seconds_between(self, first: Any, second: Any) -> float:
        """Return the time between two events, seconds; waits for the second."""

    @abstractmethod
    def hold(self, seconds: float) -> bool:
        """Keep the stream busy for about this time, so that a queue fills behind it; False if impossible."""

    @abstractmethod
    def random(self, shape: Sequence[int], dtype: str) -> Any:
        """Return an array of normal random numbers on the device."""

    @abstractmethod
    def zeros(self, shape: Sequence[int], dtype: str) -> Any:
        """Return an array of zeros on the device."""

    @abstractmethod
    def host(self, size_bytes: int, pinned: bool) -> Any:
        """Return an array of bytes in the host's memory, already written once."""

    @abstractmethod
    def fill(self, array: Any, value: float) -> None:
        """Write one value into a whole array."""

    @abstractmethod
    def copy(self, target: Any, source: Any, size_bytes: int) -> None:
        """Copy the first bytes of one array of bytes to another, on the device or between it and the host."""

    @abstractmethod
    def add(self, out: Any, first: Any, second: Any) -> None:
        """Add two arrays."""

    @abstractmethod
    def triad(self, out: Any, first: Any, second: Any, factor: float) -> None:
        """Compute ``out = first + factor * second`` in one kernel."""

    @abstractmethod
    def product(self, out: Any, first: Any, second: Any) -> None:
        """Multiply matrices: ``out = first @ second.T``."""

    def capture(self, call: Callable[[], Any]) -> Callable[[], Any]:
        """Capture the launches of a call as a graph and return its launch."""
        raise NotSupported(f"{self.name} cannot capture graphs here")

    def attention(
        self, kernel: str, heads: int, sequence: int, head_dim: int, batch: int, causal: bool
    ) -> Callable[[], Any]:
        """Return a call of fused attention, forward, in bf16, by the ``"flash"`` or the ``"cudnn"`` kernel."""
        raise NotSupported(f"{self.name} has no fused attention")

    def training_step(self, layers: int, d_model: int, heads: int, batch: int, sequence: int) -> Callable[[], Any]:
        """Return a call of one training step of a GPT: forward, backward and AdamW, in bf16 autocast."""
        raise NotSupported(f"{self.name} has no automatic differentiation")

    def free(self) -> None:  # noqa: B027
        """Return cached memory to the device, where the library keeps some."""


def find_backend(name: str | Backend | None = None) -> Backend:
    """Return the named backend, or the first one that can run here.

    Parameters
    ----------
    name : str or Backend, optional
        Name such as ``"torch"`` or ``"cupy"``; a backend is returned as it is.

    Returns
    -------
    Backend
        Backend on the current device.

    Raises
    ------
    NoDevice
        None can run here; the message has the reason of each.

    Examples
    --------
    >>> try:
    ...     find_backend("abacus")
    ... except ValueError as problem:
    ...     print(problem)
    name must be one of 'torch', 'cupy', got 'abacus'
    """
    if isinstance(name, Backend):
        return name
    names = backend_names()
    if name is not None and name not in names:
        raise ValueError(f"name must be one of {', '.join(map(repr, names))}, got {shortened(name)}")
    reasons = []
    for each in (name,) if name else names:
        kind = import_module(f"{__package__}.{each}{SUFFIX}").DeviceBackend
        reason = kind.missing()
        if not reason:
            backend: Backend = kind()
            return backend
        reasons.append(f"{each}: {reason}")
    raise NoDevice(f"no GPU library can run here ({'; '.join(reasons)})")


def backend_names() -> tuple[str, ...]:
    """List the backends, PyTorch first."""
    found = [one.name.removesuffix(SUFFIX) for one in pkgutil.iter_modules([FOLDER]) if one.name.endswith(SUFFIX)]
    return tuple(sorted(found, key=lambda name: (name != "torch", name)))
