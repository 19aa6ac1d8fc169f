"""Hints one at a time, and the explained solution."""

import inspect
from dataclasses import dataclass
from html import escape

from chip2cluster import journal

from ..exercises import exercise as find
from ..exercises.model import solved_by
from ..verdict import marked


@dataclass(frozen=True)
class Card:
    """A titled note: paragraphs and, below them, code."""

    title: str
    paragraphs: tuple[str, ...]
    code: str = ""

    def __repr__(self):
        return "\n".join([self.title, *(f"  {p}" for p in self.paragraphs), *([self.code] if self.code else [])])

    def _repr_html_(self):
        body = "".join(f"<p style='margin:4px 0'>{marked(p)}</p>" for p in self.paragraphs)
        code = (
            f"<pre style='margin:8px 0 0;padding:8px 12px;overflow-x:auto'><code>{escape(self.code)}</code></pre>"
            if self.code
            else ""
        )
        return (
            "<div role='note' style='border-left:4px solid #5790fc;padding:8px 14px;margin:4px 0;max-width:54em;"
            f"font-size:14px;line-height:1.5'><strong>{escape(self.title)}</strong>{body}{code}</div>"
        )


def hint(id):
    """Show the next of the three hints of an exercise, with those before it.

    Each call goes one step further; after the third all three stay.
    """
    found = find(id)
    seen = journal.read()["exercises"].get(id, {}).get("hints", 0)
    count = min(seen + 1, len(found.hints))
    journal.note_help(id, hints=count)
    left = len(found.hints) - count
    after = f"{left} more: run hint again." if left else f'That was the last one. reveal("{id}") shows a solution.'
    hints = [f"{number}. {text}" for number, text in enumerate(found.hints[:count], 1)]
    return Card(f"Hint {count} of {len(found.hints)} · {found.title}", (*hints, after))


def reveal(id):
    """Show the package's own source of the reference, with an explanation.

    Your progress keeps a note that the solution was shown; nothing else changes.
    """
    found = find(id)
    journal.note_help(id, revealed=True)
    code = "\n\n".join(inspect.getsource(function).rstrip() for function in solved_by(found))
    return Card(
        f"Solution · {found.title}",
        (found.explanation, "This is the source that your answers are compared with:"),
        code,
    )
