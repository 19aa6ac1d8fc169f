"""Times of a call on the device: events in a queue that was filled before the device began to work on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

import numpy as np

from ..._validate import choice, one_positive, one_whole
from ..devices import Backend, DeviceState, find_backend
from ..sample import Sample

EVENT_SECONDS = 5e-7  # resolution of cudaEventElapsedTime, by its documentation
SHORTEST = 5e-5  # shorter calls are timed many together
LONGEST_HOLD = 0.05
FLUSH = 2.0  # bytes written to flush the L2 cache, over its size
DEFAULT_L2 = 64 * 2**20
LOW_CLOCK = 0.9  # clock over its maximum below which a chip under load is throttled, if the driver gives a reason
TRIES = 4


@dataclass(frozen=True, eq=False)
class DeviceSample(Sample):
    """Times of a call on a device, and the state of the device while it ran.

    Parameters
    ----------
    times_seconds, resolution_seconds, warm_up_seconds, pending_seconds, waiter
        Same as in `Sample`; the warm-up times are of the host's clock.
    device, libraries : str
        Names of the device and of the libraries.
    cache : {"warm", "flushed", "rotated"}
        State of the L2 cache before each repeat: the same operands as in the repeat before, overwritten by other data, or
        other operands.
    calls : int
        Number of calls between two events; times are per call.
    queue_full : bool
        Whether all repeats were queued before the first one began, so that no launch was waited for.
    state : DeviceState
        Clock, power and throttle reasons, read while the repeats ran.

    Notes
    -----
    Ignores the time of the host. Source: NVIDIA, CUDA C++ best practices guide, "Timing"; Hoefler and Belli, SC 2015.

    Examples
    --------
    >>> DeviceSample([1e-3] * 8, queue_full=False).reasons
    ('the queue ran dry: the host launched more slowly than the device worked',)
    """

    device: str = ""
    libraries: str = ""
    cache: str = "warm"
    calls: int = 1
    queue_full: bool = True
    state: DeviceState = field(default_factory=DeviceState)

    @property
    def verdict(self) -> Literal["quiet", "noisy", "throttled", "unusable"]:  # type: ignore[override]
        """Quality of the measurement: that of `Sample`, or ``"throttled"`` if the clock was lowered."""
        found = {kind for kind, _ in self._findings()}
        return next((kind for kind in ("unusable", "throttled", "noisy") if kind in found), "quiet")

    def _findings(self) -> list[tuple[str, str]]:
        found = super()._findings()
        if not self.queue_full:
            found.append(("noisy", "the queue ran dry: the host launched more slowly than the device worked"))
        clock, most = self.state.clock_hz, self.state.max_clock_hz
        if self.state.throttle and (clock is None or most is None or clock < LOW_CLOCK * most):
            at = f" at {1e-6 * clock:,.0f} of {1e-6 * most:,.0f} MHz" if clock and most else ""
            found.append(("throttled", f"{' and '.join(self.state.throttle)}{at}: a cooler or shorter run is faster"))
        return found


def device_benchmark(
    call: Callable[[], Any] | Sequence[Callable[[], Any]],
    *,
    backend: str | Backend | None = None,
    warm_up: int = 3,
    repeats: int = 20,
    budget_seconds: float = 2.0,
    calls: int | None = None,
    cache: str = "warm",
) -> DeviceSample:
    """Time a call on the device.

    Parameters
    ----------
    call : callable or sequence of callables
        Launch of the work, without waiting. Several callables with operands of their own are used in turn: the cache is
        then ``"rotated"``.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.
    warm_up, repeats : int
        Number of untimed calls, and largest number of repeats.
    budget_seconds : float
        Time for all repeats, seconds; at least 6 repeats always run.
    calls : int, optional
        Number of calls in one repeat; by default as many as take 50 microseconds, because two events cost about one; 1
        with a flushed cache.
    cache : {"warm", "flushed"}
        Whether other data overwrites the L2 cache before each repeat.

    Returns
    -------
    DeviceSample
        Times per call and the state of the device.

    Raises
    ------
    NoDevice
        No backend can run on this machine.

    Notes
    -----
    A spinning kernel holds the stream until all repeats are queued, so that the time of a launch does not count.
    Several calls in one repeat count the gap between two kernels, 1 to 2 microseconds. Ignores other streams.
    Source: NVIDIA, CUDA C++ best practices guide, "Timing".

    Examples
    --------
    >>> from chip2cluster.measure import NoDevice
    >>> try:
    ...     sample = device_benchmark(list)
    ... except NoDevice as reason:
    ...     print("No device.")
    No device.
    """
    given = list(call) if isinstance(call, (list, tuple)) else [call]
    if not given or not all(callable(one) for one in given):
        raise TypeError(f"call must be callable without arguments, or a list of such, got {call!r}")
    choice("cache", cache, ("warm", "flushed"))
    warm_up, repeats = one_whole("warm_up", warm_up, 0), one_whole("repeats", repeats)
    budget, device = one_positive("budget_seconds", budget_seconds), find_backend(backend)
    launches: list[Callable[[], Any]] = given  # type: ignore[assignment]
    before = _warm_up(device, launches, warm_up)
    estimate = _estimate(device, launches[0])
    if cache == "flushed":  # a second call would find what the first one left in the cache
        calls = 1 if calls is None else calls
        if calls != 1:
            raise ValueError(f"calls must be 1 with a flushed cache, got {calls}")
    count = one_whole("calls", calls) if calls is not None else max(1, min(200, round(SHORTEST / max(estimate, 1e-9))))
    repeats = max(min(6, repeats), min(repeats, int(budget / max(estimate * count, 1e-9))))
    flush = _flusher(device) if cache == "flushed" else None
    times, full, state = _queued(device, launches, repeats, count, flush)
    return DeviceSample(
        np.array(times), EVENT_SECONDS / count, np.array(before), device=device.device, libraries=device.libraries,
        cache="rotated" if len(launches) > 1 else cache, calls=count, queue_full=full, state=state,
    )  # fmt: skip


def _warm_up(device: Backend, launches: list[Callable[[], Any]], warm_up: int) -> list[float]:
    before = []
    for number in range(max(warm_up, len(launches) if warm_up else 0)):
        start = device.now()
        launches[number % len(launches)]()
        device.synchronize()
        before.append(device.now() - start)
    return before


def _estimate(device: Backend, launch: Callable[[], Any]) -> float:
    """Return the seconds of one call behind a queue, with the cost of the events."""
    found = []
    for _ in range(3):
        device.hold(1e-4)
        first = device.record()
        launch()
        found.append(device.seconds_between(first, device.record()))
    return median(found)


def _flusher(device: Backend) -> Callable[[], None]:
    size = int(FLUSH * (device.l2_bytes or DEFAULT_L2))
    array = device.zeros((size,), "u8")
    return lambda: device.fill(array, 1)


def _queued(
    device: Backend, launches: list[Callable[[], Any]], repeats: int, count: int, flush: Callable[[], None] | None
) -> tuple[list[float], bool, DeviceState]:
    hold = 1e-4 + 2e-5 * repeats * (1 + count / 4)
    for attempt in range(TRIES):
        device.synchronize()
        held = attempt < TRIES - 1 and device.hold(min(hold, LONGEST_HOLD))
        start = device.now()
        events = []
        for repeat in range(repeats):
            if flush is not None:
                flush()
            first = device.record()
            for number in range(count):
                launches[(repeat * count + number) % len(launches)]()
            events.append((first, device.record()))
        queued = device.now() - start
        state = device.state()
        device.synchronize()
        full = held and queued < 0.9 * min(hold, LONGEST_HOLD)
        if full or not held:
            break  # the last try is without a hold: the host sets the pace of all repeats alike
        hold = 2 * queued + 1e-4
    return [device.seconds_between(first, last) / count for first, last in events], full, state
