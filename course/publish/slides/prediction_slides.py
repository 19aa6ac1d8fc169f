"""A prediction as a vote, and its answer on the next slide."""

from html import escape

from autograder import slide_texts
from chip2cluster.predict.form import Form

from . import votes

LETTERS = "ABCD"


def prediction_slides(cell, question):
    """Return a question with ranges to vote on, and its answer, each as name, title, HTML, kind and notes."""
    entry = next(iter(slide_texts.entries(cell)), {})
    form = Form(question)
    ranges, place = votes.choices(question.id, question.truth(), question.unit)
    listed = "".join(
        f"<li><strong>{letter}</strong> {escape(text)}</li>" for letter, text in zip(LETTERS, ranges, strict=True)
    )
    unit = "" if question.unit == "times" else f", in {escape(question.unit)}"
    vote = f'<p class="unit">Vote{unit}</p><ul class="votes">{listed}</ul>'
    value, reason = f"{LETTERS[place]}: {form.value[0].lower()}{form.value[1:]}", form.reason
    short = entry.get("answer") or (reason if slide_texts.words(f"{value} {reason}") <= slide_texts.MOST else "")
    asked = entry.get("text") or question.text
    told = [f"<p>{escape(text)}</p>" for text in (question.text, f"{form.value} {reason}")]
    return [
        (cell.id, _as_markdown(asked), vote, "predict", told),
        (f"{cell.id}-answer", _as_markdown(value), f"<p>{escape(short)}</p>" if short else "", "answer", told[1:]),
    ]


def _as_markdown(text):
    """Return plain text so that Markdown shows it as it is."""
    return "".join(f"\\{sign}" if sign in "\\`*_$[]<>" else sign for sign in text)
