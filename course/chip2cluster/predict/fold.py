"""What answers a question of the page stays folded until the reader opens it."""

from base64 import b64encode
from dataclasses import dataclass
from html import escape
from typing import Any

from ..explore.display import Displayable

# A notebook would take Enter for itself and edit the cell.
_KEYS = """onkeydown="if (event.key === 'Enter' || event.key === ' ') event.stopPropagation()\""""


@dataclass(frozen=True)
class Folded:
    """Something to show behind a line that opens it."""

    thing: Any
    summary: str

    def __repr__(self):
        """Return the line and the object as plain text."""
        return f"{self.summary}:\n{self.thing}"

    def _repr_html_(self):
        return f"<details><summary {_KEYS}>{escape(self.summary)}</summary>{_html(self.thing)}</details>"


def folded(thing, summary="Show the answer"):
    """Keep a table or a number folded, for the reader who wants to guess it first.

    Parameters
    ----------
    thing : object
        Object that a cell would show as its last line; what moves cannot be folded.
    summary : str
        The line to open it with.

    Returns
    -------
    Folded
        Show it as the last line of a cell.

    Raises
    ------
    TypeError
        For an explorer, a prediction or notes.

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


def _html(thing):
    """A thing as the notebook around would show it."""
    made = _bundle(thing)
    if "text/html" in made:
        return made["text/html"]
    if "image/svg+xml" in made:
        return made["image/svg+xml"]
    if "image/png" in made:
        picture = made["image/png"]
        picture = picture if isinstance(picture, str) else b64encode(picture).decode()
        return f'<img alt="{escape(str(thing))}" src="data:image/png;base64,{picture}">'
    return f"<pre>{escape(made['text/plain'])}</pre>"


def _bundle(thing):
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        return shell.display_formatter.format(thing)[0]
    shown = getattr(thing, "_repr_html_", lambda: None)()
    return {"text/plain": str(thing)} if shown is None else {"text/html": shown}
