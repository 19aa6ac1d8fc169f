"""Spaced review of a learner's record: which exercises and predictions come back on a day.

The rule is Leitner's: an item lies in one of six boxes, and each box has its interval. Success moves it one box up, a miss
moves it to the first. The book's page applies the same rule in JavaScript to the record in the browser, and a test
compares the two.

>>> entry = {"attempts": 1, "solved": True, "hints": 0, "revealed": False, "when": "2026-11-12T10:00:00+00:00"}
>>> position(entry), due(position(entry)), move(position(entry), True, "2026-11-19")
(Position(box=2, day='2026-11-12'), '2026-11-19', Position(box=3, day='2026-11-19'))
"""

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from zlib import crc32

INTERVALS = (1, 3, 7, 16, 35, 80)  # days until an item of each box comes back
MOST = 3  # items a day
LEAD = 7  # days by which an exercise with a named mistake goes ahead of the others, so that none waits forever
OFF = 2.0  # factor from which on a first guess comes back, and up to which a recalled value is right
MANY = 4  # attempts at an exercise that count as slow
EXERCISE, PREDICTION = "exercise", "prediction"
PARTS = {EXERCISE: "exercises", PREDICTION: "predictions"}


class Position(NamedTuple):
    """Box of an item, and the day (``"2026-11-12"``) of its last repetition or of its solution."""

    box: int
    day: str


class Item(NamedTuple):
    """Item of a review: its kind, its id, and the day on which it is due."""

    kind: str
    id: str
    due: str


def today() -> str:
    """Return the current day in UTC, in which records count."""
    return datetime.now(UTC).date().isoformat()


def seed(exercise: str, day: str) -> int:
    """Return the seed with which an exercise's inputs are drawn for the review of a day."""
    return crc32(f"{exercise} {day}".encode())


def position(entry: Mapping[str, Any]) -> Position:
    """Return the position of a solved exercise or a committed prediction.

    Parameters
    ----------
    entry : Mapping
        Entry of a record. One without a repetition gets the box that its first solution earned: the first one after
        many attempts or the shown solution, the second after a miss or a hint, the third otherwise. A prediction that
        comes back was a miss.

    Returns
    -------
    Position
    """
    if stored := entry.get("review"):
        return Position(stored["box"], stored["day"])
    day = entry.get("when", "")[:10] or "1970-01-01"  # a record of an early version may lack the time
    if "guess" in entry or entry.get("solved_after_reveal") or entry["attempts"] >= MANY:
        return Position(0, day)
    return Position(1 if entry["attempts"] > 1 or entry["hints"] else 2, day)


def due(place: Position) -> str:
    """Return the day on which an item comes back."""
    return (date.fromisoformat(place.day) + timedelta(INTERVALS[place.box])).isoformat()


def move(place: Position, right: bool, day: str) -> Position:
    """Return the position after a repetition: one box up, or the first box after a miss."""
    return Position(min(place.box + 1, len(INTERVALS) - 1) if right else 0, day)


def waiting(record: Mapping[str, Any], known: Callable[[str], bool], truths: Mapping[str, float]) -> list[Item]:
    """Return all items that come back at some time, most urgent first.

    Parameters
    ----------
    record : Mapping
        Record of the learner, as `journal.read` returns it.
    known : callable
        Returns whether an exercise with this id comes back; removed and graded ones do not.
    truths : Mapping of str to float
        True value of each prediction.

    Returns
    -------
    list of Item
        Solved exercises, and predictions whose first guess was off by more than a factor of `OFF`.
    """
    found = []
    for name, entry in record["exercises"].items():
        if entry["solved"] and known(name):
            found.append((bool(entry.get("mistakes")), Item(EXERCISE, name, due(position(entry)))))
    for name, entry in record["predictions"].items():
        if name in truths and is_off(entry["guess"], truths[name]):
            found.append((False, Item(PREDICTION, name, due(position(entry)))))
    found.sort(key=lambda one: (_shifted(one[1].due, -LEAD if one[0] else 0), one[1].due, one[1].kind, one[1].id))
    return [item for _, item in found]


def is_off(guess: float, truth: float) -> bool:
    """Return whether a value is off by more than a factor of `OFF`.

    >>> is_off(40.0, 80.0), is_off(39.0, 80.0)
    (False, True)
    """
    return max(guess / truth, truth / guess) > OFF


def draw(items: list[Item], day: str) -> list[Item]:
    """Return the most urgent items that are due on a day, `MOST` at most."""
    return [item for item in items if item.due <= day][:MOST]


def drawn(record: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """Return the day of the last review that was drawn, and its items by kind and id; no day before the first one."""
    stored = record.get("review") or {"day": "", "items": []}
    return stored["day"], [(kind, name) for kind, name in stored["items"]]


def is_open(record: Mapping[str, Any], kind: str, name: str) -> bool:
    """Return whether an item of the last review has not been repeated since the review was drawn."""
    day, items = drawn(record)
    entry = record[PARTS[kind]].get(name)
    return (kind, name) in items and entry is not None and entry.get("review", {}).get("day", "") < day


def checked(record: Mapping[str, Any]) -> None:
    """Raise an error if a record's review is unusable."""
    day, items = drawn(record)
    if day:
        date.fromisoformat(day)
    if any(kind not in PARTS or not isinstance(name, str) for kind, name in items):
        raise ValueError("its review holds something that is neither an exercise nor a prediction")
    for part in PARTS.values():
        for entry in record[part].values():
            if stored := entry.get("review"):
                INTERVALS[stored["box"]], date.fromisoformat(stored["day"])


def later(reviews: Collection[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """Return the latest of several positions or drawn reviews; of one day the first. None without any."""
    return max((one for one in reviews if one), key=lambda one: one["day"], default=None)


def _shifted(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()
