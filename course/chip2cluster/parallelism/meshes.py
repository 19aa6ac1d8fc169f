"""Matrices cut over one axis of a mesh of devices: which collective their product needs."""

from __future__ import annotations

from itertools import product

from .._validate import choice

LETTERS = {"left": ("i", "j", ""), "right": ("j", "k", ""), "result": ("i", "k", "")}


def product_collective(left: str, right: str, result: str) -> str:
    """Name the one collective that a product of cut matrices needs, and the matrix that it moves.

    The product is ``result[i, k] = sum over j of left[i, j] * right[j, k]``. The devices of one axis of a
    mesh share the work: each does its part of the multiplications, and no one is done twice.

    Parameters
    ----------
    left : {"i", "j", ""}
        The index over which the left matrix is cut, one part on each device; "" where each has all of it.
    right : {"j", "k", ""}
        The same of the right matrix.
    result : {"i", "k", ""}
        How the result must lie.

    Returns
    -------
    str
        ``"none"``, or a collective and a matrix: ``"all_gather left"``, ``"all_reduce result"``, …

    Raises
    ------
    ValueError
        For other letters, for cuts that take more than one collective, and for those where two
        different ones would do: then sizes decide.

    Notes
    -----
    What a device has whole it may cut for itself. The work is shared over i, j or k. Over j each has a
    sum of its own, and these must be added. Ignores sizes, and products that every device does in full. Source:
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
    """Every way to cut the three matrices for which one collective is enough, and which it is.

    Returns
    -------
    dict
        From (left, right, result) to what `product_collective` returns.

    Notes
    -----
    Ignores the same. Source: as there.

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
    """The collectives of a product whose work is shared over one index."""
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
