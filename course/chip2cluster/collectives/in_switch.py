"""All-reduce by an NVLink switch that adds and multicasts: NVLS, "NVLink SHARP".

Each of p GPUs owns 1/p of the message. It asks the switch for the sum of its own part:
the switch fetches that part from all p GPUs and hands over one sum. Then the GPU writes
the sum once and the switch copies it to all. Of the n bytes of a message each GPU
therefore

* sends its n bytes to be added, and its part of n/p to be copied,
* receives its sum of n/p, and all n bytes of the result:

(1 + 1/p) n each way, where a ring carries 2 (p - 1)/p n. The gain is 2 (p - 1)/(p + 1)
at most, 1.56 for eight GPUs. It is not 2, and it is not ``"in_network"`` of `time`:
there the sums are handed over inside the network, and a rank sends and receives its n
bytes once, as InfiniBand SHARP (CollNet) does.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, shortened, whole

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
    """Time of an all-reduce that NVLink switches add up: ``latency + (1 + 1/p) n / W``.

    Parameters
    ----------
    message_bytes : float or array
        The vector that each GPU holds, n, bytes.
    ranks : int or array of int
        GPUs that take part, p; at least 2.
    bandwidth_one_way : float or array
        What one GPU's wires carry each way while the switch adds, W, bytes/s: less than
        the sheet, and less than in a ring.
    latency : float or array
        Seconds before the bytes, launch and the filling of the pipeline included: 85e-6
        fits nodes of eight H100 or H200, where NCCL's own table has 25e-6.
    gpus_on_switch : int or array of int, optional
        GPUs that the adding switches join: 8 in an HGX node of Hopper or Blackwell, 72
        (the largest there is) in an NVL72 rack.

    Returns
    -------
    float or array
        Seconds.

    Raises
    ------
    ValueError, TypeError
        For one GPU, and for more than ``gpus_on_switch``, which such a switch cannot
        add; for numbers that make no sense.

    Notes
    -----
    For long messages on H100, H200 and B200 one W a machine meets 5 to 8 GPUs within
    3 %; with a latency of 85 us, W = 308 to 310 GB/s meets three nodes of eight H100 or
    H200 within 5 % from 64 MiB to 16 GiB. Smaller messages take longer than said.
    Ignores that a library may take a ring all the same. Source: the bytes of NVLink
    SHARP as counted in the module's head; issue 1455 of NVIDIA's NCCL.

    Examples
    --------
    >>> round(switch_all_reduce_time(14e9, 8, 307e9) * 1e3, 1)              # H200; its ring: 66.7 ms
    51.3
    """
    shares = 1 + 1 / _added(ranks, gpus_on_switch)
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
    return plain(positive("latency", latency, allow_zero=True) + message_bytes * (shares / bandwidth))


def switch_all_reduce_traffic(
    message_bytes: ArrayLike, ranks: ArrayLike, *, gpus_on_switch: ArrayLike = LARGEST_SWITCHED_DOMAIN
) -> FloatOrArray:
    """Bytes that each GPU sends, and as many that it receives: ``(1 + 1/p) n``.

    Parameters
    ----------
    message_bytes, ranks, gpus_on_switch
        As `switch_all_reduce_time`.

    Returns
    -------
    float or array
        Bytes, each way.

    Raises
    ------
    ValueError, TypeError
        As `switch_all_reduce_time`.

    Notes
    -----
    Ignores headers and the requests for the sums. Source: as `switch_all_reduce_time`.

    Examples
    --------
    >>> switch_all_reduce_traffic(14e9, 8) / 1e9          # a ring: 24.5
    15.75
    """
    shares = 1 + 1 / _added(ranks, gpus_on_switch)
    return plain(positive("message_bytes", message_bytes, allow_zero=True) * shares)


def switch_bus_bandwidth(
    ranks: ArrayLike, bandwidth_one_way: ArrayLike, *, gpus_on_switch: ArrayLike = LARGEST_SWITCHED_DOMAIN
) -> FloatOrArray:
    """Bus bandwidth that a benchmark prints when the switch adds: ``2 (p - 1)/(p + 1) W``.

    Parameters
    ----------
    ranks, bandwidth_one_way, gpus_on_switch
        As `switch_all_reduce_time`.

    Returns
    -------
    float or array
        Bytes/s. Above three GPUs more than any wire carries: bus bandwidth counts the
        bytes of a ring, and the switch moves fewer.

    Raises
    ------
    ValueError, TypeError
        As `switch_all_reduce_time`.

    Notes
    -----
    The limit of long messages. 480 GB/s measured on wires of 450 GB/s is 308 GB/s on
    each wire, 69 % of the sheet. Source: as `switch_all_reduce_time`.

    Examples
    --------
    >>> round(switch_bus_bandwidth(8, 308.6e9) / 1e9)
    480
    """
    p = _added(ranks, gpus_on_switch)
    return plain(positive("bandwidth_one_way", bandwidth_one_way) * (2 * (p - 1) / (p + 1)))


def switch_wire_rate(
    bus_bandwidth: ArrayLike, ranks: ArrayLike, *, gpus_on_switch: ArrayLike = LARGEST_SWITCHED_DOMAIN
) -> FloatOrArray:
    """What each wire carried when the switch added, from the bus bandwidth printed.

    Parameters
    ----------
    bus_bandwidth : float or array
        As nccl-tests prints it for an all-reduce, bytes/s.
    ranks, gpus_on_switch
        As `switch_all_reduce_time`.

    Returns
    -------
    float or array
        Bytes/s one way, ``W = busbw (p + 1) / (2 (p - 1))``: this one may be held
        against the data sheet.

    Raises
    ------
    ValueError, TypeError
        As `switch_all_reduce_time`.

    Notes
    -----
    The inverse of `switch_bus_bandwidth`, and as valid. Source: as there.

    Examples
    --------
    >>> round(switch_wire_rate(480e9, 8) / 1e9, 1)
    308.6
    """
    p = _added(ranks, gpus_on_switch)
    return plain(positive("bus_bandwidth", bus_bandwidth) * ((p + 1) / (2 * (p - 1))))


def switch_crossover_ranks(ring_bandwidth_one_way: ArrayLike, switch_bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Number of GPUs above which the switch beats the ring: ``(R + 2 W)/(2 W - R)``.

    Parameters
    ----------
    ring_bandwidth_one_way : float or array
        What a GPU's wires carry each way in a ring, R, bytes/s.
    switch_bandwidth_one_way : float or array
        What they carry while the switch adds, W, bytes/s.

    Returns
    -------
    float or array
        The count, not whole, at which both take the same time; ``inf`` where the
        switch's wires carry half of the ring's or less: then it never wins.

    Raises
    ------
    ValueError, TypeError
        For rates that are not above zero.

    Notes
    -----
    3 if both rates were equal. For long messages; both latencies are left out. A
    library may change later than here: on B200 one was seen to keep its ring at five
    GPUs, where the law already gives the switch 6 %. Source: equating (1 + 1/p)/W with
    2 (p - 1)/p/R.

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


def _added(ranks: ArrayLike, gpus_on_switch: ArrayLike) -> IntOrArray:
    """The number of GPUs, refused where no switch can add for them."""
    p, joined = whole("ranks", ranks, minimum=2), whole("gpus_on_switch", gpus_on_switch)
    both = isinstance(p, np.ndarray) or isinstance(joined, np.ndarray)
    if np.any(np.greater(p, joined)) if both else p > joined:
        raise ValueError(
            f"ranks must be at most the {joined} GPUs that the switch joins (gpus_on_switch), got {shortened(ranks)}: "
            "between nodes a ring, a tree or 'in_network' adds"
        )
    return p
