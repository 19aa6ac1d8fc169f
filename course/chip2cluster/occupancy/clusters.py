"""Additional occupancy limits of Hopper and Blackwell: thread block clusters and tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import bounded_whole, one_bounded_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._typing import ArrayLike, IntOrArray

PORTABLE_CLUSTER, LARGEST_CLUSTER = 8, 16  # blocks: on any chip with clusters, and on an H100 with the opt-in
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
        Number of SMs in each group of the chip.

    Returns
    -------
    int or array of int
        Number of clusters.

    Notes
    -----
    The number of SMs in a group differs between individual H100s, because different ones
    are disabled; ``cudaOccupancyMaxActiveClusters`` queries the chip. Ignores a
    restriction of blocks to different SMs. Source: NVIDIA,
    CUDA C++ programming guide, "Thread block clusters", and Hopper tuning guide.

    Examples
    --------
    >>> h100 = [16] * 6 + [18] * 2  # one way to have 132
    >>> active_clusters([1, 2, 16], 1, h100)
    array([132,  66,   8])
    """
    groups = [one_bounded_whole("multiprocessors_by_group", group, 1) for group in multiprocessors_by_group]
    if not groups:
        raise ValueError("multiprocessors_by_group must name at least one group, got none")
    size = bounded_whole("blocks_per_cluster", blocks_per_cluster, 1, LARGEST_CLUSTER)
    active = bounded_whole("active_blocks", active_blocks)
    return sum((group * active // size for group in groups), start=0)


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
