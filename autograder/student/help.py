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
from ..exercises import RemovedExercise
from ..help_policy import hints_line, policy_for
from .exercise_lookup import AllExercisesSolved, find_exercise_or_current
from .given import personal_exercise

FOLDED = "The package's own source"
NO_HINTS = "Your course gives no hints in this lab. The exercises of the chapter have theirs as always, and people can be asked."
COUNTED = (
    "Your course may see how many hints you read, because this line stays in your notebook. Hints cost no points here."
)


@dataclass(frozen=True)
class HelpCard:
    """Card with a title, paragraphs, code, and more code that is folded."""

    title: str
    paragraphs: tuple[str, ...]
    code: str = ""
    folded: str = ""

    def __repr__(self):
        """Return the card as text."""
        parts = [self.title, *(f"  {paragraph}" for paragraph in self.paragraphs)]
        if self.code:
            parts += ["", self.code]
        if self.folded:  # a comment, because the text may be pasted as code
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
    """Show the next of an exercise's three hints, with the earlier ones.

    Parameters
    ----------
    exercise_id : str or callable, optional
        Id of the exercise, or your function for it. By default the exercise that was checked last, or the next
        unsolved one of the notebook if that one was right.

    Returns
    -------
    HelpCard
        Each call shows one more hint. A course may give fewer in graded work, or none; the card says so.

    Raises
    ------
    UnknownExercise, TypeError
        If it is unclear which exercise is meant; the message says what to write.
    """
    try:
        exercise = find_exercise_or_current(exercise_id, "hint", solved=False)
    except RemovedExercise as gone:
        return removed_exercise_card(gone.exercise_id)
    except AllExercisesSolved as done:
        again = f'To read the hints of the one that you checked last: `hint("{done.exercise_id}")`.'
        return HelpCard("Every exercise of this page is solved", (again,))
    seen = journal.read()["exercises"].get(exercise.id, {}).get("hints", 0)
    most = min(policy_for(topic(exercise.id)).hints, len(exercise.hints)) if exercise.graded else len(exercise.hints)
    if not most:
        return HelpCard(f"No hints here · {exercise.title}", (NO_HINTS,))
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
    counted = (
        (f"{hints_line(exercise.id, max(seen, count), len(exercise.hints))} {COUNTED}",) if exercise.graded else ()
    )
    return HelpCard(f"Hint {count} of {most} · {exercise.title}", (*hints, after, *counted))


def reveal(exercise_id=None):
    """Show a solution, why it is right, and the package's own source of the reference.

    Parameters
    ----------
    exercise_id : str or callable, optional
        Id of the exercise, or your function for it. By default the exercise that was checked last.

    Returns
    -------
    HelpCard
        ``.code`` is the complete solution, which runs as it is. ``.folded`` is the package's own source, which calls
        other parts of the package.

    Raises
    ------
    UnknownExercise, TypeError
        If it is unclear which exercise is meant; the message says what to write.

    Notes
    -----
    Your record notes that the solution was shown; nothing else changes. Solutions of graded work are not shown.
    """
    try:
        exercise = find_exercise_or_current(exercise_id, "reveal", solved=True)
    except RemovedExercise as gone:
        return removed_exercise_card(gone.exercise_id)
    if exercise.graded:
        helps = f', but `hint("{exercise.id}")` helps' if policy_for(topic(exercise.id)).hints else ""
        return HelpCard(f"Graded · {exercise.title}", (f"Solutions of graded work are not shown{helps}.",))
    journal.note_help(exercise.id, revealed=True)
    return solution_card(personal_exercise(exercise.id))


def removed_exercise_card(exercise_id):
    """Return the card for an exercise that was removed, for older copies of a notebook."""
    words = "There is nothing to do here, and what your record holds about it is kept."
    return HelpCard(f"{exercise_id} is no longer part of the course", (words,))


def solution_card(exercise):
    """Return the solution of an exercise as a card, without a note in the record."""
    own = [function for function in solved_by(exercise) if is_model(function.__module__)]
    source = "\n\n".join(_source(function) for function in own)
    return HelpCard(f"Solution · {exercise.title}", (exercise.explanation,), exercise.solution.strip(), source)


def _source(function):
    """Return the source of a function with only the first line of its docstring."""
    lines = inspect.getsource(function).rstrip().splitlines()
    (definition,) = ast.parse("\n".join(lines)).body
    words, first = ast.get_docstring(definition), definition.body[0]
    if not words:
        return "\n".join(lines)
    summary = f'{" " * first.col_offset}"""{words.splitlines()[0]}"""'
    return "\n".join([*lines[: first.lineno - 1], summary, *lines[first.end_lineno :]])
