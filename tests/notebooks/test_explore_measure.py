"""The explorers of measuring: recorded times drawn again, lines refitted by another method, roofs of what was measured."""

import numpy as np
import pytest

from chip2cluster import explore, measure

# --- one benchmark, five statistics ----------------------------------------------------


@pytest.mark.parametrize("load", ["quiet", "loaded", "overloaded"])
def test_many_repeats_find_what_was_recorded(load):
    recording = measure.recorded(f"mpi all-reduce, 2 ranks, {load}")
    at = recording.message_bytes.tolist().index(2**19)
    rows = {row["statistic"]: row for row in explore.statistics(500, load).table}
    for name in ("best", "median"):
        stored = 1e6 * recording.statistics[name][at]
        assert 0.99 * rows[name]["nine of ten from (µs)"] <= stored <= rows[name]["to (µs)"]


def test_load_moves_the_mean_and_hardly_the_best():
    quiet, loaded = ({row["statistic"]: row["factor"] for row in explore.statistics(load=load).table}
                     for load in ("quiet", "loaded"))  # fmt: skip
    assert max(quiet[name] for name in ("best", "median", "mean")) < 1.2
    assert loaded["best"] < 1.1 and loaded["mean"] > 2 > loaded["median"]


def test_more_repeats_leave_less_to_chance():
    factors = [explore.statistics(repeats).table[1]["factor"] for repeats in (5, 50, 500)]
    assert factors == sorted(factors, reverse=True) and factors[2] < 1.05


def test_the_first_call_spoils_the_mean_and_no_median():
    recording = measure.recorded("mpi all-reduce, 2 ranks, quiet")
    first = 1e6 * recording.statistics["first"][recording.message_bytes.tolist().index(2**19)]
    without, with_ = ({row["statistic"]: row["this run (µs)"] for row in explore.statistics(20, warm_up=warm).table}
                      for warm in (True, False))  # fmt: skip
    assert with_["worst"] == pytest.approx(first) and first > without["worst"]
    assert with_["median"] < 1.1 * without["median"]


@pytest.mark.parametrize(
    "repeats, words", [(5, "cannot enclose the median"), (10, "The 2nd and the 9th"), (3, "need at least 6")]
)
def test_the_interval_is_by_ranks(repeats, words):
    assert words in explore.statistics(repeats).sentence


def test_a_sample_of_ones_own_is_drawn_from():
    sample = measure.Sample([1.0, 2.0, 3.0], warm_up_seconds=[50.0])
    view = explore.statistics(100, sample=sample)
    assert view.values["load"] == "yours" and view.table[0]["this run (µs)"] == 1e6
    assert {row["this run (µs)"] for row in view.table if row["statistic"] != "mean"} <= {1e6, 2e6, 3e6}
    assert view.set(warm_up=False).table[-1]["this run (µs)"] == 50e6
    assert view.set(load="quiet").values["operation"] == "all-reduce"


@pytest.mark.parametrize("given, says", [
    ({"sample": [1.0]}, "sample must be a measure.Sample"),
    ({"sample": measure.Sample([0.0, 1.0])}, "sample must hold times above zero"),
    ({"repeats": 7}, "repeats must be one of 3, 5"),
    ({"load": "busy"}, "load must be one of 'quiet'"),
])  # fmt: skip
def test_a_wrong_benchmark_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.statistics(**given)


# --- fit -------------------------------------------------------------------------------


@pytest.mark.parametrize("lines, power", [("one line, absolute error", 0), ("one line, relative error", 1)])
def test_lines_are_those_of_numpy(lines, power):
    run = measure.recorded("mpi ring, 2 ranks, quiet")
    slope, start = np.polyfit(run.message_bytes, run.seconds, 1, w=run.seconds**-power)
    view = explore.fit(lines, run="mpi ring, 2 ranks, quiet")
    row = view.table[view.current.table.marked]
    assert row["α, small (µs)"] == pytest.approx(1e6 * start, rel=1e-6)
    assert row["β, large (GB/s)"] == pytest.approx(1e-9 / slope, rel=1e-6)


