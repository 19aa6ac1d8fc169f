"""Hints one at a time, and the explained solution."""

import ast
import inspect
from dataclasses import dataclass
from html import escape

from chip2cluster import journal

from ..cards import block, card, marked
from ..exercises import exercise as find
from ..exercises.model import solved_by

FOLDED = "The package's own source"


@dataclass(frozen=True)
class Card:
    """A titled note: paragraphs, code, and more code that is folded away."""

    title: str
    paragraphs: tuple[str, ...]
    code: str = ""
    folded: str = ""

    def __repr__(self):
        parts = [self.title, *(f"  {p}" for p in self.paragraphs), self.code, self.folded]
        return "\n".join(part for part in parts if part)

    def _repr_html_(self):
        body = f"<strong>{escape(self.title)}</strong>"
        body += "".join(f'<p style="margin:4px 0">{marked(paragraph)}</p>' for paragraph in self.paragraphs)
        body += block(self.code) if self.code else ""
        if self.folded:
            body += f"<details><summary>{FOLDED}</summary>{block(self.folded)}</details>"
        return card("help", body)


def hint(exercise_id):
    """Show the next of the three hints of an exercise, with those before it.

    Each call goes one step further; after the third all three stay.
    """
    exercise = find(exercise_id)
    seen = journal.read()["exercises"].get(exercise.id, {}).get("hints", 0)
    count = min(seen + 1, len(exercise.hints))
    journal.note_help(exercise.id, hints=count)
    left = len(exercise.hints) - count
    if left:
        after = f"{left} more: run hint again."
    else:
        after = "That was the last one." + ("" if exercise.graded else f' reveal("{exercise_id}") shows a solution.')
    hints = [f"{number}. {text}" for number, text in enumerate(exercise.hints[:count], 1)]
    return Card(f"Hint {count} of {len(exercise.hints)} · {exercise.title}", (*hints, after))


def reveal(exercise_id):
    """Show a solution, why it is right, and the package's own source of the reference.

    Your progress keeps a note that the solution was shown; nothing else changes.
    Graded work is not revealed.
    """
    exercise = find(exercise_id)
    if exercise.graded:
        return Card(
            f"Graded · {exercise.title}",
            (
                f'There is no solution here, but hint("{exercise_id}") helps. If you study alone, solutions/ has them all.',
            ),
        )
    journal.note_help(exercise.id, revealed=True)
    return solution(exercise)


def solution(exercise):
    """The solution of an exercise as a card; nobody's record is touched."""
    source = "\n\n".join(_source(function) for function in solved_by(exercise))
    return Card(f"Solution · {exercise.title}", (exercise.explanation,), exercise.solution.strip(), source)


def _source(function):
    """The source of a function with the first line of its docstring alone: help() shows all of it."""
    lines = inspect.getsource(function).rstrip().splitlines()
    (definition,) = ast.parse("\n".join(lines)).body
    words, first = ast.get_docstring(definition), definition.body[0]
    if not words:
        return "\n".join(lines)
    summary = f'{" " * first.col_offset}"""{words.splitlines()[0]}"""'
    return "\n".join([*lines[: first.lineno - 1], summary, *lines[first.end_lineno :]])
