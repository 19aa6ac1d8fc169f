"""Forecast of a training step after one kind of its kernels became faster, by its trace."""

from __future__ import annotations

from math import isinf
from typing import Any, NamedTuple

from .._validate import choice, one_fraction, one_positive
from .gpu.records import recorded_gpu
from .kernel_launches import STREAM_GAP
from .trace import DeviceTrace, recorded_trace


class StepForecast(NamedTuple):
    """Seconds of a step by what it waits for: kernels of each kind, gaps between kernels, and the CPU."""

    kinds: dict[str, float]
    gap_seconds: float
    host_seconds: float

    @property
    def kernel_seconds(self) -> float:
        """Sum of all kernels, seconds."""
        return sum(self.kinds.values())

    @property
    def seconds(self) -> float:
        """Time of the step, seconds: kernels and gaps, but no less than the CPU needs for its launches."""
        return max(self.kernel_seconds + self.gap_seconds, self.host_seconds)

    @property
    def launch_bound(self) -> bool:
        """Whether the CPU sets the pace."""
        return self.host_seconds > self.kernel_seconds + self.gap_seconds


def amdahl_speedup(fraction: float, factor: float) -> float:
    """Speedup of the whole if one part of it becomes faster, by Amdahl's law.

    Parameters
    ----------
    fraction : float
        Fraction of the time that the part takes, 0 to 1.
    factor : float
        How many times as fast the part becomes; infinity removes it.

    Returns
    -------
    float
        How many times as fast the whole becomes.

    Raises
    ------
    ValueError
        The fraction is not between 0 and 1, or the whole is the part and is removed.

    Notes
    -----
    Ignores overlap: the parts run one after the other. Source: G. Amdahl, 1967.

    Examples
    --------
    >>> round(amdahl_speedup(0.35, 2), 2), round(amdahl_speedup(0.35, float("inf")), 2)
    (1.21, 1.54)
    """
    part = one_fraction("fraction", fraction, allow_zero=True)
    rest = 1 - part + part / _factor(factor)
    if rest <= 0:
        raise ValueError("factor must be finite where the part is the whole: nothing would be left")
    return float(1 / rest)


def step_forecast(
    trace: DeviceTrace,
    kind: str | None = None,
    factor: float = 1.0,
    *,
    gap_seconds: float = STREAM_GAP,
    launch_seconds: float = 0.0,
) -> StepForecast:
    """Forecast a step whose kernels of one kind became faster or were fused away.

    Parameters
    ----------
    trace : DeviceTrace
        Kernels of the step.
    kind : str, optional
        Kind that becomes faster; by default none.
    factor : float
        How many times as fast it becomes; with infinity its kernels are gone, and so are their launches.
    gap_seconds : float
        Time between two kernels of a stream in which the GPU does nothing, seconds.
    launch_seconds : float
        Time of the CPU for one launch with all that leads to it, seconds; see `recorded_launch_seconds`.

    Returns
    -------
    StepForecast
        Seconds by kind, of the gaps and of the CPU.

    Raises
    ------
    ValueError
        The trace has no kernel of that kind.

    Notes
    -----
    An expectation for kernels that run one after the other, without the profiler; ignores overlap of streams, and waiting
    for data or other ranks. Source: the recorded steps, which it meets within 2 %.

    Examples
    --------
    >>> from chip2cluster import measure
    >>> step = step_forecast(measure.recorded_trace(), "matrix products", 2)
    >>> round(1e3 * step.seconds, 1)
    55.9
    """
    kinds = {name: (count, seconds) for name, (count, seconds) in trace.by_kind().items()}
    times = _factor(factor)
    if kind is not None:
        count, seconds = kinds[choice("kind", kind, tuple(kinds))]
        kinds[kind] = (0 if isinf(times) else count, seconds / times)
    launches = sum(count for count, _ in kinds.values())
    return StepForecast(
        {name: seconds for name, (_, seconds) in kinds.items()},
        gap_seconds * max(0, launches - 1),
        launch_seconds * launches,
    )


def recorded_launch_seconds(card: str = "H100 SXM") -> float:
    """Time of the CPU per launch in the recorded training step, seconds.

    Parameters
    ----------
    card : {"H100 SXM", "H200"}
        GPU it was recorded on; the two were in different servers.

    Returns
    -------
    float
        Seconds: the step of a single sequence, which waits for the CPU throughout, over its launches.

    Notes
    -----
    Takes the launches of the trace of eight sequences; the number does not depend on the batch. Source: measured for this
    course, 2026-11-26.

    Examples
    --------
    >>> [round(1e6 * recorded_launch_seconds(card)) for card in ("H100 SXM", "H200")]
    [26, 37]
    """
    (row,) = (row for row in recorded_gpu("training", card).rows if (row["series"], row["x"]) == ("355M", 1))
    return float(row["median_seconds"]) / len(recorded_trace(card).kernels)


def _factor(factor: Any) -> float:
    """Return a positive factor; infinity is allowed."""
    return factor if isinstance(factor, float) and isinf(factor) and factor > 0 else one_positive("factor", factor)
