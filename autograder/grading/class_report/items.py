"""Items that separate: how hard a task was, and whether those who solved it did better in the rest of the lab."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

FEWEST = 20  # students of whom a correlation says anything
SEPARATES_FROM = (
    0.2  # below it, books on tests call an item poor (Ebel and Frisbie, Essentials of Educational Measurement)
)
NORMAL_95 = 1.959964  # standard deviations on either side that hold 95 % of a normal distribution


class Discrimination(StrEnum):
    """What can be said of an item."""

    YES = "separates"
    NO = "does not separate"
    UNSURE = "cannot be said yet"
    ALIKE = "everybody alike"
    FEW = "too few students"


@dataclass(frozen=True)
class ItemAnalysis:
    """One task of a lab.

    Attributes
    ----------
    lab, title : str
    students : int
    reached : float
        Mean share of its points.
    correlation : float
        Of its points with those of the other tasks of the lab (Pearson's); nan where one of them does not vary.
    low, high : float
        95 % interval of it, by Fisher's transformation; nan where there is none.
    separation : Separation
        Yes where the whole interval lies above 0.2, no where it lies below.
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
    """The 95 % interval of a correlation, by Fisher's transformation.

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
        A row a student, a column a task: the share of its points that each reached.
    titles : mapping of str to str
        What each column is called.

    Returns
    -------
    list of Item
        In the order of the columns.
    """
    found = []
    for name in scores.columns:
        own, rest = scores[name], scores.drop(columns=name).sum(axis=1)
        varies = len(scores) > 1 and own.std() > 0 and rest.std() > 0
        correlation = float(own.corr(rest)) if varies else math.nan
        low, high = interval(correlation, len(scores))
        found.append(
            ItemAnalysis(
                lab, titles[name], len(scores), float(own.mean()), correlation, low, high, _said(len(scores), low, high)
            )
        )
    return found


def _said(students: int, low: float, high: float) -> Discrimination:
    if students < FEWEST:
        return Discrimination.FEW
    if math.isnan(low):
        return Discrimination.ALIKE
    if low > SEPARATES_FROM:
        return Discrimination.YES
    return Discrimination.NO if high < SEPARATES_FROM else Discrimination.UNSURE
