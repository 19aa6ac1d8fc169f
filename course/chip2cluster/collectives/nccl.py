"""What NCCL expects of an all-reduce, and which of its methods it would take.

The library holds a line for each of its methods, an algorithm with a protocol: a latency
and a bandwidth. For each message it takes the method whose line is lowest. The lower
envelope of the lines is what a benchmark sees: no single latency and bandwidth fit it.

NCCL's algorithms are not those of MPI's textbooks. An all-reduce goes round a **ring**;
along a **tree** (a chain inside each node, two binary trees over the nodes); or through
adding switches, **NVLS** inside an NVLink domain, CollNet (SHARP) between nodes. It has
no recursive doubling and no halving and doubling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive
from .algorithms import named
from .nccl_system import NcclCurve, NcclSystem, size_class

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import ArrayLike, FloatOrArray


def nccl_time(
    message_bytes: ArrayLike, system: NcclSystem, algorithm: str | None = None, protocol: str | None = None
) -> FloatOrArray:
    """Time of an all-reduce as NCCL's tuner predicts it: of its choice, or of one method.

    Parameters
    ----------
    message_bytes : float or array
        The vector that each GPU holds, bytes.
    system : NcclSystem
        The GPUs.
    algorithm : str, optional
        ``"ring"``, ``"tree"`` or ``"nvls"``; left out, the library chooses.
    protocol : str, optional
        ``"LL"``, ``"LL128"`` or ``"Simple"``; left out, the library chooses.

    Returns
    -------
    float or array
        Seconds: the smallest over the methods that are left.

    Raises
    ------
    ValueError, TypeError
        For a method that the library does not have on this system, naming those it has.

    Notes
    -----
    The library's own estimate, good for which method it takes: on 8 H200 it gives the
    change from ring and LL to NVLS between 1 and 2 MiB, where it was logged. As a
    prediction of times it is loose. With 24 GB/s for each of a node's four adapters and
    nothing fitted it meets each of the 21 rows of `nccl_tests_table` within 15 %; inside a node of A100, H100 or H200 runs took 1.0
    to 3.1 times as long, nearest with long messages. The smallest estimate need not be
    the fastest method either: on 8 A100 the tuner leaves LL128 at 32 MiB, a measured run
    at 16 MiB; and NVLS is priced without the number of GPUs that `switch_all_reduce_time`
    counts. A tree's curve is not monotone: the library corrects it by a table of powers
    of two. Left out: limits of a channel, NVLS and CollNet between nodes, PCIe inside a
    node, all collectives but all-reduce. Source: NVIDIA/nccl, src/graph/tuning.cc.

    Examples
    --------
    >>> node = NcclSystem("hopper", 8, 360e9, switch_adds=True)
    >>> [round(nccl_time(n, node) * 1e6) for n in (1024, 2**20, 2**30)]
    [15, 28, 3604]
    >>> round(nccl_time(2**30, node, "ring", "LL") * 1e6)          # all the way with flags
    13342
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    curves, classes = _chosen(system, algorithm, protocol), size_class(message_bytes)
    best = curves[0].seconds(message_bytes, classes)
    for curve in curves[1:]:
        seconds = curve.seconds(message_bytes, classes)
        best = np.minimum(best, seconds, out=best) if isinstance(best, np.ndarray) else min(best, seconds)
    return best


def nccl_choice(message_bytes: float, system: NcclSystem) -> tuple[str, str]:
    """The algorithm and the protocol that NCCL would take for a message.

    Parameters
    ----------
    message_bytes : float
        The vector that each GPU holds, bytes; one number.
    system : NcclSystem
        The GPUs.

    Returns
    -------
    tuple of str
        Algorithm and protocol.

    Raises
    ------
    ValueError, TypeError
        As `nccl_time`, and for more than one size.

    Notes
    -----
    As `nccl_time`. Ignores a tuner plug-in and the variables NCCL_ALGO and NCCL_PROTO,
    which overrule the library.

    Examples
    --------
    >>> nccl_choice(2**21, NcclSystem("hopper", 8, 360e9, switch_adds=True))
    ('nvls', 'Simple')
    """
    size = _one_size(message_bytes)
    classes = size_class(size)
    best = min(_chosen(system), key=lambda curve: curve.seconds(size, classes))
    return best.algorithm, best.protocol


