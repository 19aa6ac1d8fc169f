"""Verdict on one exercise, as text and as HTML."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from chip2cluster.exercise.answers import format_value
from chip2cluster.exercise.model import Case
from chip2cluster.exercise.verdict_codes import (
    CORRECT,
    EDGES,
    FACTOR,
    MISCONCEPTION,
    NOT_WRITTEN,
    RAISES,
    REFUSED,
    TYPE,
    UNIT,
    VALUE,
    Refusal,
    Ruling,
)

from .html_cards import GREEN, GREY, RED, card, fact_table, format_inline

# Labs of an instructor's own name the codes as ``v.UNIT`` of this module.
__all__ = [
    "CORRECT",
    "EDGES",
    "FACTOR",
    "MISCONCEPTION",
    "NOT_WRITTEN",
    "RAISES",
    "REFUSED",
    "TYPE",
    "UNIT",
    "VALUE",
    "Refusal",
    "Ruling",
    "Verdict",
]
LONG = 8  # lines of an input that would push the answer off the screen
KNOWN = "known mistakes"  # heading of a misconception that has no single name
STOPPED = "stopped without an answer"  # heading of a verdict that is stored as `RAISES`


@dataclass(frozen=True)
class Verdict:
    """Verdict on one exercise: a `Ruling`, a sentence for the student, a score.

    Attributes
    ----------
    exercise, title : str
        Id and title of the exercise.
    verdict : Ruling
    message : str
        Sentence for the student.
    score, max_score : float
        Points earned, and points of the exercise.
    case : Case or None
        Failing case.
    got, expected : str
        The student's answer to that case and the right one, with units; empty if they must stay hidden.
    mistake : str
        Name of the named mistake, else empty.
    graded : bool
        Whether the work is graded; otherwise points are not shown.
    after : str
        Sentence about what to do next.
    place : tuple of float or None
        Position of the answer on the exercise's board.
    digest : Mapping or None
        Short form of inputs that are too long to read.
    fault : bool
        Whether the grader itself failed, so that this is not a judgment of the answer.
    """

    exercise: str
    title: str
    verdict: Ruling
    message: str
    score: float
    max_score: float
    case: Case | None = None
    got: str = ""
    expected: str = ""
    mistake: str = ""
    graded: bool = False
    after: str = ""
    place: tuple[float, float] | None = None
    digest: Mapping | None = None
    fault: bool = False

    @property
    def heading(self) -> str:
        """Name of the mistake if there is one, else the ruling."""
        if self.mistake and self.verdict in (MISCONCEPTION, REFUSED):
            return self.mistake
        if self.verdict == MISCONCEPTION:
            return KNOWN
        if self.verdict == RAISES:
            return STOPPED
        return f"{self.verdict}: {self.mistake}" if self.mistake else self.verdict

    @property
    def correct(self) -> bool:
        """Whether the answer is correct."""
        return self.verdict == CORRECT

    @property
    def worth(self) -> str:
        """Score in words, such as "1.6 of 2 points"."""
        return f"{self.score:g} of {self.max_score:g} {'point' if self.max_score == 1 else 'points'}"

    def lines(self) -> list[tuple[str, str]]:
        """Return the failing case as (label, text) pairs for text and HTML; long inputs come last."""
        given = {**self.case.inputs, **(self.digest or {})} if self.case else {}
        inputs = [(f"for {name}", format_value(value)) for name, value in given.items()]
        rows = [row for row in inputs if row[1].count("\n") < LONG]
        if self.got:
            rows.append(("you returned", self.got))
        if self.expected:
            rows.append(("expected", self.expected))
        return rows + [row for row in inputs if row not in rows]

    def __repr__(self) -> str:
        """Return the verdict as text."""
        mark = "✓" if self.correct else "○" if self.verdict == NOT_WRITTEN else "✗"
        worth = f" ({self.worth})" if self.graded else ""
        text = f"{mark} {self.title}: {self.heading}{worth}\n  {self.message}"
        text += "".join(f"\n  {label}: {value}" for label, value in self.lines())
        return f"{text}\n  {self.after}" if self.after else text

    def _repr_html_(self) -> str:
        mark, color = ("✓", GREEN) if self.correct else ("○", GREY) if self.verdict == NOT_WRITTEN else ("✗", RED)
        worth = f" · {self.worth}" if self.graded else ""
        body = (
            f'<div><strong><span aria-hidden="true" style="color:{color}">{mark}</span> '
            f"{escape(self.heading)}</strong> · {escape(self.title)}{worth}</div>"
            f"<div>{format_inline(self.message)}</div>{fact_table(self.lines())}"
        )
        if self.after:
            body += f'<div style="margin-top:6px">{format_inline(self.after)}</div>'
        return card("verdict", body, color, role="status")
