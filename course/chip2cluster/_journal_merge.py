"""Merge records of a learner: nothing of either is lost."""

from typing import Any

from . import renamed, review

FORMAT = 1


def merged(*records: dict[str, Any]) -> dict[str, Any]:
    """Merge records under current ids; a single record may hold both a former id and its current one."""
    predictions: dict[str, Any] = {}
    exercises: dict[str, Any] = {}
    notes_: dict[str, list[dict[str, str]]] = {}
    others: dict[str, Any] = {}
    for record in reversed(records):
        others |= record
    for record in records:
        for place, entries in record.get("notes", {}).items():
            known = notes_.get(place, [])
            new = [one for one in entries if one not in known]
            notes_[place] = sorted(known + new, key=lambda one: one["when"])
        for question, theirs in record["predictions"].items():
            name = renamed.current(question, renamed.PREDICTIONS)
            ours = predictions.get(name)
            if ours is None or theirs["when"] < ours["when"]:
                predictions[name] = theirs
            predictions[name] = _with_review(predictions[name], ours, theirs)
        for exercise, theirs in record["exercises"].items():
            name = renamed.current(exercise, renamed.EXERCISES)
            ours = exercises.get(name)
            rank = lambda entry: (entry["solved"], entry["attempts"])
            met = [(one or {}).get("mistakes", {}) for one in (theirs, ours)]
            if ours is None or rank(theirs) > rank(ours):
                exercises[name] = theirs
            if any(met):
                earliest = {
                    mistake: min(one[mistake] for one in met if mistake in one) for one in met for mistake in one
                }
                exercises[name] = exercises[name] | {"mistakes": earliest}
            exercises[name] = _with_review(exercises[name], ours, theirs)
    if latest := review.later([record.get("review") for record in records]):
        others["review"] = latest
    return others | {"format": FORMAT, "predictions": predictions, "notes": notes_, "exercises": exercises}


def _with_review(entry, *entries):
    """Return an entry with the latest repetition of several entries for the same item."""
    latest = review.later([(one or {}).get("review") for one in entries])
    return entry | {"review": latest} if latest else entry
