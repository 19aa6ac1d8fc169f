"""Form for a reader's own observations, above the folded answer."""

from datetime import datetime
from html import escape
from typing import Any

from .. import journal
from ..explore.display import Displayable
from ..explore.script import STYLE
from .form import UNASKED

ASK = "<p><strong>Your own words first.</strong> What did you see?</p>"
ADD = "<p>Something to add?</p>"
EMPTY = "Write what you saw, in a word or in ten; nobody else reads it."


class Notes(Displayable):
    """Observations of a reader. Notes that are kept stay; more may be added.

    Parameters
    ----------
    place : str
        Identifier of the form, ``"topic.name"``.
    """

    title = "Your notes"
    again = ""

    def __init__(self, place: str) -> None:
        self.place = place

    @property
    def kept(self) -> list[str]:
        """Notes that are kept, the oldest first."""
        return [entry["text"] for entry in journal.notes(self.place)]

    def keep(self, text: str) -> None:
        """Add a note to those that are kept."""
        if not text.strip():
            raise ValueError(EMPTY)
        if text.strip() not in self.kept:  # sent again by a second tab or a second click
            journal.note(self.place, text.strip())
        self._refresh()

    def content(self, typed: str = "", error: str = "", opens: bool = False) -> dict[str, Any]:
        """Return the notes as the script needs them, with unsent input and an error message."""
        kept = journal.notes(self.place)
        label = "Add to your notes" if kept else "Your notes"
        return {
            "draft": f"notes.{self.place}",
            "prose": block(kept) + ADD if kept else ASK,
            "controls": [
                {"kind": "area", "name": "words", "label": label, "value": typed},
                {"kind": "button", "name": "commit", "label": "Keep"},
            ],
            "sentence": "",
            "error": error,
            "opens": opens,
        }

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        typed = str(message.get("values", {}).get("words", ""))
        if message.get("action") != "commit":
            return self.content(typed)
        try:
            self.keep(typed)
        except ValueError as error:
            return self.content(typed, str(error))
        return self.content(opens=True)

    def _still_bundle(self) -> dict[str, str]:
        kept = journal.notes(self.place)
        words = "\n\n".join(["Your notes:", *self.kept]) if kept else "Your own words first: what did you see?"
        shown = block(kept) if kept else f"{ASK}<p>{UNASKED}</p>"
        page = f'<style>{STYLE}</style><div class="c2c c2c-form c2c-prose">{shown}</div>'
        return {"text/plain": words, "text/html": page}


def block(kept: list[dict[str, Any]]) -> str:
    """Return a reader's notes as HTML, each with its day."""
    return "".join(
        f'<blockquote class="c2c-own"><p>{escape(one["text"])}</p><footer>You, {_day(one["when"])}</footer></blockquote>'
        for one in kept
    )


def _day(when: str) -> str:
    """Return the day of a stored time in the reader's time zone.

    >>> _day("2026-03-01T12:00:00+00:00")
    '1 March 2026'
    """
    day = datetime.fromisoformat(when).astimezone()
    return f"{day.day} {day:%B %Y}"


def notes(place: str) -> Notes:
    """Show a form for the reader's observations, above the folded answer.

    Parameters
    ----------
    place : str
        Topic of the notebook and a name in it, such as ``"roofline.explore"``.

    Returns
    -------
    field : Notes
        Form for notes; show it as the last line of a cell.

    Raises
    ------
    ValueError
        If the identifier is not a topic and a name.
    """
    topic, _, name = str(place).partition(".")
    if not (topic.isidentifier() and name.isidentifier()):
        raise ValueError(f"a place for notes is named TOPIC.name, such as 'roofline.explore'; got {place!r}")
    return Notes(place)
