"""Predictions and notes in a page without Python: the forms, the record, and all that their script may say.

The script (``predictions.js``) decides nothing by itself: patterns, limits, sentences and truths are
written here from `chip2cluster.predict`, so a guess gets the same answer on a page and in a notebook.
"""

import json
from html import escape

from chip2cluster import renamed
from chip2cluster.predict import QUESTIONS, feedback
from chip2cluster.predict.form import Form
from chip2cluster.predict.notes import ADD, ASK, EMPTY

from .exercises import anchor

NOTES = {"ask": ASK, "add": ADD, "empty": EMPTY}
DATA = "predictions-data.js"
SCRIPT = "predictions.js"


def form(shown):
    """The place of a form, with the question in it for readers without script."""
    question = shown.question
    return (
        f'<div class="c2c-prediction" id="{anchor("predict", question.id)}" data-prediction="{escape(question.id)}"><div class="c2c c2c-prose">'
        f"<p><strong>Predict.</strong> {escape(question.text)}</p><p>The unit is: {escape(question.unit)}. "
        "To guess here, and to see the value, this page needs JavaScript. Without it, guess on paper: "
        "in the notebook the same cell asks you and answers.</p></div></div>"
    )


def notes(shown):
    """The place for the reader's own words."""
    return (
        f'<div class="c2c-prediction c2c-notes" data-notes="{escape(shown.place)}"><div class="c2c c2c-prose">{ASK}'
        "<p>To keep your words here, this page needs JavaScript. Without it, write them on paper.</p></div></div>"
    )


def record():
    """The place of the record, for `progress` in a notebook."""
    return (
        '<div class="c2c c2c-record" data-predictions-record><div data-predictions><p>Your predictions are kept on this page '
        "by JavaScript, which your browser does not run.</p></div><div data-exercises-record><p>Exercises are not counted "
        "here. In the notebook they are: there <code>check</code> marks what you write, and <code>progress()</code> shows what "
        "is solved.</p></div></div>"
    )


def data():
    """The module that the script reads: rules, sentences, and every question with its truth."""
    questions = {question.id: _question(question) for question in QUESTIONS}
    record = {"rules": rules(), "questions": questions, "renamed": renamed.PREDICTIONS, "notes": NOTES}
    return f"export default {json.dumps(record, ensure_ascii=False, indent=1)};\n"


def rules():
    """Patterns, limits and sentences of `chip2cluster.predict.feedback`, as the script wants them."""
    return {
        "number": feedback.NUMBER,
        "refused": feedback.REFUSED,
        "smallest": feedback.SMALLEST,
        "largest": feedback.LARGEST,
        "right": feedback.RIGHT,
        "within": feedback.WITHIN,
        "near": feedback.NEAR,
        "far": feedback.FAR,
        "sayings": feedback.SAYINGS,
        "even": feedback.EVEN,
        "summary": feedback.SUMMARY,
        "none": feedback.NONE_YET,
        "leanings": feedback.LEANINGS,
    }


def _question(question):
    shown = Form(question)
    return {
        "text": question.text,
        "unit": question.unit,
        "truth": float(question.truth()),
        "value": shown.value,
        "reason": shown.reason,
    }
