"""Allocation in blocks of nodes (racks of one NVLink domain), as Slurm's topology/block with segments."""

from __future__ import annotations

from collections.abc import Sequence

from .._validate import one_whole


def block_allocation(free: Sequence[int], nodes: int, segment: int | None = None) -> tuple[int, ...] | None:
    """Choose the nodes of a job in each block, so that each of its segments is inside one block.

    Parameters
    ----------
    free : sequence of int
        Free nodes of each block, such as 18 for an idle rack of GB200 NVL72.
    nodes : int
        Nodes of the job.
    segment : int, optional
        Nodes of a segment (``--segment``), a divisor of ``nodes``; None asks for one block, and if no block is
        large enough for the fewest blocks.

    Returns
    -------
    tuple of int or None
        Nodes taken in each block; None if the job has to wait.

    Raises
    ------
    ValueError
        The segment does not divide the nodes, which ``sbatch`` refuses.

    Notes
    -----
    Takes the fewest blocks, and of these the fullest that suffice (best fit), so that idle blocks stay whole. Ignores
    blocks of blocks (``BlockSizes`` with several values) and ``--exclusive=topo``. Source: Slurm's topology guide and
    the ``sbatch`` manual, version 24.11.

    Examples
    --------
    >>> block_allocation([18, 18, 5], 4), block_allocation([18, 18, 18], 32, segment=16)
    ((0, 0, 4), (16, 16, 0))
    >>> block_allocation([10, 10], 16, segment=16) is None, block_allocation([10, 10], 16, segment=8)
    (True, (8, 8))
    """
    rooms = [one_whole(f"free[{place}]", room, 0) for place, room in enumerate(free)]
    nodes = one_whole("nodes", nodes)
    if segment is None:
        size = nodes if any(room >= nodes for room in rooms) else 1
    else:
        size = one_whole("segment", segment)
        if nodes % size:
            raise ValueError(f"segment must divide the {nodes} nodes of the job, got {size}")
    left = nodes // size
    places = [room // size for room in rooms]  # segments that fit in each block
    if sum(places) < left:
        return None
    taken = [0] * len(rooms)
    while left:
        enough = [block for block, many in enumerate(places) if many >= left and not taken[block]]
        if enough:  # the last block: the one with the fewest free nodes
            block = min(enough, key=lambda one: (rooms[one], one))
        else:
            block = max((one for one in range(len(rooms)) if not taken[one]), key=lambda one: (places[one], -one))
        now = min(left, places[block])
        taken[block] = now * size
        left -= now
    return tuple(taken)
