"""What kind of illness a benchmark's print shows."""

import numpy as np

from ... import verdict as v
from ..model import Exercise, Group, Mistake
from .sick import KINDS, good_run, run


def diagnose(good, today, wrong):
    """Name the illness from the rows of a good day, today's, and the numbers of wrong values."""
    if np.any(np.asarray(wrong) > 0):
        return "wrong"
    ratio = np.asarray(today) / np.asarray(good)
    sick = np.flatnonzero(ratio > 1.1)
    if not sick.size:
        return "nothing"
    if ratio[-1] <= 1.1:
        return "start" if ratio[0] > 1.1 else "disturbed"
    return "threshold" if ratio[sick[0]] > 2 else "rate"


def _runs(generator):
    # The plainest comes first: it is the one that a student sees.
    rows = {"good": np.array([1.0, 2.0, 4.0, 8.0]), "wrong": np.zeros(4)}
    hand = {"good": rows["good"], "today": np.array([1.0, 2.0, 12.0, 24.0]), "wrong": rows["wrong"]}
    drawn = [
        run(str(kind), generator, scale=float(generator.uniform(0.5, 3))) for kind in generator.permutation(KINDS * 2)
    ]
    late = run("wrong", generator)
    late["today"] = late["today"] * 1.0
    late["today"][-1] *= 3  # slow as well as wrong
    return [hand, *drawn, late]


def _like(bound=1.1, jump=2.0, see_wrong=True, last=-1, first=0):
    def other(good, today, wrong):
        if see_wrong and np.any(np.asarray(wrong) > 0):
            return "wrong"
        ratio = np.asarray(today) / np.asarray(good)
        sick = np.flatnonzero(ratio > bound)
        if not sick.size:
            return "nothing"
        if last is not None and ratio[last] <= bound:
            return "start" if first is None or ratio[first] > bound else "disturbed"
        return "threshold" if ratio[sick[0]] > jump else "rate"

    return other


def _only(found, instead):
    """Right but for one kind, which passes for another."""
    return lambda good, today, wrong: instead if (kind := diagnose(good, today, wrong)) == found else kind


DIAGNOSE = Exercise(
    id="measure.diagnose",
    title="What is wrong with this cluster?",
    signature="diagnose(good, today, wrong)",
    unit="",
    points=5,
    reference=diagnose,
    shows=(diagnose,),
    groups=(Group("runs", 1.0, _runs, v.VALUE),),
    hints=(
        "Divide today's times by the good ones, row by row. What does each illness look like from the first row to the last?",
        "The same time more in each row shows in short messages alone; the same time more for each byte grows slowly into the long "
        "ones; a threshold begins at once, and stays.",
        "Wrong values first. Then the rows above 1.1: none, 'nothing'. Last row well: 'start' if the first is not, else 'disturbed'. "
        "Last row slow: 'threshold' if the first row above 1.1 is above 2 as well, else 'rate'.",
    ),
    solution="""
import numpy as np


def diagnose(good, today, wrong):
    if np.any(np.asarray(wrong) > 0):
        return "wrong"
    ratio = np.asarray(today) / np.asarray(good)
    slow = np.flatnonzero(ratio > 1.1)
    if len(slow) == 0:
        return "nothing"
    if ratio[-1] <= 1.1:
        return "start" if ratio[0] > 1.1 else "disturbed"
    return "threshold" if ratio[slow[0]] > 2 else "rate"
""",
    explanation=(
        "A late rank or a slow launch adds the same time to every row, and only short messages notice. A narrow or shared link adds the "
        "same time to every byte; each row of four times the size can show at most four times as much of it, so it grows in. A "
        "library that changes its protocol or its path at some size is well below it and slow from there on. Rows that stand alone "
        "were disturbed: measure them again."
    ),
    meaning=lambda: (
        f"On the recorded run the first row takes {1e6 * good_run()[1][0]:.0f} µs and the last {1e3 * good_run()[1][-1]:.0f} ms. "
        "Three illnesses of the first, of the last and of the middle; a single number such as the average bus bandwidth tells "
        "none of them from another. Keep the table of a good day."
    ),
    mistakes=(
        Mistake(
            "wrong values are not looked at",
            _like(see_wrong=False),
            "You did not look at wrong. A collective that returns wrong sums is ill at any speed, and that comes before all times.",
        ),
        Mistake(
            "the last row alone",
            _like(last=None),
            "You did not ask whether the last row is slow. Where only short messages suffer, the bytes flow as ever.",
        ),
        Mistake(
            "every short row is a start",
            _like(first=None),
            "You took single slow rows for a slow start. A slow start is in the first row too; rows that stand alone were disturbed.",
        ),
        Mistake(
            "slow bytes for a threshold",
            _only("rate", "threshold"),
            "You took a low rate for a threshold. It grows in from row to row; a threshold is there at once, from one row to the next.",
        ),
        Mistake(
            "a threshold for slow bytes",
            _only("threshold", "rate"),
            "You took a threshold for a low rate. A low rate grows in from row to row; here the first slow row is slow at once.",
        ),
        Mistake(
            "a disturbed row for a threshold",
            _only("disturbed", "threshold"),
            "You took a single slow row for a threshold. From a threshold on all rows are slow, to the last.",
        ),
        Mistake(
            "a start for slow bytes",
            _only("start", "rate"),
            "You took a slow start for a low rate. In the last row a low rate shows most, and a slow start not at all.",
        ),
        Mistake(
            "the noise of a day",
            _like(bound=1.01),
            "You call a row slow that is 2 % above the good day. Two runs of a healthy cluster differ by as much; the line is at 10 %.",
        ),
    ),
)
