"""Closed formulas of reliability: published figures, exact optima, limits, and errors."""

import json
from math import exp, inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from chip2cluster import reliability, transformer
from tests.tables import every_row

TRUTH = json.loads((Path(__file__).parent / "data/checkpoints.json").read_text(encoding="utf-8"))
HOUR, DAY = 3600.0, 86400.0
times = st.floats(1.0, 1e6)
ratios = st.floats(1e-6, 3.0)  # checkpoint time over MTBF


def each(part):
    return pytest.mark.parametrize("case", TRUTH[part], ids=lambda case: case["id"])


def run(case):
    return case["checkpoint_s"], case["restart_s"], case["mtbf_s"]


@each("exact")
def test_intervals_and_expectations_match_reference(case):
    dump, restart, mtbf = run(case)
    assert reliability.young_interval(dump, mtbf) == pytest.approx(case["young_interval_s"], rel=1e-12)
    first = reliability.daly_interval(dump, mtbf, "first")
    assert first == pytest.approx(case["daly_first_order_interval_s"], rel=1e-12)
    assert reliability.daly_interval(dump, mtbf) == pytest.approx(case["daly_higher_order_interval_s"], rel=1e-12)
    best = reliability.optimal_interval(dump, mtbf)
    assert best == pytest.approx(case["optimal_interval_s"], rel=1e-9)
    for interval, key in (
        (best, "expected_time_at_optimum_s"),
        (case["young_interval_s"], "expected_time_at_young_s"),
        (3600.0, "expected_time_one_segment_per_hour_s"),
    ):
        expected = reliability.expected_time(case["work_s"], interval, dump, restart, mtbf)
        assert expected == pytest.approx(case[key], rel=1e-9)
    assert reliability.goodput(best, dump, restart, mtbf) == pytest.approx(case["goodput_at_optimum"], rel=1e-9)
    time = case["expected_time_at_optimum_s"]
    assert reliability.expected_failures(time, mtbf) == pytest.approx(case["expected_failures_at_optimum"], rel=1e-9)


# J. T. Daly, Future Generation Computer Systems 22 (2006), figure 3: a day between failures, dumps of five minutes.
def test_daly_interval_reproduces_figure_3():
    assert round(reliability.daly_interval(300, DAY) / 60) == 117
    assert reliability.daly_interval(300, DAY) / 60 == pytest.approx(116.69, abs=5e-3)


@each("two_level")
def test_two_level_matches_reference_linear_system(case):
    found = reliability.two_level(*case["inputs"].values())
    assert found.expected_seconds == pytest.approx(case["expected_pattern_s"], rel=1e-9)
    assert found.useful_fraction == pytest.approx(case["useful_fraction"], rel=1e-9)


@given(
    st.integers(1, 12), st.floats(1, 1e4), st.floats(0, 100), st.floats(0, 1000), st.floats(0, 100), st.floats(0, 1e4),
    st.floats(500, 1e6), st.floats(0, 1),
)  # fmt: skip
def test_two_level_solves_linear_system_for_random_values(many, work, local, far, back, far_back, mtbf, share):
    """One equation per segment: it succeeds, is retried, or the pattern restarts."""
    matrix, right = np.eye(many), np.zeros(many)
    for segment in range(many):
        length = work + (far if segment == many - 1 else local)
        through = exp(-length / mtbf)
        until = mtbf - length * through / (1 - through)  # mean time of a failure within the segment
        right[segment] = through * length + (1 - through) * (until + share * far_back + (1 - share) * back)
        matrix[segment, segment] -= (1 - through) * (1 - share)
        matrix[segment, 0] -= (1 - through) * share
        if segment + 1 < many:
            matrix[segment, segment + 1] -= through
    found = reliability.two_level(many, work, local, far, back, far_back, mtbf, share)
    if np.linalg.cond(matrix) < 1e8:
        assert found.expected_seconds == pytest.approx(np.linalg.solve(matrix, right)[0], rel=1e-6)
        assert found.useful_fraction == pytest.approx(many * work / found.expected_seconds)


