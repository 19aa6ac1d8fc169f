"""Folded answers, which the reader opens."""

from base64 import b64encode
from dataclasses import dataclass
from html import escape
from typing import Any

from ..explore.display import Displayable

# Otherwise the notebook would handle Enter and edit the cell.
_KEYS = """onkeydown="if (event.key === 'Enter' || event.key === ' ') event.stopPropagation()\""""


@dataclass(frozen=True)
class Folded:
    """Object behind a line that opens it.

    Attributes
    ----------
    thing : object
        Object that a cell would show as its last line.
    summary : str
        Line that opens it.
    """

    thing: Any
    summary: str

    def __repr__(self) -> str:
        """Return the line and the object as plain text."""
        return f"{self.summary}:\n{self.thing}"

    def _repr_html_(self) -> str:
        return f"<details><summary {_KEYS}>{escape(self.summary)}</summary>{_html(self.thing)}</details>"


def folded(thing: object, summary: str = "Show the answer") -> Folded:
    """Show a table or a number folded, for readers who want to guess it first.

    Parameters
    ----------
    thing : object
        Object that a cell would show as its last line, but not an interactive one.
    summary : str
        Line that opens it.

    Returns
    -------
    Folded
        Show it as the last line of a cell.

    Raises
    ------
    TypeError
        If it is an explorer, a prediction or notes.

    Examples
    --------
    >>> folded(295, "The ridge, FLOP/byte")
    The ridge, FLOP/byte:
    295
    """
    if isinstance(thing, Displayable):
        raise TypeError(
            f"a {type(thing).__name__} runs in a cell of its own; fold a table, a picture, a text or a number"
        )
    return Folded(thing, summary)


def _html(thing: object) -> str:
    """Return an object as the notebook would show it, but a text without its quotation marks."""
    made = {"text/plain": thing} if isinstance(thing, str) else _bundle(thing)
    if "text/html" in made:
        return made["text/html"]
    if "image/svg+xml" in made:
        return made["image/svg+xml"]
    if "image/png" in made:
        picture = made["image/png"]
        picture = picture if isinstance(picture, str) else b64encode(picture).decode()
        return f'<img alt="{escape(str(thing))}" src="data:image/png;base64,{picture}">'
    return f"<pre>{escape(made['text/plain'])}</pre>"


def _bundle(thing: object) -> dict[str, Any]:
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        return shell.display_formatter.format(thing)[0]
    shown = getattr(thing, "_repr_html_", lambda: None)()
    return {"text/plain": str(thing)} if shown is None else {"text/html": shown}
