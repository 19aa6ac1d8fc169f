"""The simulators by name that need few steps: trees and swaps; `Simulator` takes every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .simulator import Simulator

if TYPE_CHECKING:
    from .._typing import ArrayLike, Operation


class TreeAllReduce(Simulator):
    """All-reduce by a binomial tree: up to rank 0 and down again, the whole vector at each step.

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
    Few steps, but only half of the ranks work at best, and each step moves everything.
    Ignores what `Simulator` ignores. Source: Thakur, Rabenseifner, Gropp 2005.

    Examples
    --------
    >>> tree = TreeAllReduce([[1], [10], [100]])
    >>> tree.run().tolist(), tree.total_steps
    ([[111], [111], [111]], 4)
    """

    def __init__(self, buffers: ArrayLike, *, operation: Operation = "sum") -> None:
        super().__init__("all_reduce", "tree", buffers, operation=operation)


class DoubleBinaryTreeAllReduce(Simulator):
    """All-reduce by two trees for half of the message each: inner node in one is leaf in the other.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied.
    operation : {"sum", "prod", "max", "min"}
        How to combine.
    segments : int
        Slices of each half, which follow one another up and down in a pipeline.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    Ignores what `Simulator` ignores. Source: Sanders, Speck,
    Traeff 2009; the trees are NCCL's.

    Examples
    --------
    >>> trees = DoubleBinaryTreeAllReduce([[1, 2], [10, 20], [100, 200]])
    >>> trees.run()[1].tolist(), trees.total_steps                 # 2 * 2 levels + 7 more slices
    ([111, 222], 11)
    """

    def __init__(self, buffers: ArrayLike, *, operation: Operation = "sum", segments: int = 8) -> None:
        super().__init__("all_reduce", "double_binary_tree", buffers, operation=operation, segments=segments)


class RecursiveDoublingAllReduce(Simulator):
    """All-reduce by swaps: partners at distance 1, 2, 4 ... exchange whole vectors and both add up.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied; the number of ranks is a power of two.
    operation : {"sum", "prod", "max", "min"}
        How to combine.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    Ignores what `Simulator` ignores. Source: Thakur, Rabenseifner, Gropp 2005.

    Examples
    --------
    >>> doubling = RecursiveDoublingAllReduce([[1], [2], [3], [4]])
    >>> doubling.run().tolist(), doubling.total_steps
    ([[10], [10], [10], [10]], 2)
    """

    def __init__(self, buffers: ArrayLike, *, operation: Operation = "sum") -> None:
        super().__init__("all_reduce", "recursive_doubling", buffers, operation=operation)


class HalvingDoublingAllReduce(Simulator):
    """All-reduce with the bytes of a ring in the steps of a tree: halves, quarters ..., and back.

    Parameters
    ----------
    buffers : sequence of arrays, shape (ranks, elements)
        One vector for each rank, copied; the number of ranks is a power of two.
    operation : {"sum", "prod", "max", "min"}
        How to combine.

    Raises
    ------
    ValueError, TypeError
        As `Simulator`.

    Notes
    -----
    Ignores what `Simulator` ignores. Source: Rabenseifner 2004.

    Examples
    --------
    >>> halving = HalvingDoublingAllReduce([[1, 1, 1, 1]] * 4)
    >>> halving.run()[0].tolist(), halving.sent.tolist()           # 2 * 3 / 4 of 32 bytes
    ([4, 4, 4, 4], [48, 48, 48, 48])
    """

    def __init__(self, buffers: ArrayLike, *, operation: Operation = "sum") -> None:
        super().__init__("all_reduce", "halving_doubling", buffers, operation=operation)
