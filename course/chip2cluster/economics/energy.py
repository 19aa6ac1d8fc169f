"""Energy by scope: devices, nodes, facility (PUE)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import holds, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

JOULES_PER_KWH = 3.6e6


def device_energy(devices: ArrayLike, seconds: ArrayLike, mean_watts_per_device: ArrayLike) -> FloatOrArray:
    """Energy of the accelerators alone.

    Parameters
    ----------
    devices : int or array of int
        Number of devices.
    seconds : float or array
        Duration, seconds.
    mean_watts_per_device : float or array
        Mean power of one device, W. The thermal design power (TDP) is a limit, and measured means are 0.6 to 0.9 of it.

    Returns
    -------
    float or array
        Joules.

    Notes
    -----
    Ignores host, network and cooling (`node_energy`, `facility_energy`). Source: the definition.

    Examples
    --------
    >>> device_energy(8, 3600, 700) / JOULES_PER_KWH
    5.6
    """
    power = whole("devices", devices) * positive("mean_watts_per_device", mean_watts_per_device)
    return plain(power * positive("seconds", seconds))


def node_energy(device_joules: ArrayLike, node_over_device: ArrayLike) -> FloatOrArray:
    """Energy of whole nodes, from that of their devices.

    Parameters
    ----------
    device_joules : float or array
        Energy of the devices, from `device_energy`, J.
    node_over_device : float or array
        Power of a node (CPUs, memory, network, fans included) divided by that of its devices, at least 1.

    Returns
    -------
    float or array
        Joules.

    Notes
    -----
    Ignores that the rest of a node draws power also while its devices are idle. A DGX H100 is rated at
    10.2 kW, 1.8 times its eight devices. Source: the definition.

    Examples
    --------
    >>> round(node_energy(device_energy(8, 3600, 700), 10.2 / 5.6) / JOULES_PER_KWH, 3)
    10.2
    """
    return plain(positive("device_joules", device_joules) * _ratio("node_over_device", node_over_device))


def facility_energy(it_joules: ArrayLike, pue: ArrayLike) -> FloatOrArray:
    """Energy of the facility, from that of its IT equipment and the power usage effectiveness (PUE).

    Parameters
    ----------
    it_joules : float or array
        Energy of the IT equipment: nodes, or devices if nothing else is known, J.
    pue : float or array
        Power usage effectiveness (PUE), at least 1.

    Returns
    -------
    float or array
        Joules.

    Notes
    -----
    A published energy may include the PUE already; `audit` detects if it is applied twice.
    Source: The Green Grid; ISO/IEC 30134-2.

    Examples
    --------
    >>> facility_energy(1172e3 * JOULES_PER_KWH, 1.1) / JOULES_PER_KWH      # GPT-3, before and after
    1289200.0
    """
    return plain(positive("it_joules", it_joules) * _ratio("pue", pue))


def joules_per_token(mean_watts: ArrayLike, tokens_per_second: ArrayLike) -> FloatOrArray:
    """Energy per token, from power and throughput.

    Parameters
    ----------
    mean_watts : float or array
        Mean power of the chosen scope: devices, nodes or the facility, W.
    tokens_per_second : float or array
        Throughput of the same devices, tokens/s.

    Returns
    -------
    float or array
        Joules per token, with the scope of the power.

    Notes
    -----
    If only output tokens are counted, they include the energy of prefill. Source: the definition.

    Examples
    --------
    >>> round(joules_per_token(1765.43, 469.69), 2), round(joules_per_token(2547.52, 6827.21), 2)
    (3.76, 0.37)
    """
    return plain(positive("mean_watts", mean_watts) / positive("tokens_per_second", tokens_per_second))


def joules_per_flop(mean_watts: ArrayLike, flops_per_second: ArrayLike) -> FloatOrArray:
    """Energy per operation, from power and achieved FLOP/s.

    Parameters
    ----------
    mean_watts : float or array
        Mean power of the chosen scope, W.
    flops_per_second : float or array
        Achieved rate, FLOP/s; the peak gives a lower bound.

    Returns
    -------
    float or array
        Joules per FLOP.

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
        raise ValueError(f"{name} must be at least 1, because the whole includes the part, got {value!r}")
    return ratio
