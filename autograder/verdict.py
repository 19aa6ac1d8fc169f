"""The verdict on one exercise, and how it is shown."""

from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING

from .answers import shown
from .cards import GREEN, GREY, RED, card, facts, marked

if TYPE_CHECKING:
    from .exercises.model import Case


class Ruling(StrEnum):
    """What a verdict says; the words are those that a student reads and a stored result holds."""

    CORRECT = "correct"
    NOT_WRITTEN = "not written yet"
    RAISES = "raises"
    TYPE = "wrong type or shape"
    UNIT = "wrong unit"
    FACTOR = "off by a known factor"
    MISCONCEPTION = "a named misconception"
    EDGES = "wrong at the edges"
    VALUE = "wrong value"
    REFUSED = "refused"


class Refusal(StrEnum):
    """Why an answer is refused; it stands where another verdict has the name of a mistake."""

    PACKAGE = "calls the answer itself"
    IGNORES = "ignores what it is asked"


# An exercise names them as ``v.UNIT``.
CORRECT, NOT_WRITTEN, RAISES, TYPE = Ruling.CORRECT, Ruling.NOT_WRITTEN, Ruling.RAISES, Ruling.TYPE
UNIT, FACTOR, MISCONCEPTION = Ruling.UNIT, Ruling.FACTOR, Ruling.MISCONCEPTION
EDGES, VALUE, REFUSED = Ruling.EDGES, Ruling.VALUE, Ruling.REFUSED
VERDICTS = tuple(Ruling)
LONG = 8  # lines of an input that would push the answer off the screen
KNOWN = "known slips"  # how a misconception is headed that no single name stands for
STOPPED = "stopped without an answer"  # how a verdict that is stored as `RAISES` is headed


@dataclass(frozen=True)
class Verdict:
    """What a check found: a `Ruling`, a sentence for the student, a score.

    ``mistake`` is the name of a named mistake, else empty. ``case`` and ``got``
    are the failing input and the student's answer to it, with its unit; ``expected``
    is empty where it must stay hidden. Points are shown of ``graded`` work alone.
    ``after`` says what to do next. ``place`` is where the answer stands on the board of its exercise.
    """

    exercise: str
    title: str
    verdict: Ruling
    message: str
    score: float
    max_score: float
    case: "Case | None" = None
    got: str = ""
    expected: str = ""
    mistake: str = ""
    graded: bool = False
    after: str = ""
    place: tuple[float, float] | None = None

    @property
    def heading(self) -> str:
        """The verdict in a few words, or the name of the mistake where it has one."""
        if self.mistake and self.verdict in (MISCONCEPTION, REFUSED):
            return self.mistake
        if self.verdict == MISCONCEPTION:
            return KNOWN
        if self.verdict == RAISES:
            return STOPPED
        return f"{self.verdict}: {self.mistake}" if self.mistake else self.verdict

    @property
    def correct(self) -> bool:
        return self.verdict == CORRECT

    @property
    def worth(self) -> str:
        """The score in words, such as "1.6 of 2 points"."""
        return f"{self.score:g} of {self.max_score:g} {'point' if self.max_score == 1 else 'points'}"

    def lines(self) -> list[tuple[str, str]]:
        """The failing case as (label, text) pairs, the same for every way of showing it; what takes a screen comes last."""
        inputs = [(f"for {name}", shown(value)) for name, value in self.case.inputs.items()] if self.case else []
        rows = [row for row in inputs if row[1].count("\n") < LONG]
        if self.got:
            rows.append(("you returned", self.got))
        if self.expected:
            rows.append(("expected", self.expected))
        return rows + [row for row in inputs if row not in rows]

    def __repr__(self) -> str:
        mark = "✓" if self.correct else "○" if self.verdict == NOT_WRITTEN else "✗"
        worth = f" ({self.worth})" if self.graded else ""
        text = f"{mark} {self.title}: {self.heading}{worth}\n  {self.message}"
        text += "".join(f"\n  {label}: {value}" for label, value in self.lines())
        return f"{text}\n  {self.after}" if self.after else text

    def _repr_html_(self) -> str:
        mark, colour = ("✓", GREEN) if self.correct else ("○", GREY) if self.verdict == NOT_WRITTEN else ("✗", RED)
        worth = f" · {self.worth}" if self.graded else ""
        body = (
            f'<div><strong><span aria-hidden="true" style="color:{colour}">{mark}</span> '
            f"{escape(self.heading)}</strong> · {escape(self.title)}{worth}</div>"
            f"<div>{marked(self.message)}</div>{facts(self.lines())}"
        )
        if self.after:
            body += f'<div style="margin-top:6px">{marked(self.after)}</div>'
        return card("verdict", body, colour, role="status")
