"""What the judge found wrong with the outcomes of an exercise's cases, before points are counted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from chip2cluster.exercise.answers import Answer, Array, agree, describe_type, numbers
from chip2cluster.exercise.model import Case
from chip2cluster.exercise.verdict_codes import Ruling

from .outcome import Outcome, OutcomeKind
from .unit_errors import Numbers


class CaseResult(NamedTuple):
    """A case with its outcome and the expected answer."""

    case: Case
    outcome: Outcome
    expected: Answer

    def is_right(self, tolerance: float) -> bool:
        """Return whether the outcome agrees with the expected answer."""
        return agree(self.outcome.value, self.expected, tolerance)


@dataclass(frozen=True)
class Finding:
    """Ruling and message of the judge, with the case that shows the failure, before points are counted."""

    ruling: Ruling
    message: str
    failing: CaseResult | None = None
    mistake: str = ""


def type_texts(expected: Answer, got: Answer, hidden: bool) -> tuple[str, str]:
    """Describe the expected and the returned type."""
    if hidden and isinstance(expected, Array) and isinstance(got, Array):
        # A function can choose its shape by the hidden inputs, and the expected shape may reveal their size.
        return "an array of the shape that the task asks for", "one of another shape"
    return describe_type(expected, shape=not hidden), describe_type(got, shape=not hidden)


def outcome_text(outcome: Outcome, hidden: bool) -> str:
    """Return what an outcome without a value says; without the inputs if these are hidden."""
    if outcome.kind is OutcomeKind.UNWRITTEN:
        return "One branch of your function still says NotImplementedError."
    return outcome.brief if hidden and outcome.brief else outcome.text


def flat_numbers(values: Iterable[Any]) -> Numbers:
    """Return the numbers of all values in one list."""
    return [number for value in values for number in numbers(value)]
