"""Transcription slips in a table of exam answers: rows of two papers exchanged, or columns moved by one.

Numbers differ from paper to paper, so answers that fit another paper, or another task of the same paper, are not chance.
A student who copied from a neighbour looks the same; the marks stay by the student's own paper, and a person decides.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..grading.sanitize.terminal_text import printable
from .exam import Exam

ENOUGH = 2  # answers that fit elsewhere; one can be chance
MOST_BY_CHANCE = 0.05  # expected number of papers that fit by chance
_UNIQUE = 0.25  # papers that an answer fits by chance if it fits only one
Fits = Callable[[str, int, str], bool]


def find_slips(exam: Exam, answers: Mapping[str, Sequence[str]], fits: Fits) -> Iterator[str]:
    """Yield a sentence for each student whose answers fit another paper, or other tasks, better than their own.

    Parameters
    ----------
    exam : Exam
    answers : mapping of str to sequence of str
        Typed answers by student.
    fits : callable
        Takes the name of a paper, the place of a task and a typed answer; returns whether the answer is right there.
    """
    for who, typed in answers.items():
        wrong = [place for place, text in enumerate(typed) if text and not fits(who, place, text)]
        right = sum(map(bool, typed)) - len(wrong)
        if len(wrong) < max(ENOUGH, right + 1):
            continue
        owner, count = _other_paper(exam, who, typed, wrong, fits)
        moved = {at: to for at in wrong for to in range(len(typed)) if to != at and fits(who, to, typed[at])}
        if count > right:
            yield (
                f"{printable(who)}: {count} answers that are wrong on this paper are right on the paper of {printable(owner)}, and "
                f"{right} are right on their own: were two papers or two rows exchanged?"
            )
        elif len(moved) >= max(ENOUGH, right + 1):
            pairs = ", ".join(f"{at + 1} is right for {to + 1}" for at, to in [*moved.items()][:4])
            yield f"{printable(who)}: answers are right for other tasks ({pairs}): were columns exchanged?"


def _other_paper(exam: Exam, who: str, typed: Sequence[str], wrong: Sequence[int], fits: Fits) -> tuple[str, int]:
    """Return the paper that most of a student's wrong answers fit, and their number; ("", 0) if that may be chance."""
    others = [other for other in exam.papers if other != who]
    papers = {at: {other for other in others if fits(other, at, typed[at])} for at in wrong}
    owner = max(others, key=lambda other: sum(other in fitting for fitting in papers.values()), default="")
    counts = [len(fitting) for fitting in papers.values() if owner in fitting]
    if len(counts) < ENOUGH:
        return "", 0
    by_chance = len(exam.papers) * math.prod(max(count - 1, _UNIQUE) / len(exam.papers) for count in counts)
    return (owner, len(counts)) if by_chance < MOST_BY_CHANCE else ("", 0)
