"""Review of a day: three exercises or predictions that come back, with the reason and what to do."""

from collections.abc import Mapping
from datetime import date
from functools import cache

from chip2cluster import journal
from chip2cluster import review as rule

from .. import course_pages
from ..exercise_headers import all_headers, topic
from ..exercises import exercises
from .review_view import AGAIN, CHECKED, EMPTY, FREE, MORE, Review, ReviewItem, reason, spoken_day


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


def _item(record, kind, name):
    entry = record[rule.PARTS[kind]][name]
    done = not rule.is_open(record, kind, name)
    answer = AGAIN.format(day=spoken_day(rule.due(rule.position(entry)))) if done else ""
    if kind == rule.EXERCISE:
        task, header = exercises()[name], all_headers().get(name)
        title = f"{exercise_place(name)} · {header.title if header else task.title}"
        words = f'Write `{task.function_name}` again, in a new cell. `check("{name}", {task.function_name})` draws new numbers.'
        if task.critique:
            words = (
                f'`given("{name}")` shows three other answers: run it in a new cell. Write `{task.function_name}` for them, then '
                f'run `check("{name}", {task.function_name})`.'
            )
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
    from chip2cluster.predict.questions import QUESTIONS, truths  # imports every model

    return truths({question.id for question in QUESTIONS})


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
