"""Energy by what it counts: the devices, the nodes around them, the facility around those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import holds, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

JOULES_PER_KWH = 3.6e6


def device_energy(devices: ArrayLike, seconds: ArrayLike, mean_watts_per_device: ArrayLike) -> FloatOrArray:
    """Energy that the accelerators alone draw.

    Parameters
    ----------
    devices : int or array of int
    seconds : float or array
        For how long.
    mean_watts_per_device : float or array
        Mean of one device over that time, W. The thermal design power is a limit of the device, not a
        mean: measured means lie at 0.6 to 0.9 of it. With the host's share a mean may exceed it.

    Returns
    -------
    float or array
        Joules.

    Notes
    -----
    Ignores host, network and cooling: `node_energy`, `facility_energy`. Source: the definition.

    Examples
    --------
    >>> device_energy(8, 3600, 700) / JOULES_PER_KWH
    5.6
    """
    power = whole("devices", devices) * positive("mean_watts_per_device", mean_watts_per_device)
    return plain(power * positive("seconds", seconds))


def node_energy(device_joules: ArrayLike, node_over_device: ArrayLike) -> FloatOrArray:
    """Energy of whole nodes from that of their devices.

    Parameters
    ----------
    device_joules : float or array
        As `device_energy`, J.
    node_over_device : float or array
        Power of a node over that of its devices, at least 1: processors, memory, network, fans.

    Returns
    -------
    float or array
        Joules.

    Notes
    -----
    Ignores that the rest of a node draws as much when its devices rest. A DGX H100 is sold for
    10.2 kW, 1.8 times its eight devices. Source: the definition.

    Examples
    --------
    >>> round(node_energy(device_energy(8, 3600, 700), 10.2 / 5.6) / JOULES_PER_KWH, 3)
    10.2
    """
    return plain(positive("device_joules", device_joules) * _ratio("node_over_device", node_over_device))


def facility_energy(it_joules: ArrayLike, pue: ArrayLike) -> FloatOrArray:
    """Energy of the facility from that of its nodes, the one for which somebody is billed.

    Parameters
    ----------
    it_joules : float or array
        Of all that computes: nodes, or devices where nothing else is known.
    pue : float or array
        Power usage effectiveness, at least 1.

    Returns
    -------
    float or array
        Joules.

    Notes
    -----
    A printed energy may hold the PUE already: then this counts it twice, which `audit` finds.
    Source: The Green Grid; ISO/IEC 30134-2.

    Examples
    --------
    >>> facility_energy(1172e3 * JOULES_PER_KWH, 1.1) / JOULES_PER_KWH      # GPT-3, before and after
    1289200.0
    """
    return plain(positive("it_joules", it_joules) * _ratio("pue", pue))


def joules_per_token(mean_watts: ArrayLike, tokens_per_second: ArrayLike) -> FloatOrArray:
    """Energy of a token from power and speed.

    Parameters
    ----------
    mean_watts : float or array
        Of all that is to be counted, W: say whether devices, nodes or the facility.
    tokens_per_second : float or array
        Of all of it.

    Returns
    -------
    float or array
        Joules, of the same scope as the power.

    Notes
    -----
    Output tokens carry the prompts' energy where only they are counted. Source: the definition.

    Examples
    --------
    >>> round(joules_per_token(1765.43, 469.69), 2), round(joules_per_token(2547.52, 6827.21), 2)
    (3.76, 0.37)
    """
    return plain(positive("mean_watts", mean_watts) / positive("tokens_per_second", tokens_per_second))


def joules_per_flop(mean_watts: ArrayLike, flops_per_second: ArrayLike) -> FloatOrArray:
    """Energy of one operation from power and achieved rate.

    Parameters
    ----------
    mean_watts : float or array
        W; say of what.
    flops_per_second : float or array
        Achieved, not the peak: a peak gives a bound below.

    Returns
    -------
    float or array
        Joules.

    Notes
    -----
    Source: the definition.

    Examples
    --------
    >>> round(1e12 * joules_per_flop(700, 0.4 * 989.4e12), 2)           # pJ
    1.77
    """
    return plain(positive("mean_watts", mean_watts) / positive("flops_per_second", flops_per_second))


def _ratio(name: str, value: ArrayLike) -> FloatOrArray:
    ratio = positive(name, value)
    if holds(ratio < 1):
        raise ValueError(f"{name} must be at least 1, for the whole holds the part, got {value!r}")
    return ratio
