"""A place for the reader's own words, before the page says what there was to see."""

from datetime import datetime
from html import escape

from .. import journal
from ..explore.display import STYLE, Displayable
from .form import UNASKED

ASK = "<p><strong>Your own words first.</strong> What did you see?</p>"
ADD = "<p>Something to add?</p>"
EMPTY = "Write what you saw, in a word or in ten; nobody else reads it."


class Notes(Displayable):
    """What the reader saw, in words. What is kept stays; more may be added to it."""

    title = "Your notes"
    again = ""

    def __init__(self, place):
        self.place = place

    @property
    def kept(self):
        """The words that are kept, the oldest first."""
        return [entry["text"] for entry in journal.notes(self.place)]

    def keep(self, text):
        """Keep some words with those that are there."""
        if not text.strip():
            raise ValueError(EMPTY)
        if text.strip() not in self.kept:  # a second tab, or a second click
            journal.note(self.place, text.strip())
        self._refresh()

    def content(self, typed="", error="", opens=False):
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

    def _answer(self, message):
        typed = str(message.get("values", {}).get("words", ""))
        if message.get("action") != "commit":
            return self.content(typed)
        try:
            self.keep(typed)
        except ValueError as error:
            return self.content(typed, str(error))
        return self.content(opens=True)

    def _still_bundle(self):
        kept = journal.notes(self.place)
        words = "\n\n".join(["Your notes:", *self.kept]) if kept else "Your own words first: what did you see?"
        shown = block(kept) if kept else f"{ASK}<p>{UNASKED}</p>"
        page = f'<style>{STYLE}</style><div class="c2c c2c-form c2c-prose">{shown}</div>'
        return {"text/plain": words, "text/html": page}


def block(kept):
    """The reader's own words as HTML, each with its day."""
    return "".join(
        f'<blockquote class="c2c-own"><p>{escape(one["text"])}</p><footer>You, {_day(one["when"])}</footer></blockquote>'
        for one in kept
    )


def _day(when):
    """The day of a time as it is stored, on the reader's calendar.

    >>> _day("2026-03-01T12:00:00+00:00")
    '1 March 2026'
    """
    day = datetime.fromisoformat(when).astimezone()
    return f"{day.day} {day:%B %Y}"


def notes(place):
    """Show a field for what the reader saw, above the folded answer.

    Parameters
    ----------
    place : str
        The topic of the page and a name on it, such as ``"roofline.explore"``.

    Returns
    -------
    field : Notes
        Form for notes; show it as the last line of a cell.

    Raises
    ------
    ValueError
        For an id that is no topic and a name.
    """
    topic, _, name = str(place).partition(".")
    if not (topic.isidentifier() and name.isidentifier()):
        raise ValueError(f"a place for notes is named TOPIC.name, such as 'roofline.explore'; got {place!r}")
    return Notes(place)
