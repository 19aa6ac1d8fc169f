"""All-reduce with in-network reduction and multicast in NVLink switches (NVLS, "NVLink SHARP").

Each of p GPUs owns 1/p of the message. It requests the sum of its part from the switch:
the switch fetches that part from all p GPUs and returns one sum. Then the GPU writes the
sum once and the switch multicasts it to all GPUs. For a message of n bytes each GPU
therefore

* sends its n bytes to be reduced, and its part of n/p to be multicast,
* receives its sum of n/p, and all n bytes of the result:

(1 + 1/p) n each way, whereas a ring carries 2 (p - 1)/p n. The gain is at most
2 (p - 1)/(p + 1), 1.56 for eight GPUs. It is not 2, and it is not ``"in_network"`` of
`time`: there the switches pass partial sums inside the network, and a rank sends and
receives its n bytes once, as with InfiniBand SHARP (CollNet in NCCL).
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import holds, plain, positive, shortened, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray

LARGEST_SWITCHED_DOMAIN = 72  # GPUs behind the NVLink switches of one GB200 or GB300 NVL72 rack


def switch_all_reduce_time(
    message_bytes: ArrayLike,
    ranks: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike = 0.0,
    *,
    gpus_on_switch: ArrayLike = LARGEST_SWITCHED_DOMAIN,
) -> FloatOrArray:
    """Compute the time of an NVLS all-reduce (in-switch reduction): ``latency + (1 + 1/p) n / W``.

    Parameters
    ----------
    message_bytes : float or array
        Size of the vector that each GPU holds, n, bytes.
    ranks : int or array of int
        Number of GPUs that take part, p; at least 2.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of one GPU's links during the reduction, W, bytes/s: less
        than the datasheet's, and less than in a ring.
    latency : float or array
        Fixed time, including the launch and filling the pipeline, seconds: 85e-6 fits
        nodes of eight H100 or H200, where NCCL's own table has 25e-6.
    gpus_on_switch : int or array of int, optional
        Number of GPUs in the NVLink domain: 8 in an HGX node of Hopper or Blackwell, 72
        (the largest that exists) in an NVL72 rack.

    Returns
    -------
    float or array
        Time of the all-reduce, seconds.

    Raises
    ------
    ValueError
        If ``ranks`` is 1 or exceeds ``gpus_on_switch``.

    Notes
    -----
    For large messages on H100, H200 and B200 a single W per machine fits 5 to 8 GPUs within
    3 %; with a latency of 85 us, W = 308 to 310 GB/s fits three nodes of eight H100 or
    H200 within 5 % from 64 MiB to 16 GiB. Smaller messages take longer than predicted.
    Ignores that a library may still choose a ring. Source: the bytes of NVLink SHARP as
    counted in the module's docstring; issue 1455 of NVIDIA's NCCL.

    Examples
    --------
    >>> round(switch_all_reduce_time(14e9, 8, 307e9) * 1e3, 1)              # H200; its ring: 66.7 ms
    51.3
    """
    shares = 1 + 1 / _reducing_gpus(ranks, gpus_on_switch)
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
    return plain(positive("latency", latency, allow_zero=True) + message_bytes * (shares / bandwidth))


def switch_all_reduce_traffic(
    message_bytes: ArrayLike, ranks: ArrayLike, *, gpus_on_switch: ArrayLike = LARGEST_SWITCHED_DOMAIN
) -> FloatOrArray:
    """Compute the bytes that each GPU sends, and also receives, in an NVLS all-reduce: ``(1 + 1/p) n``.

    Parameters
    ----------
    message_bytes : float or array
        Size of the vector that each GPU holds, n, bytes.
    ranks : int or array of int
        Number of GPUs that take part, p; at least 2.
    gpus_on_switch : int or array of int, optional
        Number of GPUs in the NVLink domain: 8 in an HGX node of Hopper or Blackwell, 72
        (the largest that exists) in an NVL72 rack.

    Returns
    -------
    float or array
        Bytes in each direction.

    Notes
    -----
    Ignores headers and the requests for the sums. Source: as `switch_all_reduce_time`.

    Examples
    --------
    >>> switch_all_reduce_traffic(14e9, 8) / 1e9          # a ring: 24.5
    15.75
    """
    shares = 1 + 1 / _reducing_gpus(ranks, gpus_on_switch)
    return plain(positive("message_bytes", message_bytes, allow_zero=True) * shares)


def switch_bus_bandwidth(
    ranks: ArrayLike, bandwidth_one_way: ArrayLike, *, gpus_on_switch: ArrayLike = LARGEST_SWITCHED_DOMAIN
) -> FloatOrArray:
    """Compute the bus bandwidth that a benchmark reports for NVLS: ``2 (p - 1)/(p + 1) W``.

    Parameters
    ----------
    ranks : int or array of int
        Number of GPUs that take part, p; at least 2.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of one GPU's links during the reduction, W, bytes/s: less
        than the datasheet's, and less than in a ring.
    gpus_on_switch : int or array of int, optional
        Number of GPUs in the NVLink domain: 8 in an HGX node of Hopper or Blackwell, 72
        (the largest that exists) in an NVL72 rack.

    Returns
    -------
    float or array
        Bus bandwidth, bytes/s. Above three GPUs it exceeds the rate of any link, because
        bus bandwidth counts the bytes of a ring, and NVLS moves fewer.

    Notes
    -----
    The limit of large messages. 480 GB/s measured on links of 450 GB/s is 308 GB/s on
    each link, 69 % of the datasheet. Source: as `switch_all_reduce_time`.

    Examples
    --------
    >>> round(switch_bus_bandwidth(8, 308.6e9) / 1e9)
    480
    """
    p = _reducing_gpus(ranks, gpus_on_switch)
    return plain(positive("bandwidth_one_way", bandwidth_one_way) * (2 * (p - 1) / (p + 1)))


def switch_wire_rate(
    bus_bandwidth: ArrayLike, ranks: ArrayLike, *, gpus_on_switch: ArrayLike = LARGEST_SWITCHED_DOMAIN
) -> FloatOrArray:
    """Compute the rate of each link from the bus bandwidth that a benchmark reports for NVLS.

    Parameters
    ----------
    bus_bandwidth : float or array
        Bus bandwidth (``busbw``) that nccl-tests prints for an all-reduce, bytes/s.
    ranks : int or array of int
        Number of GPUs that take part, p; at least 2.
    gpus_on_switch : int or array of int, optional
        Number of GPUs in the NVLink domain: 8 in an HGX node of Hopper or Blackwell, 72
        (the largest that exists) in an NVL72 rack.

    Returns
    -------
    float or array
        Unidirectional rate of a link, ``W = busbw (p + 1) / (2 (p - 1))``, bytes/s; compare
        this one with the datasheet.

    Notes
    -----
    The inverse of `switch_bus_bandwidth`, with the same validity. Source: as there.

    Examples
    --------
    >>> round(switch_wire_rate(480e9, 8) / 1e9, 1)
    308.6
    """
    p = _reducing_gpus(ranks, gpus_on_switch)
    return plain(positive("bus_bandwidth", bus_bandwidth) * ((p + 1) / (2 * (p - 1))))


def switch_crossover_ranks(ring_bandwidth_one_way: ArrayLike, switch_bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Compute the number of GPUs above which NVLS is faster than the ring: ``(R + 2 W)/(2 W - R)``.

    Parameters
    ----------
    ring_bandwidth_one_way : float or array
        Unidirectional rate of a GPU's links in a ring, R, bytes/s.
    switch_bandwidth_one_way : float or array
        Unidirectional rate of a GPU's links during an NVLS reduction, W, bytes/s.

    Returns
    -------
    float or array
        Number of GPUs, not rounded, at which both take the same time; ``inf`` if W is R/2
        or less, because NVLS is then never faster.

    Notes
    -----
    It is 3 if both rates are equal. For large messages; ignores both latencies. A library
    may switch later: one stayed with its ring at five B200, where this formula gives NVLS
    an advantage of 6 %. Source: equating (1 + 1/p)/W with 2 (p - 1)/p/R.

    Examples
    --------
    >>> round(switch_crossover_ranks(365e9, 307e9), 2)      # H200: a ring up to 4, the switch from 5
    3.93
    >>> switch_crossover_ranks(50e9, 25e9)
    inf
    """
    ring = positive("ring_bandwidth_one_way", ring_bandwidth_one_way)
    switch = positive("switch_bandwidth_one_way", switch_bandwidth_one_way)
    margin = 2 * switch - ring
    if not isinstance(margin, np.ndarray):
        return (ring + 2 * switch) / margin if margin > 0 else inf
    with np.errstate(divide="ignore"):
        return np.where(margin > 0, (ring + 2 * switch) / np.maximum(margin, 0), inf)


def _reducing_gpus(ranks: ArrayLike, gpus_on_switch: ArrayLike) -> IntOrArray:
    """Return the number of GPUs after checking that one NVLink domain holds them."""
    p, domain = whole("ranks", ranks, minimum=2), whole("gpus_on_switch", gpus_on_switch)
    if holds(p > domain):
        raise ValueError(
            f"ranks must be at most the {domain} GPUs of the NVLink domain (gpus_on_switch), got {shortened(ranks)}; "
            "between nodes use a ring, a tree or 'in_network'"
        )
    return p
