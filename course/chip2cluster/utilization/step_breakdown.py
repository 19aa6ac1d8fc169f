"""Breakdown of a training step: arithmetic, kernel inefficiency, and waiting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, plain, positive, whole
from .mfu_ratios import cluster_peak

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class Step:
    """Parts of one training step, seconds (floats or arrays); they follow each other.

    Attributes
    ----------
    model_arithmetic : float or array
        Arithmetic of the model at the dense peak.
    recomputation : float or array
        Recomputed arithmetic at the dense peak.
    slow_kernels : float or array
        Kernel inefficiency: time that both take beyond that.
    pipeline_bubble : float or array
        Waiting for other pipeline stages.
    exposed_communication : float or array
        Messages that arithmetic does not hide.
    input_wait : float or array
        Waiting for data.
    """

    model_arithmetic: FloatOrArray
    recomputation: FloatOrArray
    slow_kernels: FloatOrArray
    pipeline_bubble: FloatOrArray
    exposed_communication: FloatOrArray
    input_wait: FloatOrArray

    @property
    def parts(self) -> dict[str, FloatOrArray]:
        """Name and seconds of each part, in order."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def seconds(self) -> FloatOrArray:
        """Time of the step."""
        return plain(sum(self.parts.values()))

    @property
    def mfu(self) -> FloatOrArray:
        """Model FLOPs utilization (MFU): the fraction of the first part."""
        return plain(self.model_arithmetic / self.seconds)

    @property
    def hfu(self) -> FloatOrArray:
        """Hardware FLOPs utilization (HFU): the fraction of the first two parts."""
        return plain((self.model_arithmetic + self.recomputation) / self.seconds)


def step_breakdown(
    model_flops: ArrayLike,
    devices: ArrayLike,
    peak_flops_dense: ArrayLike,
    kernel_efficiency: ArrayLike = 1.0,
    *,
    recomputed_flops: ArrayLike = 0.0,
    stages: ArrayLike = 1,
    micro_batches: ArrayLike = 1,
    chunks: ArrayLike = 1,
    communication_seconds: ArrayLike = 0.0,
    hidden_fraction: ArrayLike = 0.0,
    input_seconds: ArrayLike = 0.0,
) -> Step:
    """Break the time of a training step down into arithmetic and five kinds of loss.

    Parameters
    ----------
    model_flops : float or array
        Arithmetic of the step, FLOP, over all devices and without recomputation.
    devices : int or array of int
        Number of accelerators.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    kernel_efficiency : float or array
        Fraction of peak that the kernels reach while they run, above 0 and at most 1.
    recomputed_flops : float or array
        Arithmetic of the step that is executed a second time, FLOP.
    stages, micro_batches, chunks : int or array of int
        Pipeline stages s, micro-batches of a step m, and chunks of layers on each
        device v. The bubble is ``(s - 1) / (v m)`` of the arithmetic.
    communication_seconds : float or array
        Messages of the step that are sent outside the kernels, seconds.
    hidden_fraction : float or array
        Fraction of them that overlaps with arithmetic, 0 to 1; no more than the arithmetic
        lasts can be hidden.
    input_seconds : float or array
        Time that a prefetching loader needs for the data of one step, seconds; the
        step waits only for what exceeds all the rest.

    Returns
    -------
    Step
        Seconds of each part.

    Notes
    -----
    Assumes equal stages and devices. Ignores stragglers, checkpoints, the optimizer
    and the fill and drain of the communication itself.
    Source: Narayanan et al. 2021, arXiv:2104.04473, section 2.2 (bubble); Chowdhery et
    al. 2022, section 4.1 (the two utilizations).

    Examples
    --------
    >>> step = step_breakdown(8e15, 10, 100e12, 0.5, recomputed_flops=2e15, stages=5, micro_batches=40)
    >>> step.seconds, step.mfu.__round__(3), step.hfu.__round__(3)
    (22.0, 0.364, 0.455)
    """
    peak = cluster_peak(devices, peak_flops_dense)
    efficiency = fraction("kernel_efficiency", kernel_efficiency)
    model = positive("model_flops", model_flops) / peak
    recomputed = positive("recomputed_flops", recomputed_flops, allow_zero=True) / peak
    busy = (model + recomputed) / efficiency
    waiting = whole("stages", stages) - 1
    bubble = busy * waiting / (whole("chunks", chunks) * whole("micro_batches", micro_batches))
    sent = positive("communication_seconds", communication_seconds, allow_zero=True)
    hidden = positive("hidden_fraction", hidden_fraction, allow_zero=True)
    if np.max(hidden, initial=0.0) > 1:
        raise ValueError(f"hidden_fraction must be at most 1, got {hidden_fraction!r}")
    exposed = np.maximum(sent * (1 - hidden), sent - busy)
    ready = busy + bubble + exposed
    wait = np.maximum(positive("input_seconds", input_seconds, allow_zero=True) - ready, 0.0)
    slow = np.maximum(busy - model - recomputed, 0.0)  # a rounding error is not negative time
    parts = np.broadcast_arrays(model, recomputed, slow, bubble, exposed, wait)
    return Step(*(plain(part) for part in parts))


def kernel_efficiency(
    step_seconds: ArrayLike,
    model_flops: ArrayLike,
    devices: ArrayLike,
    peak_flops_dense: ArrayLike,
    *,
    recomputed_flops: ArrayLike = 0.0,
    stages: ArrayLike = 1,
    micro_batches: ArrayLike = 1,
    chunks: ArrayLike = 1,
    exposed_seconds: ArrayLike = 0.0,
) -> FloatOrArray:
    """Fraction of peak that the kernels must have reached, from the measured time of a step.

    Parameters
    ----------
    step_seconds : float or array
        Measured time of a step, seconds.
    model_flops : float or array
        Arithmetic of the step, FLOP, over all devices and without recomputation.
    devices : int or array of int
        Number of accelerators.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    recomputed_flops : float or array
        Arithmetic of the step that is executed a second time, FLOP.
    stages, micro_batches, chunks : int or array of int
        Pipeline stages, micro-batches and chunks, see `step_breakdown`, of which this is the inverse.
    exposed_seconds : float or array
        Messages of the step that arithmetic did not hide, seconds.

    Returns
    -------
    float or array
        Fraction of peak.

    Raises
    ------
    ValueError
        If the step is shorter than its arithmetic at the peak plus its
        bubble: then tokens, precision or devices are wrong.

    Notes
    -----
    All unlisted losses count as kernel inefficiency: waiting for data, stragglers,
    messages. Source: the definition.

    Examples
    --------
    >>> kernel_efficiency(22.0, 8e15, 10, 100e12, recomputed_flops=2e15, stages=5, micro_batches=40)
    0.5
    """
    at_peak = step_breakdown(
        model_flops, devices, peak_flops_dense,
        recomputed_flops=recomputed_flops, stages=stages, micro_batches=micro_batches, chunks=chunks,
    )  # fmt: skip
    left = positive("step_seconds", step_seconds) - positive("exposed_seconds", exposed_seconds, allow_zero=True)
    if np.any(left < at_peak.seconds * (1 - 1e-12)):
        raise ValueError(
            f"step_seconds less exposed_seconds must be at least what the arithmetic takes at the peak, "
            f"{np.max(at_peak.seconds):.3g} s, got {np.min(left):.3g} s"
        )
    return plain(np.minimum(at_peak.seconds / left, 1.0))
