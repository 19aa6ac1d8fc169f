"""Additional occupancy limits of Hopper and Blackwell: thread block clusters and tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import bounded_whole, one_bounded_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._typing import ArrayLike, IntOrArray

PORTABLE_CLUSTER, LARGEST_CLUSTER = 8, 16  # blocks: on any chip with clusters, and on an H100 with the opt-in
MOST_CLUSTER_BLOCKS = 8  # blocks of clusters on one SM, as measured
MEASURED_GROUPS = (16,) * 5 + (18,) * 2 + (8,) + (2,) * 4  # SMs that one H100 and one H200 combine in clusters
TENSOR_MEMORY_COLUMNS = 512  # each 128 lanes x 4 bytes
_CAPABILITIES = ("10.0", "10.3", "11.0")  # those with tensor memory


def active_clusters(
    blocks_per_cluster: ArrayLike, active_blocks: ArrayLike, multiprocessors_by_group: Sequence[int]
) -> IntOrArray:
    """Compute the thread block clusters that are active on a chip at the same time.

    The blocks of a cluster access one another's shared memory, so all of them are in one
    group of SMs (a GPC). SMs of a group that cannot hold a whole cluster are idle.

    Parameters
    ----------
    blocks_per_cluster : int or array of int
        Number of blocks in a cluster, 1 to 16; more than 8 needs an opt-in and a chip that
        supports it.
    active_blocks : int or array of int
        Number of active blocks of the kernel on an SM; see `occupancy`.
    multiprocessors_by_group : sequence of int
        Number of SMs in each group of the chip, such as `MEASURED_GROUPS`.

    Returns
    -------
    int or array of int
        Number of clusters.

    Notes
    -----
    Two rules of the driver: a group takes part only if it has at least as many SMs as the cluster has blocks, and an SM
    holds at most 8 blocks of clusters, whatever its occupancy without clusters. With the groups of the card they equal
    ``cuOccupancyMaxActiveClusters`` in 7,700 of 7,700 kernels and sizes on an H100 and on an H200, measured for this course;
    no document states them. The groups differ between individual chips, because different SMs are disabled: `MEASURED_GROUPS`
    are those of both cards, each of a virtual machine. Source: that measurement; NVIDIA, CUDA C++ programming guide,
    "Thread block clusters", and Hopper tuning guide.

    Examples
    --------
    >>> active_clusters([1, 2, 8, 16], 1, MEASURED_GROUPS)
    array([132,  66,  15,   7])
    >>> active_clusters(1, [8, 32], MEASURED_GROUPS)
    array([1056, 1056])
    """
    groups = [one_bounded_whole("multiprocessors_by_group", group, 1) for group in multiprocessors_by_group]
    if not groups:
        raise ValueError("multiprocessors_by_group must name at least one group, got none")
    size = bounded_whole("blocks_per_cluster", blocks_per_cluster, 1, LARGEST_CLUSTER)
    active = bounded_whole("active_blocks", active_blocks)
    resident = np.minimum(active, MOST_CLUSTER_BLOCKS)
    clusters = sum(((group >= size) * (group * resident // size) for group in groups), start=np.int64(0))
    return clusters if isinstance(clusters, np.ndarray) else int(clusters)


def tensor_memory_blocks(compute_capability: str, columns_per_block: ArrayLike) -> IntOrArray:
    """Compute the blocks whose accumulators fit into the tensor memory of one SM at the same time.

    From compute capability 10.0 on the Tensor Cores accumulate into a separate tensor
    memory of 128 lanes and 512 columns of 4 bytes: 256 KiB, as much as all registers.

    Parameters
    ----------
    compute_capability : str
        Compute capability with tensor memory: ``"10.0"``, ``"10.3"`` or ``"11.0"``.
    columns_per_block : int or array of int
        Number of columns that a block requests, 1 to 512; it is rounded up to a power of
        two, at least 32.

    Returns
    -------
    int or array of int
        Number of blocks, 1 to 16.

    Raises
    ------
    ValueError
        If the compute capability has no tensor memory.

    Notes
    -----
    Not part of `occupancy`: a block starts regardless, and waits when it allocates columns
    that are in use. Ignores pairs of blocks that share their columns. Source: NVIDIA,
    PTX ISA 9.0, ``tcgen05.alloc``.

    Examples
    --------
    >>> tensor_memory_blocks("10.0", [32, 100, 256, 512])
    array([16,  4,  2,  1])
    """
    if compute_capability not in _CAPABILITIES:
        kind = ValueError if isinstance(compute_capability, str) else TypeError
        known = ", ".join(map(repr, _CAPABILITIES))
        raise kind(f"compute_capability must be one of {known} to have tensor memory, got {compute_capability!r}")
    columns = bounded_whole("columns_per_block", columns_per_block, 1, TENSOR_MEMORY_COLUMNS)
    sizes = 2 ** np.arange(5, 10)  # 32 to 512
    given = sizes[np.searchsorted(sizes, columns)]
    blocks = TENSOR_MEMORY_COLUMNS // given
    return blocks if isinstance(columns, np.ndarray) else int(blocks)