def nccl_changes(system: NcclSystem, largest_bytes: float = 2.0**34) -> tuple[tuple[int, str, str], ...]:
    """Sizes at which NCCL changes its method, among the powers of two that a benchmark tries.

    Parameters
    ----------
    system : NcclSystem
        The GPUs.
    largest_bytes : float
        Where to stop, bytes; the first size is 8.

    Returns
    -------
    tuple of (int, str, str)
        The first size, bytes, then algorithm and protocol from there on.

    Raises
    ------
    ValueError, TypeError
        As `nccl_time`.

    Notes
    -----
    As `nccl_choice`.

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
    """Compare the methods that NCCL has for an all-reduce on a system.

    Parameters
    ----------
    system : NcclSystem
        The GPUs.
    message_bytes : float, optional
        For messages of which size, bytes; left out, of endless ones. It matters to the
        trees alone, whose rate the library corrects by the size.

    Returns
    -------
    pandas.DataFrame
        Indexed by algorithm and protocol: latency of the whole all-reduce, bus bandwidth
        of the bytes that follow, the message that reaches half of it, latency included,
        and from which power of two on the library takes the method (NaN where it never
        does).

    Raises
    ------
    ValueError, TypeError
        For anything but an `NcclSystem`, and more than one size.

    Notes
    -----
    Latency and bytes over the rate make the time of `nccl_time` at that size. As `nccl_choice`.

    Examples
    --------
    >>> two = NcclSystem("hopper", 4, 4 * 24e9, 2, version="2.20")
    >>> [float(round(nccl_table(two, n).loc[("tree", "LL"), "bus bandwidth (GB/s)"], 1)) for n in (2**15, 2**20, None)]
    [14.2, 10.2, 20.3]
    >>> nccl_table(NcclSystem("hopper", 8, 360e9, switch_adds=True)).loc["ring"].round(1)["latency (µs)"].to_dict()
    {'LL': 15.0, 'LL128': 40.6, 'Simple': 56.0}
    """
    import pandas  # here, because the models do not need it

    place = -1 if message_bytes is None else size_class(_one_size(message_bytes))
    first = {(algorithm, protocol): size for size, algorithm, protocol in reversed(nccl_changes(system))}
    rows = {}
    for curve in system.curves:
        rate = curve.bandwidth / (curve.corrections[place] if curve.corrections else 1.0)
        rows[curve.algorithm, curve.protocol] = {
            "latency (µs)": curve.latency * 1e6,
            "bus bandwidth (GB/s)": rate * 2 * (system.ranks - 1) / system.ranks / 1e9,
            "half of it at (MB)": curve.latency * rate / 1e6,
            "taken from (bytes)": first.get((curve.algorithm, curve.protocol), float("nan")),
        }
    table = pandas.DataFrame.from_dict(rows, orient="index")
    table.index.names = ["algorithm", "protocol"]
    return table


def _one_size(message_bytes: float) -> float:
    """A size that is one number."""
    size = positive("message_bytes", message_bytes, allow_zero=True)
    if isinstance(size, np.ndarray):
        raise TypeError(f"message_bytes must be one number, got {message_bytes!r}")
    return size


def _chosen(system: NcclSystem, algorithm: str | None = None, protocol: str | None = None) -> tuple[NcclCurve, ...]:
    """Curves of a system, all or those named."""
    if not isinstance(system, NcclSystem):
        raise TypeError(f"system must be an NcclSystem, got {system!r}")
    curves = system.curves
    for name, value in (("algorithm", algorithm), ("protocol", protocol)):
        if value is not None:
            named(f"{name} on this system", value, {getattr(curve, name): None for curve in curves})
            curves = tuple(curve for curve in curves if getattr(curve, name) == value)
    return curves
