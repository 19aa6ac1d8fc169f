"""The learner's progress: exercises solved, and how well the predictions were calibrated."""

from dataclasses import dataclass
from enum import StrEnum
from html import escape
from itertools import groupby

from chip2cluster import journal
from chip2cluster.html import INLINE, Head, Html, table

from ..cards import card
from ..exercises import exercises


class State(StrEnum):
    """Where a learner stands with an exercise; one that was tried in vain has its last verdict in this place."""

    OPEN = "open"
    SOLVED = "solved"
    AFTER_SOLUTION = "solved after the solution"


@dataclass(frozen=True)
class Progress:
    """A snapshot of the record: ``exercises`` and ``predictions`` as lists of rows (dicts)."""

    exercises: list
    predictions: list
    place: str

    @property
    def summary(self):
        """The whole in two sentences."""
        solved = sum(row["state"] == State.SOLVED for row in self.exercises)
        text = f"{solved} of {len(self.exercises)} exercises solved."
        from chip2cluster.predict import summary  # brings the widgets along, which a check does not need

        return f"{text} {summary([row['orders'] for row in self.predictions])}"

    def __repr__(self):
        rows = [f"{row['exercise']:32} {row['state']:14} attempts {row['attempts']}" for row in self.exercises]
        rows += [f"{row['question']:32} guess {row['guess']:g}, value {row['value']:g}" for row in self.predictions]
        return "\n".join([self.summary, *rows, f"Kept in {self.place}"])

    def _repr_html_(self):
        parts = [f"<p>{escape(self.summary)}</p>"]
        for chapter, rows in groupby(self.exercises, lambda row: row["exercise"].rpartition(".")[0]):
            parts.append(_folded(chapter.replace("lab.", "lab: "), list(rows)))
        if self.predictions:
            heads = [Head("question"), *(Head(text, number=True) for text in ("your guess", "value", "unit"))]
            heads.append(Head("orders of magnitude", number=True))
            rows = [
                (row["text"], f"{row['guess']:.3g}", f"{row['value']:.3g}", row["unit"], f"{row['orders']:+.2f}")
                for row in self.predictions
            ]
            parts.append(table(heads, rows, caption=Html("<strong>Predictions</strong>"), look=INLINE))
        parts.append(
            f'<p style="font-size:90%">Kept in <code>{escape(self.place)}</code>. To take it along: '
            '<code>progress(export_to="my-progress.json")</code>, and on the other machine '
            '<code>progress(import_from="my-progress.json")</code>.</p>'
        )
        return card("progress", "".join(parts))


def _folded(name, rows):
    """The exercises of a chapter, folded where nothing has been tried: the list of a whole course is long."""
    solved = sum(row["state"] == State.SOLVED for row in rows)
    heads = [Head("exercise"), Head("id"), Head("state"), Head("attempts", number=True), Head("hints", number=True)]
    cells = [(row["title"], row["exercise"], row["state"], str(row["attempts"]), str(row["hints"])) for row in rows]
    begun = " open" if any(row["attempts"] or row["hints"] for row in rows) else ""
    # A line alone is too low to be hit by everybody: 24 pixels are wanted.
    summary = f'<summary style="padding: 2px 0">{escape(name)}: {solved} of {len(rows)} solved</summary>'
    return f"<details{begun}>{summary}{table(heads, cells, look=INLINE)}</details>"


def progress(*, export_to=None, import_from=None):
    """Show what you have solved and how good your predictions were.

    Parameters
    ----------
    export_to : path, optional
        Write your record to this file first; an existing file is never overwritten.
    import_from : path, optional
        Merge a record exported elsewhere first; nothing of either is lost.

    Returns
    -------
    Progress
    """
    from chip2cluster import predict  # brings the widgets along, which a check does not need

    if import_from is not None:
        journal.import_from(import_from)
    if export_to is not None:
        journal.export_to(export_to)
    record = journal.read()
    rows = [_row(exercise, record["exercises"].get(exercise.id)) for exercise in exercises().values()]
    guesses = [_guess(predict.find(forecast.question), forecast) for forecast in predict.calibration()]
    return Progress(rows, guesses, str(journal.path()))


def _row(exercise, entry):
    entry = entry or {"attempts": 0, "hints": 0, "solved": False, "revealed": False}
    if entry["solved"]:
        state = State.AFTER_SOLUTION if entry.get("solved_after_reveal") else State.SOLVED
    else:
        state = entry.get("verdict", State.OPEN) if entry["attempts"] else State.OPEN
    return {
        "exercise": exercise.id,
        "title": exercise.title,
        "state": state,
        "attempts": entry["attempts"],
        "hints": entry["hints"],
    }


def _guess(question, forecast):
    return {
        "question": question.id,
        "text": question.text,
        "guess": forecast.guess,
        "value": forecast.truth,
        "unit": question.unit,
        "orders": forecast.orders,
    }