def test_by_seconds_the_longest_message_decides_alone():
    view = explore.fit("one line, absolute error")
    assert "below zero" in view.sentence and "Two lines, relative error: typically 5.9 % off" in view.sentence
    by_seconds, by_percent = view.table[:2]
    assert by_seconds["typical error (%)"] > 10 * by_percent["typical error (%)"]


def test_the_protocol_changes_at_4_kib():
    view = explore.fit("two lines, relative error")
    assert view.table[3]["second line from"] == 4096 and "from 4 KiB on" in view.sentence
    assert view.set(smallest=4096).table[3]["second line from"] != 4096


def test_what_was_not_fitted_is_forecast():
    view = explore.fit("one line, relative error", smallest="4 KiB", largest="1 MiB")
    row = view.table[1]
    assert row["typical, all sizes (%)"] > row["typical error (%)"]
    sizes = view.controls[3].choices(view.values)
    assert min(sizes) == 4096 * 2**5  # six sizes


def test_times_that_do_not_grow_have_no_bandwidth():
    sizes = 8.0 * 2 ** np.arange(8)
    told = {"median": np.linspace(2e-6, 1e-6, 8)}
    run = measure.Recording("mine", "ping_pong", 2, 1, "here", "own", "mine", measure.recorded("aws-p5-2n").source,
                            sizes, told)  # fmt: skip
    view = explore.fit(run=run)
    assert view.values["run"] == "your run" and "so no line has a bandwidth" in view.current.picture.title
    assert view.table[0]["α, small (µs)"] is None and "Include more sizes" in view.sentence
    assert view.set(run="aws-p5-2n").values["statistic"] == "mean"


def test_a_run_with_few_sizes_is_refused():
    run = measure.ping_pong([8, 64, 4096], backend="multiprocessing", repeats=2, budget_seconds=0.2)
    with pytest.raises(ValueError, match="run must have at least 6 sizes"):
        explore.fit(run=run)


# --- my roofline -----------------------------------------------------------------------


def test_the_caches_are_steps():
    rows = explore.my_roofline().table
    rates = [row["adds (GB/s)"] for row in rows]
    assert min(rates[1:4]) > 2 * max(rates[4:])  # caches, then memory
    for row in rows:
        assert row["your kernel (GFLOP/s)"] == pytest.approx(min(row["adds (GB/s)"], 44.5033))  # 1 FLOP/byte
        assert row["peak reached from (FLOP/byte)"] == pytest.approx(44.5033 / row["adds (GB/s)"])


@pytest.mark.parametrize("machine", ["quiet", "loaded", "loaded again"])
def test_a_kernel_never_beats_its_roof(machine):
    view = explore.my_roofline(machine=machine)
    for intensity in view.controls[2].choices(view.values):
        view.set(intensity=intensity)
        run = measure.recorded_roofline(f"cpu roofline, {machine}")
        reached = [row["your kernel (GFLOP/s)"] * 1e9 for row in view.table]
        assert all(flops <= run.peak_flops + 1 for flops in reached)
        assert reached == pytest.approx(np.minimum(intensity * run.bandwidth, run.peak_flops).tolist())


def test_a_machine_of_ones_own_takes_part():
    run = measure.cpu_roofline(working_set_bytes=[393216, 49152], gemm_sizes=[64], budget_seconds=0.2)
    view = explore.my_roofline(run)
    assert view.values["machine"] == "your machine"
    assert [row["working set"] for row in view.table] == ["48 KiB", "384 KiB"]
    assert view.table[0]["adds (GB/s)"] == pytest.approx(run.bandwidth[1] / 1e9)
    assert (
        view.set(machine="quiet").values["working_set"]
        in measure.recorded_roofline("cpu roofline, quiet").working_set_bytes
    )


@pytest.mark.parametrize("given, says", [
    ({"run": 7}, "run must be a measure.CpuRoofline"),
    ({"intensity": -1}, "intensity must be a number of FLOP/byte"),
    ({"working_set": "5 s"}, "'5 s' is in s, but B is asked for"),
    ({"machine": "mine"}, "machine must be one of 'quiet'"),
])  # fmt: skip
def test_a_wrong_roofline_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.my_roofline(**given)