@given(times, st.floats(0.0, 1e3), st.floats(1e8, 1e18))
def test_lost_time_is_never_negative(interval, dump, mtbf):
    assert reliability.time_breakdown(1e6, interval, dump, 0.0, mtbf).lost >= 0


@given(ratios, times)
def test_optimal_interval_is_lambert_w_and_minimum(ratio, mtbf):
    dump = ratio * mtbf
    best = reliability.optimal_interval(dump, mtbf)
    lambert = mtbf * (1 + special.lambertw(-exp(-ratio - 1)).real)
    assert best == pytest.approx(lambert, rel=1e-9 + 1e-15 / ratio)  # the formula in print loses digits near its branch
    assert best < min(mtbf, reliability.young_interval(dump, mtbf))

    def time(interval):
        return reliability.expected_time(1e6, interval, dump, 0.0, mtbf)

    found = optimize.minimize_scalar(
        time, bounds=(best / 4, 4 * best), method="bounded", options={"xatol": 1e-9 * best}
    )
    assert time(best) <= found.fun * (1 + 1e-12)
    assert found.x == pytest.approx(best, rel=1e-3)


def test_optimal_interval_is_precise_at_both_ends():
    tiny = np.array([1e-12, 1e-9, 1e-6])
    roots = np.sqrt(2 * tiny)
    series = roots - roots**2 / 3 + roots**3 / 36 + roots**4 / 270  # series of Lambert's W at its branch, Corless 1996
    assert reliability.optimal_interval(tiny, 1.0) == pytest.approx(series, rel=1e-9)
    assert reliability.optimal_interval(800.0, 1.0) == 1.0
    assert reliability.optimal_interval(1.0, 1.0) == pytest.approx(1 + special.lambertw(-exp(-2)).real, rel=1e-14)


@given(ratios, times)
def test_cost_of_daly_and_young_intervals(ratio, mtbf):
    dump = ratio * mtbf
    best = reliability.goodput(reliability.optimal_interval(dump, mtbf), dump, 0.0, mtbf)
    daly = reliability.goodput(reliability.daly_interval(dump, mtbf), dump, 0.0, mtbf)
    assert best * (1 - 2e-3) < daly <= best * (1 + 1e-12)
    assert reliability.daly_interval(dump, mtbf, "first") == pytest.approx(
        reliability.young_interval(dump, mtbf) - dump, abs=1e-9 * mtbf
    )


def test_young_interval_is_costly_for_long_checkpoints():
    best = reliability.goodput(reliability.optimal_interval(3000, 1200), 3000, 300, 1200)
    young = reliability.goodput(reliability.young_interval(3000, 1200), 3000, 300, 1200)
    assert best / young == pytest.approx(1.574, abs=1e-3)


@given(times, st.floats(0.0, 1e3), st.floats(0.0, 1e3), st.floats(500.0, 1e6))
def test_time_breakdown_adds_up(interval, dump, restart, mtbf):
    interval = min(interval, 5 * mtbf)
    for options in ({}, {"failures_during_restart": False}, {"persist_seconds": interval / 2}):
        spent = reliability.time_breakdown(1e6, interval, dump, restart, mtbf, **options)
        total = reliability.expected_time(1e6, interval, dump, restart, mtbf, **options)
        assert spent.total == pytest.approx(total, rel=1e-9)
        assert spent.lost >= -1e-9 * total and spent.restarts >= 0 and spent.work == 1e6
    assert reliability.goodput(interval, dump, restart, mtbf) == pytest.approx(
        1e6 / reliability.expected_time(1e6, interval, dump, restart, mtbf), rel=1e-9
    )


@given(st.floats(1e-4, 1e-2), st.floats(0.0, 1e-2), st.floats(0.0, 1e-2))
def test_goodput_first_order_is_small_loss_limit(interval, dump, restart):
    dump = dump * interval
    exact = reliability.goodput(interval, dump, restart, 1.0)
    rough = reliability.goodput_first_order(interval, dump, restart, 1.0)
    losses = dump / interval + interval + dump + restart
    assert abs(exact - rough) <= 2 * losses**2


