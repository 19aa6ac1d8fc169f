"""Written question: measurements, two explanations and a forecast, with numbers that a seed draws for each class.

The texts are templates. The numbers of the model answer are computed from the draw and never stored.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chip2cluster import units

ATTEMPTS = 400
WORST_MISS = 0.25  # relative error of the wrong explanation, at least, in its worst row
FORECAST_MISS = 0.15  # the same between the two forecasts
TIE_MISS = 0.03  # difference below which a row cannot distinguish the two
NOISE = 0.02
WORDS = 120
LETTERS = "AB"


def si(unit: str, digits: int = 3) -> Callable[[float], str]:
    """Return a formatter for a quantity with a unit."""
    return lambda value: units.show(value, unit, digits)


def percent(value: float) -> str:
    """Format a share as a percentage."""
    return f"{100 * value:.3g} %"


def whole(value: float) -> str:
    """Format a count."""
    return f"{value:,.0f}"


@dataclass(frozen=True)
class Column:
    """Column of the table: the argument's ``name``, its ``head``, and the formatter of its values."""

    name: str
    head: str
    show: Callable[[float], str] = whole


@dataclass(frozen=True)
class Explanation:
    """One of the two explanations.

    Attributes
    ----------
    says : str
        Text in the question.
    why, refute : str
        Texts in the model answer: why the numbers support it, and which measurement would prove it wrong.
    value : callable
        Takes the constants and a row's numbers by name; returns the measurement that the explanation predicts.
    """

    says: str
    why: str
    refute: str
    value: Callable[..., float]


@dataclass(frozen=True)
class Draw:
    """Numbers drawn for a class: the ``constants``, the measured ``rows``, and the ``coming`` row to predict."""

    constants: Mapping[str, Any]
    rows: Sequence[Mapping[str, float]]
    coming: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Question:
    """Question on the ideas of a lab.

    Attributes
    ----------
    scene, coming : str
        Templates, filled in with the columns and the texts from ``shown``. ``coming`` ends the sentence "Then say …",
        as in "what you expect at …".
    columns : tuple of Column
    result : Column
        Column of the measurements.
    explanations : tuple of Explanation
        Two explanations; the draw decides which is right.
    draw : callable
        Takes a ``numpy.random.Generator``; returns a `Draw`.
    shown : callable
        Takes the constants; returns the texts of the templates by name.
    noise : float
        Largest relative error of a measurement.
    """

    scene: str
    columns: tuple[Column, ...]
    result: Column
    explanations: tuple[Explanation, Explanation]
    coming: str
    draw: Callable[[np.random.Generator], Draw]
    shown: Callable[..., Mapping[str, str]] = lambda **constants: {}
    noise: float = NOISE


@dataclass(frozen=True)
class ClassQuestion:
    """Question with the numbers of one class.

    Attributes
    ----------
    wording : str
        Text for the students.
    answer : str
        Model answer, for the marker.
    rubric : tuple of (float, str)
        Points and criterion of each line.
    truth : str
        Letter of the right explanation.
    measured : tuple of float
    predicted : Mapping
        Prediction of each explanation for the rows, by letter.
    misses : Mapping
        Largest relative error of each explanation, by letter.
    forecasts : Mapping
        Prediction of each explanation for the coming row, by letter.
    """

    wording: str
    answer: str
    rubric: tuple[tuple[float, str], ...]
    truth: str
    measured: tuple[float, ...]
    predicted: Mapping[str, tuple[float, ...]]
    misses: Mapping[str, float]
    forecasts: Mapping[str, float]

    @property
    def points(self) -> float:
        """Points of the rubric."""
        return sum(points for points, _ in self.rubric)


def draw_question(question: Question, seed: int) -> ClassQuestion:
    """Draw a class's numbers, and compute the model answer and the rubric from them.

    Raises
    ------
    ValueError
        If no draw distinguishes the two explanations.
    """
    generator = np.random.default_rng(seed)
    for _ in range(ATTEMPTS):
        order = [question.explanations[int(place)] for place in generator.permutation(2)]
        truth = int(generator.integers(2))
        draw = question.draw(generator)
        said = [tuple(_of(one, draw, row) for row in draw.rows) for one in order]
        forecasts = [_of(one, draw, draw.coming) for one in order]
        noise = generator.uniform(-question.noise, question.noise, len(draw.rows))
        if max(map(_miss, *said)) >= WORST_MISS and _miss(*forecasts) >= FORECAST_MISS:
            measured = tuple(float(value * (1 + off)) for value, off in zip(said[truth], noise, strict=True))
            return _written(question, draw, order, truth, measured, said, forecasts)
    raise ValueError(f"no draw in {ATTEMPTS} tells the two explanations apart: {question.scene[:60]!r}")


