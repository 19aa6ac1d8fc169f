"""Count students by named mistake and week, in checks and in graded work."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from chip2cluster.exercise.model import Exercise

from .guesses import MIN_LEARNERS
from .journals import Journal


@dataclass(frozen=True)
class MistakeCount:
    """Number of students with a named mistake, at least five.

    Attributes
    ----------
    week : date or None
        Monday of the week; of the due date for graded work, None if there is none.
    exercise, title, mistake, message : str
        Exercise id and title, name and message of the mistake.
    students : int
        Number of students with the mistake.
    of : int
        Number of students who tried the exercise.
    graded : bool
        Whether it comes from graded work, not from journals.
    """

    week: date | None
    exercise: str
    title: str
    mistake: str
    message: str
    students: int
    of: int
    graded: bool

    @property
    def share(self) -> float:
        """Share of the students who tried the exercise."""
        return self.students / self.of


def monday(day: date) -> date:
    """Return the first day of a day's week."""
    return day - timedelta(days=day.weekday())


def mistakes_in_journals(journals: Sequence[Journal], known: dict[str, Exercise]) -> list[MistakeCount]:
    """Count mistakes that checks named; a learner counts once for each, in the week of its first occurrence."""
    counts = Counter(
        (monday(day), *what) for journal in journals for what, day in journal.mistakes.items() if what[0] in known
    )
    tried = Counter(exercise for journal in journals for exercise in journal.tried)
    return _with_enough_students(
        ((*what, count, max(count, tried[what[1]])) for what, count in counts.items()), known, graded=False
    )


def mistakes_in_grading(
    rows: Iterable[tuple[str, str]], tried: Counter[str], week: date | None, known: dict[str, Exercise]
) -> list[MistakeCount]:
    """Count mistakes that grading named in one lab; ``rows`` are (exercise, mistake) pairs, one for each student."""
    counts = Counter(rows)
    return _with_enough_students(
        ((week, *what, count, tried[what[0]]) for what, count in counts.items()), known, graded=True
    )


def _with_enough_students(found: Iterable[tuple], known: dict[str, Exercise], *, graded: bool) -> list[MistakeCount]:
    rows = []
    for week, name, mistake, count, of in found:
        messages = known[name].messages
        if count >= MIN_LEARNERS and mistake in messages:
            rows.append(MistakeCount(week, name, known[name].title, mistake, messages[mistake], count, of, graded))
    return sorted(rows, key=lambda one: (one.week or date.min, -one.students, one.exercise, one.mistake))
