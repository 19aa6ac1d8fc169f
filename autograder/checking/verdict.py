"""The verdict on one exercise, and how it is shown."""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from chip2cluster.exercise.answers import shown
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

from .html_cards import GREEN, GREY, RED, card, facts, marked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chip2cluster.exercise.model import Case

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
KNOWN = "known slips"  # how a misconception is headed that no single name stands for
STOPPED = "stopped without an answer"  # how a verdict that is stored as `RAISES` is headed


@dataclass(frozen=True)
class Verdict:
    """What a check found: a `Ruling`, a sentence for the student, a score.

    ``mistake`` is the name of a named mistake, else empty. ``case`` and ``got``
    are the failing input and the student's answer to it, with its unit; ``expected``
    is empty where it must stay hidden. Points are shown of ``graded`` work alone.
    ``digest`` stands in the place of inputs that are too long to read. ``after`` says what to do next.
    ``place`` is where the answer stands on the board of its exercise.
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
    digest: "Mapping | None" = None

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
        given = {**self.case.inputs, **(self.digest or {})} if self.case else {}
        inputs = [(f"for {name}", shown(value)) for name, value in given.items()]
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
