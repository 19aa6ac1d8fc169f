"""Who sends how much to whom: the traffic patterns of training and of simulations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from .._validate import choice
from .network import count, sizes

if TYPE_CHECKING:
    from .._typing import NDArray

Pattern: TypeAlias = Literal["stencil", "ring_all_reduce", "all_to_all", "permutation", "opposite", "tornado"]
PATTERNS: tuple[Pattern, ...] = ("stencil", "ring_all_reduce", "all_to_all", "permutation", "opposite", "tornado")


def demand(pattern: Pattern, terminals: int, *, dims: Sequence[int] | None = None, seed: int = 0) -> NDArray:
    """What each terminal sends to each other one, as a share of its buffer.

    Parameters
    ----------
    pattern : str
        ``"stencil"``: an equal part to each neighbour of a grid whose lines close, as a
        simulation exchanges its halos. ``"ring_all_reduce"``: 2 (p - 1)/p to the next
        terminal. ``"all_to_all"``: 1/p to everybody, itself included. ``"permutation"``:
        all to one partner, drawn at random. ``"opposite"``: all to the terminal half of
        the way on. ``"tornado"``: all to the one just short of half of the way round
        each line of the grid.
    terminals : int
        Terminals p, numbered as `Topology.terminal_nodes` lists them.
    dims : sequence of int, optional
        The grid of stencil and tornado, the last dimension counting fastest; one line of
        all terminals if left out.
    seed : int
        Of the random partners.

    Returns
    -------
    array, shape (terminals, terminals)
        Row i is what terminal i sends; 0 on the diagonal, but for its own part of an
        all-to-all.

    Raises
    ------
    ValueError, TypeError
        For an unknown pattern, counts that are not whole, and dims that do not hold
        exactly the terminals.

    Notes
    -----
    Who waits for whom is left out: all sends start together. Source: W. Dally and
    B. Towles, *Principles and practices of interconnection networks*, 2004, table 3.1.

    Examples
    --------
    >>> demand("ring_all_reduce", 4)[0].tolist()
    [0.0, 1.5, 0.0, 0.0]
    >>> demand("tornado", 8)[0].tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """
    choice("pattern", pattern, PATTERNS)
    n = count("terminals", terminals)
    grid = (n,) if dims is None else sizes("dims", dims)
    if prod(grid) != n:
        raise ValueError(f"dims must hold {n} terminals, got {grid}, which hold {prod(grid)}")
    seed = count("seed", seed, minimum=0)
    result = np.zeros((n, n))
    here = np.arange(n)
    if pattern == "all_to_all":
        return np.full((n, n), 1 / n)
    if pattern == "ring_all_reduce":
        result[here, (here + 1) % n] = 2 * (n - 1) / n
    elif pattern == "permutation":
        # One cycle through all: nobody is his own partner.
        order = np.random.default_rng(seed).permutation(n)
        result[order, np.roll(order, 1)] = float(n > 1)
    elif pattern == "opposite":
        result[here, (here + n // 2) % n] = float(n > 1)
    elif pattern == "tornado":
        result[here, _moved(grid, [(k + 1) // 2 - 1 if k > 1 else 0 for k in grid])] = 1.0
        np.fill_diagonal(result, 0.0)
    else:
        lines = [axis for axis, k in enumerate(grid) if k > 1]
        for axis in lines:
            for step in (1, -1):
                result[here, _moved(grid, [step * (axis == other) for other in range(len(grid))])] += 0.5 / len(lines)
    return result


def _moved(grid: tuple[int, ...], steps: Sequence[int]) -> NDArray:
    """The number of the terminal so many steps away along each dimension, round the rim, for each terminal."""
    places = np.indices(grid).reshape(len(grid), -1)
    moved = [(place + step) % k for place, step, k in zip(places, steps, grid, strict=True)]
    return np.ravel_multi_index(moved, grid)