def _of(explanation: Explanation, draw: Draw, row: Mapping[str, float]) -> float:
    return float(explanation.value(**draw.constants, **row))


def _miss(value: float, other: float) -> float:
    """Return the difference of two values as a share of the smaller one."""
    low, high = sorted((abs(value), abs(other)))
    return high / low - 1 if low else math.inf if high else 0.0


def _written(
    question: Question,
    draw: Draw,
    order: Sequence[Explanation],
    truth: int,
    measured: tuple[float, ...],
    said: Sequence[tuple[float, ...]],
    forecasts: Sequence[float],
) -> ClassQuestion:
    show, right, wrong = question.result.show, LETTERS[truth], LETTERS[1 - truth]
    words = dict(question.shown(**draw.constants))
    coming = {column.name: column.show(draw.coming[column.name]) for column in question.columns}
    ask = question.coming.format(**words, **coming)
    misses = [max(map(_miss, values, measured)) for values in said]
    ties = [number for number, pair in enumerate(zip(*said, strict=True), 1) if _miss(*pair) <= TIE_MISS]
    series = [", ".join(map(show, values)) for values in said]
    tie = f"{_rows(ties)} cannot tell them apart. " if ties else ""
    why, refute = (text.format(**words) for text in (order[truth].why, order[truth].refute))
    expects = f"{show(forecasts[truth])}, and not {show(forecasts[1 - truth])}"
    answer = (
        f"*Model answer.* The numbers bear out {right}. Row by row A says {series[0]}; B says {series[1]}. "
        f"At worst {right} is off by {_far(misses[truth])}, {wrong} by {_far(misses[1 - truth])}. {tie}{why} "
        f"So I expect {expects}. {refute}"
    )
    rubric = (
        (1.0, f"computes both explanations for every row. A: {series[0]}. B: {series[1]}"),
        (
            1.0,
            f"takes {right}, and says how far off both are: {_far(misses[truth])} and {_far(misses[1 - truth])}. {tie}".strip(),
        ),
        (1.0, f"says why. {why}"),
        (1.0, f"expects {expects}, and names a measurement that could refute it. {refute}"),
    )
    return ClassQuestion(
        _wording(question, draw, order, measured, words, ask),
        answer,
        rubric,
        right,
        measured,
        dict(zip(LETTERS, said, strict=True)),
        dict(zip(LETTERS, misses, strict=True)),
        dict(zip(LETTERS, forecasts, strict=True)),
    )


def _far(miss: float) -> str:
    """Format a relative error: as a percentage, or as a factor if it is large."""
    if math.isinf(miss):
        return "all of it"
    return f"a factor of {1 + miss:.3g}" if miss >= 1 else f"{100 * miss:.2g} %" if miss else "nothing"


def _rows(numbers: Sequence[int]) -> str:
    *first, last = map(str, numbers)
    return f"Rows {', '.join(first)} and {last}" if first else f"Row {last}"


def _wording(
    question: Question,
    draw: Draw,
    order: Sequence[Explanation],
    measured: Sequence[float],
    words: Mapping[str, str],
    ask: str,
) -> str:
    heads = ["row", *(column.head for column in question.columns), f"**{question.result.head}**"]
    lines = [f"| {' | '.join(heads)} |", f"|{'---:|' * len(heads)}"]
    for number, (row, value) in enumerate(zip(draw.rows, measured, strict=True), 1):
        cells = [str(number), *(column.show(row[column.name]) for column in question.columns)]
        lines.append(f"| {' | '.join(cells)} | {question.result.show(value)} |")
    offered = [f"* **{letter}**: {one.says.format(**words)}" for letter, one in zip(LETTERS, order, strict=True)]
    return "\n".join(
        [
            "## One more question",
            "",
            question.scene.format(**words),
            "",
            *lines,
            "",
            "Two explanations are offered:",
            "",
            *offered,
            "",
            "**Which of the two do the numbers bear out?** Work out what each of them says of every row, and how far off "
            "each is at worst. Is there a row that cannot tell them apart? Say why the one holds and the other does not, "
            f"in the words of this chapter. Then say {ask}, and name one measurement that would prove "
            f"you wrong. Defend all of it in about {WORDS} words; a small table beside them does not count. "
            "*(read by a person)*",
        ]
    )
