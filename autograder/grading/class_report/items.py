"""Item analysis: difficulty of a task, and its discrimination between stronger and weaker students."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from .guesses import MIN_LEARNERS

MIN_STUDENTS = 20  # for a meaningful correlation
# Items below this discrimination index are poor (Ebel and Frisbie, Essentials of Educational Measurement).
MIN_DISCRIMINATION = 0.2
NORMAL_95 = 1.959964  # standard deviations on either side that cover 95 % of a normal distribution


class Discrimination(StrEnum):
    """Discrimination of an item; the values are part of the JSON report."""

    YES = "separates"
    NO = "does not separate"
    UNSURE = "cannot be said yet"
    ALIKE = "everybody alike"
    FEW = "too few students"


@dataclass(frozen=True)
class ItemAnalysis:
    """Analysis of one task of a lab.

    Attributes
    ----------
    lab, title : str
    students : int
        Number of students with a mark for it.
    reached : float
        Mean share of its points that students reached (item difficulty).
    correlation : float
        Pearson's correlation of its points with the points of the other tasks (corrected item-total correlation);
        nan if either does not vary.
    low, high : float
        95 % confidence interval of the correlation by Fisher's transformation; nan if there is none.
    separation : Discrimination
        ``YES`` if the whole interval lies above 0.2, ``NO`` if it lies below.
    """

    lab: str
    title: str
    students: int
    reached: float
    correlation: float
    low: float
    high: float
    separation: Discrimination


def interval(correlation: float, students: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a correlation by Fisher's transformation.

    >>> low, high = interval(0.5, 28)
    >>> round(low, 3), round(high, 3)
    (0.156, 0.736)
    """
    if students < 4 or math.isnan(correlation):
        return math.nan, math.nan
    if abs(correlation) >= 1:
        return correlation, correlation
    middle, off = math.atanh(correlation), NORMAL_95 / math.sqrt(students - 3)
    return math.tanh(middle - off), math.tanh(middle + off)


def analyze_items(lab: str, scores: pd.DataFrame, titles: Mapping[str, str]) -> list[ItemAnalysis]:
    """Analyse the tasks of a lab.

    Parameters
    ----------
    lab : str
    scores : pandas.DataFrame
        Shares of points, with a row for each student and a column for each task; nan where a student has no mark.
        A task with marks of fewer than `guesses.MIN_LEARNERS` students is left out.
    titles : mapping of str to str
        Title of each column.

    Returns
    -------
    list of ItemAnalysis
        Analyses in the order of the columns.
    """
    found = []
    for name in scores.columns:
        marked = scores[scores[name].notna()]
        students = len(marked)
        if students < MIN_LEARNERS:
            continue
        # The mean, because a sum would rank students low for each task on which they have no mark.
        own, rest = marked[name], marked.drop(columns=name).mean(axis=1)
        varies = students > 1 and own.std() > 0 and rest.std() > 0
        correlation = float(own.corr(rest)) if varies else math.nan
        low, high = interval(correlation, int(rest.count()))
        found.append(
            ItemAnalysis(
                lab,
                titles[name],
                students,
                float(own.mean()),
                correlation,
                low,
                high,
                _discrimination(students, low, high),
            )
        )
    return found


def _discrimination(students: int, low: float, high: float) -> Discrimination:
    if students < MIN_STUDENTS:
        return Discrimination.FEW
    if math.isnan(low):
        return Discrimination.ALIKE
    if low > MIN_DISCRIMINATION:
        return Discrimination.YES
    return Discrimination.NO if high < MIN_DISCRIMINATION else Discrimination.UNSURE
