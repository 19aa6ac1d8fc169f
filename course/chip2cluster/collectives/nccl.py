"""NCCL's tuner: predicted time of an all-reduce, and its choice of algorithm and protocol.

The library has a latency and a bandwidth for each method, which is an algorithm with a
protocol. For each message it chooses the method with the smallest predicted time. A
benchmark sees the lower envelope of these lines, which no single latency and bandwidth
fit.

NCCL's algorithms are not those of MPI textbooks. An all-reduce uses a **ring**; a
**tree** (a chain inside each node, two binary trees over the nodes); or in-network
reduction, **NVLS** inside an NVLink domain and CollNet (SHARP) between nodes. NCCL has no
recursive doubling and no halving-doubling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import look_up, one_positive, positive
from .nccl_system import NcclCurve, NcclSystem, size_class

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import ArrayLike, FloatOrArray


def nccl_time(
    message_bytes: ArrayLike, system: NcclSystem, algorithm: str | None = None, protocol: str | None = None
) -> FloatOrArray:
    """Compute the all-reduce time that NCCL's tuner predicts, for its choice or for a given method.

    Parameters
    ----------
    message_bytes : float or array
        Size of the vector that each GPU holds, bytes.
    system : NcclSystem
        GPUs that reduce together.
    algorithm : str, optional
        ``"ring"``, ``"tree"`` or ``"nvls"``; by default the library chooses.
    protocol : str, optional
        ``"LL"``, ``"LL128"`` or ``"Simple"``; by default the library chooses.

    Returns
    -------
    float or array
        Smallest predicted time over the admitted methods, seconds.

    Raises
    ------
    ValueError
        If the library has no such method on this system.

    Notes
    -----
    The library's own estimate predicts its choice well: on 8 H200 it gives the change from
    ring with LL to NVLS between 1 and 2 MiB, as logged. It predicts times loosely. With
    24 GB/s for each of a node's four NICs and nothing fitted it is within 15 % of each of
    the 21 rows of `nccl_tests_table`; inside a node of A100, H100 or H200 runs took 1.0 to
    3.1 times as long, with the smallest error for large messages. The smallest estimate
    need not be the fastest method: on 8 A100 the tuner leaves LL128 at 32 MiB, a measured
    run at 16 MiB; and the estimate for NVLS lacks the number of GPUs that
    `switch_all_reduce_time` includes. A tree's curve is not monotone, because the library
    corrects it by a table of powers of two. Ignores limits of a channel, NVLS and CollNet
    (SHARP) between nodes, PCIe inside a node, and collectives other than all-reduce.
    Source: NVIDIA/nccl, src/graph/tuning.cc.

    Examples
    --------
    >>> node = NcclSystem("hopper", 8, 360e9, switch_adds=True)
    >>> [round(nccl_time(n, node) * 1e6) for n in (1024, 2**20, 2**30)]
    [15, 28, 3604]
    >>> round(nccl_time(2**30, node, "ring", "LL") * 1e6)          # LL sends a flag with all data
    13342
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    curves, classes = _curves(system, algorithm, protocol), size_class(message_bytes)
    best = curves[0].seconds(message_bytes, classes)
    for curve in curves[1:]:
        seconds = curve.seconds(message_bytes, classes)
        best = np.minimum(best, seconds, out=best) if isinstance(best, np.ndarray) else min(best, seconds)
    return best


def nccl_choice(message_bytes: float, system: NcclSystem) -> tuple[str, str]:
    """Return the algorithm and the protocol that NCCL's tuner chooses for a message.

    Parameters
    ----------
    message_bytes : float
        Size of the vector that each GPU holds, bytes; a single number.
    system : NcclSystem
        GPUs that reduce together.

    Returns
    -------
    tuple of str
        Algorithm and protocol.

    Notes
    -----
    Ignores what `nccl_time` ignores, tuner plug-ins, and the variables NCCL_ALGO and
    NCCL_PROTO, which override the library.

    Examples
    --------
    >>> nccl_choice(2**21, NcclSystem("hopper", 8, 360e9, switch_adds=True))
    ('nvls', 'Simple')
    """
    size = one_positive("message_bytes", message_bytes, allow_zero=True)
    classes = size_class(size)
    best = min(_curves(system), key=lambda curve: curve.seconds(size, classes))
    return best.algorithm, best.protocol


