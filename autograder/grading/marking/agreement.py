"""Agreement of two markers who marked the same answers: Cohen's kappa, and how far apart their points are."""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from chip2cluster.units import with_minus

from .mark_sheet import MarkSheet, RubricMark


@dataclass(frozen=True)
class Agreement:
    """Agreement of two markers.

    Attributes
    ----------
    first, second : str
        Names of the markers; the marks of the first one count.
    answers : int
        Number of answers that both marked.
    points : float
        Cohen's kappa of the points; NaN if both gave every answer the same.
    lines : dict
        Cohen's kappa of each line that either chose, by id.
    mean : float
        Mean difference of the points, second less first.
    largest : float
        Largest difference of the points, without its sign.
    """

    first: str
    second: str
    answers: int
    points: float
    lines: dict[str, float]
    mean: float
    largest: float

    def sentences(self) -> Iterator[str]:
        """Yield the result in words."""
        yield (
            f"{self.first or 'first'} and {self.second or 'second'} both marked {self.answers} answers. Cohen's kappa of the "
            f"points: {_shown(self.points)}. {self.second or 'second'} gave {with_minus(f'{self.mean:+.2f}')} points on average, and at most "
            f"{self.largest:g} more or less."
        )
        for line, kappa in sorted(self.lines.items(), key=lambda pair: (math.isnan(pair[1]), pair[1])):
            yield f"  {line}: kappa {_shown(kappa)}"


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa of two raters: the agreement beyond that of independent raters, as a share of what is possible.

    Parameters
    ----------
    first, second : sequence
        Category that each rater gave to each item, in the same order.

    Returns
    -------
    float
        1 for full agreement, 0 for that of independent raters; NaN if both used one and the same category only.

    Raises
    ------
    ValueError
        If there are no items, or not as many for both raters.

    Notes
    -----
    J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20 (1960).

    Examples
    --------
    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    if len(first) != len(second) or not first:
        raise ValueError(f"kappa needs the same items from both raters, got {len(first)} and {len(second)}")
    count = len(first)
    observed = sum(one == other for one, other in zip(first, second, strict=True)) / count
    mine, theirs = Counter(first), Counter(second)
    expected = sum(mine[category] * theirs[category] for category in mine) / count**2
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


def agreements(sheet: MarkSheet) -> list[Agreement]:
    """Return the agreement of each two markers who marked the same answers, sorted by their names."""
    pairs: dict[tuple[str, str], list[tuple[RubricMark, RubricMark]]] = {}
    for student, others in sorted(sheet.second.items()):
        for marker, other in others.items():
            if (mark := sheet.marks.get(student)) is not None:
                pairs.setdefault((mark.marker, marker), []).append((mark, other))
    return [_agreement(*names, marks) for names, marks in sorted(pairs.items())]


def _agreement(first: str, second: str, marks: list[tuple[RubricMark, RubricMark]]) -> Agreement:
    chosen = dict.fromkeys(line for pair in marks for mark in pair for line in mark.lines)
    lines = {
        line: cohen_kappa([line in one.lines for one, _ in marks], [line in other.lines for _, other in marks])
        for line in chosen
    }
    apart = [other.points - one.points for one, other in marks]
    kappa = cohen_kappa([one.points for one, _ in marks], [other.points for _, other in marks])
    return Agreement(first, second, len(marks), kappa, lines, sum(apart) / len(apart), max(map(abs, apart)))


def _shown(kappa: float) -> str:
    return "not defined, because every answer got the same" if math.isnan(kappa) else f"{kappa:.2f}"
