"""Words and views of a review: the reason of each item, the list as text and as HTML."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from chip2cluster import review as rule

from ..checking.html_cards import card, code_block, format_inline

NAME = "review"
# The book's page uses these texts, too.
REASONS = {
    "mistake": "the mistake “{mistake}”, which you met in {place} on {day}",
    "solution": "you solved {place} on {day} after its solution was shown",
    "slow": "{place} took you {attempts} attempts",
    "missed": "{place} took you more than one attempt",
    "hint": "you read a hint for {place}",
    "solved": "you solved {place} at once, on {day}",
    "guess": "your first guess, in {place} on {day}, was off by more than a factor of 2",
}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
EMPTY = "Nothing to review yet: exercises come back after you solve them, and predictions whose first guess was off by more than a factor of 2."
FREE = "Nothing is due today. The next item comes back on {day}."
MORE = "{count} more waiting for another day: three a day are enough."
AGAIN = "Comes back on {day}."
RULE = (
    "What you know comes back after 3, 7, 16, 35 and 80 days; what you miss, tomorrow. Exercises with a named mistake of "
    "yours go ahead of the others by a week."
)
CHECKED = {
    True: "This was a repetition with new numbers: the exercise comes back on {day}.",
    False: "This was a repetition with new numbers, and it counts as a miss: the exercise comes back on {day}. Go on until it is right; further checks of it are not counted.",
}


@dataclass(frozen=True)
class ReviewItem:
    """Item of a review, as it is shown.

    Attributes
    ----------
    kind, id : str
    title, reason, task : str
        Idea that comes back, why it does, and what to do.
    stub : str
        Source of the function to write again; empty for a prediction.
    answer : str
        After the repetition, the day on which it comes back, and the value of a prediction; empty before.
    """

    kind: str
    id: str
    title: str
    reason: str
    task: str
    stub: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Review:
    """Review of a day.

    Attributes
    ----------
    items : list of ReviewItem
    note : str
        Sentence on what waits, or on why there is nothing.
    """

    items: list[ReviewItem]
    note: str

    def __repr__(self) -> str:
        """Return the review as text."""
        lines = []
        for number, item in enumerate(self.items, 1):
            lines.append(f"{'✓' if item.answer else '○'} {number}. {item.title}\n   Why: {item.reason}.")
            lines.append(f"   {item.answer or item.task}")
        return "\n".join([*lines, *filter(None, [self.note, RULE if self.items else ""])])

    def _repr_html_(self) -> str:
        parts = []
        for item in self.items:
            mark = "✓ " if item.answer else ""
            parts.append(f"<li><strong>{mark}{escape(item.title)}</strong><br>Why: {escape(item.reason)}.")
            parts.append(f"<br>{format_inline(item.answer or item.task)}")
            parts.append(f"{code_block(item.stub) if item.stub and not item.answer else ''}</li>")
        shown = f'<ol style="margin:0;padding-left:1.6em">{"".join(parts)}</ol>' if parts else ""
        last = f'<p style="font-size:90%">{escape(RULE)}</p>' if parts else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return card(NAME, f"{shown}{note}{last}")


def reason(kind: str, entry: Mapping[str, Any], place: str) -> str:
    """Return why an item comes back, without a full stop.

    Parameters
    ----------
    kind : str
    entry : Mapping
        Entry of the record.
    place : str
        Chapter and number, such as ``1.3``.

    Returns
    -------
    str

    Examples
    --------
    >>> entry = {"attempts": 2, "solved": True, "hints": 0, "when": "2026-11-13", "mistakes": {"GB for GiB": "2026-11-12"}}
    >>> reason("exercise", entry, "1.3")
    'the mistake “GB for GiB”, which you met in 1.3 on 12 November'
    """
    words, when, mistake = "solved", entry.get("when", ""), ""
    if kind == rule.PREDICTION:
        words = "guess"
    elif entry.get("mistakes"):
        words = "mistake"
        mistake, when = max(entry["mistakes"].items(), key=lambda one: (one[1], one[0]))
    elif entry.get("solved_after_reveal"):
        words = "solution"
    elif entry["attempts"] >= rule.MANY:
        words = "slow"
    elif entry["attempts"] > 1:
        words = "missed"
    elif entry["hints"]:
        words = "hint"
    day = spoken_day(when) if when else "an earlier day"
    return REASONS[words].format(mistake=mistake, place=place, day=day, attempts=entry.get("attempts"))


def spoken_day(when: str) -> str:
    """Return the day of a timestamp in words.

    >>> spoken_day("2026-11-12T09:00:00+00:00")
    '12 November'
    """
    return f"{int(when[8:10])} {MONTHS[int(when[5:7]) - 1]}"
