"""The review of the day in a page without Python: its place, and all that its script may say."""

import json

from autograder import course_pages
from autograder.exercise_headers import all_headers
from autograder.exercises import exercises
from autograder.student import review, review_view

from . import live_exercises, sources
from .exercises import anchor

DATA = "review-data.js"
SCRIPT = "review-page.js"
WORDS = {
    "reasons": review_view.REASONS,
    "months": review_view.MONTHS,
    "empty": review_view.EMPTY,
    "free": review_view.FREE,
    "more": review_view.MORE,
    "again": review_view.AGAIN,
    "write": "Press Start again there and write the function once more; Run counts as the repetition. The inputs are those of the first time, because this site holds no others: new numbers are drawn in JupyterLab.",
    "judge": "Three other answers are there now. Press Start again and say what is wrong with each of them; Run counts as the repetition.",
    "paper": "Write the function once more on paper, then compare it with the solution there.",
    "done": ["Done", "Not yet"],
    "recall": "What was the value, in {unit}, and why? Say it to yourself, then look.",
    "value": "Show the value",
    "guessed": "Your first guess was {guess} {unit}.",
    "knew": ["I knew it", "Not yet"],
    "heading": "Prediction · {place}",
}


def html():
    """The place of the review, with a text for readers without script."""
    return (
        '<div class="c2c c2c-prose c2c-review" data-review><p>Here up to three exercises and predictions that you have done on '
        "these pages come back each day, with the reason. The list is made by JavaScript from the record in your browser, and "
        "your browser does not run it. In the notebook <code>progress(&quot;review&quot;)</code> shows the list.</p></div>"
        f'<script type="module" src="_static/{SCRIPT}"></script>'
    )


def data():
    """The module that the script reads: where each exercise and prediction is, and the sentences."""
    found = {"words": WORDS, "exercises": _exercises(), "pages": _predictions()}
    return f"export default {json.dumps(found, ensure_ascii=False, indent=1)};\n"


def _exercises():
    found = {}
    for page in course_pages.chapters():
        for name in course_pages.checked_exercises(page):
            if review.returns(name):
                found[name] = {
                    "place": review.exercise_place(name),
                    "title": all_headers()[name].title,
                    "address": f"{sources.page(page.name)}.html#{anchor('exercise', name)}",
                }
                if exercises()[name].critique:
                    found[name]["critique"] = True
                if live_exercises.needs_numpy(exercises()[name]):
                    found[name]["numpy"] = True
    return found


def _predictions():
    found = {}
    for page in sorted(sources.COURSE.glob("*.ipynb")):
        for name in course_pages.prediction_ids(page):
            address = f"{sources.page(page.name)}.html#{anchor('predict', name)}"
            found.setdefault(name, {"place": review.prediction_place(name), "address": address})
    return found
