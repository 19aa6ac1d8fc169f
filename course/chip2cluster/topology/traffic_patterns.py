"""Traffic matrices of the communication patterns of training and of simulations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from .._validate import choice, one_whole
from .network import sizes

if TYPE_CHECKING:
    from .._typing import NDArray

Pattern: TypeAlias = Literal["stencil", "ring_all_reduce", "all_to_all", "permutation", "opposite", "tornado"]
PATTERNS: tuple[Pattern, ...] = ("stencil", "ring_all_reduce", "all_to_all", "permutation", "opposite", "tornado")


def demand(pattern: Pattern, terminals: int, *, dims: Sequence[int] | None = None, seed: int = 0) -> NDArray:
    """Build the traffic matrix of a communication pattern, as fractions of a terminal's send buffer.

    Parameters
    ----------
    pattern : str
        ``"stencil"``: an equal part to each neighbour in a periodic grid, as the halo
        exchange of a simulation. ``"ring_all_reduce"``: 2 (p - 1)/p to the next terminal.
        ``"all_to_all"``: 1/p to every terminal, itself included. ``"permutation"``: all to
        one random partner. ``"opposite"``: all to the terminal with a number p/2 higher.
        ``"tornado"``: all to the terminal just short of half the way around each
        dimension of the grid.
    terminals : int
        Number of terminals p, numbered as in `Topology.terminal_nodes`.
    dims : sequence of int, optional
        Grid of stencil and tornado, the last dimension counting fastest; by default one
        dimension of all terminals.
    seed : int
        Seed of the random partners.

    Returns
    -------
    array, shape (terminals, terminals)
        Matrix whose row i holds the fractions that terminal i sends; 0 on the diagonal,
        except for a terminal's own part of an all-to-all.

    Raises
    ------
    ValueError
        If the product of ``dims`` is not the number of terminals.

    Notes
    -----
    Ignores dependencies: all sends start at the same time. Source: W. Dally and B. Towles,
    *Principles and practices of interconnection networks*, 2004, table 3.1.

    Examples
    --------
    >>> demand("ring_all_reduce", 4)[0].tolist()
    [0.0, 1.5, 0.0, 0.0]
    >>> demand("tornado", 8)[0].tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """
    choice("pattern", pattern, PATTERNS)
    n = one_whole("terminals", terminals)
    grid = (n,) if dims is None else sizes("dims", dims)
    if prod(grid) != n:
        raise ValueError(f"dims must hold {n} terminals, got {grid}, which hold {prod(grid)}")
    seed = one_whole("seed", seed, minimum=0)
    result = np.zeros((n, n))
    terminal = np.arange(n)
    if pattern == "all_to_all":
        return np.full((n, n), 1 / n)
    if pattern == "ring_all_reduce":
        result[terminal, (terminal + 1) % n] = 2 * (n - 1) / n
    elif pattern == "permutation":
        # A single cycle through all terminals, so that no terminal is its own partner.
        order = np.random.default_rng(seed).permutation(n)
        result[order, np.roll(order, 1)] = float(n > 1)
    elif pattern == "opposite":
        result[terminal, (terminal + n // 2) % n] = float(n > 1)
    elif pattern == "tornado":
        result[terminal, _shifted(grid, [(k + 1) // 2 - 1 if k > 1 else 0 for k in grid])] = 1.0
        np.fill_diagonal(result, 0.0)
    else:
        axes = [axis for axis, k in enumerate(grid) if k > 1]
        for axis in axes:
            for step in (1, -1):
                result[terminal, _shifted(grid, [step * (axis == other) for other in range(len(grid))])] += 0.5 / len(
                    axes
                )
    return result


def _shifted(grid: tuple[int, ...], steps: Sequence[int]) -> NDArray:
    """Return, for each terminal, the number of the terminal that is ``steps`` away in a periodic grid."""
    coordinates = np.indices(grid).reshape(len(grid), -1)
    shifted = [(coordinate + step) % k for coordinate, step, k in zip(coordinates, steps, grid, strict=True)]
    return np.ravel_multi_index(shifted, grid)
