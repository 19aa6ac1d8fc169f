"""Whether some drawn cases treat every named mistake as they must, so that no draw is kinder than another."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from .answers import Answer, agree, plain

if TYPE_CHECKING:
    from .model import Case, Exercise


def unfair(exercise: "Exercise", cases: Sequence["Case"]) -> str:
    """Say which named mistake earns more or less than its share, or passes for another one; empty where none does.

    A mistake is compared on no more cases than it takes: most are wrong on the first, and
    unlike each other there.

    Parameters
    ----------
    exercise : Exercise
        With a student's constants put in.
    cases : list of Case
    """
    mistakes, heart = exercise.mistakes, exercise.groups[0].name
    groups = [case.group for case in cases]

    @cache
    def expected(place: int) -> Answer:
        return plain(exercise.expected(cases[place]))

    @cache
    def answer(which: int, place: int) -> Answer:
        return exercise.mistaken(mistakes[which], cases[place])

    for which, mistake in enumerate(mistakes):
        missed: list[str] = []
        for place, group in enumerate(groups):
            if group not in missed and not agree(answer(which, place), expected(place), exercise.tolerance):
                missed.append(group)
                if group == heart:
                    break
        earned = 0.0 if heart in missed else sum(group.share for group in exercise.groups if group.name not in missed)
        if abs(earned - mistake.share) > 1e-9:
            return (
                f"the mistake {mistake.name!r} earns {earned:g} of the points, not {mistake.share:g}: "
                "write that as its `share`, or draw cases that always tell it"
            )
        # The cases by which the judge names it.
        names = {heart} if heart in missed else {*groups} - {*missed[1:]}
        telling = [place for place, group in enumerate(groups) if group in names]
        for other, earlier in enumerate(mistakes[:which]):
            if earlier.name != mistake.coincides and all(
                agree(answer(which, place), answer(other, place), exercise.tolerance) for place in telling
            ):
                return (
                    f"the mistake {mistake.name!r} passes for {earlier.name!r}: "
                    "draw cases that always tell them apart, or say that it `coincides`"
                )
    return ""
