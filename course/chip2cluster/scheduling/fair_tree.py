"""Slurm's Fair Tree algorithm: fair-share factors of users in a tree of accounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from math import inf

from .._validate import one_positive

NEVER_USED = Fraction(10**400)  # stands for infinity, above any share over usage


@dataclass(frozen=True)
class Share:
    """Node of the fair-share tree: an account with ``children``, or a user with ``usage``.

    Parameters
    ----------
    name : str
        Name; unique for each user.
    shares : float
        Shares relative to the siblings.
    usage : float
        Decayed usage, CPU-seconds or billing units; that of an account is the sum over its users.
    children : sequence of Share
        Children of an account; None for a user. An account without children is allowed.

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
        """Check and normalize the fields."""
        one_positive(f"shares of {self.name}", self.shares, allow_zero=True)
        one_positive(f"usage of {self.name}", self.usage, allow_zero=True)
        if self.children is None:
            return
        object.__setattr__(self, "children", tuple(self.children))
        if not all(isinstance(child, Share) for child in self.children):
            raise TypeError(f"children of {self.name} must be scheduling.Share objects, got {self.children!r}")
        if self.usage:
            raise ValueError(f"usage of the account {self.name} must be left to its users, got {self.usage!r}")

    @property
    def total(self) -> Fraction:
        """Usage of a user, or of all users below an account."""
        return Fraction(self.usage) if self.children is None else sum((one.total for one in self.children), Fraction(0))


@dataclass(frozen=True)
class FairTreeEntry:
    """Fair-share result of a user or account.

    Attributes
    ----------
    name : str
        User or account.
    level_fairshare : float
        Fraction of the shares over fraction of the usage among the siblings; infinite without usage, 0 without shares.
    factor : float or None
        Rank from the last over the number of users; None for an account.
    """

    name: str
    level_fairshare: float
    factor: float | None


def fair_tree(tree: Share) -> dict[str, float]:
    """Compute the fair-share factor of each user with Fair Tree, Slurm's algorithm since 19.05.

    Siblings are ordered by level fair share: fraction of the shares over fraction of the usage. The tree is traversed
    depth first, the highest first; the first of N users has the factor 1, the next (N - 1)/N, and so on.

    Parameters
    ----------
    tree : Share
        Root account.

    Returns
    -------
    dict of str to float
        Factors by user, the highest first. Tied users have the same factor, and the children of
        tied accounts are ranked as one group.

    Raises
    ------
    ValueError
        Two users have the same name, or the root has no user.

    Notes
    -----
    Exact: fractions are compared, so ties are detected. All users of an account with a lower level fair share
    rank behind all users of one with a higher, however little they used. Ignores
    ``Fairshare=parent``. Source: same as `Share`, and ``fair_tree.c`` (ties); verified against
    ``sshare`` of Slurm 22.05.8.

    Examples
    --------
    Alice has all the usage of the account ml, so Bob ranks before her; Carol's account ranks before theirs:

    >>> ml = Share("ml", 60, children=[Share("alice", 1, usage=4303), Share("bob", 1)])
    >>> vision = Share("vision", 40, children=[Share("carol", 1, usage=100)])
    >>> fair_tree(Share("root", children=[ml, vision]))
    {'carol': 1.0, 'bob': 0.6666666666666666, 'alice': 0.3333333333333333}
    """
    return {one.name: one.factor for one in fair_tree_table(tree) if one.factor is not None}


def fair_tree_table(tree: Share) -> list[FairTreeEntry]:
    """Compute `fair_tree` with accounts and level fair shares, in order of traversal.

    Parameters
    ----------
    tree : Share
        Root account.

    Returns
    -------
    list of FairTreeEntry
        Users and accounts.

    Notes
    -----
    Same limits and sources as `fair_tree`.

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
    """Return the level fair share of each child, rounded and exact; sorting uses the exact one only for ties."""
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
    """Traversal of the tree; a user gets the next rank unless it is tied with the previous one."""

    def __init__(self, users: int) -> None:
        self.users = self.place = self.rank = users
        self.ranked: list[FairTreeEntry] = []

    def level(self, siblings: list[tuple[float, Fraction, Share]], first_is_tied: bool = False) -> None:
        """Rank siblings; of tied ones, users come before accounts, and accounts are merged."""
        before: Fraction | None = None
        ordered = sorted(siblings, key=lambda one: (-one[0], -one[1], one[2].children is not None))
        groups = groupby(ordered, key=lambda one: (one[0], one[1], one[2].children is not None))
        for (shown, level, is_account), group in groups:
            tied = first_is_tied or level == before
            first_is_tied, before = False, level
            if is_account:
                merged = []
                for _, _, account in group:
                    self.ranked.append(FairTreeEntry(account.name, shown, None))
                    merged += _levels(account)
                self.level(merged, tied)
                continue
            for _, _, user in group:
                if not tied:
                    self.rank = self.place
                self.ranked.append(FairTreeEntry(user.name, shown, self.rank / self.users))
                self.place -= 1
                tied = True
