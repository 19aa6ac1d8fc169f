"""Sample and confidence_ranks against the exact binomial, and benchmark under a fake clock."""

from fractions import Fraction
from itertools import accumulate
from math import comb, inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import measure
from tests.tables import every_row

TIMES = st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=60)


# Le Boudec, Performance Evaluation of Computer and Communication Systems, table of the median at 95 %.
@pytest.mark.parametrize(
    ("repeats", "low", "high", "coverage"),
    [(6, 1, 6, 0.969), (10, 2, 9, 0.979), (20, 6, 15, 0.959), (30, 10, 21, 0.957)],
)
def test_confidence_ranks_match_published_table(repeats, low, high, coverage):
    ranks = measure.confidence_ranks(repeats)
    assert ranks[:2] == (low, high) and ranks.coverage == pytest.approx(coverage, abs=6e-4)


@settings(max_examples=40)
@given(st.integers(1, 60), st.sampled_from([0.5, 0.9, 0.95, 0.99]), st.sampled_from([0.05, 0.25, 0.5, 0.9]))
def test_confidence_ranks_are_the_narrowest(repeats, level, share):
    p, left = Fraction(share), (1 - Fraction(level)) / 2
    below = [comb(repeats, k) * p**k * (1 - p) ** (repeats - k) for k in range(repeats + 1)]
    fewer = list(accumulate(below))
    lows = [rank for rank in range(1, repeats + 1) if fewer[rank - 1] <= left]
    highs = [rank for rank in range(1, repeats + 1) if 1 - fewer[rank - 1] <= left]
    if not lows or not highs:
        with pytest.raises(ValueError, match="repeats must be at least") as failed:
            measure.confidence_ranks(repeats, level, share)
        needed = int(str(failed.value).split("at least ")[1].split()[0])
        measure.confidence_ranks(needed, level, share)
        with pytest.raises(ValueError, match="repeats must be at least"):
            measure.confidence_ranks(needed - 1, level, share)
        return
    ranks = measure.confidence_ranks(repeats, level, share)
    assert ranks[:2] == (max(lows), min(highs))
    assert ranks.coverage == pytest.approx(float(sum(below[ranks.low : ranks.high])), abs=1e-9)
    assert ranks.coverage >= level - 1e-9


def test_confidence_interval_coverage():
    generator = np.random.default_rng(7)
    samples = [measure.Sample(generator.lognormal(0.0, 1.0, 20)) for _ in range(3000)]
    held = np.mean([low <= 1.0 <= high for low, high in (sample.confidence() for sample in samples)])
    assert held == pytest.approx(measure.confidence_ranks(20).coverage, abs=0.012)


@given(TIMES)
def test_sample_keeps_order_and_bounds(times):
    sample = measure.Sample(times)
    quantiles = sample.quantiles([0, 0.25, 0.5, 0.75, 0.95, 1])
    assert np.all(np.diff(quantiles) >= -1e-9 * quantiles[1:])
    assert sample.best == min(times) == quantiles[0] and quantiles[-1] == max(times)
    assert sample.best <= sample.median and sample.best <= sample.mean * (1 + 1e-9)
    assert sample.noise >= 0 and (sample.verdict == "quiet") == (not sample.reasons)
    scaled = measure.Sample(np.array(times) * 1000)
    assert scaled.noise == pytest.approx(sample.noise, rel=1e-9, abs=1e-6)


def test_one_outlier_moves_only_the_mean():
    calm = measure.Sample([1.0, 1.01, 1.02, 1.0, 1.01, 1.02, 1.0])
    hit = measure.Sample([*calm.times_seconds, 500.0])
    assert hit.best == calm.best and abs(hit.median - calm.median) < 0.01 and hit.mean > 50 * calm.mean
    assert hit.verdict == calm.verdict == "quiet"


@every_row(
    ("times", "resolution", "verdict", "why"),
    [
        ([1.0] * 6, 0.0, "quiet", ""),
        ([1.0] * 5, 0.0, "unusable", "5 repeats"),
        ([1.0, 1.0, 1.0, 1.3, 1.3, 1.3], 0.0, "noisy", "26% of the median"),
        ([1.0, 1.0, 1.0, 3.0, 3.0, 3.0], 0.0, "unusable", "100% of the median"),
        ([1e-6] * 9, 1e-6, "unusable", "steps of the clock"),
        ([0.0] * 9, 0.0, "unusable", "steps of the clock"),
    ],
)
def test_sample_verdicts(times, resolution, verdict, why):
    sample = measure.Sample(times, resolution)
    assert sample.verdict == verdict and why in " ".join(sample.reasons)


