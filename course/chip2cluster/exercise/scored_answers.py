"""What an answer is worth where many are right, some of them better than others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rating:
    """A share of the points between 0 and 1, and why it is no more.

    ``mistake`` is a name for what is wrong, in a few words; empty where nothing is. ``place``
    is where the answer stands on the `Board` of its exercise, if it can stand there.
    """

    share: float
    says: str
    mistake: str = ""
    place: tuple[float, float] | None = None


@dataclass(frozen=True)
class Board:
    """A picture of a class's answers, without names: two axes of numbers above zero, the line at 1 above is the best there is.

    ``across`` and ``up`` name the axes, ``says`` tells how to read it.
    """

    title: str
    across: str
    up: str
    says: str


def rated(rate: Callable[..., Rating], answer: object, given: Mapping) -> Rating:
    """The rating of an answer, its share within 0 and 1."""
    found = rate(answer, **given)
    if not isinstance(found, Rating) or not 0 <= found.share <= 1:
        raise ValueError(f"a rating must be a Rating with a share between 0 and 1, got {found!r}")
    return found
