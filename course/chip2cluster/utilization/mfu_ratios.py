"""MFU and HFU, and their denominator: devices times dense peak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import choice, plain, positive, whole
from ..transformer.recomputation import RECOMPUTE

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, Recompute


def cluster_peak(devices: ArrayLike, peak_flops_dense: ArrayLike) -> FloatOrArray:
    """Peak of a cluster: devices times their dense peak.

    Parameters
    ----------
    devices : int or array of int
        Accelerators that take part; a part that software sees as two counts as two.
    peak_flops_dense : float or array
        Dense peak of one device at the precision of the products, FLOP/s. Not the
        figure with sparsity, which is twice as high.

    Returns
    -------
    float or array
        FLOP/s.

    Notes
    -----
    Name the precision with the result: a run in fp8 has half the utilization
    against the fp8 peak that it has against bf16. Ignores clocks that drop under
    load. Source: Chowdhery et al. 2022, appendix B.

    Examples
    --------
    >>> cluster_peak(1000, 1000e12)
    1e+18
    """
    return plain(whole("devices", devices) * positive("peak_flops_dense", peak_flops_dense))


def mfu(
    tokens_per_second: ArrayLike, flops_per_token: ArrayLike, devices: ArrayLike, peak_flops_dense: ArrayLike
) -> FloatOrArray:
    """Model FLOPs utilization (MFU): useful arithmetic relative to the peak of the devices.

    Parameters
    ----------
    tokens_per_second : float or array
        Training throughput of the whole cluster, tokens/s.
    flops_per_token : float or array
        Arithmetic that the model needs for a token, FLOP, by a convention to be
        named with the result; see `transformer.training_flops_per_token`.
    devices : int or array of int
        Number of accelerators.
    peak_flops_dense : float or array
        Dense peak of one device at the precision to be named with the result, FLOP/s,
        such as ``specs.accelerator("H100 SXM").peak_flops_dense("bf16")``.

    Returns
    -------
    float or array
        Fraction. Above 1 an input is wrong.

    Notes
    -----
    Does not count recomputation, so it compares runs that recompute differently;
    `hfu` counts it. Does not separate idle time from kernel inefficiency.
    Source: Chowdhery et al. 2022, section 4.1.

    Examples
    --------
    >>> round(mfu(238.3e3, 6 * 540.35e9, devices=6144, peak_flops_dense=275e12), 3)      # PaLM, no attention
    0.457
    """
    rate = positive("tokens_per_second", tokens_per_second, allow_zero=True)
    work = positive("flops_per_token", flops_per_token)
    return plain(rate * work / cluster_peak(devices, peak_flops_dense))


def hfu(
    tokens_per_second: ArrayLike,
    flops_per_token: ArrayLike,
    devices: ArrayLike,
    peak_flops_dense: ArrayLike,
    *,
    recompute: Recompute,
    recomputed_flops_per_token: ArrayLike | None = None,
) -> FloatOrArray:
    """Hardware FLOPs utilization (HFU): all executed arithmetic, recomputation included.

    Parameters
    ----------
    tokens_per_second : float or array
        Training throughput of the whole cluster, tokens/s.
    flops_per_token : float or array
        Arithmetic of a token without recomputation, FLOP.
    devices : int or array of int
        Number of accelerators.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    recompute : {"none", "selective", "full"}
        Activation checkpointing. ``"full"`` is one more forward pass, a third of
        ``flops_per_token``, unless the next argument says otherwise.
    recomputed_flops_per_token : float or array, optional
        Arithmetic executed a second time for a token, FLOP; needed for ``"selective"``, see
        `transformer.recomputed_flops_per_token`.

    Returns
    -------
    float or array
        Fraction, never below `mfu`.

    Raises
    ------
    ValueError
        If ``recomputed_flops_per_token`` is missing for ``"selective"`` or given for ``"none"``.

    Notes
    -----
    Recomputation raises HFU at a given speed; MFU falls only as far as the step
    gets longer, and can rise when the memory it frees makes room for a larger
    batch. Ignores what kernels recompute inside.
    Source: Chowdhery et al. 2022, section 4.1; Korthikanti et al. 2022, section 6.

    Examples
    --------
    >>> run = dict(tokens_per_second=66523, flops_per_token=4.0506e11, devices=64, peak_flops_dense=989.5e12)
    >>> round(mfu(**run), 4), round(hfu(**run, recompute="full"), 4)
    (0.4255, 0.5673)
    """
    choice("recompute", recompute, RECOMPUTE)
    work = positive("flops_per_token", flops_per_token)
    given = recomputed_flops_per_token is not None
    if recompute == "none" and given:
        raise ValueError(f"recompute='none' leaves no recomputed_flops_per_token, got {recomputed_flops_per_token!r}")
    if recompute == "selective" and not given:
        raise ValueError("recompute='selective' needs recomputed_flops_per_token, got None")
    if given:
        work = work + positive("recomputed_flops_per_token", recomputed_flops_per_token, allow_zero=True)
    elif recompute == "full":
        work = work * (4 / 3)
    return mfu(tokens_per_second, work, devices, peak_flops_dense)


def achieved_flops_per_device(
    tokens_per_second: ArrayLike, flops_per_token: ArrayLike, devices: ArrayLike
) -> FloatOrArray:
    """Achieved FLOP/s of one device, as papers print it next to the utilization.

    Parameters
    ----------
    tokens_per_second : float or array
        Training throughput of the whole cluster, tokens/s.
    flops_per_token : float or array
        Arithmetic of a token, FLOP.
    devices : int or array of int
        Number of accelerators.

    Returns
    -------
    float or array
        FLOP/s of one device.

    Notes
    -----
    A rate, not a utilization. Ignores the same as `mfu`. Source: the definition.

    Examples
    --------
    >>> round(achieved_flops_per_device(66523, 4.0506e11, 64) / 1e12)
    421
    """
    return mfu(tokens_per_second, flops_per_token, devices, 1.0)


def utilization_of_rate(achieved_flops_per_device: ArrayLike, peak_flops_dense: ArrayLike) -> FloatOrArray:
    """Utilization from the achieved rate of one device.

    Parameters
    ----------
    achieved_flops_per_device : float or array
        Achieved FLOP/s of one device; counted with recomputation the result is an HFU,
        without it an MFU.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.

    Returns
    -------
    float or array
        Fraction.

    Notes
    -----
    Ignores the same as `mfu`. Source: the definition.

    Examples
    --------
    >>> round(utilization_of_rate(400e12, 989.5e12), 3)
    0.404
    """
    rate = positive("achieved_flops_per_device", achieved_flops_per_device, allow_zero=True)
    return plain(rate / positive("peak_flops_dense", peak_flops_dense))
