"""An exercise as the book shows it: the verdict an untouched stub gets, three hints, the solution last."""

from html import escape

from autograder.checking.verdict import format_inline
from autograder.student.given import personal_exercise

from . import live_exercises, solutions


def html(verdict):
    """What stands below the check cell of an exercise; each hint opens by itself, the solution comes last."""
    task = personal_exercise(verdict.exercise)
    hints = [
        solutions.folded("hint", f"Hint {number}", f"<p>{format_inline(text)}</p>")
        for number, text in enumerate(task.hints, 1)
    ]
    # Graded work is not revealed, here as in a notebook.
    last = "" if task.graded else solutions.folded("solution", "Show the solution", solutions.html(task))
    numpy = "" if task.graded or not live_exercises.needs_numpy(task) else " data-numpy"
    return (
        f'<div class="c2c-exercise" id="{anchor("check", task.id)}" data-exercise="{escape(task.id)}"{numpy}>'
        f"{verdict._repr_html_()}{''.join(hints)}{last}</div>"
    )


def anchor(kind, name):
    """The name of an exercise in an address: ``exercise-roofline-ridge``."""
    return f"{kind}-{name}".replace(".", "-").replace("_", "-")
