"""An exercise as the book shows it: the verdict an untouched stub gets, three hints, the solution last."""

from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.checking.verdict import format_inline
from autograder.exercises import exercise as find
from autograder.student.help import FOLDED, solution_card

from . import live_exercises


def html(verdict):
    """What stands below the check cell of an exercise; each hint opens by itself, the solution comes last."""
    task = find(verdict.exercise)
    hints = [
        _folded("hint", f"Hint {number}", f"<p>{format_inline(text)}</p>") for number, text in enumerate(task.hints, 1)
    ]
    last = "" if task.graded else _solution(task)  # graded work is not revealed, here as in a notebook
    numpy = "" if task.graded or not live_exercises.needs_numpy(task) else " data-numpy"
    return (
        f'<div class="c2c-exercise" id="{anchor("check", task.id)}" data-exercise="{escape(task.id)}"{numpy}>'
        f"{verdict._repr_html_()}{''.join(hints)}{last}</div>"
    )


def anchor(kind, name):
    """The name of an exercise in an address: ``exercise-roofline-ridge``."""
    return f"{kind}-{name}".replace(".", "-").replace("_", "-")


def _solution(task):
    card = solution_card(task)
    words = "".join(f"<p>{format_inline(paragraph)}</p>" for paragraph in card.paragraphs)
    source = _folded("source", FOLDED, _code(card.folded)) if card.folded else ""
    return _folded("solution", "Show the solution", words + _code(card.code) + source)


def _folded(kind, summary, body):
    return f'<details class="c2c-{kind}"><summary>{escape(summary)}</summary><div class="c2c-folded">{body}</div></details>'


def _code(text):
    """Python in the colors of the page; the box can be scrolled with the keyboard."""
    block = highlight(text, PythonLexer(), HtmlFormatter(wrapcode=True))
    return block.replace("<pre>", '<pre tabindex="0">', 1)
