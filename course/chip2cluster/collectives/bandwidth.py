"""Algorithm and bus bandwidth, as NVIDIA's nccl-tests report them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .algorithms import named

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def _one(n: IntOrArray) -> FloatOrArray:
    return 1.0 + 0.0 * n


def _share(n: IntOrArray) -> FloatOrArray:
    return (n - 1) / n


_VECTOR = "the vector that each rank holds"
_WHOLE_ARRAY = "the whole array: ranks times the part of one rank"

# Collective: (what "size" means, bus bandwidth over algorithm bandwidth).
_SIZES = {
    "all_reduce": (_VECTOR, lambda n: 2 * (n - 1) / n),
    "reduce_scatter": (_WHOLE_ARRAY, _share),
    "all_gather": (_WHOLE_ARRAY, _share),
    "broadcast": ("the vector that the root holds", _one),
    "reduce": (_VECTOR, _one),
    "all_to_all": ("all that one rank holds: ranks times the part for one other", _share),
    "all_to_all_v": ("the most that any rank sends or receives", _share),
    "gather": (_WHOLE_ARRAY, _share),
    "scatter": (_WHOLE_ARRAY, _share),
    "send_recv": ("the message that one rank sends to one other", _one),
    "hypercube": ("ranks minus one, times the part of one rank", _one),
}
_IN_PARTS = ("reduce_scatter", "all_gather", "all_to_all", "gather", "scatter")


def meaning_of_size(collective: str) -> str:
    """What ``message_bytes`` counts for a collective: one rank's vector or the whole array.

    Parameters
    ----------
    collective : str
        A collective of `time`, or nccl-tests' ``"all_to_all_v"`` and ``"hypercube"``.

    Returns
    -------
    str

    Raises
    ------
    ValueError, TypeError
        For an unknown collective, naming those that exist.

    Notes
    -----
    To take one rank's part for the whole array is an error of a factor of ``ranks``.
    Source: NVIDIA nccl-tests, PERFORMANCE.md and the bandwidth functions.

    Examples
    --------
    >>> meaning_of_size("all_gather")
    'the whole array: ranks times the part of one rank'
    """
    return named("collective", collective, _SIZES)[0]


def algorithm_bandwidth(message_bytes: ArrayLike, seconds: ArrayLike) -> FloatOrArray:
    """Size over time, nccl-tests' ``algbw``: what the program sees.

    Parameters
    ----------
    message_bytes : float or array
        The message, bytes, in the collective's own sense: see `meaning_of_size`.
    seconds : float or array
        Time of the whole collective.

    Returns
    -------
    float or array
        Bytes/s.

    Raises
    ------
    ValueError, TypeError
        For a negative size, a time that is not above zero, NaN.

    Notes
    -----
    Falls as ranks are added on the same links; compare `bus_bandwidth` with hardware.
    Source: NVIDIA nccl-tests, PERFORMANCE.md.

    Examples
    --------
    >>> round(algorithm_bandwidth(32768, 24.57e-6) / 1e9, 2)
    1.33
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    return plain(message_bytes / positive("seconds", seconds))


def bus_factor(collective: str, ranks: ArrayLike) -> FloatOrArray:
    """Bus bandwidth over algorithm bandwidth: the share of the message each link must carry.

    Parameters
    ----------
    collective : str
        As `meaning_of_size`.
    ranks : int or array of int
        Participants.

    Returns
    -------
    float or array
        From 0 to below 2.

    Raises
    ------
    ValueError, TypeError
        For an unknown collective or ranks that are not whole.

    Notes
    -----
    The factor of point-to-point algorithms at best. In-network reduction sends less, so
    its bus bandwidth can exceed the link's. Source: NVIDIA nccl-tests, PERFORMANCE.md.

    Examples
    --------
    >>> bus_factor("all_reduce", 8), bus_factor("all_gather", 8)
    (1.75, 0.875)
    """
    factor = named("collective", collective, _SIZES)[1]
    return plain(factor(whole("ranks", ranks)))


def bus_bandwidth(collective: str, message_bytes: ArrayLike, seconds: ArrayLike, ranks: ArrayLike) -> FloatOrArray:
    """Rate at which each rank's link must have worked if ranks alone did the work: ``busbw``.

    Parameters
    ----------
    collective : str
        As `meaning_of_size`.
    message_bytes : float or array
        The message, bytes, in the collective's own sense.
    seconds : float or array
        Time of the whole collective.
    ranks : int or array of int
        Participants.

    Returns
    -------
    float or array
        Bytes/s, one way: comparable with the link whatever the number of ranks, as long
        as no switch adds or copies.

    Raises
    ------
    ValueError, TypeError
        As `algorithm_bandwidth` and `bus_factor`.

    Notes
    -----
    Says nothing about small messages, where time is latency. On an NVSwitch node of
    Hopper or later an all-reduce adds in the switch: 480 GB/s on wires of 450 is what
    such nodes print, and `switch_wire_rate` says what the wires carried. Source: NVIDIA
    nccl-tests, PERFORMANCE.md, as the rate of a ring.

    Examples
    --------
    >>> round(bus_bandwidth("all_reduce", 8388608, 191.09e-6, 8) / 1e9, 2)
    76.82
    """
    factor = named("collective", collective, _SIZES)[1](whole("ranks", ranks))
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    return plain(message_bytes * factor / positive("seconds", seconds))


def nccl_tests_size(collective: str, requested_bytes: ArrayLike, ranks: ArrayLike) -> FloatOrArray:
    """Bytes that nccl-tests really moves when asked for ``requested_bytes``.

    Parameters
    ----------
    collective : str
        As `meaning_of_size`.
    requested_bytes : int or array of int
        The size asked for on the command line, bytes.
    ranks : int or array of int
        Participants.

    Returns
    -------
    float or array
        Bytes: for collectives in parts, each rank's part is cut to a multiple of 16.

    Raises
    ------
    ValueError, TypeError
        For an unknown collective, sizes and ranks that are not whole.

    Notes
    -----
    With 1,000 ranks a request below 16 kB moves nothing at all. Ignores the rounding to
    whole elements of the type. Source: NVIDIA nccl-tests, the byte-count functions.

    Examples
    --------
    >>> nccl_tests_size("all_gather", 1000, 8), nccl_tests_size("all_reduce", 1000, 8)
    (896.0, 1000.0)
    """
    named("collective", collective, _SIZES)
    requested = whole("requested_bytes", requested_bytes, minimum=0)
    unit = 16 * whole("ranks", ranks) if collective in _IN_PARTS else 1
    return plain(np.multiply(requested // unit, unit))
