"""What Hopper and Blackwell add to the count: clusters of blocks, and tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .arguments import count, one_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._typing import ArrayLike, IntOrArray

PORTABLE_CLUSTER, LARGEST_CLUSTER = 8, 16  # blocks: on any chip that has clusters, and on an H100 that is asked for it
TENSOR_MEMORY_COLUMNS = 512  # of 128 lanes x 4 bytes
_CAPABILITIES = ("10.0", "10.3", "11.0")  # those with tensor memory


def active_clusters(
    blocks_per_cluster: ArrayLike, active_blocks: ArrayLike, multiprocessors_by_group: Sequence[int]
) -> IntOrArray:
    """Clusters of blocks that run on a chip at the same time.

    The blocks of a cluster read one another's shared memory, so all of them live in one
    group of multiprocessors (a GPC). What a group cannot fill with a whole cluster idles.

    Parameters
    ----------
    blocks_per_cluster : int or array of int
        1 to 16; more than 8 must be asked for, and not every chip gives it.
    active_blocks : int or array of int
        Blocks of the kernel that one multiprocessor holds; see `occupancy`.
    multiprocessors_by_group : sequence of int
        Multiprocessors of each group of the chip.

    Returns
    -------
    int or array of int

    Raises
    ------
    ValueError, TypeError
        For numbers that are not whole or out of range, and for no groups.

    Notes
    -----
    How many multiprocessors a group has differs from one H100 to the next, because
    different ones are switched off; ``cudaOccupancyMaxActiveClusters`` asks the chip at
    hand. Ignores that blocks may be kept on different multiprocessors. Source: NVIDIA,
    CUDA C++ programming guide, "Thread block clusters", and Hopper tuning guide.

    Examples
    --------
    >>> h100 = [16] * 6 + [18] * 2  # one way to have 132
    >>> active_clusters([1, 2, 16], 1, h100)
    array([132,  66,   8])
    """
    groups = [one_count("multiprocessors_by_group", group, 1) for group in multiprocessors_by_group]
    if not groups:
        raise ValueError("multiprocessors_by_group must name at least one group, got none")
    size = count("blocks_per_cluster", blocks_per_cluster, 1, LARGEST_CLUSTER)
    active = count("active_blocks", active_blocks)
    return sum((group * active // size for group in groups), start=0)


def tensor_memory_blocks(compute_capability: str, columns_per_block: ArrayLike) -> IntOrArray:
    """Blocks whose sums find room in the tensor memory of one multiprocessor together.

    From compute capability 10.0 on the tensor cores add into a memory of their own, 128
    lanes of 512 columns of 4 bytes: 256 KiB, as much as all registers.

    Parameters
    ----------
    compute_capability : str
        ``"10.0"``, ``"10.3"`` or ``"11.0"``; others have none.
    columns_per_block : int or array of int
        Columns that a block asks for, 1 to 512; it gets a power of two, at least 32.

    Returns
    -------
    int or array of int
        1 to 16.

    Raises
    ------
    ValueError, TypeError
        For a capability without tensor memory, naming those with it, and columns out of range.

    Notes
    -----
    No part of `occupancy`: a block starts all the same, and waits when it asks for columns
    that are taken. Ignores pairs of blocks that share their columns. Source: NVIDIA,
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
    columns = count("columns_per_block", columns_per_block, 1, TENSOR_MEMORY_COLUMNS)
    sizes = 2 ** np.arange(5, 10)  # 32 to 512
    given = sizes[np.searchsorted(sizes, columns)]
    blocks = TENSOR_MEMORY_COLUMNS // given
    return blocks if isinstance(columns, np.ndarray) else int(blocks)
