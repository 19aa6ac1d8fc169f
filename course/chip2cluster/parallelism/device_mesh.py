"""Products of matrices sharded over one axis of a device mesh: which collective they need."""

from __future__ import annotations

from itertools import product

from .._validate import choice

LETTERS = {"left": ("i", "j", ""), "right": ("j", "k", ""), "result": ("i", "k", "")}


def product_collective(left: str, right: str, result: str) -> str:
    """Name the one collective that a product of sharded matrices needs, and the matrix that it moves.

    The product is ``result[i, k] = sum over j of left[i, j] * right[j, k]``. The devices of one axis of a
    mesh share the work: each does its part of the multiplications, and none is done twice.

    Parameters
    ----------
    left : {"i", "j", ""}
        Index over which the left matrix is sharded, one shard on each device; "" if it is replicated.
    right : {"j", "k", ""}
        Index over which the right matrix is sharded.
    result : {"i", "k", ""}
        Index over which the result must be sharded.

    Returns
    -------
    str
        Name of a collective and a matrix, such as ``"all_gather left"`` or ``"all_reduce result"``, or ``"none"``.

    Raises
    ------
    ValueError
        If the sharding takes more than one collective, or two different
        ones would do: then sizes decide.

    Notes
    -----
    A device may slice a replicated matrix locally. The work is shared over i, j or k. Over j each device has a
    partial sum, and these must be added. Ignores sizes, and products that every device computes in full. Source:
    the definition; Xu et al. 2021 (GSPMD), arXiv:2105.04663.

    Examples
    --------
    The two matrices of a feed-forward block, one after the other:

    >>> product_collective("", "k", "k"), product_collective("j", "j", "")
    ('none', 'all_reduce result')
    """
    given = {"left": left, "right": right, "result": result}
    for name, letter in given.items():
        choice(name, letter, LETTERS[name])
    plans = {tuple(_plan(over, **given)) for over in "ijk"}
    fewest = min(map(len, plans))
    best = sorted(plan for plan in plans if len(plan) == fewest)
    if fewest > 1:
        raise ValueError(f"cuts over {_said(given)} take more than one collective, such as {' and '.join(best[0])}")
    if len(best) > 1:
        raise ValueError(f"for cuts over {_said(given)} sizes decide between {' and '.join(plan[0] for plan in best)}")
    return best[0][0] if best[0] else "none"


def single_collectives() -> dict[tuple[str, str, str], str]:
    """List every sharding of the three matrices for which one collective is enough, with that collective.

    Returns
    -------
    dict
        Mapping of (left, right, result) to the result of `product_collective`.

    Notes
    -----
    Ignores what `product_collective` ignores. Source: see there.

    Examples
    --------
    >>> single_collectives()["j", "k", "k"]
    'all_gather left'
    """
    found = {}
    for left, right, result in product(*LETTERS.values()):
        try:
            found[left, right, result] = product_collective(left, right, result)
        except ValueError:
            continue
    return found


def _plan(over: str, left: str, right: str, result: str) -> list[str]:
    """Return the collectives of a product whose work is shared over one index."""
    plan = []
    for name, letter in (("left", left), ("right", right)):
        needed = over if over in LETTERS[name] else ""
        if letter not in ("", needed):
            plan.append(f"{'all_to_all' if needed else 'all_gather'} {name}")
    if over == "j":
        plan.append(f"{'reduce_scatter' if result else 'all_reduce'} result")
    elif result != over:
        plan.append(f"{'all_to_all' if result else 'all_gather'} result")
    return plan


def _said(given: dict[str, str]) -> str:
    return ", ".join(f"{letter or 'nothing'} ({name})" for name, letter in given.items())
