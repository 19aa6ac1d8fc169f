"""Exercise on one step of a systolic array."""

import numpy as np

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def step(weights, a_values, sums, entering):
    """Partial sums of a weight-stationary array after one more cycle."""
    return _moved_down(sums) + weights * _moved_right(a_values, entering)


def _moved_right(a_values, entering):
    return np.column_stack([entering, a_values[:, :-1]])


def _moved_down(sums):
    return np.vstack([np.zeros_like(sums[:1]), sums[:-1]])


def _array(generator, rows, cols):
    draw = lambda *shape: generator.integers(1, 10, shape).astype(float)
    return {
        "weights": draw(rows, cols),
        "a_values": draw(rows, cols),
        "sums": 10 * draw(rows, cols),
        "entering": draw(rows),
    }


def _arrays(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "weights": np.array([[1.0, 2.0], [3.0, 4.0]]),
        "a_values": np.array([[5.0, 6.0], [7.0, 8.0]]),
        "sums": np.array([[10.0, 20.0], [30.0, 40.0]]),
        "entering": np.array([1.0, 2.0]),
    }
    return [easy, _array(generator, 3, 4), _array(generator, 5, 2)]


def _thin(generator):
    return [_array(generator, 1, 4), _array(generator, 4, 1)]


def _meaning():
    chip = specs.accelerator("TPU v4")
    cells = 8 * 128 * 128
    clock = known("boost_clock_hz", chip.boost_clock_hz)
    rate = 2 * cells * clock
    return (
        f"A TPU v4 has {cells:,} such cells, and all of them take this step {clock / 1e9:.2f} billion times a second: "
        f"{rate / 1e12:.0f} TFLOP/s, its printed peak. Nothing else is in a peak."
    )


STEP = Exercise(
    id="systolic.step",
    title="One step of the array",
    signature="step(weights, a_values, sums, entering)",
    unit="",
    points=3,
    reference=step,
    groups=(
        Group("arrays", 0.8, _arrays),
        Group("edges", 0.2, _thin, advice="An array may have a single row or a single column."),
    ),
    hints=(
        "Three movements: A to the right, sums down, then one multiply-accumulate in every cell.",
        "Make the moved matrices first: np.column_stack puts a column in front, np.vstack a row on top.",
        "np.vstack([zeros, sums[:-1]]) + weights * np.column_stack([entering, a_values[:, :-1]]).",
    ),
    solution="""
import numpy as np


def step(weights, a_values, sums, entering):
    right = np.column_stack([entering, a_values[:, :-1]])
    down = np.vstack([np.zeros(sums.shape[1]), sums[:-1]])
    return down + weights * right
""",
    explanation=(
        "Every value that a cell needs comes from the cell to its left or above it. Only the left edge reads from memory, "
        "one value a row, and only the lower edge writes: that is the whole idea of a systolic array."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "sums stay",
            lambda weights, a_values, sums, entering: sums + weights * _moved_right(a_values, entering),
            "Your sums stayed where they were. Each moves one cell down first; zeros come in at the top.",
        ),
        Mistake(
            "A stays",
            lambda weights, a_values, sums, entering: _moved_down(sums) + weights * a_values,
            "You multiplied by the old values of A. They move one cell to the right first.",
        ),
        Mistake(
            "sums fall through",
            lambda weights, a_values, sums, entering: np.cumsum(weights * _moved_right(a_values, entering), axis=0),
            "You added the new sum of the cell above. All cells step at the same time: add its old sum.",
        ),
        Mistake(
            "everything falls through",
            lambda weights, a_values, sums, entering: np.cumsum(weights * entering[:, None], axis=0),
            "You overwrote cells before their neighbors had read them. All cells step at the same time: read only the old arrays.",
        ),
        Mistake(
            "nothing moves",
            lambda weights, a_values, sums, entering: sums + weights * a_values,
            "Nothing moved. A goes one cell right and the sums one cell down before the cells multiply and add.",
        ),
        Mistake(
            "sums wrap around",
            lambda weights, a_values, sums, entering: (
                np.roll(sums, 1, axis=0) + weights * _moved_right(a_values, entering)
            ),
            "Your lowest sums came back in at the top. They leave the array; zeros enter.",
        ),
        Mistake(
            "A wraps around",
            lambda weights, a_values, sums, entering: _moved_down(sums) + weights * np.roll(a_values, 1, axis=1),
            "Your last values of A came back in at the left. They leave the array; entering comes in.",
        ),
        Mistake(
            "both wrap around",
            lambda weights, a_values, sums, entering: np.roll(sums, 1, axis=0) + weights * np.roll(a_values, 1, axis=1),
            "np.roll brings back values that have left. Zeros enter at the top, and entering at the left.",
        ),
        Mistake(
            "old sums forgotten",
            lambda weights, a_values, sums, entering: weights * _moved_right(a_values, entering),
            "Those are the products alone. Each is added to the sum that comes from the cell above.",
        ),
        Mistake(
            "values of A",
            lambda weights, a_values, sums, entering: _moved_right(a_values, entering),
            "Those are the new values of A. Return the new sums.",
        ),
        Mistake(
            "sums move up",
            lambda weights, a_values, sums, entering: (
                np.vstack([sums[1:], np.zeros_like(sums[:1])]) + weights * _moved_right(a_values, entering)
            ),
            "Your sums moved up. They move down: row 0 is the top.",
        ),
    ),
    mutants=MUTANTS["systolic.step"],
)
