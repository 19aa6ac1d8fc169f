"""Named mistakes by week: how many students met each, in checks of their own and in graded work."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from chip2cluster.exercise.model import Exercise

from .guesses import FEWEST
from .journals import Journal


@dataclass(frozen=True)
class MistakeCount:
    """A named mistake that at least five students met.

    ``week`` is its Monday, of graded work that of the due date, and None where it has none; ``of`` are the students who
    tried the exercise at all. ``graded`` tells submissions from journals.
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
        return self.students / self.of


def monday(day: date) -> date:
    """The first day of a day's week."""
    return day - timedelta(days=day.weekday())


def mistakes_in_journals(journals: Sequence[Journal], known: dict[str, Exercise]) -> list[MistakeCount]:
    """What checks named: each learner counts once for a mistake, in the week they first met it."""
    met = Counter(
        (monday(day), *what) for journal in journals for what, day in journal.mistakes.items() if what[0] in known
    )
    tried = Counter(exercise for journal in journals for exercise in journal.tried)
    return _shown(((*what, count, max(count, tried[what[1]])) for what, count in met.items()), known, graded=False)


def mistakes_in_grading(
    rows: Iterable[tuple[str, str]], tried: Counter[str], week: date | None, known: dict[str, Exercise]
) -> list[MistakeCount]:
    """What grading named in one lab: ``rows`` are exercise and mistake, one a student."""
    met = Counter(rows)
    return _shown(((week, *what, count, tried[what[0]]) for what, count in met.items()), known, graded=True)


def _shown(found: Iterable[tuple], known: dict[str, Exercise], *, graded: bool) -> list[MistakeCount]:
    rows = []
    for week, name, mistake, count, of in found:
        messages = {one.name: one.message for one in known[name].mistakes}
        if count >= FEWEST and mistake in messages:
            rows.append(MistakeCount(week, name, known[name].title, mistake, messages[mistake], count, of, graded))
    return sorted(rows, key=lambda one: (one.week or date.min, -one.students, one.exercise, one.mistake))
