"""Draw cases that treat every named mistake as the exercise states, so that no draw is easier than another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Protocol

from .answers import Answer, agree, normalize
from .components import Case, Group, Mistake, Unfair

ATTEMPTS = 100  # draws of cases before an exercise is reported as unfair


class Drawable(Protocol):
    """Members of an exercise that the drawing of cases reads."""

    @property
    def id(self) -> str:
        """Id of the exercise."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """Groups of cases, the main group first."""

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """Named mistakes."""

    @property
    def tolerance(self) -> float:
        """Relative tolerance."""

    @property
    def constants(self) -> Callable | None:
        """Generator of a student's constants, None if they are put in or there are none."""

    @property
    def rate(self) -> Callable | None:
        """Scoring function, None if there is one right answer."""

    @property
    def reference(self) -> Callable:
        """Function that computes the right answer."""


def draw_cases(exercise: Drawable, seed: int) -> list[Case]:
    """Draw the cases of all groups from one seed.

    They are drawn again until every named mistake earns its share of the points and is distinguished from the others.

    Raises
    ------
    Unfair
        If the groups draw no such cases, or a mistake gives no valid answer to one; the message names the mistake.
    """
    from numpy.random import default_rng  # here, because cases that are drawn already need no NumPy

    generator = default_rng(seed)
    problem = ""
    for _ in range(ATTEMPTS):
        cases = [Case(inputs, group.name) for group in exercise.groups for inputs in group.draw(generator)]
        if exercise.rate:
            return [replace(case, seed=int(generator.integers(2**31))) for case in cases]
        # Without a student's constants the reference cannot be called yet.
        problem = "" if exercise.constants else case_problem(exercise, cases)
        if not problem:
            return cases
    raise Unfair(f"{exercise.id}: {problem}")


def mistaken_answer(exercise: Drawable, mistake: Mistake, inputs: Mapping[str, Any]) -> Answer:
    """Return a mistake's normalized answer to the inputs of a case; raise `Unfair` if it gives none."""
    try:
        return normalize(mistake.wrong(**inputs))
    except Exception as problem:
        raise Unfair(f"{exercise.id}: the mistake {mistake.name!r} gives no plain answer: {problem!r}") from problem


def case_problem(exercise: Drawable, cases: Sequence[Case]) -> str:
    """Say which named mistake earns more or less than its share, or looks like another one; empty if none does.

    A mistake is compared on no more cases than necessary: most are wrong on the first one, and differ from each other
    there.

    Parameters
    ----------
    exercise : Exercise
        Exercise with a student's constants put in.
    cases : list of Case
    """
    mistakes, main = exercise.mistakes, exercise.groups[0].name
    groups = [case.group for case in cases]

    @cache
    def expected(index: int) -> Answer:
        return normalize(exercise.reference(**cases[index].inputs))

    @cache
    def answer(which: int, index: int) -> Answer:
        return mistaken_answer(exercise, mistakes[which], cases[index].inputs)

    for which, mistake in enumerate(mistakes):
        missed: list[str] = []
        for index, group in enumerate(groups):
            if group not in missed and not agree(answer(which, index), expected(index), exercise.tolerance):
                missed.append(group)
                if group == main:
                    break
        earned = 0.0 if main in missed else sum(group.share for group in exercise.groups if group.name not in missed)
        if abs(earned - mistake.share) > 1e-9:
            return (
                f"the mistake {mistake.name!r} earns {earned:g} of the points, not {mistake.share:g}: "
                "write that as its `share`, or draw cases that always tell it"
            )
        # The cases by which the judge names it.
        names = {main} if main in missed else {*groups} - {*missed[1:]}
        relevant = [index for index, group in enumerate(groups) if group in names]
        for other, earlier in enumerate(mistakes[:which]):
            if earlier.name != mistake.coincides and all(
                agree(answer(which, index), answer(other, index), exercise.tolerance) for index in relevant
            ):
                return (
                    f"the mistake {mistake.name!r} passes for {earlier.name!r}: "
                    "draw cases that always tell them apart, or say that it `coincides`"
                )
    return ""
