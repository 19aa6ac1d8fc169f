"""Metadata servers: many small files keep them busy while the disks wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def metadata_time(
    files: ArrayLike, operations_per_second: ArrayLike, *, operations_per_file: ArrayLike = 3, servers: ArrayLike = 1
) -> FloatOrArray:
    """Time of the metadata servers to open a number of files.

    Parameters
    ----------
    files : int or array of int
        Files opened by all clients together.
    operations_per_second : float or array
        Rate of one server, operations/s.
    operations_per_file : int or array of int
        Requests for each file: look up, open, close.
    servers : int or array of int
        Servers that share the directories evenly.

    Returns
    -------
    float or array
        Seconds, a lower bound.

    Notes
    -----
    A bound: ignores that files of one directory are on one server, and its queue.
    Source: operations over their rate.

    Examples
    --------
    ImageNet as 1.28 million files, on a server of 20,000 operations/s, and as 1,281 shards.

    >>> metadata_time(1_281_167, 20_000), round(metadata_time(1281, 20_000), 2)
    (192.17505, 0.19)
    """
    requests = whole("files", files, minimum=0) * whole("operations_per_file", operations_per_file)
    rate = positive("operations_per_second", operations_per_second) * whole("servers", servers)
    return plain(requests / rate)


def listing_requests(files: ArrayLike, stripe_count: ArrayLike) -> IntOrArray:
    """Number of requests of an ``ls -l``: one to the metadata server for each file, one to each object for its size.

    Parameters
    ----------
    files, stripe_count : int or array of int
        Files of the directory, and objects of each.

    Returns
    -------
    int or array
        ``files * (1 + stripe_count)``.

    Notes
    -----
    Ignores sizes stored with the metadata (lazy size on MDT, data on MDT) and locks that the client
    already has. Source: Lustre software manual, "glimpse" requests; sites advise ``ls`` without ``-l``.

    Examples
    --------
    >>> listing_requests(10_000, 1), listing_requests(10_000, 48)
    (20000, 490000)
    """
    return whole("files", files, minimum=0) * (1 + whole("stripe_count", stripe_count))


def dataset_time(
    dataset_bytes: ArrayLike,
    file_bytes: ArrayLike,
    storage_bandwidth: ArrayLike,
    operations_per_second: ArrayLike,
    *,
    operations_per_file: ArrayLike = 3,
) -> FloatOrArray:
    """Time to read a data set once with many readers: metadata or bytes, whichever takes longer.

    Parameters
    ----------
    dataset_bytes, file_bytes : float or array
        Size of the data set, and of one file, bytes.
    storage_bandwidth : float or array
        Bandwidth of all targets together, bytes/s.
    operations_per_second : float or array
        Rate of the metadata servers together, operations/s.
    operations_per_file : int or array of int
        Requests for each file, see `metadata_time`.

    Returns
    -------
    float or array
        Seconds, a lower bound.

    Notes
    -----
    Metadata and bytes are served by different machines, so the two overlap with enough
    readers. Ignores seeks (`mixed_rate`). Source: the slower of two pipelined stages.

    Examples
    --------
    150 GB in files of 117 kB and of 117 MB.

    >>> dataset_time(150e9, [117e3, 117e6], 10e9, 20_000).round(1)
    array([192.3,  15. ])
    """
    size, each = positive("dataset_bytes", dataset_bytes), positive("file_bytes", file_bytes)
    rate = positive("operations_per_second", operations_per_second)
    names = size / each * whole("operations_per_file", operations_per_file) / rate
    return plain(np.maximum(names, size / positive("storage_bandwidth", storage_bandwidth)))


def smallest_file(
    storage_bandwidth: ArrayLike, operations_per_second: ArrayLike, *, operations_per_file: ArrayLike = 3
) -> FloatOrArray:
    """File size below which metadata costs more than data.

    Parameters
    ----------
    storage_bandwidth : float or array
        Bandwidth of all targets together, bytes/s.
    operations_per_second : float or array
        Rate of the metadata servers together, operations/s.
    operations_per_file : int or array of int
        Requests for each file, see `metadata_time`.

    Returns
    -------
    float or array
        Bytes at which both stages of `dataset_time` take equally long.

    Notes
    -----
    Ignores what `dataset_time` ignores. Source: follows from it.

    Examples
    --------
    >>> smallest_file(10e9, 20_000) / 1e6
    1.5
    """
    bandwidth = positive("storage_bandwidth", storage_bandwidth)
    rate = positive("operations_per_second", operations_per_second)
    return plain(bandwidth * whole("operations_per_file", operations_per_file) / rate)
