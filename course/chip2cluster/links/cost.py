"""Alpha-beta model of one message, and the payload fraction of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import choice, plain, positive
from .link import data

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def transfer_time(message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike = 0.0) -> FloatOrArray:
    """Compute the time of one message (alpha-beta model): a latency and a term proportional to the bytes.

    Parameters
    ----------
    message_bytes : float or array
        Message size in one direction, bytes; 0 costs the latency.
    bandwidth_one_way : float or array
        Unidirectional bandwidth, bytes/s.
    latency : float or array
        Time until the first byte arrives, seconds.

    Returns
    -------
    float or array
        Time, ``latency + message_bytes / bandwidth_one_way``, seconds.

    Notes
    -----
    Ignores congestion, the change of protocol between small and large messages, and
    packet headers. Source: R. Hockney, "The communication challenge for MPP",
    Parallel Computing 20 (1994).

    Examples
    --------
    >>> transfer_time(1e6, bandwidth_one_way=50e9, latency=5e-6)
    2.5e-05
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    bandwidth_one_way = positive("bandwidth_one_way", bandwidth_one_way)
    latency = positive("latency", latency, allow_zero=True)
    time = message_bytes / bandwidth_one_way
    if isinstance(latency, float) and not isinstance(time, float):
        time += latency  # in place, because the division has created this array
        return time
    return plain(time + latency)


def effective_bandwidth(
    message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike = 0.0
) -> FloatOrArray:
    """Compute the effective bandwidth of a message, size over time, which benchmarks report.

    Parameters
    ----------
    message_bytes : float or array
        Message size in one direction, bytes.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of the link, bytes/s.
    latency : float or array
        Time until the first byte arrives, seconds.

    Returns
    -------
    float or array
        Effective bandwidth, bytes/s, from 0 for a tiny message up to ``bandwidth_one_way``.

    Raises
    ------
    ValueError
        If both the message and the latency are zero.

    Notes
    -----
    Ignores what `transfer_time` ignores.

    Examples
    --------
    >>> effective_bandwidth([250e3, 2.25e6], bandwidth_one_way=50e9, latency=5e-6) / 1e9
    array([25., 45.])
    """
    time = transfer_time(message_bytes, bandwidth_one_way, latency)
    if not (time if isinstance(time, float) else time.all()):
        raise ValueError(f"message_bytes must be above zero when latency is zero, got {message_bytes!r}")
    return positive("message_bytes", message_bytes, allow_zero=True) / time


