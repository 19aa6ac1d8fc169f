"""Repeated times of one thing: what they say, and how far to trust them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, lgamma, log, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .._validate import one_positive, one_whole, positive, shortened

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

QUIET, UNUSABLE = 0.15, 0.5  # spread of the middle half over the median


class Ranks(NamedTuple):
    """Places of two of the sorted times, from 1, and the chance that they enclose the quantile."""

    low: int
    high: int
    coverage: float


@dataclass(frozen=True, eq=False)
class Sample:
    """Times of repeats in the order in which they were taken, seconds.

    Parameters
    ----------
    times_seconds : array, shape (repeats,)
        At least one; made read-only.
    resolution_seconds : float
        The smallest step of the clock; 0 where it is not known.
    warm_up_seconds : array, shape (any,)
        Times of the calls before, which do not count.

    Notes
    -----
    The *best* is what the machine can do when nobody disturbs it; the *median* what to
    expect; the *mean* belongs to whoever disturbs most. Ignores that neighbouring repeats resemble
    each other, and every error that all repeats share: a cold cache that became warm, a
    clock that was raised. Source: Hoefler and Belli, *Scientific benchmarking of parallel
    computing systems*, SC 2015.

    Examples
    --------
    >>> sample = Sample([1.0, 1.1, 1.0, 1.2, 9.0, 1.1])
    >>> sample.best, round(sample.median, 3), round(sample.mean, 3), sample.verdict
    (1.0, 1.1, 2.4, 'quiet')
    """

    times_seconds: NDArray[np.float64]
    resolution_seconds: float = 0.0
    warm_up_seconds: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        times = _times("times_seconds", self.times_seconds)
        if not times.size:
            raise ValueError("times_seconds must hold at least one time, got none")
        object.__setattr__(self, "times_seconds", times)
        object.__setattr__(self, "warm_up_seconds", _times("warm_up_seconds", self.warm_up_seconds))
        resolution = one_positive("resolution_seconds", self.resolution_seconds, allow_zero=True)
        object.__setattr__(self, "resolution_seconds", resolution)

    def __len__(self) -> int:
        return len(self.times_seconds)

    @property
    def best(self) -> float:
        """The shortest time, seconds."""
        return float(self.times_seconds.min())

    @property
    def median(self) -> float:
        """Half of the repeats took no longer, seconds."""
        return float(np.median(self.times_seconds))

    @property
    def mean(self) -> float:
        """Sum over number, seconds."""
        return float(self.times_seconds.mean())

    @property
    def noise(self) -> float:
        """Spread of the middle half over the median; 0 where all times are alike."""
        low, middle, high = np.quantile(self.times_seconds, [0.25, 0.5, 0.75])
        return float((high - low) / middle) if high > low else 0.0

    def quantiles(self, shares: ArrayLike = (0.25, 0.5, 0.75, 0.95)) -> Any:
        """Times that the given shares of the repeats do not exceed, seconds, between neighbours by a straight line."""
        share = positive("shares", shares, allow_zero=True)
        if np.max(share, initial=0.0) > 1:
            raise ValueError(f"shares must be at most 1, got {shortened(shares)}")
        result = np.quantile(self.times_seconds, share)
        return result if result.ndim else float(result)

    def confidence(self, level: float = 0.95, share: float = 0.5) -> tuple[float, float]:
        """Two of the measured times that enclose a quantile, by default the median, at least at this level."""
        low, high, _ = confidence_ranks(len(self), level, share)
        ordered = np.sort(self.times_seconds)
        return float(ordered[low - 1]), float(ordered[high - 1])

    @property
    def reasons(self) -> tuple[str, ...]:
        """What keeps the verdict from being ``"quiet"``, in words."""
        return tuple(text for _, text in self._findings())

    @property
    def verdict(self) -> Literal["quiet", "noisy", "unusable"]:
        """``"quiet"``, ``"noisy"`` (quote best and median, not the mean), ``"unusable"`` (measure again).

        A convention: *quiet* while the middle half of the times spreads over at most 15 % of the
        median, *unusable* above 50 %, with fewer than 6 repeats, or where the
        median is not 10 steps of the clock.
        """
        found = {kind for kind, _ in self._findings()}
        return "unusable" if "unusable" in found else "noisy" if found else "quiet"

    def _findings(self) -> list[tuple[str, str]]:
        found, noise, median = [], self.noise, self.median
        if len(self) < 6:
            found.append(("unusable", f"{len(self)} repeats: fewer than 6 enclose no median at 95 %"))
        if median < 10 * self.resolution_seconds or median == 0:
            found.append(("unusable", "the median is less than 10 steps of the clock: time many calls as one"))
        if noise > QUIET:
            kind = "unusable" if noise > UNUSABLE else "noisy"
            found.append((kind, f"the middle half of the times spreads over {noise:.0%} of the median"))
        return found


def confidence_ranks(repeats: int, level: float = 0.95, share: float = 0.5) -> Ranks:
    """Which two of the sorted times enclose a quantile, whatever the distribution is.

    Parameters
    ----------
    repeats : int
        Independent times.
    level : float
        Chance that the interval holds the quantile, between 0 and 1.
    share : float
        The quantile, between 0 and 1; 0.5 is the median.

    Returns
    -------
    Ranks
        With the chance as it really is: at least ``level``, because ranks are whole.

    Raises
    ------
    ValueError
        There are too few repeats; the message says how many are needed.

    Notes
    -----
    How many of n times lie below the quantile is binomial; half of what may go wrong is
    left at each end. Ignores that repeats of one process depend on each other: then the interval
    is too narrow. A confidence interval does not cover what is wrong with all repeats.
    Source: Le Boudec, *Performance Evaluation of Computer and Communication Systems*, ch. 2.

    Examples
    --------
    >>> confidence_ranks(10)
    Ranks(low=2, high=9, coverage=0.978515625)
    """
    count = one_whole("repeats", repeats)
    level, share = _share("level", level), _share("share", share)
    left = (1 - level) / 2 * (1 + 1e-9)
    low, below = _tail(count, share, left)
    above_high, above = _tail(count, 1 - share, left)
    if low < 1 or above_high < 1:
        needed = max(int(np.ceil(log(left) / log(max(share, 1 - share)))), 2)
        raise ValueError(f"repeats must be at least {needed} to enclose this quantile at {level:g}, got {count}")
    return Ranks(low, count + 1 - above_high, round(1 - below - above, 12))


def _tail(count: int, share: float, left: float) -> tuple[int, float]:
    """How many of the outcomes 0, 1, ... of a binomial have together at most this chance, and the chance."""
    # Further from the mean than this lies less than e^-72, by Bernstein's inequality.
    outcome = max(0, int(count * share - 12 * sqrt(count * share * (1 - share)) - 48))
    while not (chance := _chance(count, outcome, share)):
        outcome += 1
    odds, sum_ = share / (1 - share), 0.0
    while (next_sum := sum_ + chance) <= left:
        chance *= (count - outcome) / (outcome + 1) * odds
        sum_ = next_sum
        outcome += 1
    return outcome, sum_


def _chance(count: int, outcome: int, share: float) -> float:
    choices = lgamma(count + 1) - lgamma(outcome + 1) - lgamma(count - outcome + 1) if outcome else 0.0
    return exp(choices + outcome * log(share) + (count - outcome) * log(1 - share))


def _share(name: str, value: float) -> float:
    number = one_positive(name, value)
    if number >= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    return number


def _times(name: str, values: Any) -> NDArray[np.float64]:
    array = np.array(positive(name, values, allow_zero=True), dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one row of times, got {shortened(values)}")
    array.setflags(write=False)
    return array
