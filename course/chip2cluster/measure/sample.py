"""Repeated times of one operation: statistics, confidence intervals, and a verdict on the noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, lgamma, log, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .._validate import one_positive, one_whole, positive, shortened

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

QUIET, UNUSABLE = 0.15, 0.5  # limits of the interquartile range over the median
PENDING = 0.1  # work left on a device after a call, over the time of the call


class ConfidenceRanks(NamedTuple):
    """Ranks (from 1) of two sorted times, and the probability that they enclose the quantile."""

    low: int
    high: int
    coverage: float


@dataclass(frozen=True, eq=False)
class Sample:
    """Times of the repeats of a benchmark, in order, seconds.

    Parameters
    ----------
    times_seconds : array, shape (repeats,)
        Times, at least one, seconds; made read-only.
    resolution_seconds : float
        Resolution of the clock, seconds; 0 if unknown.
    warm_up_seconds : array, shape (any,)
        Times of the warm-up calls, which are excluded, seconds.
    pending_seconds : array, shape (any,)
        Times for which devices went on working after each repeat had returned, seconds; empty without a device.
    waiter : str
        Name of the function that waits for the devices; empty without one.

    Notes
    -----
    The *best* time shows the machine without disturbances, the *median* the expected time, and the *mean* is dominated
    by the largest disturbances. Ignores the correlation of neighboring repeats, and errors that all repeats share,
    such as a warm cache or a raised clock. Source: Hoefler and Belli, *Scientific benchmarking of parallel
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
    pending_seconds: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    waiter: str = ""

    def __post_init__(self) -> None:
        """Check and normalize the fields."""
        times = _times("times_seconds", self.times_seconds)
        if not times.size:
            raise ValueError("times_seconds must hold at least one time, got none")
        object.__setattr__(self, "times_seconds", times)
        object.__setattr__(self, "warm_up_seconds", _times("warm_up_seconds", self.warm_up_seconds))
        object.__setattr__(self, "pending_seconds", _times("pending_seconds", self.pending_seconds))
        resolution = one_positive("resolution_seconds", self.resolution_seconds, allow_zero=True)
        object.__setattr__(self, "resolution_seconds", resolution)

    def __len__(self) -> int:
        """Return the number of repeats."""
        return len(self.times_seconds)

    @property
    def best(self) -> float:
        """Shortest time, seconds."""
        return float(self.times_seconds.min())

    @property
    def median(self) -> float:
        """Median time (p50), seconds."""
        return float(np.median(self.times_seconds))

    @property
    def mean(self) -> float:
        """Mean time, seconds."""
        return float(self.times_seconds.mean())

    @property
    def noise(self) -> float:
        """Interquartile range over the median; 0 if all times are equal."""
        low, middle, high = np.quantile(self.times_seconds, [0.25, 0.5, 0.75])
        return float((high - low) / middle) if high > low else 0.0

    def quantiles(self, shares: ArrayLike = (0.25, 0.5, 0.75, 0.95)) -> Any:
        """Return quantiles of the times, linearly interpolated, seconds."""
        share = positive("shares", shares, allow_zero=True)
        if np.max(share, initial=0.0) > 1:
            raise ValueError(f"shares must be at most 1, got {shortened(shares)}")
        result = np.quantile(self.times_seconds, share)
        return result if result.ndim else float(result)

    def confidence(self, level: float = 0.95, share: float = 0.5) -> tuple[float, float]:
        """Return a confidence interval of a quantile, by default the median, seconds."""
        low, high, _ = confidence_ranks(len(self), level, share)
        ordered = np.sort(self.times_seconds)
        return float(ordered[low - 1]), float(ordered[high - 1])

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons why the verdict is not ``"quiet"``."""
        return tuple(text for _, text in self._findings())

    @property
    def verdict(self) -> Literal["quiet", "noisy", "unusable"]:
        """Quality of the measurement: ``"quiet"``, ``"noisy"`` (quote best and median), or ``"unusable"`` (repeat it).

        By convention *quiet* is an interquartile range of at most 15 % of the median; *unusable* is one above 50 %,
        fewer than 6 repeats, a median below 10 steps of the clock, or calls that returned before their work on a
        device had ended.
        """
        found = {kind for kind, _ in self._findings()}
        return "unusable" if "unusable" in found else "noisy" if found else "quiet"

    def _findings(self) -> list[tuple[str, str]]:
        found, noise, median = [], self.noise, self.median
        if self.pending_seconds.size and (left := float(np.median(self.pending_seconds))) > PENDING * median:
            text = f"the calls returned before their work ended, which took {1e6 * left:,.0f} µs more: "
            found.append(("unusable", f"{text}pass synchronize={self.waiter}, or use measure.device_benchmark"))
        if len(self) < 6:
            found.append(("unusable", f"{len(self)} repeats: at least 6 are needed to enclose the median at 95 %"))
        if median < 10 * self.resolution_seconds or median == 0:
            found.append(("unusable", "the median is less than 10 steps of the clock: time many calls together"))
        if noise > QUIET:
            kind = "unusable" if noise > UNUSABLE else "noisy"
            found.append((kind, f"the interquartile range is {noise:.0%} of the median"))
        return found


def confidence_ranks(repeats: int, level: float = 0.95, share: float = 0.5) -> ConfidenceRanks:
    """Find the ranks of two sorted times that enclose a quantile, for any distribution.

    Parameters
    ----------
    repeats : int
        Number of independent times.
    level : float
        Confidence level, between 0 and 1.
    share : float
        Quantile, between 0 and 1; 0.5 is the median.

    Returns
    -------
    ConfidenceRanks
        Ranks and their exact coverage, which is at least ``level`` because ranks are whole numbers.

    Raises
    ------
    ValueError
        There are too few repeats; the message says how many are needed.

    Notes
    -----
    The number of times below the quantile is binomial; half of the error probability is left at each end. Ignores the
    correlation of repeats in one process, which makes the interval too narrow, and errors that all repeats share.
    Source: Le Boudec, *Performance Evaluation of Computer and Communication Systems*, ch. 2.

    Examples
    --------
    >>> confidence_ranks(10)
    ConfidenceRanks(low=2, high=9, coverage=0.978515625)
    """
    count = one_whole("repeats", repeats)
    level, share = _share("level", level), _share("share", share)
    left = (1 - level) / 2 * (1 + 1e-9)
    low, below = _tail(count, share, left)
    above_high, above = _tail(count, 1 - share, left)
    if low < 1 or above_high < 1:
        needed = max(int(np.ceil(log(left) / log(max(share, 1 - share)))), 2)
        raise ValueError(f"repeats must be at least {needed} to enclose this quantile at {level:g}, got {count}")
    return ConfidenceRanks(low, count + 1 - above_high, round(1 - below - above, 12))


def _tail(count: int, share: float, left: float) -> tuple[int, float]:
    """Return how many of the outcomes 0, 1, ... of a binomial have a total probability of at most ``left``, and that sum."""
    # The probability beyond this distance from the mean is below e^-72, by Bernstein's inequality.
    outcome = max(0, int(count * share - 12 * sqrt(count * share * (1 - share)) - 48))
    while not (probability := _binomial(count, outcome, share)):
        outcome += 1
    odds, sum_ = share / (1 - share), 0.0
    while (next_sum := sum_ + probability) <= left:
        probability *= (count - outcome) / (outcome + 1) * odds
        sum_ = next_sum
        outcome += 1
    return outcome, sum_


def _binomial(count: int, outcome: int, share: float) -> float:
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
        raise ValueError(f"{name} must be a one-dimensional list of times, got {shortened(values)}")
    array.setflags(write=False)
    return array
