"""Exercise on a diagnosis of a benchmark's output: the kind of fault."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .faulty_run import KINDS, good_run, run


def diagnose(good, today, wrong):
    """Name the fault from the rows of a good day, today's, and the numbers of wrong values."""
    if np.any(np.asarray(wrong) > 0):
        return "wrong"
    ratio = np.asarray(today) / np.asarray(good)
    slow = np.flatnonzero(ratio > 1.1)
    if not slow.size:
        return "nothing"
    if ratio[0] > 1.1:
        return "unclear" if ratio[-1] > 1.1 else "start"
    if ratio[-1] <= 1.1:
        return "disturbed"
    return "threshold" if ratio[slow[0]] >= 2 else "rate"


GOOD = [10.0, 12.0, 20.0, 50.0, 200.0]
# Few rows of whole numbers, a threshold first: what a student sees is small enough to divide in the head.
BY_HAND = (
    [10.0, 12.0, 60.0, 150.0, 600.0],
    [25.0, 27.0, 35.0, 65.0, 215.0],
    [10.0, 12.0, 24.0, 75.0, 350.0],
    [10.0, 12.0, 100.0, 50.0, 200.0],
    [15.0, 18.0, 30.0, 75.0, 300.0],
)


def _runs(generator):
    hand = [{"good": np.array(GOOD), "today": np.array(today), "wrong": np.zeros(len(GOOD))} for today in BY_HAND]
    drawn = [
        run(str(kind), generator, scale=float(generator.uniform(0.5, 3))) for kind in generator.permutation(KINDS * 2)
    ]
    late = run("wrong", generator)
    late["today"] = late["today"] * 1.0
    late["today"][-1] *= 3  # slow as well as wrong
    return [*hand, *drawn, late]


def _like(bound=1.1, jump=2.0, see_wrong=True, last=-1, first=0, both=True):
    def other(good, today, wrong):
        if see_wrong and np.any(np.asarray(wrong) > 0):
            return "wrong"
        ratio = np.asarray(today) / np.asarray(good)
        slow = np.flatnonzero(ratio > bound)
        if not slow.size:
            return "nothing"
        if both and ratio[0] > bound and ratio[-1] > bound:
            return "unclear"
        if last is not None and ratio[last] <= bound:
            return "start" if first is None or ratio[first] > bound else "disturbed"
        return "threshold" if ratio[slow[0]] >= jump else "rate"

    return other


def _first_slow(good, today, wrong):
    if np.any(np.asarray(wrong) > 0):
        return "wrong"
    ratio = np.asarray(today) / np.asarray(good)
    slow = np.flatnonzero(ratio > 1.1)
    if not slow.size:
        return "nothing"
    return "start" if slow[0] == 0 else "threshold" if ratio[slow[0]] >= 2 else "rate"


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
        "Divide today's times by the good ones, row by row. What does each fault look like from the first row to the last?",
        "The same extra time in each row is visible only in short messages; the same extra time per byte grows slowly toward the long ones; a threshold starts at one size and stays.",
        "Wrong values first. Then the rows above 1.1: none, 'nothing'. First and last row: both slow, 'unclear'; the first alone, 'start'; "
        "neither, 'disturbed'. The last alone: 'threshold' if the first row above 1.1 is 2 or more, else 'rate'.",
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
    if ratio[0] > 1.1:
        return "unclear" if ratio[-1] > 1.1 else "start"
    if ratio[-1] <= 1.1:
        return "disturbed"
    return "threshold" if ratio[slow[0]] >= 2 else "rate"
""",
    explanation=(
        "A late rank or a slow launch adds the same time to every row, and only short messages show it. A narrow or shared link adds the "
        "same time to every byte; each row of four times the size can show at most four times as much of it, so it grows gradually. A "
        "library that changes its protocol or its path at some size is normal below it and slow from there on. Single slow rows "
        "were disturbed: measure them again. A run that is slow at both ends may have two faults, or a slower clock: say so."
    ),
    meaning=lambda: (
        f"On the recorded run the first row takes {1e6 * good_run()[1][0]:.0f} µs and the last {1e3 * good_run()[1][-1]:.0f} ms. "
        "Three faults: in the first rows, in the last, in the middle. A single number such as the average bus bandwidth can't "
        "distinguish them. Keep a baseline: the table of a good day."
    ),
    mistakes=(
        Mistake(
            "wrong values ignored",
            _like(see_wrong=False),
            "You ignored wrong. A collective that returns wrong sums is faulty at any speed, so check that before all times.",
        ),
        Mistake(
            "last row ignored",
            _like(last=None),
            "You did not check whether the last row is slow. If only short messages are slow, the bandwidth is normal.",
        ),
        Mistake(
            "the first slow row alone",
            _first_slow,
            "You looked only at the first slow row. The last row distinguishes a slow start from a fault at both ends, and a disturbed row from a "
            "threshold.",
        ),
        Mistake(
            "slow at both ends",
            _like(both=False),
            "You did not ask whether both ends are slow. Neither a slow start nor a low rate slows the first and the last row alike: 'unclear'.",
        ),
        Mistake(
            "both ends slow taken for a slow start",
            _only("unclear", "start"),
            "You took a run that is slow at both ends for a slow start. A slow start disappears in a long message; here the last row is slow, too: 'unclear'.",
        ),
        Mistake(
            "every short row is a start",
            _like(first=None),
            "You took single slow rows for a slow start. A slow start shows in the first row too; single slow rows were disturbed.",
        ),
        Mistake(
            "slow bytes for a threshold",
            _only("rate", "threshold"),
            "You took a low rate for a threshold. A low rate grows from row to row; a threshold appears at once, from one row to the next.",
        ),
        Mistake(
            "a threshold for slow bytes",
            _only("threshold", "rate"),
            "You took a threshold for a low rate. A low rate grows from row to row; here the first slow row is twice as slow at once.",
        ),
        Mistake(
            "a disturbed row for a threshold",
            _only("disturbed", "threshold"),
            "You took a single slow row for a threshold. From a threshold on, all rows are slow.",
        ),
        Mistake(
            "a start for slow bytes",
            _only("start", "rate"),
            "You took a slow start for a low rate. A low rate shows most in the last row, where a slow start no longer shows.",
        ),
        Mistake(
            "normal variation",
            _like(bound=1.01),
            "You call a row slow that is 2 % above the good day. Two runs of a healthy cluster differ that much; the threshold is 10 %.",
        ),
    ),
)