def half_bandwidth_message_size(latency: ArrayLike, bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Compute the message size that reaches half of the bandwidth: latency times bandwidth.

    Parameters
    ----------
    latency : float or array
        Time until the first byte arrives, seconds.
    bandwidth_one_way : float or array
        Unidirectional bandwidth, bytes/s.

    Returns
    -------
    float or array
        Message size, ``latency * bandwidth_one_way`` (Hockney's n-half), bytes.

    Notes
    -----
    Also the bytes in flight that keep the link busy (Little's law, bandwidth-delay
    product). Take both figures from one protocol: the latency of a library's small
    messages with the bandwidth of its large ones gives a fifth of the right value. Ignores
    what `transfer_time` ignores.

    Examples
    --------
    >>> round(half_bandwidth_message_size(latency=5e-6, bandwidth_one_way=50e9))
    250000
    """
    latency = positive("latency", latency, allow_zero=True)
    bandwidth_one_way = positive("bandwidth_one_way", bandwidth_one_way)
    return plain(latency * bandwidth_one_way)


def message_size_for(efficiency: ArrayLike, latency: ArrayLike, bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Compute the smallest message that reaches a given fraction of the bandwidth.

    Parameters
    ----------
    efficiency : float or array
        Fraction of ``bandwidth_one_way``, above 0 and below 1.
    latency : float or array
        Time until the first byte arrives, seconds.
    bandwidth_one_way : float or array
        Unidirectional bandwidth, bytes/s.

    Returns
    -------
    float or array
        Message size, half-bandwidth size times ``efficiency / (1 - efficiency)``, bytes.

    Raises
    ------
    ValueError
        If the fraction is 1 or more.

    Notes
    -----
    90 % takes nine times the half-bandwidth size, 99 % ninety-nine times.

    Examples
    --------
    >>> round(message_size_for(0.9, latency=5e-6, bandwidth_one_way=50e9))
    2250000
    """
    efficiency = positive("efficiency", efficiency)
    if (efficiency if isinstance(efficiency, float) else efficiency.max(initial=0)) >= 1:
        raise ValueError(f"efficiency must be below 1, got {efficiency!r}")
    return plain(half_bandwidth_message_size(latency, bandwidth_one_way) * (efficiency / (1 - efficiency)))


def break_even_size(
    latency: ArrayLike, bandwidth_one_way: ArrayLike, other_latency: ArrayLike, other_bandwidth_one_way: ArrayLike
) -> FloatOrArray:
    """Compute the message size at which a low-latency and a high-bandwidth method take the same time.

    Parameters
    ----------
    latency : float or array
        Latency of the method with the lower latency, seconds.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of the method with the lower latency, bytes/s.
    other_latency : float or array
        Latency of the method with the higher bandwidth, seconds.
    other_bandwidth_one_way : float or array
        Unidirectional bandwidth of the method with the higher bandwidth, bytes/s.

    Returns
    -------
    float or array
        Message size, bytes: the first method is faster below it, the other above.

    Raises
    ------
    ValueError
        If one method is at least as good in both latency and bandwidth.

    Notes
    -----
    A library that chooses the faster of several methods follows the lower envelope of
    their times. Ignores what `transfer_time` ignores.

    Examples
    --------
    >>> round(break_even_size(0.6e-6, 185.4e9, 3.4e-6, 370.8e9) / 1e3)      # kB: LL and Simple on NVLink 4
    1038
    """
    lower = positive("latency", latency, allow_zero=True)
    rate = positive("bandwidth_one_way", bandwidth_one_way)
    longer = positive("other_latency", other_latency, allow_zero=True)
    higher = positive("other_bandwidth_one_way", other_bandwidth_one_way)
    crossing = (longer > lower) & (higher > rate)
    if not (crossing if isinstance(crossing, bool) else crossing.all()):
        raise ValueError(
            "latency and bandwidth_one_way must both be smaller than other_latency and other_bandwidth_one_way: "
            f"got {latency!r}, {bandwidth_one_way!r} and {other_latency!r}, {other_bandwidth_one_way!r}"
        )
    return plain((longer - lower) / (1 / rate - 1 / higher))


def payload_efficiency(protocol: str, payload_bytes: ArrayLike) -> FloatOrArray:
    """Compute the payload fraction of a packet, ``n / (n + headers)``.

    Parameters
    ----------
    protocol : str
        ``"pcie"`` (generations 1 to 5, 24 bytes per packet), ``"nvlink"`` (16),
        ``"nvlink_both_ways"`` (32: with data in the other direction as well),
        ``"infiniband"`` (26), ``"roce_v2"`` (82, gap included) or ``"tcp"`` over Ethernet (78).
    payload_bytes : float or array
        Payload of one packet, bytes: often 128 to 512 for PCIe, 128 (SM) or 256 (copy
        engine) for NVLink, 4096 for RDMA, 1460 for TCP.

    Returns
    -------
    float or array
        Fraction between 0 and 1, by which to multiply a link's bandwidth.

    Notes
    -----
    Ignores acknowledgements, flow control and the longer header of a message's first
    packet. Source: the packet formats of each standard; WikiChip for NVLink, which has no
    public one (its 128 of 160 bytes are the 20 of 25 GB/s that NVIDIA's engineers state).

    Examples
    --------
    >>> round(payload_efficiency("pcie", 256), 3), round(payload_efficiency("tcp", 1460), 4)
    (0.914, 0.9493)
    """
    packets = data()["packets"]
    if not isinstance(protocol, str):
        raise TypeError(f"protocol must be one of {', '.join(packets)}, got {protocol!r}")
    overhead = sum(packets[choice("protocol", protocol, tuple(packets))]["bytes"].values())
    payload_bytes = positive("payload_bytes", payload_bytes)
    return plain(payload_bytes / (payload_bytes + overhead))
