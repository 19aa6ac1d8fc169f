"""The learner's progress: exercises solved, and how well the predictions were calibrated."""

from dataclasses import dataclass
from html import escape
from itertools import groupby

from chip2cluster import journal

from ..exercises import exercises


@dataclass(frozen=True)
class Progress:
    """A snapshot of the record: ``exercises`` and ``predictions`` as lists of rows (dicts)."""

    exercises: list
    predictions: list
    place: str

    @property
    def summary(self):
        """The whole in two sentences."""
        solved = sum(row["state"] == "solved" for row in self.exercises)
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
            rows = list(rows)
            solved = sum(row["state"] == "solved" for row in rows)
            name = chapter.replace("lab.", "lab: ")
            table = _table(
                name,
                ("exercise", "id", "state", "attempts", "hints"),
                [(r["title"], r["exercise"], r["state"], r["attempts"], r["hints"]) for r in rows],
                words=3,
            )
            # Folded where nothing has been tried: the list of a whole course is long.
            begun = " open" if any(row["attempts"] or row["hints"] for row in rows) else ""
            # A line alone is too low to be hit by everybody: 24 pixels are wanted.
            summary = f'<summary style="padding: 2px 0">{escape(name)}: {solved} of {len(rows)} solved</summary>'
            parts.append(f"<details{begun}>{summary}{table}</details>")
        if self.predictions:
            parts.append(
                _table(
                    "Predictions",
                    ("question", "your guess", "value", "unit", "orders of magnitude"),
                    [
                        (r["text"], f"{r['guess']:.3g}", f"{r['value']:.3g}", r["unit"], f"{r['orders']:+.2f}")
                        for r in self.predictions
                    ],
                    words=1,
                )
            )
        parts.append(
            f"<p style='font-size:90%'>Kept in <code>{escape(self.place)}</code>. To take it along: "
            '<code>progress(export_to="my-progress.json")</code>, and on the other machine '
            '<code>progress(import_from="my-progress.json")</code>.</p>'
        )
        return "<div class='c2c-progress' style='max-width:60em'>" + "".join(parts) + "</div>"


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
    rows = [_row(one, record["exercises"].get(one.id)) for one in exercises().values()]
    guesses = [_guess(predict.find(forecast.question), forecast) for forecast in predict.calibration()]
    return Progress(rows, guesses, str(journal.path()))


def _row(exercise, entry):
    entry = entry or {"attempts": 0, "hints": 0, "solved": False, "revealed": False}
    if entry["solved"]:
        state = "solved after the solution" if entry.get("solved_after_reveal") else "solved"
    else:
        state = entry.get("verdict", "open") if entry["attempts"] else "open"
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


def _table(caption, header, rows, words):
    """An HTML table whose first ``words`` columns hold words and whose others hold numbers."""
    head = "".join(
        f"<th scope='col' style='text-align:{_side(i, words)}'>{escape(h)}</th>" for i, h in enumerate(header)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td style='text-align:{_side(i, words)}'>{escape(str(c))}</td>" for i, c in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table><caption style='text-align:left'><strong>{caption}</strong></caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _side(column, words):
    return "left" if column < words else "right"
