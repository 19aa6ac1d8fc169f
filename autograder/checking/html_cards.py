"""HTML cards below a cell: verdicts, hints, solutions, progress. Their style is inline, because a notebook has no style sheet."""

import re
from collections.abc import Sequence
from html import escape

from chip2cluster.html import Html, Look, table

# Each has a contrast of at least 3 to 1 on white and on JupyterLab's dark theme.
GREEN, GREY, RED, BLUE = "#1a8f3c", "#6e7781", "#d92d20", "#4a8ff4"
WIDTH = "54em"

_PLAIN = "background:none;text-align:left;vertical-align:top"
FACTS = Look(
    table=' style="margin:8px 0 0;border:0;font-size:inherit"',
    row=' style="background:none"',
    label=f' style="{_PLAIN};font-weight:600;white-space:nowrap;padding:2px 12px 2px 0"',
    words=f' style="{_PLAIN};padding:2px 0"',
)


def card(kind: str, body: str, color: str = BLUE, role: str = "note") -> str:
    """Return a card of the class ``c2c-KIND`` around some HTML."""
    return (
        f'<div class="c2c-{kind}" role="{role}" style="border-left:4px solid {color};padding:8px 14px;margin:4px 0;'
        f'max-width:{WIDTH};font-size:14px;line-height:1.5">{body}</div>'
    )


# Code in backticks, within which stars are kept; words between stars that touch them. "a * b" and "10**9" contain none.
_MARKS = re.compile(r"`([^`]+)`|(?<![\w*])\*([^\s*`](?:[^*`]*[^\s*`])?)\*(?![\w*])")


def format_inline(text: str) -> str:
    """Escape a message for HTML; format text in `backticks` as code and text between *stars* in italics."""
    return _MARKS.sub(lambda found: f"<code>{found[1]}</code>" if found[1] else f"<em>{found[2]}</em>", escape(text))


def code_block(code: str) -> str:
    """Return lines of code as HTML, which the keyboard can scroll."""
    return (
        f'<pre tabindex="0" style="margin:8px 0 0;padding:8px 12px;overflow-x:auto"><code>{escape(code)}</code></pre>'
    )


def fact_table(lines: Sequence[tuple[str, str]]) -> str:
    """Return a table of values with their names; empty for no values."""
    return table([], [(label, _value(text)) for label, text in lines], look=FACTS) if lines else ""


def _value(text: str) -> Html:
    lines = text.strip("\n")
    if "\n" in lines:  # keep the columns
        return Html(f'<pre style="margin:0;overflow-x:auto">{escape(lines)}</pre>')
    return Html(f"<code>{escape(text)}</code>")
