"""The solution of an exercise as the book shows it: why it is right, the lines, the package's own source."""

from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.checking.verdict import format_inline
from autograder.student.help import FOLDED, solution_card


def html(task):
    """The solution of a task, to be folded."""
    card = solution_card(task)
    words = "".join(f"<p>{format_inline(paragraph)}</p>" for paragraph in card.paragraphs)
    source = folded("source", FOLDED, _code(card.folded)) if card.folded else ""
    return words + _code(card.code) + source


def folded(kind, summary, body):
    """A part that a reader opens."""
    return f'<details class="c2c-{kind}"><summary>{escape(summary)}</summary><div class="c2c-folded">{body}</div></details>'


def _code(text):
    """Python in the colors of the page; the box can be scrolled with the keyboard."""
    block = highlight(text, PythonLexer(), HtmlFormatter(wrapcode=True))
    return block.replace("<pre>", '<pre tabindex="0">', 1)
