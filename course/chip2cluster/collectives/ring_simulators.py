"""The ring simulators by name, alone and over nodes; `Simulator` takes every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .simulator import Simulator

if TYPE_CHECKING:
    from .._typing import ArrayLike, Operation


class RingAllReduce(Simulator):
    """All-reduce on a ring: the chunks travel around once to be added up, once to be handed out.

    In step s rank i sends chunk (i - s) mod n to rank i + 1. After n - 1 steps it has
    chunk (i + 1) mod n complete; n - 1 more steps and every rank has every chunk. Each
    step moves every chunk exactly once, so the whole message crosses the ring.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied; any length, any number of ranks.
    operation : {"sum", "prod", "max", "min"}
        How to combine.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    Ignores what `Simulator` ignores. Source: Patarasuk and Yuan 2009.

    Examples
    --------
    >>> import numpy as np
    >>> ring = RingAllReduce([np.full(8, rank) for rank in range(8)])
    >>> ring.run()[5]
    array([28, 28, 28, 28, 28, 28, 28, 28])
    >>> len(ring.history), ring.sent[0].item()                     # 2 * 7 / 8 of 64 bytes
    (14, 112)
    """

    def __init__(self, buffers: ArrayLike, *, operation: Operation = "sum") -> None:
        super().__init__("all_reduce", "ring", buffers, operation=operation)


class RingReduceScatter(Simulator):
    """Reduce-scatter on a ring: partial sums travel around once; rank i ends with chunk i of the sum.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied.
    operation : {"sum", "prod", "max", "min"}
        How to combine.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    The first half of `RingAllReduce`, with the chunks numbered so that NCCL's order comes out.
    Ignores what `Simulator` ignores. Source: Patarasuk and Yuan 2009.

    Examples
    --------
    >>> [part.tolist() for part in RingReduceScatter([[1, 2, 3], [10, 20, 30]]).run()]
    [[11, 22], [33]]
    """

    def __init__(self, buffers: ArrayLike, *, operation: Operation = "sum") -> None:
        super().__init__("reduce_scatter", "ring", buffers, operation=operation)


class RingAllGather(Simulator):
    """All-gather on a ring: each rank's part travels around once, until every rank has all parts.

    Parameters
    ----------
    buffers : sequence of arrays
        The part of each rank, copied; lengths may differ.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    Ignores what `Simulator` ignores. Source: Chan et al. 2007.

    Examples
    --------
    >>> RingAllGather([[1, 2], [3]]).run().tolist()
    [[1, 2, 3], [1, 2, 3]]
    """

    def __init__(self, buffers: ArrayLike) -> None:
        super().__init__("all_gather", "ring", buffers)


class RingBroadcast(Simulator):
    """Broadcast along a chain: each rank hands on one slice while it takes in the next.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied.
    root : int
        The rank whose vector is sent; the others' are overwritten.
    segments : int
        Slices of the message. More slices fill the chain better and cost more steps.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    Ignores what `Simulator` ignores. Source: NVIDIA NCCL, which broadcasts this way.

    Examples
    --------
    >>> chain = RingBroadcast([[1, 2, 3, 4], [0] * 4, [0] * 4], segments=4)
    >>> chain.run()[2].tolist(), chain.total_steps                 # ranks - 2 + segments
    ([1, 2, 3, 4], 5)
    """

    def __init__(self, buffers: ArrayLike, *, root: int = 0, segments: int = 8) -> None:
        super().__init__("broadcast", "ring", buffers, root=root, segments=segments)


class HierarchicalAllReduce(Simulator):
    """All-reduce over nodes, sharded: only 1/g of the message leaves each of a node's g ranks.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied.
    ranks_per_node : int
        Ranks 0 to g - 1 are the first node, and so on; g divides the number of ranks.
    operation : {"sum", "prod", "max", "min"}
        How to combine.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    `time` takes one bandwidth for both levels; `hierarchical_all_reduce_time` takes two.
    Ignores what `Simulator` ignores. Source: the rings of
    Patarasuk and Yuan 2009 in three phases.

    Examples
    --------
    >>> two_nodes = HierarchicalAllReduce([[1, 2, 3, 4]] * 4, ranks_per_node=2)
    >>> two_nodes.run()[3].tolist(), two_nodes.total_steps
    ([4, 8, 12, 16], 4)
    """

    def __init__(self, buffers: ArrayLike, *, ranks_per_node: int, operation: Operation = "sum") -> None:
        super().__init__("all_reduce", "hierarchical", buffers, operation=operation, ranks_per_node=ranks_per_node)
