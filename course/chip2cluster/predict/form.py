"""Form of a prediction: a question, a field, a button, and then the truth."""

from html import escape
from typing import Any

from .. import journal
from ..explore.display import Displayable
from ..explore.script import STYLE
from ..units import significant
from .feedback import parse, verdict
from .question import Question

UNASKED = "The field for it appears when you run this cell, and before it the first one of the page."
EARLIER = "You have guessed before, perhaps in another tab: your first guess stays."


class Form(Displayable):
    """Form of a question; its first committed answer is final. The truth does not leave Python before.

    Parameters
    ----------
    question : Question
        Question to show.
    """

    title = "Prediction"
    again = ""

    def __init__(self, question: Question) -> None:
        self.question = question

    @property
    def guess(self) -> float | None:
        """Committed guess, or None."""
        stored = journal.prediction(self.question.id)
        return None if stored is None else stored["guess"]

    @property
    def sentence(self) -> str:
        """Text that is revealed once a guess is committed; empty before."""
        guess = self.guess
        if guess is None:
            return ""
        return f"{self.value} {verdict(guess, self.question.truth())} {self.reason}"

    @property
    def value(self) -> str:
        """Truth in one sentence."""
        return f"It is {_plain(self.question.truth(), 3)} {self.question.unit}."

    @property
    def reason(self) -> str:
        """Reason of the truth."""
        return self.question.explain(self.question.truth())

    def commit(self, text: str) -> str:
        """Store a guess, if it is the first, and return the text that it reveals."""
        value = parse(text, self.question.unit)
        journal.predict(self.question.id, value)
        self._refresh()
        return self.sentence

    def content(self, typed: str = "", error: str = "") -> dict[str, Any]:
        """Return the form as the script needs it, with unsent input and an error message."""
        guess = self.guess
        frozen = {"disabled": guess is not None}
        field = {"kind": "text", "name": "guess", "label": "Your guess", "unit": self.question.unit}
        button = {"kind": "button", "name": "commit", "label": "Commit" if guess is None else "Committed"}
        return {
            "prose": f"<p><strong>Predict.</strong> {escape(self.question.text)}</p>",
            "draft": f"prediction.{self.question.id}",
            "controls": [{**field, "value": typed if guess is None else _plain(guess), **frozen}, {**button, **frozen}],
            "sentence": self.sentence,
            "error": error,
        }

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        typed = str(message.get("values", {}).get("guess", ""))
        if message.get("action") != "commit":
            return self.content(typed)
        if (guess := self.guess) is not None:
            return self.content(error=EARLIER if _plain(guess) != typed.strip() else "")
        try:
            journal.predict(self.question.id, parse(typed, self.question.unit))
        except ValueError as error:
            return self.content(typed, str(error))
        return self.content()

    def _still_bundle(self) -> dict[str, str]:
        question, unit, guess = escape(self.question.text), escape(self.question.unit), self.guess
        if guess is None:
            shown = f"<p>Answer in {unit}. {UNASKED}</p>"
            words = f"Predict ({self.question.unit}): {self.question.text}"
        else:
            shown = f'<p>Your guess: <strong>{_plain(guess)} {unit}</strong></p><p class="c2c-sentence">{escape(self.sentence)}</p>'
            words = f"Predict: {self.question.text}\nYour guess: {_plain(guess)} {self.question.unit}\n{self.sentence}"
        page = f'<style>{STYLE}</style><div class="c2c c2c-form c2c-prose"><p><strong>Predict.</strong> {question}</p>{shown}</div>'
        return {"text/plain": words, "text/html": page}


def _plain(number: float, digits: int = 12) -> str:
    """Return a number without unnecessary zeros: ``40``, ``1,200``, ``0.05``."""
    if not 1e-3 <= number < 1e15:
        return f"{number:.{digits}g}"
    if float(number).is_integer() or number >= 1000:
        return f"{number:,.0f}"
    text = significant(number, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text
