"""Data of the processor that the accelerator wants: copied, moved page by page, or read where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class Access:
    """Seconds that each way takes; see `access_seconds`."""

    copy: FloatOrArray
    migrate: FloatOrArray
    remote: FloatOrArray
    shared: FloatOrArray


def page_bandwidth(page_bytes: ArrayLike, fault_seconds: ArrayLike, bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Rate at which pages come over a link when each of them must be asked for by a fault.

    Parameters
    ----------
    page_bytes : float or array
        Bytes that move for one fault.
    fault_seconds : float or array
        What a fault costs before its bytes flow.
    bandwidth_one_way : float or array
        Of the link, bytes/s.

    Returns
    -------
    float or array
        Bytes/s: the effective bandwidth of messages of one page.

    Raises
    ------
    ValueError, TypeError
        For bytes and rates that are not above zero, and negative time.

    Notes
    -----
    One fault after another; drivers handle some together and fetch ahead. Source: `links.effective_bandwidth`'s formula.

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
) -> Access:
    """Time for an accelerator to read data that the processor has just written, by four ways.

    Parameters
    ----------
    data_bytes : float or array
        Bytes that the processor wrote.
    touched_share : float or array
        Share of them that the accelerator reads at all, above 0 and at most 1, in whole pages.
    passes : int or array of int
        How often it reads each of those.
    bandwidth_one_way : float or array
        Of the link between the two memories, bytes/s.
    memory_bandwidth : float or array
        Of the accelerator's own memory, bytes/s.
    page_bytes, fault_seconds : float or array
        See `page_bandwidth`.

    Returns
    -------
    Access
        ``copy``: all of it is copied first, then read from the own memory. ``migrate``: each page that
        is touched moves at its first fault. ``remote``: each pass reads over the link, which must be coherent.
        ``shared``: both have one memory, as on an APU, and nothing moves.

    Raises
    ------
    ValueError, TypeError
        For numbers that make no sense, and a share above 1.

    Notes
    -----
    The first pass after a copy or a move counts as one from the own memory; nothing overlaps. Ignores writes,
    caches, access counters that move a hot page after some time, and what faults of others cost. Source:
    NVIDIA, *CUDA C++ Programming Guide*, unified memory; Schieffer et al. 2024, arXiv:2407.07850.

    Examples
    --------
    A tenth of 1 GB, read once on a GH200: reading where it lies wins, and a copy of all is the slowest but one.

    >>> ways = access_seconds(1e9, 0.1, 1, bandwidth_one_way=384e9, memory_bandwidth=4e12)
    >>> [round(1e3 * seconds, 2) for seconds in (ways.copy, ways.migrate, ways.remote, ways.shared)]
    [2.63, 46.06, 0.26, 0.03]
    """
    data, share = positive("data_bytes", data_bytes), positive("touched_share", touched_share)
    if (share if isinstance(share, float) else share.max()) > 1:
        raise ValueError(f"touched_share must be at most 1, got {touched_share!r}")
    link, memory = positive("bandwidth_one_way", bandwidth_one_way), positive("memory_bandwidth", memory_bandwidth)
    read = whole("passes", passes) * data * share
    moved = data * share / page_bandwidth(page_bytes, fault_seconds, bandwidth_one_way)
    return Access(
        plain(data / link + read / memory), plain(moved + read / memory), plain(read / link), plain(read / memory)
    )


def access_table(data_bytes: float, cases: Mapping[str, tuple[float, int]], **ways: float) -> DataFrame:
    """The four ways side by side, for several uses of the same data.

    Parameters
    ----------
    data_bytes : float
        Bytes that the processor wrote.
    cases : dict
        For a name, the share that is touched and the number of passes.
    **ways
        Rates, pages and faults, as `access_seconds`.

    Returns
    -------
    pandas.DataFrame
        One row a case, one column a way, in ms.

    Raises
    ------
    ValueError, TypeError
        As `access_seconds`.

    Notes
    -----
    Source: as `access_seconds`.

    Examples
    --------
    >>> access_table(1e9, {"all, once": (1.0, 1)}, bandwidth_one_way=384e9, memory_bandwidth=4e12)["remote (ms)"].round(2).tolist()
    [2.6]
    """
    import pandas  # here, because the models do not need it

    found = {name: access_seconds(data_bytes, *case, **ways) for name, case in cases.items()}
    columns = {
        f"{way} (ms)": [1e3 * getattr(one, way) for one in found.values()]
        for way in ("copy", "migrate", "remote", "shared")
    }
    return pandas.DataFrame(columns, index=pandas.Index(found, name="what the accelerator reads"))
