"""Algorithm bandwidth (algbw) and bus bandwidth (busbw), as NVIDIA's nccl-tests report them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import look_up, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def _one(n: IntOrArray) -> FloatOrArray:
    return 1.0 + 0.0 * n


def _share(n: IntOrArray) -> FloatOrArray:
    return (n - 1) / n


_VECTOR = "the vector that each rank holds"
_WHOLE_ARRAY = "the whole array: ranks times the part of one rank"

# Collective: (meaning of "size", bus bandwidth over algorithm bandwidth).
_SIZES = {
    "all_reduce": (_VECTOR, lambda n: 2 * (n - 1) / n),
    "reduce_scatter": (_WHOLE_ARRAY, _share),
    "all_gather": (_WHOLE_ARRAY, _share),
    "broadcast": ("the vector that the root holds", _one),
    "reduce": (_VECTOR, _one),
    "all_to_all": ("the buffer of one rank: ranks times the part for one other rank", _share),
    "all_to_all_v": ("the most that any rank sends or receives", _share),
    "gather": (_WHOLE_ARRAY, _share),
    "scatter": (_WHOLE_ARRAY, _share),
    "send_recv": ("the message that one rank sends to one other", _one),
    "hypercube": ("ranks minus one, times the part of one rank", _one),
}
_IN_PARTS = ("reduce_scatter", "all_gather", "all_to_all", "gather", "scatter")


def meaning_of_size(collective: str) -> str:
    """Return what ``message_bytes`` counts for a collective: one rank's vector or the whole array.

    Parameters
    ----------
    collective : str
        Collective that `time` accepts, or nccl-tests' ``"all_to_all_v"`` or ``"hypercube"``.

    Returns
    -------
    str
        Phrase that defines the size.

    Notes
    -----
    Confusing one rank's part with the whole array is an error of a factor of ``ranks``.
    Source: NVIDIA nccl-tests, PERFORMANCE.md and the bandwidth functions.

    Examples
    --------
    >>> meaning_of_size("all_gather")
    'the whole array: ranks times the part of one rank'
    """
    return look_up("collective", collective, _SIZES)[0]


def algorithm_bandwidth(message_bytes: ArrayLike, seconds: ArrayLike) -> FloatOrArray:
    """Compute the algorithm bandwidth, size over time: ``algbw`` of nccl-tests.

    Parameters
    ----------
    message_bytes : float or array
        Size of the collective as `meaning_of_size` defines it, bytes.
    seconds : float or array
        Time of the whole collective, seconds.

    Returns
    -------
    float or array
        Algorithm bandwidth, bytes/s.

    Notes
    -----
    It falls as ranks are added on the same links; compare `bus_bandwidth` with hardware.
    Source: NVIDIA nccl-tests, PERFORMANCE.md.

    Examples
    --------
    >>> round(algorithm_bandwidth(32768, 24.57e-6) / 1e9, 2)
    1.33
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    return plain(message_bytes / positive("seconds", seconds))


def bus_factor(collective: str, ranks: ArrayLike) -> FloatOrArray:
    """Compute bus bandwidth over algorithm bandwidth: the fraction of the message that each link carries.

    Parameters
    ----------
    collective : str
        Collective that `time` accepts, or nccl-tests' ``"all_to_all_v"`` or ``"hypercube"``.
    ranks : int or array of int
        Number of ranks.

    Returns
    -------
    float or array
        Dimensionless factor, at least 0 and below 2.

    Notes
    -----
    The factor is that of the best point-to-point algorithm. In-network reduction (SHARP,
    NVLS) sends less, so its bus bandwidth can exceed the link's. Source: NVIDIA
    nccl-tests, PERFORMANCE.md.

    Examples
    --------
    >>> bus_factor("all_reduce", 8), bus_factor("all_gather", 8)
    (1.75, 0.875)
    """
    factor = look_up("collective", collective, _SIZES)[1]
    return plain(factor(whole("ranks", ranks)))


def bus_bandwidth(collective: str, message_bytes: ArrayLike, seconds: ArrayLike, ranks: ArrayLike) -> FloatOrArray:
    """Compute the bus bandwidth, the rate of each rank's link in an ideal ring: ``busbw`` of nccl-tests.

    Parameters
    ----------
    collective : str
        Collective that `time` accepts, or nccl-tests' ``"all_to_all_v"`` or ``"hypercube"``.
    message_bytes : float or array
        Size of the collective as `meaning_of_size` defines it, bytes.
    seconds : float or array
        Time of the whole collective, seconds.
    ranks : int or array of int
        Number of ranks.

    Returns
    -------
    float or array
        Bus bandwidth, bytes/s one way. It is comparable with the link for any number of
        ranks if all links are equal, unless a switch reduces or multicasts (SHARP, NVLS).

    Notes
    -----
    Meaningless for small, latency-bound messages. On an NVSwitch node of Hopper or later
    the switch reduces (NVLS): such nodes report 480 GB/s on links of 450 GB/s, and
    `switch_wire_rate` gives what the links carried. Between two nodes a tree sends the
    message once, not the bytes of a ring, so busbw can exceed the rate of the NICs.
    Source: NVIDIA nccl-tests, PERFORMANCE.md, as the rate of a ring.

    Examples
    --------
    >>> round(bus_bandwidth("all_reduce", 8388608, 191.09e-6, 8) / 1e9, 2)
    76.82
    """
    factor = look_up("collective", collective, _SIZES)[1](whole("ranks", ranks))
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    return plain(message_bytes * factor / positive("seconds", seconds))


def nccl_tests_size(collective: str, requested_bytes: ArrayLike, ranks: ArrayLike) -> FloatOrArray:
    """Compute the size that nccl-tests uses when its command line requests ``requested_bytes``.

    Parameters
    ----------
    collective : str
        Collective that `time` accepts, or nccl-tests' ``"all_to_all_v"`` or ``"hypercube"``.
    requested_bytes : int or array of int
        Size given on the command line, bytes.
    ranks : int or array of int
        Number of ranks.

    Returns
    -------
    float or array
        Size used, bytes. Collectives with one part per rank round each part down to a
        multiple of 16 bytes.

    Notes
    -----
    With 1,000 ranks a request below 16 kB moves nothing at all. Ignores the rounding to
    whole elements of the data type. Source: NVIDIA nccl-tests, the byte-count functions.

    Examples
    --------
    >>> nccl_tests_size("all_gather", 1000, 8), nccl_tests_size("all_reduce", 1000, 8)
    (896.0, 1000.0)
    """
    look_up("collective", collective, _SIZES)
    requested = whole("requested_bytes", requested_bytes, minimum=0)
    unit = 16 * whole("ranks", ranks) if collective in _IN_PARTS else 1
    return plain(np.multiply(requested // unit, unit))
