"""Scores of answers where many are right, some of them better than others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rating:
    """Score of an answer.

    Attributes
    ----------
    share : float
        Share of the points, 0 to 1.
    says : str
        Why the share is not larger.
    mistake : str
        Name of the mistake, in a few words; empty without one.
    place : tuple of float or None
        Position of the answer on the `Board` of its exercise, if it has one there.
    """

    share: float
    says: str
    mistake: str = ""
    place: tuple[float, float] | None = None


@dataclass(frozen=True)
class Board:
    """Picture of a class's answers, without names.

    Attributes
    ----------
    title : str
    across, up : str
        Names of the axes, both of positive numbers; 1 on the vertical axis is the best possible value.
    says : str
        How to read the picture.
    """

    title: str
    across: str
    up: str
    says: str


def rated(rate: Callable[..., Rating], answer: object, given: Mapping) -> Rating:
    """Return the rating of an answer; refuse a share outside 0 to 1."""
    found = rate(answer, **given)
    if not isinstance(found, Rating) or not 0 <= found.share <= 1:
        raise ValueError(f"a rating must be a Rating with a share between 0 and 1, got {found!r}")
    return found
