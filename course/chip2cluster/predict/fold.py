"""What answers a question of the page stays folded until the reader opens it."""

from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Folded:
    """Something to show behind a line that opens it."""

    thing: Any
    summary: str

    def __repr__(self):
        return f"{self.summary}:\n{self.thing}"

    def _repr_html_(self):
        shown = getattr(self.thing, "_repr_html_", lambda: None)()
        body = shown if shown is not None else f"<pre>{escape(str(self.thing))}</pre>"
        return f"<details><summary>{escape(self.summary)}</summary>{body}</details>"


def folded(thing, summary="Show the answer"):
    """Keep a table or a number folded, for the reader who wants to guess it first.

    Parameters
    ----------
    thing : object
        What a cell would show as its last line.
    summary : str
        The line to open it with.

    Returns
    -------
    Folded
        Show it as the last line of a cell.
    """
    return Folded(thing, summary)
