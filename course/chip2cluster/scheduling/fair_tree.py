"""Slurm's Fair Tree: users in the order in which the tree of accounts is served best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from math import inf

from .._validate import one_positive

NEVER_USED = Fraction(10**400)  # stands for infinity: no share over a usage is as large


@dataclass(frozen=True)
class Share:
    """A node of the tree of accounts: an account with ``children``, or a user with ``usage``.

    Parameters
    ----------
    name : str
        Each user's must be another.
    shares : float
        Of what its parent has, relative to its siblings.
    usage : float
        CPU-seconds, or what the site bills, decayed; of an account it is the sum of its users'.
    children : sequence of Share
        None for a user. An account without children may stand, and is nobody.

    Raises
    ------
    ValueError
        An account has usage of its own.

    Notes
    -----
    Source: Slurm's *Fair Tree fairshare algorithm*.
    """

    name: str
    shares: float = 1.0
    usage: float = 0.0
    children: Sequence[Share] | None = field(default=None)

    def __post_init__(self) -> None:
        one_positive(f"shares of {self.name}", self.shares, allow_zero=True)
        one_positive(f"usage of {self.name}", self.usage, allow_zero=True)
        if self.children is None:
            return
        object.__setattr__(self, "children", tuple(self.children))
        if not all(isinstance(child, Share) for child in self.children):
            raise TypeError(f"children of {self.name} must be scheduling.Share objects, got {self.children!r}")
        if self.usage:
            raise ValueError(f"usage of the account {self.name} is that of its users; got {self.usage!r}")

    @property
    def total(self) -> Fraction:
        """Usage of a user, or of all users below an account."""
        return Fraction(self.usage) if self.children is None else sum((one.total for one in self.children), Fraction(0))


@dataclass(frozen=True)
class Ranked:
    """What `fair_tree` says of a user or account.

    ``level_fairshare`` is its part of the shares over its part of the usage among its
    siblings (infinite where it used nothing, 0 where it has no shares), ``factor`` the user's
    place from the last over the number of users; None for an account.
    """

    name: str
    level_fairshare: float
    factor: float | None


def fair_tree(tree: Share) -> dict[str, float]:
    """The fairshare factor of each user, as Slurm computes it since 19.05.

    Among siblings the one is first whose part of the usage is smallest beside its part of the
    shares. The tree is gone through depth first, the best first; the first user of N has the
    factor 1, the next (N - 1)/N, and so on.

    Parameters
    ----------
    tree : Share
        The root account.

    Returns
    -------
    dict of str to float
        The best first. Users that nothing tells apart have one factor, and the children of
        accounts that are equal are ranked as one group.

    Raises
    ------
    ValueError
        Two users have the same name, or the root has no user.

    Notes
    -----
    Exact: fractions are compared, so what is equal is equal. An unlucky account keeps all of
    its users behind all those of a lucky one, however little they used. Ignores
    ``Fairshare=parent``. Source: as `Share`, and ``fair_tree.c`` (ties); held against
    ``sshare`` of Slurm 22.05.8.

    Examples
    --------
    Alice used what the account ml has used, so Bob is ahead of her; Carol's account is ahead of theirs:

    >>> ml = Share("ml", 60, children=[Share("alice", 1, usage=4303), Share("bob", 1)])
    >>> vision = Share("vision", 40, children=[Share("carol", 1, usage=100)])
    >>> fair_tree(Share("root", children=[ml, vision]))
    {'carol': 1.0, 'bob': 0.6666666666666666, 'alice': 0.3333333333333333}
    """
    return {one.name: one.factor for one in fair_tree_table(tree) if one.factor is not None}


def fair_tree_table(tree: Share) -> list[Ranked]:
    """`fair_tree` with the accounts and every level fairshare, in the order of the walk.

    Parameters
    ----------
    tree : Share

    Returns
    -------
    list of Ranked

    Notes
    -----
    Ignores and cites the same as `fair_tree`.

    Examples
    --------
    >>> for one in fair_tree_table(Share("root", children=[Share("ann", 3, 50), Share("ben", 1, 50)])):
    ...     print(one.name, one.level_fairshare, one.factor)
    ann 1.5 1.0
    ben 0.5 0.5
    """
    if not isinstance(tree, Share) or tree.children is None:
        raise TypeError(f"tree must be a scheduling.Share with children, got {tree!r}")
    users = _users(tree)
    if not users:
        raise ValueError("tree must have at least one user")
    if twice := sorted({name for name in users if users.count(name) > 1}):
        raise ValueError(f"users must have different names, got {', '.join(twice)} more than once")
    walk = _Walk(len(users))
    walk.level(_levels(tree))
    return walk.ranked


def _users(share: Share) -> list[str]:
    return [share.name] if share.children is None else [name for child in share.children for name in _users(child)]


def _levels(account: Share) -> list[tuple[float, Fraction, Share]]:
    """Level fairshare of each child of an account, rounded and exact: sorting looks at the second only in ties."""
    children = account.children or ()
    used = [one.total for one in children]
    shares, usage = sum(Fraction(one.shares) for one in children), sum(used, Fraction(0))
    levels = []
    for one, mine in zip(children, used, strict=True):
        if not one.shares:
            level = Fraction(0)
        elif not mine:
            level = NEVER_USED
        else:
            level = Fraction(one.shares) * usage / (shares * mine)
        levels.append((inf if level == NEVER_USED else float(level), level, one))
    return levels


class _Walk:
    """Goes through the tree; a user takes the next place unless it is tied with the one before."""

    def __init__(self, users: int) -> None:
        self.users = self.place = self.rank = users
        self.ranked: list[Ranked] = []

    def level(self, siblings: list[tuple[float, Fraction, Share]], first_is_tied: bool = False) -> None:
        """Rank siblings, the best first; of equals users come before accounts, and accounts are merged."""
        before: Fraction | None = None
        ordered = sorted(siblings, key=lambda one: (-one[0], -one[1], one[2].children is not None))
        groups = groupby(ordered, key=lambda one: (one[0], one[1], one[2].children is not None))
        for (shown, level, is_account), group in groups:
            tied = first_is_tied or level == before
            first_is_tied, before = False, level
            if is_account:
                merged = []
                for _, _, account in group:
                    self.ranked.append(Ranked(account.name, shown, None))
                    merged += _levels(account)
                self.level(merged, tied)
                continue
            for _, _, user in group:
                if not tied:
                    self.rank = self.place
                self.ranked.append(Ranked(user.name, shown, self.rank / self.users))
                self.place -= 1
                tied = True
