"""Parts of an exercise: cases, groups of cases, named mistakes and other wrong solutions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


class Unfair(ValueError):
    """An exercise for which a named mistake earns different points on different draws, so it cannot be graded."""


@dataclass(frozen=True)
class Case:
    """One call of the student's function.

    Attributes
    ----------
    inputs : Mapping
        Named arguments, in order.
    group : str
        Name of the group that the case belongs to.
    seed : int
        Seed for the scoring of a scored answer; the function never receives it.
    """

    inputs: Mapping
    group: str
    seed: int = 0


@dataclass(frozen=True)
class Group:
    """Cases that pass or fail together.

    Attributes
    ----------
    name : str
    share : float
        Share of the points.
    draw : callable
        Takes a ``numpy.random.Generator`` and returns a list of argument dicts.
    verdict : str
        Verdict if this group is the first one to fail. For ordinary cases that are not edges it is "wrong value": a
        named mistake, an exception or a wrong type then gets its own verdict.
    advice : str
        Sentence for the student if this group fails.
    """

    name: str
    share: float
    draw: Callable
    verdict: str = "wrong at the edges"
    advice: str = ""


@dataclass(frozen=True)
class Mistake:
    """Wrong answer with a name.

    Attributes
    ----------
    name, message : str
        Name of the mistake, and the sentence for the student.
    wrong : callable
        Computes the wrong answer from the inputs.
    verdict : str
    share : float
        Share of the points that the mistake earns, on every draw of the inputs.
    coincides : str
        Name of another mistake of the exercise that gives the same answers for some draws of the inputs, so that the
        two cannot be distinguished there.
    """

    name: str
    wrong: Callable
    message: str
    verdict: str = "a named misconception"
    share: float = 0.0
    coincides: str = ""


@dataclass(frozen=True)
class Together:
    """Two named mistakes whose effects neither multiply nor add, so that the exercise says what both give.

    Attributes
    ----------
    first, second : str
        Names of the two mistakes.
    wrong : callable
        Computes the answer with both from the inputs.
    """

    first: str
    second: str
    wrong: Callable


@dataclass(frozen=True)
class Mutant:
    """Wrong solution that is not a named mistake, with the verdict, message and share of points that it must get."""

    source: str
    verdict: str
    says: str
    share: float = 0.0
