"""What a question is: measurements, two explanations, and a forecast; and how a seed makes it one class's.

The words are templates. What the model answer says in numbers is reckoned from the draw, and never written down.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chip2cluster import units

TRIES = 400
APART = 0.25  # by so much the wrong explanation misses some row
FORECASTS_APART = 0.15
TIE = 0.03  # rows in which nobody can tell the two apart
NOISE = 0.02
WORDS = 120
LETTERS = "AB"


def si(unit: str, digits: int = 3) -> Callable[[float], str]:
    """How a column shows a quantity with a unit."""
    return lambda value: units.show(value, unit, digits)


def percent(value: float) -> str:
    """A share."""
    return f"{100 * value:.3g} %"


def whole(value: float) -> str:
    """A count."""
    return f"{value:,.0f}"


@dataclass(frozen=True)
class Column:
    """A column of the table: the argument's ``name``, its ``head``, and how a value is shown."""

    name: str
    head: str
    show: Callable[[float], str] = whole


@dataclass(frozen=True)
class Explanation:
    """One of the two.

    ``says`` stands in the question, and ``why`` and ``refute`` in the model answer: why the numbers speak for it,
    and which measurement would prove it wrong. ``value`` takes the constants and a row's numbers by name and
    returns what was to be measured if it holds.
    """

    says: str
    why: str
    refute: str
    value: Callable[..., float]


@dataclass(frozen=True)
class Draw:
    """What a generator gave: the ``constants``, the ``rows`` that were measured, and the one to be foretold."""

    constants: Mapping[str, Any]
    rows: Sequence[Mapping[str, float]]
    coming: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question on a lab's ideas.

    ``scene`` and ``coming`` are templates of what ``shown`` makes of the constants and of the columns; ``coming``
    ends the sentence "Then say …", as "what you expect at …". ``noise`` is what a measurement is off by at most.
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
class Posed:
    """A question with one class's numbers: what students read, and what its marker reads.

    ``truth`` is the letter of the right explanation. ``predicted`` holds what each says of the rows, ``misses`` how
    far off each is at worst, ``forecasts`` what each expects.
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
        return sum(points for points, _ in self.rubric)


def pose(question: Question, seed: int) -> Posed:
    """Draw a class's numbers, and reckon the model answer and the rubric from them.

    Raises
    ------
    ValueError
        When no draw tells the two explanations apart.
    """
    generator = np.random.default_rng(seed)
    for _ in range(TRIES):
        order = [question.explanations[int(place)] for place in generator.permutation(2)]
        truth = int(generator.integers(2))
        draw = question.draw(generator)
        said = [tuple(_of(one, draw, row) for row in draw.rows) for one in order]
        forecasts = [_of(one, draw, draw.coming) for one in order]
        noise = generator.uniform(-question.noise, question.noise, len(draw.rows))
        if max(map(_miss, *said)) >= APART and _miss(*forecasts) >= FORECASTS_APART:
            measured = tuple(float(value * (1 + off)) for value, off in zip(said[truth], noise, strict=True))
            return _written(question, draw, order, truth, measured, said, forecasts)
    raise ValueError(f"no draw in {TRIES} tells the two explanations apart: {question.scene[:60]!r}")


def _of(explanation: Explanation, draw: Draw, row: Mapping[str, float]) -> float:
    return float(explanation.value(**draw.constants, **row))


def _miss(value: float, other: float) -> float:
    """How far apart two values are, as a share of the smaller one."""
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
) -> Posed:
    show, right, wrong = question.result.show, LETTERS[truth], LETTERS[1 - truth]
    words = dict(question.shown(**draw.constants))
    coming = {column.name: column.show(draw.coming[column.name]) for column in question.columns}
    ask = question.coming.format(**words, **coming)
    misses = [max(map(_miss, values, measured)) for values in said]
    ties = [number for number, pair in enumerate(zip(*said, strict=True), 1) if _miss(*pair) <= TIE]
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
        (1.0, f"reckons both explanations for every row. A: {series[0]}. B: {series[1]}"),
        (
            1.0,
            f"takes {right}, and says how far off both are: {_far(misses[truth])} and {_far(misses[1 - truth])}. {tie}".strip(),
        ),
        (1.0, f"says why. {why}"),
        (1.0, f"expects {expects}, and names a measurement that could refute it. {refute}"),
    )
    return Posed(
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
    """A miss in words that can be said of any of them."""
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
