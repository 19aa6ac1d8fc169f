"""From speed to time and back: tokens a second, seconds a step, days of training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .ratios import cluster_peak

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def tokens_per_second(tokens_per_step: ArrayLike, step_seconds: ArrayLike) -> FloatOrArray:
    """Training speed from the time of a step.

    Parameters
    ----------
    tokens_per_step : float or array
        Tokens of the global batch: sequences times their length.
    step_seconds : float or array
        Time of one optimizer step, seconds; not of the whole training.

    Returns
    -------
    float or array
        Tokens/s of the whole cluster.

    Raises
    ------
    ValueError, TypeError
        For anything but finite numbers above zero.

    Notes
    -----
    Ignores what happens between steps. Source: the definition.

    Examples
    --------
    >>> round(tokens_per_second(1920 * 2048, 60.1))      # MT-NLG 530B
    65427
    """
    return plain(positive("tokens_per_step", tokens_per_step) / positive("step_seconds", step_seconds))


def step_time(tokens_per_step: ArrayLike, tokens_per_second: ArrayLike) -> FloatOrArray:
    """Time of one optimizer step from the training speed.

    Parameters
    ----------
    tokens_per_step, tokens_per_second : float or array
        Tokens of the global batch, and tokens/s of the whole cluster.

    Returns
    -------
    float or array
        Seconds.

    Raises
    ------
    ValueError, TypeError
        For anything but finite numbers above zero.

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
    """Training speed that a utilization stands for: the inverse of `mfu`.

    Parameters
    ----------
    utilization : float or array
        Model FLOPs utilization, above 0 and at most 1.
    flops_per_token : float or array
        Arithmetic of a token, FLOP, counted as for that utilization.
    devices : int or array of int
        Accelerators.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.

    Returns
    -------
    float or array
        Tokens/s of the whole cluster.

    Raises
    ------
    ValueError, TypeError
        For NaN, negative or zero input, devices that are not whole, and a
        utilization above 1.

    Notes
    -----
    Ignores that utilization depends on the scale. Source: Chowdhery et al. 2022,
    appendix B.

    Examples
    --------
    >>> round(throughput_at(0.462, 3.2777e12, 6144, 275e12) / 1e3)      # PaLM 540B: 238.3 thousand
    238
    """
    rate = _fraction("utilization", utilization) * cluster_peak(devices, peak_flops_dense)
    return plain(rate / positive("flops_per_token", flops_per_token))


def training_time(tokens: ArrayLike, tokens_per_second: ArrayLike) -> FloatOrArray:
    """Time to train on a number of tokens.

    Parameters
    ----------
    tokens : float or array
        Tokens to be seen.
    tokens_per_second : float or array
        Speed of the whole cluster.

    Returns
    -------
    float or array
        Seconds; ``/ utilization.DAY`` for days.

    Raises
    ------
    ValueError, TypeError
        For anything but finite numbers above zero.

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
    """Time to do a given arithmetic at a given utilization.

    Parameters
    ----------
    total_flops : float or array
        Arithmetic of the run, FLOP: with recomputation where ``utilization`` is
        an HFU, without it where it is an MFU.
    devices : int or array of int
        Accelerators.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    utilization : float or array
        Above 0 and at most 1.

    Returns
    -------
    float or array
        Seconds; ``/ utilization.DAY`` for days.

    Raises
    ------
    ValueError, TypeError
        For NaN, negative or zero input, devices that are not whole, and a
        utilization above 1.

    Notes
    -----
    Ignores the same as `training_time`. Source: Narayanan et al. 2021, section 5.1.

    Examples
    --------
    >>> rerun_all = 4 / 3 * 6 * 1008e9 * 450e9      # full recomputation, 1 trillion parameters
    >>> round(training_time_at(rerun_all, 3072, 312e12, 163 / 312) / DAY)
    84
    """
    rate = cluster_peak(devices, peak_flops_dense) * _fraction("utilization", utilization)
    return plain(positive("total_flops", total_flops) / rate)


def devices_needed(
    total_flops: ArrayLike, seconds: ArrayLike, peak_flops_dense: ArrayLike, utilization: ArrayLike
) -> IntOrArray:
    """Fewest devices that do a given arithmetic in time: `training_time_at` the other way round.

    Parameters
    ----------
    total_flops, peak_flops_dense, utilization : float or array
        As `training_time_at`.
    seconds : float or array
        The deadline.

    Returns
    -------
    int or array of int
        Devices, rounded up.

    Raises
    ------
    ValueError, TypeError
        As `training_time_at`.

    Notes
    -----
    Ignores the same, and that the utilization falls with the number of devices: see
    `critical_tokens`. Source: as `training_time_at`.

    Examples
    --------
    >>> devices_needed(6 * 70e9 * 15e12, 30 * DAY, 989.4e12, 0.4)
    6142
    """
    rate = positive("peak_flops_dense", peak_flops_dense) * _fraction("utilization", utilization)
    count = np.ceil(positive("total_flops", total_flops) / (positive("seconds", seconds) * rate))
    return count.astype(int) if count.ndim else int(count)


def device_time(devices: ArrayLike, seconds: ArrayLike) -> FloatOrArray:
    """What a run is billed for: devices times time.

    Parameters
    ----------
    devices : int or array of int
        Accelerators reserved, busy or not.
    seconds : float or array
        For how long.

    Returns
    -------
    float or array
        Device-seconds; ``/ utilization.HOUR`` for GPU-hours.

    Raises
    ------
    ValueError, TypeError
        For devices that are not whole, and NaN or negative time.

    Notes
    -----
    Source: the definition.

    Examples
    --------
    >>> device_time(4 * 8, 6 * HOUR) / HOUR
    192.0
    """
    return plain(whole("devices", devices) * positive("seconds", seconds, allow_zero=True))


def _fraction(name: str, value: ArrayLike) -> FloatOrArray:
    fraction = positive(name, value)
    largest = fraction if isinstance(fraction, float) else fraction.max(initial=0.0)
    if largest > 1:
        raise ValueError(f"{name} must be a fraction of at most 1, got {value!r}")
    return fraction
