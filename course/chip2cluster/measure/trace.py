"""Reader of a Chrome trace that the PyTorch profiler (Kineto) exports."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from .._validate import choice, one_positive, shortened
from .collective_records import FOLDER
from .kernel_kinds import kernel_kind

if TYPE_CHECKING:
    from pandas import DataFrame

_CATEGORIES = {"kernel": "", "gpu_memcpy": "copies", "memcpy": "copies", "gpu_memset": "memsets", "memset": "memsets"}


class TraceKernel(NamedTuple):
    """One kernel, copy or memset on a device: start, from the first event of the trace, and duration in seconds."""

    start: float
    seconds: float
    name: str
    kind: str
    stream: str = ""


@dataclass(frozen=True)
class DeviceTrace:
    """Work of one device in the order of its start.

    Attributes
    ----------
    kernels : tuple of TraceKernel
        Kernels, copies and memsets.
    device : str
        Number or name of the device.
    host_seconds : float
        Time from the first to the last event of the host, seconds; 0 without events of the host.
    """

    kernels: tuple[TraceKernel, ...] = field(repr=False)
    device: str = ""
    host_seconds: float = 0.0

    @property
    def span_seconds(self) -> float:
        """Time from the first start to the last end, seconds."""
        if not self.kernels:
            return 0.0
        return max(one.start + one.seconds for one in self.kernels) - self.kernels[0].start

    @property
    def kernel_seconds(self) -> float:
        """Sum of all durations, seconds; work that overlaps counts twice."""
        return sum(one.seconds for one in self.kernels)

    @property
    def busy_seconds(self) -> float:
        """Time in which at least one kernel ran, seconds."""
        return sum(end - start for start, end in _union(self.kernels))

    @property
    def idle_seconds(self) -> float:
        """Time between the first start and the last end in which nothing ran, seconds."""
        return self.span_seconds - self.busy_seconds

    @property
    def overlap_seconds(self) -> float:
        """Time saved by running kernels at the same time, seconds: their sum less the busy time."""
        return self.kernel_seconds - self.busy_seconds

    def gaps(self, longer_than: float = 0.0) -> tuple[tuple[float, float], ...]:
        """Return start and duration of the times in which nothing ran, the longest first, seconds."""
        joined = _union(self.kernels)
        found = [(end, start - end) for (_, end), (start, _) in pairwise(joined)]
        return tuple(sorted((gap for gap in found if gap[1] > longer_than), key=lambda gap: -gap[1]))

    def hidden_seconds(self, kind: str = "communication") -> float:
        """Return how long kernels of one kind ran while others ran as well, seconds."""
        own = [one for one in self.kernels if one.kind == kind]
        rest = [one for one in self.kernels if one.kind != kind]
        both = sum(end - start for start, end in _union(own)) + sum(end - start for start, end in _union(rest))
        return both - self.busy_seconds

    def by_kind(self) -> dict[str, tuple[int, float]]:
        """Return number and total seconds of the kernels of each kind, the largest first."""
        return _sums((one.kind, one.seconds) for one in self.kernels)

    def by_name(self) -> dict[str, tuple[int, float]]:
        """Return number and total seconds of the kernels of each name, the largest first."""
        return _sums((one.name, one.seconds) for one in self.kernels)

    def fraction(self, kind: str) -> float:
        """Return the fraction of all kernel time that a kind takes."""
        return self.by_kind().get(kind, (0, 0.0))[1] / self.kernel_seconds if self.kernels else 0.0

    def achieved(self, flops: float, peak_flops_dense: float, seconds: float | None = None) -> float:
        """Return the fraction of the peak that a step reached: its FLOP over the peak and its time.

        Parameters
        ----------
        flops : float
            FLOP of the step, by the model.
        peak_flops_dense : float
            Peak of the device, FLOP/s.
        seconds : float, optional
            Time of the step, seconds; by default the span of its kernels.

        Returns
        -------
        float
            Fraction of peak.
        """
        time = self.span_seconds if seconds is None else one_positive("seconds", seconds)
        return one_positive("flops", flops) / one_positive("peak_flops_dense", peak_flops_dense) / time

    def table(self) -> DataFrame:
        """Tabulate the kinds: number, milliseconds, and percent of all kernel time."""
        import pandas  # imported here because the reader does not need it

        rows = {
            kind: {"kernels": count, "time (ms)": 1e3 * seconds, "fraction (%)": 100 * seconds / self.kernel_seconds}
            for kind, (count, seconds) in self.by_kind().items()
        }
        return pandas.DataFrame(rows).T.astype({"kernels": int})


def read_trace(text: str | bytes, *, device: int | str | None = None) -> DeviceTrace:
    r"""Parse a Chrome trace of the PyTorch profiler.

    Parameters
    ----------
    text : str or bytes
        Contents of the file that ``profiler.export_chrome_trace`` wrote, also compressed by gzip.
    device : int or str, optional
        Device to read; needed if the trace has several.

    Returns
    -------
    DeviceTrace
        Kernels, copies and memsets of one device.

    Raises
    ------
    ValueError
        The text is not such a trace, has no kernels, or has several devices; the message says what to do.

    Notes
    -----
    Times of the format are microseconds, whatever unit it displays. The kind of a kernel is guessed from its name. The profiler
    itself makes launches slower, so gaps are an upper bound. Ignores traces of XLA and of Nsight Systems.
    Source: Google, *Trace event format*; PyTorch, Kineto.

    Examples
    --------
    >>> event = '{"ph": "X", "cat": "kernel", "name": "nvjet_a", "ts": 10, "dur": 5, "args": {"device": 0, "stream": 7}}'
    >>> trace = read_trace(f'{{"traceEvents": [{event}]}}')
    >>> {kind: (count, round(seconds, 9)) for kind, (count, seconds) in trace.by_kind().items()}
    {'matrix products': (1, 5e-06)}
    """
    events = _events(text)
    devices: dict[str, list[TraceKernel]] = {}
    host: list[tuple[float, float]] = []
    timed = [event for event in events if isinstance(event, dict) and event.get("ph") == "X"]
    # Some versions count from 1970: in seconds such a time has steps of 0.2 us.
    origin = min((event["ts"] for event in timed if isinstance(event.get("ts"), (int, float))), default=0)
    for event in timed:
        category = str(event.get("cat", "")).lower()
        try:
            start, seconds = 1e-6 * float(event["ts"] - origin), 1e-6 * float(event.get("dur", 0))
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"text has an event without a time: {shortened(event)}") from None
        if category not in _CATEGORIES:
            if category in ("cpu_op", "cuda_runtime", "operator", "runtime"):
                host.append((start, start + seconds))
            continue
        arguments, name = event.get("args") or {}, str(event.get("name", ""))
        where = str(arguments.get("device", event.get("pid", "")))
        kernel = TraceKernel(
            start,
            seconds,
            name,
            _CATEGORIES[category] or kernel_kind(name),
            str(arguments.get("stream", event.get("tid", ""))),
        )
        devices.setdefault(where, []).append(kernel)
    if not devices:
        raise ValueError(
            "text has no kernels: profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], and wait for the device before the profiler stops"
        )
    if device is None and len(devices) > 1:
        raise ValueError(f"text has the devices {', '.join(sorted(devices))}: say device=")
    chosen = next(iter(devices)) if device is None else choice("device", str(device), tuple(sorted(devices)))
    spent = max(end for _, end in host) - min(start for start, _ in host) if host else 0.0
    return DeviceTrace(tuple(sorted(devices[chosen])), chosen, spent)


@cache
def recorded_trace(card: str = "H100 SXM") -> DeviceTrace:
    """Return the recorded trace of one training step: a GPT of 355 million parameters, 8 sequences of 1,024 tokens.

    Parameters
    ----------
    card : {"H100 SXM", "H200"}
        GPU it was recorded on.

    Returns
    -------
    DeviceTrace
        Kernels, copies and memsets of the step.

    Notes
    -----
    Eager PyTorch 2.11 under bf16 autocast, with fused AdamW; one step takes 67 ms, 81 ms under the profiler.
    Source: measured for this course, 2026-11-26.

    Examples
    --------
    >>> trace = recorded_trace()
    >>> len(trace.kernels), round(1e3 * trace.kernel_seconds, 1), round(trace.fraction("matrix products"), 2)
    (1590, 64.2, 0.35)
    """
    choice("card", card, ("H100 SXM", "H200"))
    file = FOLDER / "gpu" / f"train_kernels_{card.split()[0].lower()}.csv.gz"
    rows = csv.DictReader(io.StringIO(gzip.decompress(file.read_bytes()).decode()))
    kinds = {"gpu_memcpy": "copies", "gpu_memset": "memsets"}
    kernels = [
        TraceKernel(1e-6 * float(row["start_us"]), 1e-6 * float(row["seconds_us"]), row["name"],
                    kinds.get(row["kind"]) or kernel_kind(row["name"]), "7")
        for row in rows
    ]  # fmt: skip
    return DeviceTrace(tuple(sorted(kernels)), card)


def _events(text: str | bytes) -> list[Any]:
    if isinstance(text, bytes):
        text = (gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text).decode("utf-8", errors="replace")
    if not isinstance(text, str):
        raise TypeError(f"text must be the contents of a trace, as str or bytes, got {type(text).__name__}")
    try:
        trace = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        if not text.lstrip().startswith("["):
            raise ValueError("text is not JSON: pass the whole file that export_chrome_trace wrote") from None
        try:  # the format allows an array without its end
            trace = json.loads(text.rstrip().rstrip(",") + "]", strict=False)
        except ValueError:
            raise ValueError("text is not JSON: pass the whole file that export_chrome_trace wrote") from None
    events = trace.get("traceEvents") if isinstance(trace, dict) else trace
    if not isinstance(events, list):
        raise ValueError('text must be a Chrome trace, an object with "traceEvents" or an array of events')
    return events


def _union(kernels: Any) -> list[tuple[float, float]]:
    """Join the times of kernels that touch, ordered by their start."""
    joined: list[tuple[float, float]] = []
    for one in kernels:
        end = one.start + one.seconds
        if joined and one.start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((one.start, end))
    return joined


def _sums(pairs: Any) -> dict[str, tuple[int, float]]:
    found: dict[str, tuple[int, float]] = {}
    for key, seconds in pairs:
        count, total = found.get(key, (0, 0.0))
        found[key] = (count + 1, total + seconds)
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))