@given(times, st.floats(0.0, 100.0), st.floats(0.0, 1e3), st.floats(1e3, 1e6), st.floats(0.0, 1.0))
def test_asynchronous_checkpoint_costs_like_longer_restart(interval, dump, restart, mtbf, share):
    interval = min(interval, mtbf)
    persist = share * interval
    late = reliability.goodput(interval, dump, restart, mtbf, persist_seconds=persist)
    assert late == pytest.approx(reliability.goodput(interval, dump, restart + persist, mtbf), rel=1e-12)


def test_time_without_failures_is_work_and_checkpoints():
    assert reliability.expected_time(1000.0, 100.0, 10.0, 5.0, 1e15) == pytest.approx(1100.0)
    assert reliability.expected_time(1.0, 1e6, 0.0, 0.0, 1.0) == inf
    assert reliability.goodput(1e6, 0.0, 0.0, 1.0) == 0.0
    assert reliability.two_level(2, 1e6, 0, 0, 0, 0, 1.0, 0.0) == (inf, 0.0)
    spent = reliability.time_breakdown(1.0, [1e6, 1.0], 0.0, 0.0, 1.0)
    assert spent.lost[0] == inf and spent.restarts.tolist() == [0.0, 0.0]
    assert reliability.time_breakdown(1.0, 1e6, 0.0, 0.0, 1.0).restarts == 0.0


@given(st.floats(1.0, 100.0), st.floats(1e3, 1e5), st.floats(0.0, 3.0))
def test_asynchronous_optimal_interval_is_that_of_the_stall(stall, mtbf, late):
    best = reliability.optimal_interval(stall, mtbf)
    persist = min(late, 1.0) * best  # written before the next one begins
    dump = reliability.AsynchronousCheckpoint(stall, persist)
    assert dump.shortest_interval <= best

    def left(interval):
        return reliability.goodput(interval, stall, 60.0, mtbf, persist_seconds=persist)

    assert left(best) >= left(1.01 * best) and left(best) >= left(max(0.99 * best, dump.shortest_interval)) * (
        1 - 1e-12
    )


def test_two_level_with_one_segment_matches_expected_time():
    plain = reliability.expected_time(900, 900, 60, 600, 10800, failures_during_restart=False)
    assert reliability.two_level(1, 900, 5, 60, 60, 600, 10800, 1.0).expected_seconds == pytest.approx(plain, rel=1e-12)


def test_arrays_broadcast_and_scalars_give_floats():
    intervals = np.array([600.0, 1200.0, 2400.0])
    times = reliability.expected_time(
        1e6, intervals, [[60.0], [120.0]], 600, 11135.0, persist_seconds=[0.0, 10.0, 20.0]
    )
    assert times.shape == (2, 3)
    one = reliability.expected_time(1e6, 1200, 120, 600, 11135, persist_seconds=10)
    assert type(one) is float and times[1, 1] == pytest.approx(one)
    for function in (reliability.young_interval, reliability.daly_interval, reliability.optimal_interval):
        assert type(function(np.int64(60), np.float32(11135))) is float
        assert function([60, 600], 11135)[1] == pytest.approx(function(600, 11135))


# --- how often parts fail ---------------------------------------------------------------
def test_interruptions_of_llama_3():
    """54 days over 419; in its table 148 of 419 are 35.3 %, and the published column adds up to 94.9 %."""
    rate = reliability.failure_rate(419, 2048, 54 * DAY)
    assert reliability.mtbf(2048, rate) / HOUR == pytest.approx(3.0930787589498805)
    assert rate * 1000 * DAY == pytest.approx(3.788700810185185)
    table = reliability.published_interruptions()
    assert table["count"].sum() == 419 and len(table) == 18
    assert table["agrees"].sum() == 17 and table.loc["Faulty GPU", "of all (%)"] == 35.3
    gpus = table[table["category"] == "GPU"]["count"].sum()
    assert gpus == 268 and 100 * gpus / 419 == pytest.approx(63.9618, abs=1e-4)
    assert reliability.interruptions_source().citation.startswith("Llama team")


