"""A place for the reader's own words, before the page says what there was to see."""

from html import escape

from ..explore.base import STYLE, Shown


class Notes(Shown):
    """What the reader saw, in words; kept under an id of the page's choice."""

    title = "Your notes"

    def __init__(self, place):
        self.place = place

    def content(self):
        return {
            "prose": "<p><strong>Your own words first.</strong> What did you see?</p>",
            "controls": [],
            "sentence": "",
        }

    def _answer(self, message):
        return self.content()

    def _still_bundle(self):
        words = "Your own words first: what did you see?"
        return {
            "text/plain": words,
            "text/html": f'<style>{STYLE}</style><div class="c2c c2c-prose"><p>{escape(words)}</p></div>',
        }


def notes(place):
    """Show a field for what the reader saw, above the folded answer.

    Parameters
    ----------
    place : str
        The topic of the page and a name on it, such as ``"roofline.explore"``.

    Returns
    -------
    Notes
        Show it as the last line of a cell.
    """
    return Notes(place)
