"""The form of a prediction: a question, a field, a button, and after that the truth."""

import re
from html import escape
from math import isfinite, log10

from .. import journal
from ..explore.base import STYLE, Shown
from ..units import significant

_DIGITS = r"(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"([+-]?{_DIGITS})\s*(.*)", re.DOTALL)


def parse(text, unit):
    """Read a guess: ``40``, ``1.2e3``, ``1,200``, with or without the unit that is asked for.

    Raises
    ------
    ValueError
        For anything else; the message says what is wanted.

    Examples
    --------
    >>> parse("1,200", "tokens/s"), parse("1.2e3 tokens/s", "tokens/s")
    (1200.0, 1200.0)
    """
    found = _NUMBER.fullmatch(str(text).strip())
    wanted = f"the answer is wanted in {unit}"
    if not found:
        raise ValueError(f"Type a number above zero, such as 40 or 1.2e3; {wanted}.")
    number, rest = found.groups()
    if rest.startswith(","):
        raise ValueError("Write the decimal sign as a point (1.5), and thousands as 1,200 or 1200.")
    if rest and rest.replace(" ", "").casefold() != unit.replace(" ", "").casefold():
        raise ValueError(f"Type the number alone: {wanted}, not in {rest!r}.")
    value = float(number.replace(",", ""))
    if not isfinite(value):
        raise ValueError("That number is too large for a computer; nothing here is.")
    if value <= 0:
        raise ValueError(f"The answer is above zero; {wanted}.")
    return value


def verdict(guess, truth):
    """Say how far a guess is from the truth.

    >>> verdict(120.0, 40.0), verdict(40.0, 40.0)
    ('You were 3.0 times too high: half an order of magnitude.', 'You were right.')
    """
    ratio, orders = max(guess / truth, truth / guess), abs(log10(guess / truth))
    if ratio < 1.005:
        return "You were right."
    if ratio < 1.15:
        return f"You were within {100 * (ratio - 1):.0f} %."
    side = "high" if guess > truth else "low"
    times = significant(ratio, 2) if ratio < 1000 else f"{ratio:,.0f}" if ratio < 1e6 else f"{ratio:.1e}"
    steps = ((0.15, "close"), (0.35, "a quarter of an order of magnitude"), (0.7, "half an order of magnitude"),
             (1.3, "an order of magnitude"))  # fmt: skip
    words = next((words for limit, words in steps if orders < limit), f"{orders:.1f} orders of magnitude")
    return f"You were {times} times too {side}: {words}."


class Form(Shown):
    """A question whose first committed answer stays. Nothing of the truth leaves Python before."""

    title = "Prediction"

    def __init__(self, question):
        self.question = question

    @property
    def guess(self):
        """The committed guess, or None."""
        stored = journal.prediction(self.question.id)
        return None if stored is None else stored["guess"]

    @property
    def sentence(self):
        """What is revealed once a guess is committed; empty before."""
        guess = self.guess
        if guess is None:
            return ""
        truth, unit = self.question.truth(), self.question.unit
        return f"It is {_plain(truth, 3)} {unit}. {verdict(guess, truth)} {self.question.explain(truth)}"

    def commit(self, text):
        """Store a guess, if it is the first, and return what is revealed."""
        value = parse(text, self.question.unit)
        journal.predict(self.question.id, value)
        self._refresh()
        return self.sentence

    def content(self, typed="", error=""):
        guess = self.guess
        frozen = guess is not None
        field = {"kind": "text", "name": "guess", "label": "Your guess", "unit": self.question.unit}
        button = {"kind": "button", "name": "commit", "label": "Committed" if frozen else "Commit", "disabled": frozen}
        return {
            "prose": f"<p><strong>Predict.</strong> {escape(self.question.text)}</p>",
            "controls": [{**field, "value": _plain(guess) if frozen else typed, "disabled": frozen}, button],
            "sentence": self.sentence,
            "error": error,
        }

    def _answer(self, message):
        typed = str(message.get("values", {}).get("guess", ""))
        if message.get("action") != "commit" or self.guess is not None:
            return self.content(typed)
        try:
            journal.predict(self.question.id, parse(typed, self.question.unit))
        except ValueError as error:
            return self.content(typed, str(error))
        return self.content()

    def _still_bundle(self):
        page = (
            f'<style>{STYLE}</style><div class="c2c c2c-prose"><p><strong>Predict.</strong> {escape(self.question.text)}</p>'
            f"<p>Answer in {escape(self.question.unit)}. The field appears when the notebook runs with a kernel.</p></div>"
        )
        return {"text/plain": f"Predict ({self.question.unit}): {self.question.text}", "text/html": page}


def _plain(number, digits=12):
    """A number without needless zeros: ``40``, ``1,200``, ``0.05``."""
    if not 1e-3 <= number < 1e15:
        return f"{number:.{digits}g}"
    if float(number).is_integer() or number >= 1000:
        return f"{number:,.0f}"
    text = significant(number, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text
