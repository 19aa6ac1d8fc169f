"""Review of a day: three exercises or predictions that come back, with the reason and what to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from html import escape
from typing import Any

from chip2cluster import journal
from chip2cluster import review as rule

from .. import course_pages
from ..checking.html_cards import card, code_block, format_inline
from ..exercise_headers import all_headers, topic
from ..exercises import exercises

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


def review(day: str | None = None, recalled: Mapping[str, float] | None = None) -> Review:
    """Draw the review of a day, unless it was drawn, and return it.

    Parameters
    ----------
    day : str, optional
        Day, such as ``"2026-11-12"``; today by default.
    recalled : Mapping of str to float, optional
        Values that the learner recalls for predictions of this review.

    Returns
    -------
    Review

    Raises
    ------
    ValueError
        If ``recalled`` names something that is not a prediction of this review, or holds an unusable value.
    """
    day = rule.today() if day is None else date.fromisoformat(day).isoformat()
    record = journal.read()
    items = rule.waiting(record, returns, _truths())
    if rule.drawn(record)[0] < day or not rule.drawn(record)[1]:
        journal.draw_review(day, rule.draw(items, day))
    for question, value in _checked(recalled or {}).items():
        journal.repeat(rule.PREDICTION, question, not rule.is_off(value, _truths()[question]), day)
    record = journal.read()
    items = rule.waiting(record, returns, _truths())
    shown = [_item(record, kind, name) for kind, name in rule.drawn(record)[1] if _is_known(record, kind, name)]
    return Review(shown, _note(items, shown, rule.drawn(record)[1], day))


def repetition_seed(exercise_id: str) -> int | None:
    """Return the seed for checks of an exercise of the last review; None if it is not in it.

    Checks after the repetition, on the same day, draw the same inputs, so that one can work on a failing one.
    """
    record = journal.read()
    day, items = rule.drawn(record)
    entry = record["exercises"].get(exercise_id, {})
    if (rule.EXERCISE, exercise_id) not in items or not entry.get("solved") or not returns(exercise_id):
        return None
    repeated = entry.get("review", {}).get("day", "")
    return rule.seed(exercise_id, day) if repeated < day or day == rule.today() else None


def repeat(exercise_id: str, correct: bool, mistake: str) -> str:
    """Record a check as a repetition, and return the sentence that says so; empty if it is not one."""
    entry = journal.repeat(rule.EXERCISE, exercise_id, correct, rule.today(), mistake)
    return CHECKED[correct].format(day=spoken_day(rule.due(rule.position(entry)))) if entry else ""


def returns(exercise_id: str) -> bool:
    """Return whether an exercise comes back: those of chapters do, graded and removed ones do not."""
    return exercise_id in exercises() and not exercises()[exercise_id].graded


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


def _item(record, kind, name):
    entry = record[rule.PARTS[kind]][name]
    done = not rule.is_open(record, kind, name)
    answer = AGAIN.format(day=spoken_day(rule.due(rule.position(entry)))) if done else ""
    if kind == rule.EXERCISE:
        task, header = exercises()[name], all_headers().get(name)
        title = f"{exercise_place(name)} · {header.title if header else task.title}"
        words = f'Write `{task.function_name}` again, in a new cell. `check("{name}", {task.function_name})` draws new numbers.'
        return ReviewItem(kind, name, title, reason(kind, entry, exercise_place(name)), words, task.stub, answer)
    from chip2cluster.predict import find, verdict  # brings the widgets along, which a check does not need

    question, place = find(name), prediction_place(name)
    words = f'What was the value, in {question.unit}, and why? `progress("review", recalled={{"{name}": …}})` takes your number.'
    if done:
        from chip2cluster.predict import Form

        shown = Form(question)
        first = verdict(entry["guess"], question.truth())
        answer = f"{shown.value} {shown.reason} At your first guess: {first} {answer}"
    return ReviewItem(kind, name, question.text, reason(kind, entry, place), words, "", answer)


def exercise_place(name: str) -> str:
    """Return an exercise's chapter and number, such as ``1.3``; its id without notebooks."""
    header = all_headers().get(name)
    return f"{_chapters()[topic(name)]}.{header.number}" if header else name


def prediction_place(name: str) -> str:
    """Return the notebook of a prediction, such as ``chapter 3``; another notebook's name."""
    number = _chapters().get(topic(name))
    return f"chapter {number}" if number else f"the notebook {topic(name)}"


def _chapters():
    return {course_pages.topic(page): course_pages.number(page) for page in course_pages.chapters()}


@cache
def _truths():
    from chip2cluster.predict import QUESTIONS  # imports every model

    return {question.id: float(question.truth()) for question in QUESTIONS}


def _is_known(record, kind, name):
    return name in record[rule.PARTS[kind]] and (returns(name) if kind == rule.EXERCISE else name in _truths())


def _checked(recalled):
    """Return recalled values as floats, or raise an error that says what to write."""
    open_ones = [name for kind, name in rule.drawn(journal.read())[1] if kind == rule.PREDICTION]
    found = {}
    for question, value in recalled.items():
        if question not in open_ones:
            names = ", ".join(open_ones) or "none"
            raise ValueError(f"{question!r} is not a prediction of this review; its predictions: {names}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise ValueError(f"give the value that you recall for {question} as a number above zero, got {value!r}")
        found[question] = float(value)
    return found


def _note(items, shown, now, day):
    if not items:
        return EMPTY
    due = [item for item in items if item.due <= day and (item.kind, item.id) not in now]
    if due:
        return MORE.format(count=len(due))
    following = min(item.due for item in items)
    return FREE.format(day=spoken_day(following)) if not shown else ""