def test_published_claims_against_their_counts():
    """Llama 3: 58.7 % should be 64.0 %; 78 % refers to unexpected ones. Kokolis et al.: 28.8 h by their rate, not 7.9."""
    claims = reliability.published_claims()
    assert claims.loc["GPUs, of those of Llama 3 (%)"].tolist() == [58.7, 64.0, False]
    assert claims.loc["Hardware, of those of Llama 3 (%)"].tolist() == [78.0, 78.3, True]
    assert claims.loc["Hours between interruptions of Llama 3"].tolist() == [3.0, 3.1, True]
    hours = claims[claims.index.str.startswith("MTBF")]
    assert hours["agrees"].tolist() == [False, False, True, True]
    assert hours["recomputed"].tolist() == pytest.approx([24000 / 6.5, 28.8, 1.8, 0.23], abs=0.05)


def test_observed_rates_scale_to_10000_devices():
    """One failure in 3.0 h and 8.2 h by the rates of Meta's research clusters, in 5.1 h by that of Llama 3."""
    hours = {
        rate.name: reliability.mtbf(1250, rate.failures_per_node_second) / HOUR for rate in reliability.observed_rates()
    }
    assert hours["Llama 3 405B, H100"] == pytest.approx(5.07, abs=5e-3)
    assert hours["RSC-1, A100"] == pytest.approx(2.95, abs=5e-3)
    assert hours["RSC-2, A100"] == pytest.approx(8.21, abs=5e-3)
    for rate in reliability.observed_rates():
        assert rate.source.confidence in ("confirmed", "secondary", "memory", "low") and rate.source.as_of


@given(st.integers(1, 10**5), st.floats(1e-12, 1e-3), st.floats(0, 1e6))
def test_failure_rates_add(parts, rate, seconds):
    mean = reliability.mtbf(parts, rate)
    assert mean == pytest.approx(reliability.combined_mtbf([reliability.mtbf(1, rate) / parts]))
    assert reliability.survival(seconds, mean) == pytest.approx(
        reliability.survival(seconds, reliability.mtbf(1, rate)) ** parts, rel=1e-6, abs=1e-300
    )
    assert reliability.combined_mtbf([mean] * 3) == pytest.approx(mean / 3)


@every_row("mean", [0.01, 0.7, 15.5, 300.0])
@every_row("spares", [0, 1, 16, 300, 340])
def test_shortage_probability_is_poisson_tail(mean, spares):
    chance = reliability.shortage_probability(1000, spares, node_mtbf=1000.0, repair_seconds=mean)
    assert chance == pytest.approx(special.pdtrc(spares, mean), rel=1e-9, abs=1e-15)


@given(st.floats(1e-3, 500.0), st.floats(1e-9, 0.99))
def test_spares_needed_is_minimal(mean, shortage):
    needed = reliability.spares_needed(1000, 1000.0, mean, shortage)
    assert reliability.shortage_probability(1000, needed, 1000.0, mean) <= shortage
    assert needed == 0 or reliability.shortage_probability(1000, needed - 1, 1000.0, mean) > shortage


# --- how large a checkpoint is ------------------------------------------------------------------
def test_checkpoint_bytes_exclude_gradients():
    memory = transformer.state_memory(8.03e9)
    assert reliability.checkpoint_bytes(8.03e9) == memory.total - memory.gradients == 14 * 8.03e9


def test_checkpoint_time_is_set_by_the_bottleneck():
    assert reliability.checkpoint_time(112.42e9, 1000, 50e9, 100e9) == pytest.approx(1.1242)
    assert reliability.checkpoint_time(100e9, 2, 10e9, 100e9) == 5.0
    assert reliability.checkpoint_time(100e9, [2, 100], 10e9, 100e9).tolist() == [5.0, 1.0]
    dump = reliability.asynchronous_checkpoint(100e9, 2, 50e9, 10e9, 100e9)
    assert (dump.stall_seconds, dump.persist_seconds, dump.shortest_interval) == (1.0, 5.0, 4.0)


