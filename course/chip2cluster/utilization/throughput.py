"""Conversions between throughput, step time and training time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, plain, positive, whole
from .mfu_ratios import cluster_peak

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def tokens_per_second(tokens_per_step: ArrayLike, step_seconds: ArrayLike) -> FloatOrArray:
    """Training throughput from the time of a step.

    Parameters
    ----------
    tokens_per_step : float or array
        Tokens of the global batch: sequences times their length.
    step_seconds : float or array
        Time of one optimizer step, seconds; not of the whole training run.

    Returns
    -------
    float or array
        Tokens/s of the whole cluster.

    Notes
    -----
    Ignores the time between steps. Source: the definition.

    Examples
    --------
    >>> round(tokens_per_second(1920 * 2048, 60.1))      # MT-NLG 530B
    65427
    """
    return plain(positive("tokens_per_step", tokens_per_step) / positive("step_seconds", step_seconds))


def step_time(tokens_per_step: ArrayLike, tokens_per_second: ArrayLike) -> FloatOrArray:
    """Time of one optimizer step from the training throughput.

    Parameters
    ----------
    tokens_per_step : float or array
        Tokens of the global batch.
    tokens_per_second : float or array
        Throughput of the whole cluster, tokens/s.

    Returns
    -------
    float or array
        Seconds.

    Notes
    -----
    The inverse of `tokens_per_second`; ignores the same. Source: the definition.

    Examples
    --------
    >>> step_time(2048 * 2048, 1e6)
    4.194304
    """
    return plain(positive("tokens_per_step", tokens_per_step) / positive("tokens_per_second", tokens_per_second))


def throughput_at(
    utilization: ArrayLike, flops_per_token: ArrayLike, devices: ArrayLike, peak_flops_dense: ArrayLike
) -> FloatOrArray:
    """Training throughput at a given MFU: the inverse of `mfu`.

    Parameters
    ----------
    utilization : float or array
        Model FLOPs utilization (MFU), above 0 and at most 1.
    flops_per_token : float or array
        Arithmetic of a token, FLOP, by the convention of that utilization.
    devices : int or array of int
        Number of accelerators.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.

    Returns
    -------
    float or array
        Tokens/s of the whole cluster.

    Notes
    -----
    Ignores that utilization depends on the scale. Source: Chowdhery et al. 2022,
    appendix B.

    Examples
    --------
    >>> round(throughput_at(0.462, 3.2777e12, 6144, 275e12) / 1e3)      # PaLM 540B: 238.3 thousand
    238
    """
    rate = fraction("utilization", utilization) * cluster_peak(devices, peak_flops_dense)
    return plain(rate / positive("flops_per_token", flops_per_token))


def training_time(tokens: ArrayLike, tokens_per_second: ArrayLike) -> FloatOrArray:
    """Time to train on a number of tokens.

    Parameters
    ----------
    tokens : float or array
        Training tokens.
    tokens_per_second : float or array
        Throughput of the whole cluster, tokens/s.

    Returns
    -------
    float or array
        Seconds; ``/ utilization.DAY`` for days.

    Notes
    -----
    Ignores failures, restarts, checkpoints and evaluation. Source: the definition.

    Examples
    --------
    >>> round(training_time(780e9, 238.3e3) / DAY, 1)      # PaLM at its best speed throughout
    37.9
    """
    return plain(positive("tokens", tokens) / positive("tokens_per_second", tokens_per_second))


def training_time_at(
    total_flops: ArrayLike, devices: ArrayLike, peak_flops_dense: ArrayLike, utilization: ArrayLike
) -> FloatOrArray:
    """Training time of a given arithmetic at a given utilization (MFU or HFU).

    Parameters
    ----------
    total_flops : float or array
        Arithmetic of the run, FLOP: with recomputation if ``utilization`` is
        an HFU, without it if it is an MFU.
    devices : int or array of int
        Number of accelerators.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    utilization : float or array
        Fraction above 0 and at most 1.

    Returns
    -------
    float or array
        Seconds; ``/ utilization.DAY`` for days.

    Notes
    -----
    Ignores the same as `training_time`. Source: Narayanan et al. 2021, section 5.1.

    Examples
    --------
    >>> rerun_all = 4 / 3 * 6 * 1008e9 * 450e9      # full recomputation, 1 trillion parameters
    >>> round(training_time_at(rerun_all, 3072, 312e12, 163 / 312) / DAY)
    84
    """
    rate = cluster_peak(devices, peak_flops_dense) * fraction("utilization", utilization)
    return plain(positive("total_flops", total_flops) / rate)


def devices_needed(
    total_flops: ArrayLike, seconds: ArrayLike, peak_flops_dense: ArrayLike, utilization: ArrayLike
) -> IntOrArray:
    """Fewest devices that finish a given arithmetic before a deadline: the inverse of `training_time_at`.

    Parameters
    ----------
    total_flops : float or array
        Arithmetic of the run, FLOP.
    seconds : float or array
        Deadline, seconds.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    utilization : float or array
        Fraction above 0 and at most 1.

    Returns
    -------
    int or array of int
        Devices, rounded up.

    Notes
    -----
    Ignores the same, and that the utilization falls with the number of devices: see
    `critical_tokens`. Source: see `training_time_at`.

    Examples
    --------
    >>> devices_needed(6 * 70e9 * 15e12, 30 * DAY, 989.4e12, 0.4)
    6142
    """
    rate = positive("peak_flops_dense", peak_flops_dense) * fraction("utilization", utilization)
    count = np.ceil(positive("total_flops", total_flops) / (positive("seconds", seconds) * rate))
    return count.astype(int) if count.ndim else int(count)


def device_time(devices: ArrayLike, seconds: ArrayLike) -> FloatOrArray:
    """Device time of a run, the quantity that is billed: devices times time.

    Parameters
    ----------
    devices : int or array of int
        Reserved accelerators, busy or not.
    seconds : float or array
        Duration, seconds.

    Returns
    -------
    float or array
        Device-seconds; ``/ utilization.HOUR`` for GPU-hours.

    Notes
    -----
    Source: the definition.

    Examples
    --------
    >>> device_time(4 * 8, 6 * HOUR) / HOUR
    192.0
    """
    return plain(whole("devices", devices) * positive("seconds", seconds, allow_zero=True))