def nccl_changes(system: NcclSystem, largest_bytes: float = 2.0**34) -> tuple[tuple[int, str, str], ...]:
    """List the message sizes, among powers of two, at which NCCL's tuner changes its method.

    Parameters
    ----------
    system : NcclSystem
        GPUs that reduce together.
    largest_bytes : float
        Largest size to try, bytes; the smallest is 8.

    Returns
    -------
    tuple of (int, str, str)
        First size of each method, bytes, with its algorithm and protocol.

    Notes
    -----
    Ignores what `nccl_choice` ignores.

    Examples
    --------
    >>> nccl_changes(NcclSystem("hopper", 8, 360e9, switch_adds=True))
    ((8, 'ring', 'LL'), (2097152, 'nvls', 'Simple'))
    """
    changes: list[tuple[int, str, str]] = []
    size = 8
    while size <= positive("largest_bytes", largest_bytes):
        choice = nccl_choice(size, system)
        if not changes or changes[-1][1:] != choice:
            changes.append((size, *choice))
        size *= 2
    return tuple(changes)


def nccl_table(system: NcclSystem, message_bytes: float | None = None) -> DataFrame:
    """Compare NCCL's methods for an all-reduce on a system.

    Parameters
    ----------
    system : NcclSystem
        GPUs that reduce together.
    message_bytes : float, optional
        Message size, bytes; by default the limit of large messages. It affects only trees,
        whose rate the library corrects by the size.

    Returns
    -------
    pandas.DataFrame
        Rows by algorithm and protocol: latency of the whole all-reduce, bus bandwidth of
        the bytes that follow, message size that reaches half of it with the latency
        included, and the power of two from which the library chooses the method (NaN if
        it never does).

    Notes
    -----
    Latency plus bytes over the rate is the time of `nccl_time` at that size. Ignores what
    `nccl_choice` ignores.

    Examples
    --------
    >>> two = NcclSystem("hopper", 4, 4 * 24e9, 2, version="2.20")
    >>> [float(round(nccl_table(two, n).loc[("tree", "LL"), "bus bandwidth (GB/s)"], 1)) for n in (2**15, 2**20, None)]
    [14.2, 10.2, 20.3]
    >>> nccl_table(NcclSystem("hopper", 8, 360e9, switch_adds=True)).loc["ring"].round(1)["latency (µs)"].to_dict()
    {'LL': 15.0, 'LL128': 40.6, 'Simple': 56.0}
    """
    import pandas  # imported here because the models do not need it

    size = one_positive("message_bytes", 0.0 if message_bytes is None else message_bytes, allow_zero=True)
    correction = -1 if message_bytes is None else size_class(size)
    first = {(algorithm, protocol): size for size, algorithm, protocol in reversed(nccl_changes(system))}
    rows = {}
    for curve in system.curves:
        rate = curve.bandwidth / (curve.corrections[correction] if curve.corrections else 1.0)
        rows[curve.algorithm, curve.protocol] = {
            "latency (µs)": curve.latency * 1e6,
            "bus bandwidth (GB/s)": rate * 2 * (system.ranks - 1) / system.ranks / 1e9,
            "half of it at (MB)": curve.latency * rate / 1e6,
            "taken from (bytes)": first.get((curve.algorithm, curve.protocol), float("nan")),
        }
    table = pandas.DataFrame.from_dict(rows, orient="index")
    table.index.names = ["algorithm", "protocol"]
    return table


def _curves(system: NcclSystem, algorithm: str | None = None, protocol: str | None = None) -> tuple[NcclCurve, ...]:
    """Return the curves of a system, or only those of an algorithm or a protocol."""
    if not isinstance(system, NcclSystem):
        raise TypeError(f"system must be an NcclSystem, got {system!r}")
    curves = system.curves
    for name, value in (("algorithm", algorithm), ("protocol", protocol)):
        if value is not None:
            look_up(f"{name} on this system", value, {getattr(curve, name): None for curve in curves})
            curves = tuple(curve for curve in curves if getattr(curve, name) == value)
    return curves
