"""Recorded runs against published bandwidths, and fits of two regimes."""

import csv
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chip2cluster import collectives, measure
from tests.tables import every_row

with (Path(__file__).parent / "data/measure/nccl_recorded.csv").open(encoding="utf-8") as file:
    PRINTED = {name: list(rows) for name, rows in groupby(csv.DictReader(file), key=lambda row: row["run"])}
SIZES = 2.0 ** np.arange(3, 27)


@pytest.mark.parametrize("name", PRINTED)
def test_published_runs_give_published_bandwidths(name):
    run, rows = measure.recorded(name), PRINTED[name]
    assert run.message_bytes.tolist() == [float(row["size_bytes"]) for row in rows]
    assert {(run.ranks, run.nodes)} == {(int(row["ranks"]), int(row["nodes"])) for row in rows}
    printed = np.array([[float(row[f"printed_{kind}_GBps"]) for row in rows] for kind in ("algbw", "busbw")])
    ours = [
        collectives.algorithm_bandwidth(run.message_bytes, run.seconds),
        collectives.bus_bandwidth("all_reduce", run.message_bytes, run.seconds, run.ranks),
    ]
    # Published with rounding: bandwidths to 0.01 GB/s, times to four digits.
    assert np.all(abs(np.array(ours) / 1e9 - printed) <= 0.0051 + 7e-4 * printed)


@every_row("name", measure.recordings())
def test_recordings_have_sources_and_ordered_statistics(name):
    run = measure.recorded(name)
    assert run.name == name and run.source.citation and run.source.as_of >= "2026" and run.licence
    assert np.all(np.diff(run.message_bytes) > 0) and np.all(run.seconds > 0)
    assert not run.seconds.flags.writeable
    if run.condition != "published":
        ordered = [run.statistics[key] for key in ("best", "p25", "median", "p75", "p95", "worst")]
        assert np.all(np.diff(ordered, axis=0) >= 0) and len(run.message_bytes) == 24
        assert np.all(run.statistics["mean"] >= run.statistics["best"])


def test_load_changes_mean_and_not_best():
    """The statistics agree without load; with load the mean is several times too high for long messages."""
    ratios = {}
    for condition in ("quiet", "overloaded"):
        run = measure.recorded(f"mpi all-reduce, 2 ranks, {condition}")
        ratios[condition] = np.median(run.statistics["mean"][-8:] / run.statistics["best"][-8:])
    assert ratios["quiet"] < 2 < ratios["overloaded"]


def test_first_call_is_slow():
    factors = [run.statistics["first"] / run.seconds for run in map(measure.recorded, measure.recordings()[:3])]
    assert np.max(factors) > 10 and np.median(factors) > 1


@example(0.0005877805625308985, 1e7, 0.0, 159153049634.0, 16, 64)  # larger messages are faster
@given(
    st.floats(1e-7, 1e-3), st.floats(1e7, 1e12), st.floats(0.0, 1e-2), st.floats(1e7, 1e12), st.integers(3, 21), st.integers(2, 64)
)  # fmt: skip
def test_fit_regimes_recovers_two_lines(latency, bandwidth, step, other, place, ranks):
    hops, share = 2 * (ranks - 1), 2 * (ranks - 1) / ranks
    small = hops * latency + share * SIZES / bandwidth
    large = hops * (latency + step) + share * SIZES / other
    times = np.where(np.arange(24) < place, small, large)
    fit = measure.fit_regimes(SIZES, times, ranks, boundary_bytes=SIZES[place])
    assert fit.predict(SIZES) == pytest.approx(times, rel=1e-6)
    found = measure.fit_regimes(SIZES, times, ranks)
    assert found.residuals @ found.residuals <= fit.residuals @ fit.residuals + 1e-12


def test_fit_regimes_boundary_is_best_for_any_order():
    run = measure.recorded("mpi all-reduce, 2 ranks, quiet")
    fit = measure.fit_regimes(run.message_bytes, run.seconds, 2)
    assert fit.boundary_bytes == 8192  # the medians jump from 5.8 to 16.7 microseconds there
    squares = []
    for boundary in run.message_bytes[3:-2]:
        try:
            one = measure.fit_regimes(run.message_bytes, run.seconds, 2, boundary_bytes=boundary)
        except ValueError:
            continue
        squares.append(one.residuals @ one.residuals)
    assert fit.residuals @ fit.residuals == pytest.approx(min(squares))
    mixed = np.random.default_rng(0).permutation(24)
    assert measure.fit_regimes(run.message_bytes[mixed], run.seconds[mixed], 2).boundary_bytes == 8192


@pytest.mark.parametrize("name", [name for name in measure.recordings() if name != "oci-h100-2n"])
def test_two_regimes_fit_better_than_one(name):
    run = measure.recorded(name)
    one = collectives.fit_alpha_beta(run.message_bytes, run.seconds, run.ranks, weighting="relative")
    two = measure.fit_regimes(run.message_bytes, run.seconds, run.ranks)
    assert two.residuals @ two.residuals <= one.residuals @ one.residuals
    if run.condition == "quiet":  # one line misses some size by 60 % or more
        assert abs(one.residuals).max() > 0.59


def test_predict_of_scalar_is_float():
    run = measure.recorded("mpi ping-pong, 2 ranks, quiet")
    fit = measure.fit_regimes(run.message_bytes, run.seconds, 2)
    assert type(fit.predict(100)) is float and fit.predict([1.0, 1e6]).shape == (2,)
    assert fit.predict(fit.boundary_bytes) == fit.large.predict(fit.boundary_bytes)


GROWING = np.arange(1.0, 25.0)


@every_row(
    ("call", "error", "message"),
    [
        (lambda: measure.recorded("nccl"), ValueError, "name must be one of .*'aws-p5-2n'.* got 'nccl'"),
        (lambda: measure.fit_regimes(SIZES, GROWING[:5], 2), ValueError, "must have one length"),
        (lambda: measure.fit_regimes(SIZES, -GROWING, 2), ValueError, "seconds must be greater"),
        (lambda: measure.fit_regimes(-SIZES, GROWING, 2), ValueError, "message_bytes must be greater"),
        (lambda: measure.fit_regimes(SIZES[:5], GROWING[:5], 2), ValueError, "on each side .* got 5 sizes"),
        (lambda: measure.fit_regimes(SIZES, GROWING, 1), ValueError, "ranks must be at least 2"),
        (lambda: measure.fit_regimes(SIZES, GROWING, 2, weighting="equal"), ValueError, "weighting must be one of"),
        (
            lambda: measure.fit_regimes(SIZES, GROWING, 2, boundary_bytes=0),
            ValueError,
            "boundary_bytes must be greater",
        ),
        (
            lambda: measure.fit_regimes(SIZES, GROWING, 2, boundary_bytes=16),
            ValueError,
            "each side of boundary_bytes .16",
        ),
        (
            lambda: measure.fit_regimes(SIZES[:6], [9.0, 8, 7, 30, 29, 28], 2),
            ValueError,
            "seconds must grow with message_bytes on both",
        ),
    ],
)
def test_fit_regimes_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()
