"""The three answers of an exercise *What is wrong with this answer?*, as text and as HTML."""

from dataclasses import dataclass
from html import escape

from chip2cluster.exercise.critique import LETTERS, Critique

from ..checking.html_cards import card, code_block, format_inline

ASK = "Return three numbers, for A, B and C in this order: 0 for the right answer, and for each other one the number of what is wrong with it."


@dataclass(frozen=True)
class CritiqueView:
    """Card with a task, three answers to it and the statements to choose from.

    Attributes
    ----------
    exercise_id : str
    critique : Critique
    """

    exercise_id: str
    critique: Critique

    def __repr__(self) -> str:
        """Return the card as text."""
        parts = [self.critique.task]
        for letter, answer in zip(LETTERS, self.critique.answers, strict=True):
            lines = "\n".join(f"    {line}" for line in answer.lines.splitlines())
            parts.append(f"{letter}: {answer.result}\n{lines}")
        parts.append("\n".join(f"{number}. {text}" for number, text in enumerate(self.critique.statements, 1)))
        return "\n\n".join([*parts, ASK])

    def _repr_html_(self) -> str:
        body = f"<p>{escape(self.critique.task)}</p>"
        for letter, answer in zip(LETTERS, self.critique.answers, strict=True):
            body += f'<p style="margin:12px 0 0"><strong>{letter}</strong>: {escape(answer.result)}</p>{code_block(answer.lines)}'
        listed = "".join(f"<li>{format_inline(text)}</li>" for text in self.critique.statements)
        body += f'<p style="margin:12px 0 0">What can be wrong:</p><ol>{listed}</ol><p>{escape(ASK)}</p>'
        return f'<div data-critique="{escape(self.exercise_id)}">{card("critique", body)}</div>'
