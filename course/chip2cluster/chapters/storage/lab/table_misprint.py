"""Task on the one misprint in a table of counts and percentages."""

from typing import Any

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

NEAR = 0.05 + 1e-9  # percent: half a unit of the printed digit


def find_slip(counts, printed, total):
    """Row of the misprint from 0 on, and its right count and percentage."""
    counts, printed = np.asarray(counts, dtype=float), np.asarray(printed, dtype=float)
    if counts.sum() == total:  # the counts are right
        row = int(np.argmax(np.abs(100 * counts / total - printed)))
        return [row, counts[row], round(100 * counts[row] / total, 1)]
    right = counts + total - counts.sum()
    row = int(np.argmin(np.abs(100 * right / total - printed)))
    return [row, right[row], printed[row]]


def _table(generator, rows):
    """A table without a misprint whose percentages stand clear of the border between two digits."""
    while True:
        counts = np.sort(generator.integers(3, 160, rows))[::-1].astype(float)
        percent = 100 * counts / counts.sum()
        clear = np.abs(percent * 10 % 1 - 0.5).min() > 0.04
        missing = 100 - (np.round(percent, 1).sum() - np.round(percent, 1))
        # What the others leave of a hundred is a tenth or more beside every row's percentage.
        if clear and len({*counts}) == rows and np.abs(missing - np.round(percent, 1)).min() > 0.09:
            return counts, np.round(percent, 1)


def _misprinted(generator, rows):
    counts, printed = _table(generator, rows)
    row = int(generator.integers(1, rows))
    wrong = printed.copy()
    wrong[row] = round(printed[row] + float(generator.choice((-1, 1))) * float(generator.uniform(0.6, 2.4)), 1)
    return {"counts": counts, "printed": wrong, "total": int(counts.sum())}


def _percentages(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"counts": np.array([29.0, 14.0, 8.0, 5.0]), "printed": np.array([51.8, 20.5, 14.3, 8.9]), "total": 56}
    return [easy, *(_misprinted(generator, rows) for rows in (6, 9, 12, 7, 15))]


def _counts(generator):
    """A digit of a count is wrong: the percentages tell which, and the total what it was."""
    drawn: list[Any] = []
    while len(drawn) < 5:
        counts, printed = _table(generator, int(generator.integers(6, 13)))
        row, total = int(generator.integers(1, len(counts))), counts.sum()
        wrong = counts.copy()
        wrong[row] += float(generator.choice((-20, -10, 10, 20, 3, -2)))
        found = np.abs(100 * (wrong + total - wrong.sum()) / total - printed) < 3 * NEAR
        if wrong[row] > 0 and found.sum() == 1:
            drawn.append({"counts": wrong, "printed": printed, "total": int(total)})
    return drawn


def _changed(change):
    """The right answer, changed by what is printed and counted."""

    def wrong(counts, printed, total):
        row, count, percent = find_slip(counts, printed, total)
        return change(int(row), count, percent, np.asarray(counts), np.asarray(printed), total)

    return wrong


def _trusting(counts, printed, total):
    """Counts are always right."""
    row = int(np.argmax(np.abs(100 * counts / counts.sum() - printed)))
    return [row, counts[row], round(100 * counts[row] / counts.sum(), 1)]


def _of_total(counts, printed, total):
    row = int(np.argmax(np.abs(100 * counts / total - printed)))
    return [row, counts[row], round(100 * counts[row] / total, 1)]


SLIP = Exercise(
    id="lab.storage.find_slip",
    title="The mistake in the table",
    signature="find_slip(counts, printed, total)",
    unit="",
    graded=True,
    points=4,
    reference=find_slip,
    tolerance=1e-6,
    groups=(
        Group("a percentage", 0.6, _percentages),
        Group(
            "a count",
            0.4,
            _counts,
            v.VALUE,
            advice="If the counts do not add up to total, one of them is the misprint. The difference belongs to the row whose "
            "printed percentage then fits.",
        ),
    ),
    hints=(
        "Which of the two numbers in a row is wrong? Compare the sum of the counts with total.",
        "If the counts add up to total, they are right, and one percentage is far from 100 · count / total. If they do not, "
        "the difference belongs to one row, and the percentages show which.",
        "For every row, compute the count that would make the total right if the others stay. Take the row where the percentage of that count is closest to the printed one. Round percentages to one decimal.",
    ),
    explanation="Count, percentage and total depend on each other, so they show which one of them is wrong.",
    mistakes=(
        Mistake(
            "counts are trusted",
            _trusting,
            "You divided by the sum of the counts. If it differs from total, a count is the misprint, and every percentage of that "
            "sum is slightly wrong.",
            share=0.6,
        ),
        Mistake(
            "percentages are blamed",
            _of_total,
            "You always correct the percentage. If the counts do not add up to total, a count is wrong and its percentage is right.",
            share=0.6,
        ),
        Mistake(
            "what is missing to a hundred",
            _changed(
                lambda row, count, percent, counts, printed, total: [
                    row,
                    count,
                    round(100 - (printed.sum() - printed[row]), 1) if counts.sum() == total else percent,
                ]
            ),
            "You subtracted the other percentages from 100. Each of them is rounded: compute the percentage from the count.",
        ),
        Mistake(
            "as printed",
            _changed(lambda row, count, percent, counts, printed, total: [row, counts[row], printed[row]]),
            "You found the row but returned it as printed. One of its two numbers is wrong: return the correct one.",
        ),
        Mistake(
            "counted from one",
            _changed(lambda row, count, percent, *_: [row + 1, count, percent]),
            "You counted the rows from 1. Count them from 0, as Python does.",
        ),
        Mistake(
            "not rounded",
            _changed(lambda row, count, percent, counts, printed, total: [row, count, 100 * count / total]),
            "Your percentage is not rounded. The table has one decimal: round(…, 1).",
        ),
        Mistake(
            "the largest row",
            _changed(
                lambda row, count, percent, counts, printed, total: [0, counts[0], round(100 * counts[0] / total, 1)]
            ),
            "You always return the first row. In the lab's table that is the wrong one, but in other tables it is another: search for it.",
        ),
        Mistake(
            "a fraction",
            _changed(lambda row, count, percent, *_: [row, count, percent / 100]),
            "You returned a fraction. The table prints percent.",
            v.UNIT,
        ),
    ),
)
