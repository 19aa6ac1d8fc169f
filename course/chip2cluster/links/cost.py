"""The alpha-beta model of one message, and the share of packets that is payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import choice, plain, positive
from .link import data

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def transfer_time(message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike = 0.0) -> FloatOrArray:
    """Time of one message: a fixed start-up and a term that grows with the bytes.

    Parameters
    ----------
    message_bytes : float or array
        Bytes in one direction; 0 costs the latency.
    bandwidth_one_way : float or array
        Bytes/s.
    latency : float or array
        Seconds before the first byte arrives.

    Returns
    -------
    float or array
        Seconds: ``latency + message_bytes / bandwidth_one_way``.

    Raises
    ------
    ValueError, TypeError
        For negative, infinite or NaN input and for zero bandwidth.

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
        time += latency  # in place: the division has just made this array
        return time
    return plain(time + latency)


def effective_bandwidth(
    message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike = 0.0
) -> FloatOrArray:
    """Bytes over the whole time of the message: what a benchmark prints.

    Parameters
    ----------
    message_bytes : float or array
        Bytes in one direction.
    bandwidth_one_way : float or array
        Bytes/s.
    latency : float or array
        Seconds.

    Returns
    -------
    float or array
        Bytes/s, from 0 for a tiny message up to ``bandwidth_one_way``.

    Raises
    ------
    ValueError, TypeError
        As `transfer_time`, and for zero bytes at zero latency, which take no time.

    Notes
    -----
    As `transfer_time`.

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
    """Message that reaches half the bandwidth: as long in flight as in starting.

    Parameters
    ----------
    latency : float or array
        Seconds.
    bandwidth_one_way : float or array
        Bytes/s.

    Returns
    -------
    float or array
        Bytes: ``latency * bandwidth_one_way``, Hockney's n-half.

    Raises
    ------
    ValueError, TypeError
        For negative or NaN latency and for a bandwidth that is not above zero.

    Notes
    -----
    Also the bytes that must be in flight to keep the link busy (Little's law). Take both
    from one protocol: the latency of a library's short messages with the bandwidth of
    its long ones gives a fifth of the truth. As `transfer_time`.

    Examples
    --------
    >>> round(half_bandwidth_message_size(latency=5e-6, bandwidth_one_way=50e9))
    250000
    """
    latency = positive("latency", latency, allow_zero=True)
    bandwidth_one_way = positive("bandwidth_one_way", bandwidth_one_way)
    return plain(latency * bandwidth_one_way)


def message_size_for(efficiency: ArrayLike, latency: ArrayLike, bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Smallest message that reaches a given share of the bandwidth.

    Parameters
    ----------
    efficiency : float or array
        Share of ``bandwidth_one_way``, above 0 and below 1.
    latency, bandwidth_one_way : float or array
        Seconds and bytes/s.

    Returns
    -------
    float or array
        Bytes: the half-bandwidth size times ``efficiency / (1 - efficiency)``.

    Raises
    ------
    ValueError, TypeError
        As `half_bandwidth_message_size`, and for a share of 1 or more.

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
    """Message that takes equally long by two methods, one with the shorter start and one with the higher rate.

    Parameters
    ----------
    latency, bandwidth_one_way : float or array
        Seconds and bytes/s of the method that starts sooner.
    other_latency, other_bandwidth_one_way : float or array
        Of the method that moves faster.

    Returns
    -------
    float or array
        Bytes: smaller messages belong to the first, larger ones to the other.

    Raises
    ------
    ValueError, TypeError
        As `transfer_time`, and where one method is at least as good at both.

    Notes
    -----
    As `transfer_time`. A library that takes the faster of several methods follows the
    lowest of their lines.

    Examples
    --------
    >>> round(break_even_size(0.6e-6, 185.4e9, 3.4e-6, 370.8e9) / 1e3)      # kB: LL and Simple on NVLink 4
    1038
    """
    wait = positive("latency", latency, allow_zero=True)
    rate = positive("bandwidth_one_way", bandwidth_one_way)
    longer = positive("other_latency", other_latency, allow_zero=True)
    higher = positive("other_bandwidth_one_way", other_bandwidth_one_way)
    crossing = (longer > wait) & (higher > rate)
    if not (crossing if isinstance(crossing, bool) else crossing.all()):
        raise ValueError(
            "latency and bandwidth_one_way must both be smaller than other_latency and other_bandwidth_one_way: "
            f"got {latency!r}, {bandwidth_one_way!r} and {other_latency!r}, {other_bandwidth_one_way!r}"
        )
    return plain((longer - wait) / (1 / rate - 1 / higher))


def payload_efficiency(protocol: str, payload_bytes: ArrayLike) -> FloatOrArray:
    """Share of a packet's bytes that is payload, ``n / (n + headers)``.

    Parameters
    ----------
    protocol : str
        ``"pcie"`` (generations 1 to 5, 24 bytes a packet), ``"nvlink"`` (16),
        ``"nvlink_both_ways"`` (32: with data running the other way as well),
        ``"infiniband"`` (26), ``"roce_v2"`` (82, gap included) or ``"tcp"`` over Ethernet (78).
    payload_bytes : float or array
        Bytes in one packet: often 128 to 512 for PCIe, 128 (SM) or 256 (copy engine) for
        NVLink, 4096 for RDMA, 1460 for TCP.

    Returns
    -------
    float or array
        Between 0 and 1; multiply a link's bandwidth by it.

    Raises
    ------
    ValueError, TypeError
        For an unknown protocol and for a payload that is not above zero.

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
