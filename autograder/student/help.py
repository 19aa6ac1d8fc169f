"""Hints one at a time, and the explained solution."""

import ast
import inspect
from dataclasses import dataclass
from html import escape

from chip2cluster import journal
from chip2cluster._package import is_model
from chip2cluster.exercise.model import solved_by

from ..checking.html_cards import card, code_block, format_inline
from ..exercise_headers import topic
from ..exercises import NoLongerAsked
from ..help_policy import allowed, line
from .exercise_lookup import AllSolved, by_turn

FOLDED = "The package's own source"
NO_HINTS = "Your course gives no hints in this lab. The exercises of the chapter have theirs as always, and people can be asked."
COUNTED = (
    "The line stays in your notebook; a course that collects it can count hints, and no points depend on them here."
)


@dataclass(frozen=True)
class Card:
    """A titled note: paragraphs, code, and more code that is folded away."""

    title: str
    paragraphs: tuple[str, ...]
    code: str = ""
    folded: str = ""

    def __repr__(self):
        parts = [self.title, *(f"  {paragraph}" for paragraph in self.paragraphs)]
        if self.code:
            parts += ["", self.code]
        if self.folded:  # a line of Python too, for whoever pastes it along
            parts += ["", f"# {FOLDED}: print(_.folded)"]
        return "\n".join(parts)

    def _repr_html_(self):
        body = f"<strong>{escape(self.title)}</strong>"
        body += "".join(f'<p style="margin:4px 0">{format_inline(paragraph)}</p>' for paragraph in self.paragraphs)
        body += code_block(self.code) if self.code else ""
        if self.folded:
            body += f"<details><summary>{FOLDED}</summary>{code_block(self.folded)}</details>"
        return card("help", body)


def hint(exercise_id=None):
    """Show the next of the three hints of an exercise, with those before it.

    Parameters
    ----------
    exercise_id : str or callable, optional
        Its id, or your function for it. Left out: the exercise checked last, or where that
        one was right the next open one of the page.

    Returns
    -------
    Card
        Each call goes one step further; after the third all three stay. A course may give fewer in graded work,
        or none: the card says so.

    Raises
    ------
    UnknownExercise, TypeError
        Where nobody can tell which exercise is meant; the message says what to write.
    """
    try:
        exercise = by_turn(exercise_id, "hint", solved=False)
    except NoLongerAsked as gone:
        return no_longer_asked(gone.exercise_id)
    except AllSolved as done:
        again = f'To read the hints of the one that you checked last: `hint("{done.exercise_id}")`.'
        return Card("Every exercise of this page is solved", (again,))
    seen = journal.read()["exercises"].get(exercise.id, {}).get("hints", 0)
    most = min(allowed(topic(exercise.id)).hints, len(exercise.hints)) if exercise.graded else len(exercise.hints)
    if not most:
        return Card(f"No hints here · {exercise.title}", (NO_HINTS,))
    count = min(seen + 1, most)
    journal.note_help(exercise.id, hints=count)
    left = most - count
    again = "`hint()`" if exercise_id is None else f'`hint("{exercise.id}")`'
    if left:
        after = f"{left} more: run {again} again."
    else:
        last = "That was the last one." if most == len(exercise.hints) else "Your course gives no more in this lab."
        after = last + ("" if exercise.graded else f' `reveal("{exercise.id}")` shows a solution.')
    hints = [f"{number}. {text}" for number, text in enumerate(exercise.hints[:count], 1)]
    counted = (f"{line(exercise.id, max(seen, count), len(exercise.hints))} {COUNTED}",) if exercise.graded else ()
    return Card(f"Hint {count} of {most} · {exercise.title}", (*hints, after, *counted))


def reveal(exercise_id=None):
    """Show a solution, why it is right, and the package's own source of the reference.

    Parameters
    ----------
    exercise_id : str or callable, optional
        Its id, or your function for it. Left out: the exercise checked last.

    Returns
    -------
    Card
        ``.code`` is the solution, complete: it runs as it stands. ``.folded`` is how the package
        does it, which calls further parts of the package.

    Raises
    ------
    UnknownExercise, TypeError
        Where nobody can tell which exercise is meant; the message says what to write.

    Notes
    -----
    Your progress keeps a note that the solution was shown; nothing else changes.
    Graded work is not revealed.
    """
    try:
        exercise = by_turn(exercise_id, "reveal", solved=True)
    except NoLongerAsked as gone:
        return no_longer_asked(gone.exercise_id)
    if exercise.graded:
        helps = f', but `hint("{exercise.id}")` helps' if allowed(topic(exercise.id)).hints else ""
        return Card(f"Graded · {exercise.title}", (f"Solutions of graded work are not shown{helps}.",))
    journal.note_help(exercise.id, revealed=True)
    return solution(exercise)


def no_longer_asked(exercise_id):
    """What an old page is told about an exercise that was cut."""
    words = "There is nothing to do here, and what your record holds about it is kept."
    return Card(f"{exercise_id} is no longer part of the course", (words,))


def solution(exercise):
    """The solution of an exercise as a card; nobody's record is touched."""
    own = [function for function in solved_by(exercise) if is_model(function.__module__)]
    source = "\n\n".join(_source(function) for function in own)
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