# --- what is refused ------------------------------------------------------------------------
EXPECT = {"work_seconds": 1e6, "interval": 900, "checkpoint_seconds": 60, "restart_seconds": 60, "mtbf": 7200}
LEVELS = {
    "segments_per_pattern": 2, "interval": 900, "local_dump_seconds": 5, "global_dump_seconds": 60,
    "local_restart_seconds": 60, "global_restart_seconds": 600, "mtbf": 10800, "fraction_needing_global": 0.2,
}  # fmt: skip


@every_row("function, good, name, value", [
    (reliability.mtbf, {"parts": 8, "failures_per_part_second": 1e-6}, "parts", 0),
    (reliability.mtbf, {"parts": 8, "failures_per_part_second": 1e-6}, "parts", 2.5),
    (reliability.mtbf, {"parts": 8, "failures_per_part_second": 1e-6}, "failures_per_part_second", -1),
    (reliability.failure_rate, {"failures": 1, "parts": 8, "seconds": 10}, "failures", -1),
    (reliability.failure_rate, {"failures": 1, "parts": 8, "seconds": 10}, "parts", -1),
    (reliability.failure_rate, {"failures": 1, "parts": 8, "seconds": 10}, "seconds", 0),
    (reliability.combined_mtbf, {"mtbfs": [1.0]}, "mtbfs", [1.0, -1.0]),
    (reliability.combined_mtbf, {"mtbfs": [1.0]}, "mtbfs", []),
    (reliability.survival, {"seconds": 1.0, "mtbf": 1.0}, "seconds", -1),
    (reliability.survival, {"seconds": 1.0, "mtbf": 1.0}, "mtbf", -3600),
    *((function, {"checkpoint_seconds": 60, "mtbf": 7200}, name, value)
      for function in (reliability.young_interval, reliability.daly_interval, reliability.optimal_interval)
      for name, value in (("checkpoint_seconds", 0), ("mtbf", -7200), ("mtbf", float("nan")))),
    (reliability.daly_interval, {"checkpoint_seconds": 60, "mtbf": 7200}, "order", "second"),
    *((function, EXPECT, name, -1) for function in (reliability.expected_time, reliability.time_breakdown)
      for name in EXPECT),
    (reliability.expected_time, EXPECT, "work_seconds", 0),
    (reliability.expected_time, EXPECT, "persist_seconds", 961),
    (reliability.expected_time, EXPECT, "persist_seconds", [1, 961]),
    *((reliability.goodput, {key: EXPECT[key] for key in list(EXPECT)[1:]}, name, -1) for name in list(EXPECT)[1:]),
    *((reliability.goodput_first_order, {key: EXPECT[key] for key in list(EXPECT)[1:]}, name, -1)
      for name in list(EXPECT)[1:]),
    (reliability.expected_failures, {"expected_seconds": 1.0, "mtbf": 1.0}, "expected_seconds", 0),
    (reliability.expected_failures, {"expected_seconds": 1.0, "mtbf": 1.0}, "mtbf", 0),
    *((reliability.two_level, LEVELS, name, -1) for name in LEVELS),
    (reliability.two_level, LEVELS, "fraction_needing_global", 1.1),
    (reliability.checkpoint_bytes, {"parameters": 1e9}, "parameters", 0),
    (reliability.checkpoint_bytes, {"parameters": 1e9}, "weight_bytes", 0),
    (reliability.checkpoint_bytes, {"parameters": 1e9}, "optimizer_bytes", -1),
    *((reliability.asynchronous_checkpoint,
       {"checkpoint_bytes": 1e9, "nodes": 2, "copy_bandwidth_one_way": 1e9, "node_bandwidth_one_way": 1e9,
        "storage_bandwidth": 1e9}, name, -1)
      for name in ("checkpoint_bytes", "nodes", "copy_bandwidth_one_way", "node_bandwidth_one_way", "storage_bandwidth")),
    *((reliability.shortage_probability, {"nodes": 8, "spares": 1, "node_mtbf": 1e6, "repair_seconds": 10}, name, -1)
      for name in ("nodes", "spares", "node_mtbf", "repair_seconds")),
    (reliability.spares_needed, {"nodes": 8, "node_mtbf": 1e6, "repair_seconds": 10}, "shortage", 1),
    (reliability.spares_needed, {"nodes": 8, "node_mtbf": 1e6, "repair_seconds": 10}, "repair_seconds", 0),
    (reliability.observed_rates_table, {}, "nodes", 0),
])  # fmt: skip
def test_errors_name_the_argument(function, good, name, value):
    with pytest.raises(ValueError, match="parts" if function is reliability.observed_rates_table else name):
        function(**(good | {name: value}))


