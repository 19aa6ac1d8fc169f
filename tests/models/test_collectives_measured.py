"""Algorithm and bus bandwidth, and the fit, against a printed nccl-tests run."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives
from tests.tables import every_row

TABLE = collectives.nccl_tests_table()


# The printed run


def test_nccl_tests_table_is_the_printed_one():
    assert TABLE.message_bytes.tolist() == [2**power for power in range(3, 24)]
    assert TABLE.seconds[[0, 12, 20]] == pytest.approx([18.18e-6, 24.57e-6, 191.09e-6])
    assert TABLE.ranks == 8
    assert "nccl-tests 2.18.3" in TABLE.source and "H100" in TABLE.system


def test_bandwidths_reproduce_all_21_printed_rows():
    algorithm = collectives.algorithm_bandwidth(TABLE.message_bytes, TABLE.seconds)
    bus = collectives.bus_bandwidth("all_reduce", TABLE.message_bytes, TABLE.seconds, TABLE.ranks)
    assert len(bus) == 21
    assert abs(algorithm - TABLE.printed_algorithm_bandwidth).max() <= 0.00501e9
    assert abs(bus - TABLE.printed_bus_bandwidth).max() <= 0.00501e9
    assert TABLE.printed_bus_bandwidth.mean() == pytest.approx(11.3686e9, rel=1e-3)


def test_bandwidths_of_a_worked_row():
    """32,768 bytes in 24.57 us: 1.33 and 2.33 GB/s."""
    assert round(collectives.algorithm_bandwidth(32768, 24.57e-6) / 1e9, 2) == 1.33
    assert round(collectives.bus_bandwidth("all_reduce", 32768, 24.57e-6, 8) / 1e9, 2) == 2.33


def test_nccl_tests_table_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        TABLE.seconds[0] = 0.0


# Bus bandwidth of every collective

FACTORS = {  # PERFORMANCE.md of nccl-tests, at 2, 8 and 1,024 ranks
    "all_reduce": [1.0, 1.75, 1.998046875],
    "reduce_scatter": [0.5, 0.875, 0.9990234375],
    "all_gather": [0.5, 0.875, 0.9990234375],
    "all_to_all": [0.5, 0.875, 0.9990234375],
    "all_to_all_v": [0.5, 0.875, 0.9990234375],
    "gather": [0.5, 0.875, 0.9990234375],
    "scatter": [0.5, 0.875, 0.9990234375],
    "broadcast": [1.0, 1.0, 1.0],
    "reduce": [1.0, 1.0, 1.0],
    "send_recv": [1.0, 1.0, 1.0],
    "hypercube": [1.0, 1.0, 1.0],
}


@every_row("collective", FACTORS)
def test_bus_factors(collective):
    assert collectives.bus_factor(collective, [2, 8, 1024]).tolist() == FACTORS[collective]
    assert type(collectives.bus_factor(collective, 8)) is float
    assert collectives.bus_bandwidth(collective, 8e9, 2.0, 8) == 4e9 * FACTORS[collective][1]
    assert isinstance(collectives.meaning_of_size(collective), str)


def test_bus_factor_of_one_rank_is_zero():
    assert collectives.bus_factor("all_reduce", 1) == 0.0


@given(st.sampled_from([c for c in FACTORS if c in collectives.algorithms()]), st.integers(2, 4096))
def test_bus_bandwidth_without_latency_is_the_link_bandwidth(collective, ranks):
    """The definition of the factors: the best algorithm's bus bandwidth is the link's bandwidth."""
    best = min(
        collectives.time(collective, name, 1e9, ranks, 50e9)
        for name in ("ring", "pairwise", "direct")
        if name in collectives.algorithms(collective)
    )
    assert collectives.bus_bandwidth(collective, 1e9, best, ranks) == pytest.approx(50e9)


def test_size_is_the_whole_array_if_ranks_hold_parts():
    for collective in ("reduce_scatter", "all_gather", "gather", "scatter"):
        assert collectives.meaning_of_size(collective).startswith("the whole array")
    assert collectives.meaning_of_size("all_reduce") == "the vector that each rank holds"


@pytest.mark.parametrize(
    ("collective", "asked", "ranks", "moved"),
    [
        ("all_reduce", 8, 8, 8),
        ("all_gather", 8, 8, 0),
        ("all_gather", 128, 8, 128),
        ("reduce_scatter", 1000, 3, 960),
        ("all_to_all", 2**20, 7, 1048544),
        ("broadcast", 1001, 8, 1001),
    ],
)
def test_nccl_tests_rounds_parts_down_to_16_bytes(collective, asked, ranks, moved):
    assert collectives.nccl_tests_size(collective, asked, ranks) == moved


# Fit


def test_fit_of_the_printed_run_agrees_with_polyfit():
    """numpy.polyfit, scaled to keep it well conditioned, gives the same least squares."""
    fit = collectives.fit_alpha_beta(TABLE.message_bytes, TABLE.seconds, TABLE.ranks)
    slope, start = np.polyfit(TABLE.message_bytes / 1e6, TABLE.seconds * 1e6, 1)
    assert fit.collective_latency * 1e6 == pytest.approx(start, rel=1e-9)
    assert fit.algorithm_bandwidth == pytest.approx(1e12 / slope, rel=1e-9)
    assert fit.collective_latency * 1e6 == pytest.approx(26.45778083703942, rel=1e-9)
    assert fit.algorithm_bandwidth / 1e9 == pytest.approx(46.048648114030385, rel=1e-9)
    assert fit.bandwidth_one_way / 1e9 == pytest.approx(80.58513419955318, rel=1e-9)
    assert fit.half_bandwidth_bytes == pytest.approx(1218345.0396429645, rel=1e-9)


def test_fit_residuals_reach_46_percent():
    """Two numbers cannot describe three protocols: errors reach 46 %."""
    fit = collectives.fit_alpha_beta(TABLE.message_bytes, TABLE.seconds, TABLE.ranks)
    assert fit.residuals.shape == (21,)
    assert abs(fit.residuals).max() == pytest.approx(0.46096787938516606, rel=1e-9)
    assert fit.residuals == pytest.approx(1 - fit.predict(TABLE.message_bytes) / TABLE.seconds)
    assert fit.residuals[0] < 0 < fit.residuals.max()  # the model is too slow for small messages


def test_fit_of_relative_errors():
    fit = collectives.fit_alpha_beta(TABLE.message_bytes, TABLE.seconds, TABLE.ranks, weighting="relative")
    slope, start = np.polyfit(TABLE.message_bytes / 1e6, TABLE.seconds * 1e6, 1, w=1e-6 / TABLE.seconds)
    assert fit.collective_latency * 1e6 == pytest.approx(start)
    assert fit.algorithm_bandwidth == pytest.approx(1e12 / slope)
    assert fit.collective_latency * 1e6 == pytest.approx(20.911211695799626, rel=1e-6)
    assert fit.bandwidth_one_way / 1e9 == pytest.approx(63.05901936370425, rel=1e-6)
    assert abs(fit.residuals).max() == pytest.approx(0.3688720515575397, rel=1e-6)


@given(st.integers(2, 2000), st.floats(1e-8, 1e-3), st.floats(1e8, 1e12), st.sampled_from(["absolute", "relative"]))
def test_fit_recovers_the_ring_that_made_the_times(ranks, latency, bandwidth, weighting):
    # Sizes around the one at which latency and bytes cost the same, so that both matter.
    sizes = ranks * latency * bandwidth * np.logspace(-2, 2, 9)
    times = collectives.ring_all_reduce_time(sizes, ranks, bandwidth, latency)
    fit = collectives.fit_alpha_beta(sizes, times, ranks, weighting=weighting)
    assert fit.latency == pytest.approx(latency, rel=1e-6)
    assert fit.bandwidth_one_way == pytest.approx(bandwidth, rel=1e-6)
    assert abs(fit.residuals).max() < 1e-9
    assert fit.predict(sizes) == pytest.approx(times)
    assert type(fit.latency) is type(fit.bandwidth_one_way) is type(fit.predict(1e6)) is float


def test_fit_takes_lists_and_integers():
    fit = collectives.fit_alpha_beta([0, 1_000_000], [1.0, 2.0], np.int64(2))
    assert fit.latency == pytest.approx(0.5) and fit.bandwidth_one_way == pytest.approx(1e6)


# Invalid arguments


def refuses(function, match, *args, **kwargs):
    with pytest.raises((ValueError, TypeError), match=match):
        function(*args, **kwargs)


@every_row("bad", [True, "8", None, nan, inf, -1, [1, nan]])
def test_invalid_numbers_are_refused(bad):
    refuses(collectives.algorithm_bandwidth, "^message_bytes must", bad, 1.0)
    refuses(collectives.algorithm_bandwidth, "^seconds must", 1e6, bad)
    refuses(collectives.bus_bandwidth, "^message_bytes must", "all_reduce", bad, 1.0, 8)
    refuses(collectives.bus_bandwidth, "^seconds must", "all_reduce", 1e6, bad, 8)
    refuses(collectives.nccl_tests_size, "^requested_bytes must", "all_gather", bad, 8)
    fit = collectives.fit_alpha_beta([0, 1e6], [1.0, 2.0], 2)
    refuses(fit.predict, "^message_bytes must", bad)
    for ranks in (bad, 0, 2.5):
        refuses(collectives.bus_bandwidth, "^ranks must", "all_reduce", 1e6, 1.0, ranks)
        refuses(collectives.bus_factor, "^ranks must", "all_reduce", ranks)
        refuses(collectives.nccl_tests_size, "^ranks must", "all_gather", 1024, ranks)
    refuses(collectives.algorithm_bandwidth, "^seconds must be greater than zero", 1e6, 0)


@pytest.mark.parametrize("bad", ["allreduce", None, 7, ["all_reduce"]])
def test_unknown_collective_is_refused(bad):
    for function, *rest in (
        (collectives.bus_bandwidth, 1e6, 1.0, 8),
        (collectives.bus_factor, 8),
        (collectives.nccl_tests_size, 1024, 8),
        (collectives.meaning_of_size,),
    ):
        refuses(function, "^collective must.*'all_reduce'.*'hypercube'", bad, *rest)


def test_fit_refuses_unfit_measurements():
    fit = collectives.fit_alpha_beta
    refuses(fit, "message_bytes must be a one-dimensional", 1e6, [1.0, 2.0], 8)
    refuses(fit, "message_bytes must be a one-dimensional", [1e6], [1.0], 8)
    refuses(fit, "seconds must be a one-dimensional", [1e6, 2e6], [[1.0, 2.0]], 8)
    refuses(fit, "one length, got 3 and 2", [1, 2, 3], [1.0, 2.0], 8)
    refuses(fit, "at least two different sizes, got only 5", [5, 5], [1.0, 2.0], 8)
    refuses(fit, "seconds must grow", [1, 2], [2.0, 1.0], 8)
    refuses(fit, "seconds must grow", [1, 2], [1.0, 1.0], 8)
    refuses(fit, "ranks must be at least 2", [1, 2], [1.0, 2.0], 1)
    refuses(fit, "ranks must be a single whole number", [1, 2], [1.0, 2.0], [8, 8])
    refuses(fit, "ranks must be a whole number", [1, 2], [1.0, 2.0], 8.5)
    refuses(fit, "seconds must be greater than zero", [1, 2], [0.0, 2.0], 8)
    refuses(fit, "message_bytes must", [nan, 2], [1.0, 2.0], 8)
    refuses(fit, "seconds must", [1, 2], [1.0, "2"], 8)
    refuses(fit, "weighting.*'absolute', 'relative'", [1, 2], [1.0, 2.0], 8, weighting="log")
