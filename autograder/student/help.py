"""Hints one at a time, and the explained solution."""

import ast
import inspect
from dataclasses import dataclass
from html import escape

from chip2cluster import journal

from ..exercises import exercise as find
from ..exercises.model import solved_by
from ..verdict import marked

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
        body = "".join(f"<p style='margin:4px 0'>{marked(p)}</p>" for p in self.paragraphs)
        code = _block(self.code) if self.code else ""
        folded = ""
        if self.folded:
            folded = f"<details><summary>{FOLDED}</summary>{_block(self.folded)}</details>"
        return (
            "<div role='note' style='border-left:4px solid #5790fc;padding:8px 14px;margin:4px 0;max-width:54em;"
            f"font-size:14px;line-height:1.5'><strong>{escape(self.title)}</strong>{body}{code}{folded}</div>"
        )


def _block(code):
    return f"<pre style='margin:8px 0 0;padding:8px 12px;overflow-x:auto'><code>{escape(code)}</code></pre>"


def hint(id):
    """Show the next of the three hints of an exercise, with those before it.

    Each call goes one step further; after the third all three stay.
    """
    found = find(id)
    seen = journal.read()["exercises"].get(found.id, {}).get("hints", 0)
    count = min(seen + 1, len(found.hints))
    journal.note_help(found.id, hints=count)
    left = len(found.hints) - count
    if left:
        after = f"{left} more: run hint again."
    else:
        after = "That was the last one." + ("" if found.graded else f' reveal("{id}") shows a solution.')
    hints = [f"{number}. {text}" for number, text in enumerate(found.hints[:count], 1)]
    return Card(f"Hint {count} of {len(found.hints)} · {found.title}", (*hints, after))


def reveal(id):
    """Show a solution, why it is right, and the package's own source of the reference.

    Your progress keeps a note that the solution was shown; nothing else changes.
    Graded work is not revealed.
    """
    found = find(id)
    if found.graded:
        return Card(
            f"Graded · {found.title}",
            (f'There is no solution here, but hint("{id}") helps. If you study alone, solutions/ has them all.',),
        )
    journal.note_help(found.id, revealed=True)
    return solution(found)


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
