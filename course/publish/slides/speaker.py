"""What the speaker sees: how long a slide takes, and which mistakes to expect."""

import re
from html import escape, unescape

from autograder.checking.verdict import format_inline
from autograder.exercises import exercise

WORDS = 130  # a minute, of somebody who speaks and is understood
# Minutes that go to the audience: to read and to look; of a prediction, to guess, vote, talk to a neighbor, vote again.
ALSO = {
    "predict": 2.5,
    "answer": 0.5,
    "formula": 0.75,
    "strip": 4.0,
    "picture": 1.0,
    "table": 1.0,
    "spot-the-error": 2.0,
    "takeaway": 0.5,
}
SHORTEST = 40  # seconds


def words(html):
    """How many words are read of a piece of HTML.

    >>> words("<p>A <em>few</em> words</p><math alttext='x'><mi>x</mi></math>")
    4
    """
    text = re.sub(r"<(style|script|table|svg).*?</\1>", " ", html, flags=re.S)
    text = re.sub(r"<math[^>]*>.*?</math>", " x ", text, flags=re.S)
    return len(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def seconds(html, notes, kind):
    """How long a slide takes to say and to do, in seconds.

    The notes say in sentences what the slide states, so the longer of both counts. A prediction's notes hold its answer,
    which is said on the next slide, and mistakes that are only to be expected are not said.
    """
    what = kind.split()[0]
    shown = 0 if what in ("strip", "picture", "table") else words(html)
    noted = sum(words(note) for note in notes if not note.startswith(EXPECTED)) if what != "predict" else 0
    said = max(shown, noted)
    return max(SHORTEST, round(60 * (said / WORDS + ALSO.get(what, 0))))


EXPECTED = '<div class="expected">'


def mistakes(name):
    """The named mistakes of an exercise, as its own check tells them."""
    task = exercise(name)
    known = "".join(
        f"<li><strong>{escape(name)}</strong>: {format_inline(message)}</li>" for name, message in task.messages.items()
    )
    return f"{EXPECTED}<p><strong>Mistakes to expect: {escape(task.title)}</strong></p><ul>{known}</ul></div>"