@pytest.mark.parametrize("call", [
    lambda: reliability.mtbf(True, 1e-6),
    lambda: reliability.young_interval("60", 7200),
    lambda: reliability.two_level(2, [900, 1800], 5, 60, 60, 600, 10800, 0.2),
    lambda: reliability.two_level([1, 2], 900, 5, 60, 60, 600, 10800, 0.2),
    lambda: reliability.expected_time(1e6, 900, 60, 60, 7200, failures_during_restart=1),
])  # fmt: skip
def test_non_numbers_are_rejected(call):
    with pytest.raises(TypeError):
        call()


@given(st.floats(0.05, 0.99), st.floats(0.0, 0.5), times)
def test_longest_dump_gives_requested_goodput(goodput, restart, mean):
    dump = reliability.longest_dump(goodput, restart * mean, mean)
    assert (dump == 0) == (goodput >= exp(-restart))
    if dump > 1e-9 * mean:
        best = reliability.optimal_interval(dump, mean)
        assert reliability.goodput(best, dump, restart * mean, mean) == pytest.approx(goodput, rel=1e-6)


def test_longest_dump_rejects_invalid_goodput():
    for wrong in (0, 1, 1.5):
        with pytest.raises(ValueError, match="goodput must be"):
            reliability.longest_dump(wrong, 600, 3600)
    assert reliability.longest_dump(0.5, 1e9, 1.0) == 0.0


GIB = 2.0**30
SIZES = [  # parameters, optimizer bytes for each, GiB on the file system: a TB of these notes is 1,000 or 1,024 of them
    (181e9, 12, 2.4 * 1024), (181e9, 0, 0.34 * 1024), (176.247e9, 12, 2300), (176.247e9, 0, 329), (20.555e9, 12, 268),
    (20.555e9, 0, 39),
]  # fmt: skip


@every_row("parameters, optimizer, measured", SIZES)
def test_checkpoint_bytes_match_published_sizes(parameters, optimizer, measured):
    """BLOOM and its trial runs, and GPT-NeoX-20B (EleutherAI, README), with and without optimizer state."""
    assert reliability.checkpoint_bytes(parameters, optimizer_bytes=optimizer) / GIB == pytest.approx(
        measured, rel=0.045
    )


def test_checkpoint_time_bounds_measured_saves():
    """Rows of nodes, billions of parameters and seconds per checkpoint: the bound at the first row's node rate holds."""
    rows = [(8, 25, 17.961), (16, 52, 19.298), (32, 52, 19.228), (64, 52, 19.653), (32, 97, 19.417), (64, 97, 11.526), (64, 181, 19.495)]  # fmt: skip
    size = lambda billions: reliability.checkpoint_bytes(1e9 * billions)
    rate = size(25) / 8 / 17.961
    for nodes, billions, seconds in rows:
        least = reliability.checkpoint_time(size(billions), nodes, rate, nodes * rate)
        assert least <= seconds * 1.0001 and 11 < seconds < 20
