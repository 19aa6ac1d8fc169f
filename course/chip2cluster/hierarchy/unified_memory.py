"""Access of an accelerator to CPU data: explicit copy, page migration (unified memory), remote or shared access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import fraction, plain, positive, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class AccessTimes:
    """Times of the four access methods of `access_seconds`.

    Attributes
    ----------
    copy : float or array
        Explicit copy of all data, then local reads, seconds.
    migrate : float or array
        Page migration on fault, then local reads, seconds.
    remote : float or array
        Reads over a coherent link, seconds.
    shared : float or array
        Reads from memory shared with the CPU, seconds.
    """

    copy: FloatOrArray
    migrate: FloatOrArray
    remote: FloatOrArray
    shared: FloatOrArray


def page_bandwidth(page_bytes: ArrayLike, fault_seconds: ArrayLike, bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Compute the effective bandwidth of page migration on faults (unified memory).

    Parameters
    ----------
    page_bytes : float or array
        Data moved per page fault, bytes.
    fault_seconds : float or array
        Fixed cost of a page fault, seconds.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of the link, bytes/s.

    Returns
    -------
    float or array
        Effective bandwidth of messages of one page, bytes/s.

    Notes
    -----
    Assumes consecutive faults; drivers batch some of them and prefetch. Source: the formula
    of `links.effective_bandwidth`.

    Examples
    --------
    >>> [round(page_bandwidth(size, 30e-6, 63e9) / 1e9, 1) for size in (4096, 65536, 2 * 2**20)]
    [0.1, 2.1, 33.1]
    """
    size = positive("page_bytes", page_bytes)
    fault = positive("fault_seconds", fault_seconds, allow_zero=True)
    return plain(size / (fault + size / positive("bandwidth_one_way", bandwidth_one_way)))


def access_seconds(
    data_bytes: ArrayLike,
    touched_share: ArrayLike,
    passes: ArrayLike,
    *,
    bandwidth_one_way: ArrayLike,
    memory_bandwidth: ArrayLike,
    page_bytes: ArrayLike = 65536.0,
    fault_seconds: ArrayLike = 30e-6,
) -> AccessTimes:
    """Compute the time for an accelerator to read data that the CPU has written, by four methods.

    Parameters
    ----------
    data_bytes : float or array
        Amount of data that the CPU wrote, bytes.
    touched_share : float or array
        Fraction of the data that the accelerator reads, in whole pages, above 0 and at most 1.
    passes : int or array of int
        Number of times that the accelerator reads this fraction.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of the link between the two memories, bytes/s.
    memory_bandwidth : float or array
        Bandwidth of the accelerator's own memory, bytes/s.
    page_bytes : float or array
        Data moved per page fault, bytes.
    fault_seconds : float or array
        Fixed cost of a page fault, seconds.

    Returns
    -------
    AccessTimes
        Times of four methods, seconds. ``copy``: copy everything, then read locally.
        ``migrate``: each page moves at its first fault (unified memory). ``remote``: each
        pass reads over a coherent link. ``shared``: CPU and accelerator share one memory, as
        in an APU.

    Notes
    -----
    The first pass after a copy or migration reads local memory; nothing overlaps. Ignores
    writes, caches, access counters that migrate hot pages, and the cost of concurrent
    faults. Source: NVIDIA, *CUDA C++ Programming Guide*, unified memory; Schieffer et al.
    2024, arXiv:2407.07850.

    Examples
    --------
    A tenth of 1 GB, read once on a GH200: remote access is fastest over a link, and page
    migration slowest:

    >>> ways = access_seconds(1e9, 0.1, 1, bandwidth_one_way=384e9, memory_bandwidth=4e12)
    >>> [round(1e3 * seconds, 2) for seconds in (ways.copy, ways.migrate, ways.remote, ways.shared)]
    [2.63, 46.06, 0.26, 0.03]
    """
    data, share = positive("data_bytes", data_bytes), fraction("touched_share", touched_share)

    link, memory = positive("bandwidth_one_way", bandwidth_one_way), positive("memory_bandwidth", memory_bandwidth)
    read = whole("passes", passes) * data * share
    moved = data * share / page_bandwidth(page_bytes, fault_seconds, bandwidth_one_way)
    return AccessTimes(
        plain(data / link + read / memory), plain(moved + read / memory), plain(read / link), plain(read / memory)
    )


def access_table(data_bytes: float, cases: Mapping[str, tuple[float, int]], **options: float) -> DataFrame:
    """Compare the four access methods for several uses of the same data.

    Parameters
    ----------
    data_bytes : float
        Amount of data that the CPU wrote, bytes.
    cases : dict of str to tuple
        Fraction that is read and number of passes of each case.
    **options
        Bandwidths, page size and fault cost, passed to `access_seconds`.

    Returns
    -------
    pandas.DataFrame
        One row for each case, one column for each method, milliseconds.

    Notes
    -----
    Source: as `access_seconds`.

    Examples
    --------
    >>> access_table(1e9, {"all, once": (1.0, 1)}, bandwidth_one_way=384e9, memory_bandwidth=4e12)["remote (ms)"].round(2).tolist()
    [2.6]
    """
    import pandas  # imported here because the models do not need it

    times = {name: access_seconds(data_bytes, *case, **options) for name, case in cases.items()}
    columns = {
        f"{method} (ms)": [1e3 * getattr(one, method) for one in times.values()]
        for method in ("copy", "migrate", "remote", "shared")
    }
    return pandas.DataFrame(columns, index=pandas.Index(times, name="data read"))
