"""Comparison of runs: scaling efficiency, and utilization over a whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def scaling_efficiency(
    tokens_per_second: ArrayLike, devices: ArrayLike, base_tokens_per_second: ArrayLike, base_devices: ArrayLike
) -> FloatOrArray:
    """Scaling efficiency: speed per device of a large run relative to a small one.

    Parameters
    ----------
    tokens_per_second : float or array
        Throughput of the large run, tokens/s.
    devices : int or array of int
        Devices of the large run.
    base_tokens_per_second : float or array
        Throughput of the small run of the same model, tokens/s.
    base_devices : int or array of int
        Devices of the small run.

    Returns
    -------
    float or array
        1 is perfect scaling; above 1 the small run had another bottleneck.

    Notes
    -----
    Weak scaling if the batch grows with the devices, strong if it is constant.
    Also the ratio of the two MFUs. Source: the definition.

    Examples
    --------
    >>> tokens = 280 * 2048
    >>> round(scaling_efficiency(8 * tokens / 39.15, 2240, tokens / 37.83, 280), 3)      # 530B, 8 replicas
    0.966
    """
    large = positive("tokens_per_second", tokens_per_second) / whole("devices", devices)
    small = positive("base_tokens_per_second", base_tokens_per_second) / whole("base_devices", base_devices)
    return plain(large / small)


def average_mfu(total_flops: ArrayLike, device_seconds: ArrayLike, peak_flops_dense: ArrayLike) -> FloatOrArray:
    """MFU over a whole run, from the device time that was paid for.

    Parameters
    ----------
    total_flops : float or array
        Model arithmetic of the run, FLOP, such as `transformer.training_flops`.
    device_seconds : float or array
        Devices times seconds paid for; GPU-hours times 3,600.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.

    Returns
    -------
    float or array
        Fraction, below the utilization of a good step: restarts, checkpoints
        and evaluation count too.

    Notes
    -----
    Ignores the same as `mfu`. Source: the definition.

    Examples
    --------
    >>> round(average_mfu(3.8e25, 30.84e6 * 3600, 989.5e12), 3)      # Llama 3.1 405B
    0.346
    """
    total = positive("total_flops", total_flops)
    paid = positive("device_seconds", device_seconds)
    return plain(total / (paid * positive("peak_flops_dense", peak_flops_dense)))