class Clock:
    """A fake clock that only the work advances, and work of given durations."""

    def __init__(self, takes):
        self.now, self.takes, self.called = 0.0, iter(takes), 0

    def work(self):
        self.called += 1
        self.now += next(self.takes)


def timed(takes, **options):
    clock = Clock(takes)
    return measure.benchmark(clock.work, clock=lambda: clock.now, **options), clock


def test_benchmark_excludes_warm_up():
    sample, clock = timed([100.0, 5.0, *[1.0] * 8], warm_up=2, repeats=8, budget_seconds=1e9)
    assert sample.warm_up_seconds.tolist() == [100.0, 5.0] and set(sample.times_seconds) == {1.0} and clock.called == 10


def test_benchmark_stops_at_budget_after_one_repeat():
    sample, clock = timed([1.0] * 99, warm_up=3, repeats=90, budget_seconds=10)
    assert clock.called == 10 and len(sample) == 7
    sample, clock = timed([60.0] * 9, warm_up=3, repeats=90, budget_seconds=10)
    assert clock.called == 2 and len(sample) == 1 and sample.verdict == "unusable"


def test_benchmark_divides_by_calls():
    sample, clock = timed([1.0, 3.0] * 20, warm_up=0, repeats=10, calls=2, budget_seconds=1e9)
    assert sample.times_seconds.tolist() == [2.0] * 10 and clock.called == 20


def test_benchmark_with_real_clock():
    sample = measure.benchmark(lambda: sum(range(2000)), repeats=20, budget_seconds=5)
    assert 1 <= len(sample) <= 20 and 0 < sample.best <= sample.median and sample.resolution_seconds > 0
    with pytest.raises(ValueError, match="read-only"):
        sample.times_seconds[0] = 1.0


@every_row(
    ("call", "error", "message"),
    [
        (lambda: measure.Sample([]), ValueError, "times_seconds must hold at least one"),
        (lambda: measure.Sample([1.0, -1.0]), ValueError, "times_seconds must be zero or more"),
        (lambda: measure.Sample([nan]), ValueError, "times_seconds must be finite"),
        (lambda: measure.Sample("fast"), TypeError, "times_seconds must be a number or an array"),
        (lambda: measure.Sample([[1.0]]), ValueError, "times_seconds must be a one-dimensional list"),
        (lambda: measure.Sample(3.0), ValueError, "times_seconds must be a one-dimensional list"),
        (lambda: measure.Sample([1.0], -1.0), ValueError, "resolution_seconds must be zero or more"),
        (lambda: measure.Sample([1.0], 0.0, [inf]), ValueError, "warm_up_seconds must be finite"),
        (lambda: measure.Sample([1.0]).quantiles(1.5), ValueError, "shares must be at most 1, got 1.5"),
        (lambda: measure.Sample([1.0]).quantiles(-0.5), ValueError, "shares must be zero or more"),
        (lambda: measure.Sample([1.0] * 9).confidence(1.0), ValueError, "level must be between 0 and 1, got 1.0"),
        (lambda: measure.Sample([1.0] * 9).confidence(0.9, 0), ValueError, "share must be greater than zero"),
        (lambda: measure.Sample([1.0] * 5).confidence(), ValueError, "repeats must be at least 6 .* got 5"),
        (lambda: measure.confidence_ranks(0), ValueError, "repeats must be at least 1"),
        (lambda: measure.confidence_ranks(10, 95), ValueError, "level must be between 0 and 1, got 95"),
        (lambda: measure.confidence_ranks(10, 0.9, 1), ValueError, "share must be between 0 and 1, got 1"),
        (lambda: measure.benchmark("f"), TypeError, "function must be callable"),
        (lambda: measure.benchmark(list, clock=3), TypeError, "clock must be callable"),
        (lambda: measure.benchmark(list, warm_up=-1), ValueError, "warm_up must be at least 0"),
        (lambda: measure.benchmark(list, repeats=0), ValueError, "repeats must be at least 1"),
        (lambda: measure.benchmark(list, budget_seconds=0), ValueError, "budget_seconds must be greater"),
        (lambda: measure.benchmark(list, calls=0), ValueError, "calls must be at least 1"),
    ],
)
def test_measure_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()
