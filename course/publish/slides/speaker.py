"""What the speaker sees: how long a slide takes, and which mistakes to expect."""

import re
from html import escape, unescape

from autograder.checking.verdict import format_inline
from autograder.exercises import exercise

WORDS = 130  # a minute, of somebody who speaks and is understood
# Minutes that go to the audience: to guess, to look, to find.
ALSO = {"predict": 1.5, "strip": 4.0, "picture": 1.0, "table": 1.0, "spot-the-error": 2.0, "takeaway": 0.5}
SHORTEST = 20  # seconds


def words(html):
    """How many words are read of a piece of HTML.

    >>> words("<p>A <em>few</em> words</p><math alttext='x'><mi>x</mi></math>")
    4
    """
    text = re.sub(r"<(style|script|table|svg).*?</\1>", " ", html, flags=re.S)
    text = re.sub(r"<math[^>]*>.*?</math>", " x ", text, flags=re.S)
    return len(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def seconds(html, notes, kind):
    """How long a slide takes to say and to do, in seconds; what is only to be expected is not said."""
    what = kind.split()[0]
    said = 0 if what in ("strip", "picture", "table") else words(html)
    said += sum(words(note) for note in notes if not note.startswith(EXPECTED)) if what != "predict" else 0
    return max(SHORTEST, round(60 * (said / WORDS + ALSO.get(what, 0))))


EXPECTED = '<div class="expected">'


def mistakes(name):
    """The named mistakes of an exercise, as its own check tells them."""
    task = exercise(name)
    known = "".join(
        f"<li><strong>{escape(mistake.name)}</strong>: {format_inline(mistake.message)}</li>"
        for mistake in task.mistakes
    )
    return f"{EXPECTED}<p><strong>Mistakes to expect: {escape(task.title)}</strong></p><ul>{known}</ul></div>"
