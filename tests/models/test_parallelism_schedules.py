"""Pipeline schedules: another simulator's results, proved optima, published bubbles, what must hold for any times.

``pipeline_schedules.csv``: an event simulator in exact rationals; ``zb_h1`` and ``zb_h2`` are what the zero-bubble
authors' own heuristic finds (github.com/sail-sg/zero-bubble-pipeline-parallelism, commit 39f2c18).
``pipeline_optima.csv``: the best that any order can reach under a limit of micro-batches in flight, by a constraint
solver, proved.
"""

import csv
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import parallelism
from chip2cluster.parallelism import bubble_over_ideal, bubble_over_makespan, schedule, schedules
from tests.tables import every_row

DATA = Path(__file__).parent / "data"
NEAR = dict(rel=1e-9, abs=1e-9)


def rows(name):
    with (DATA / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def run_of(row):
    name, overlapped = row["schedule"], row["overlapped_slot"]
    return schedule(
        name, int(row["stages"]), int(row["micro_batches"]), int(row["chunks"]),
        forward_seconds=float(row["forward"]), backward_seconds=float(row["backward_input"]),
        weight_seconds=float(row["backward_weight"]), p2p_seconds=float(row["p2p"]),
        overlapped_seconds=float(overlapped) if overlapped else None,
    )  # fmt: skip


@pytest.mark.sampled(40)
@pytest.mark.parametrize("row", rows("pipeline_schedules.csv"), ids=lambda row: row["id"])
def test_schedules_match_another_simulator(row):
    run = run_of(row)
    if row["makespan"]:
        assert run.makespan_seconds == pytest.approx(float(row["makespan"]), **NEAR)
    assert max(run.span_seconds) == pytest.approx(float(row["span_max"]), **NEAR)
    assert max(run.busy_seconds) == pytest.approx(float(row["ideal"]), **NEAR)
    assert run.bubble_seconds == pytest.approx(float(row["bubble"]), **NEAR)
    for name in ("bubble_over_ideal", "bubble_over_makespan"):
        if row[name]:
            assert getattr(run, name) == pytest.approx(float(row[name]), **NEAR)
    if row["busy"]:
        assert run.busy_seconds == pytest.approx([float(one) for one in row["busy"].split("|")], **NEAR)
    peaks = [float(one) for one in row["peak_in_flight"].split("|")]
    if row["schedule"].startswith("zb"):  # for these it is the limit given to the heuristic
        assert max(run.in_flight) <= peaks[0]
    else:
        assert run.in_flight == pytest.approx(peaks, rel=1e-5)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("row", [r for r in rows("pipeline_schedules.csv") if r["closed_form_holds"] == "True"], ids=lambda row: row["id"])  # fmt: skip
def test_bubble_formulas_match_simulation(row):
    name, weights = row["schedule"], float(row["backward_weight"])
    f, b = float(row["forward"]), float(row["backward_input"])
    if row["overlapped_slot"] and float(row["overlapped_slot"]) != f + b + weights:
        return  # the formula assumes a pair without gain
    counts = name, int(row["stages"]), int(row["micro_batches"]), int(row["chunks"])
    times = dict(forward_seconds=f, backward_seconds=b, weight_seconds=weights)
    over_ideal = float(row["bubble"]) / float(row["ideal"])
    assert bubble_over_ideal(*counts, **times) == pytest.approx(over_ideal, **NEAR)
    assert bubble_over_makespan(*counts, **times) == pytest.approx(over_ideal / (1 + over_ideal), **NEAR)


def contenders(row):
    """Makespans of the schedules that satisfy the assumptions of a proved optimum."""
    p, m = int(row["stages"]), int(row["micro_batches"])
    times = dict(zip(("forward_seconds", "backward_seconds", "weight_seconds"),
                     (float(row[name]) for name in ("forward", "backward_input", "backward_weight")), strict=True))  # fmt: skip
    for name in ("gpipe", "1f1b", "zb_h1", "zb_h2"):
        if row["split_backward"] == "True" or not name.startswith("zb"):
            run = schedule(name, p, m, **times)
            if max(run.in_flight) <= int(row["in_flight_limit"]):
                spans = row["measure"] == "longest_device_span"
                yield name, max(run.span_seconds) if spans else run.makespan_seconds


@every_row("row", rows("pipeline_optima.csv"))
def test_no_schedule_beats_the_optimum(row):
    best, found = float(row["best"]), dict(contenders(row))
    assert all(value >= best - 1e-9 for value in found.values())
    p, m, limit = (int(row[name]) for name in ("stages", "micro_batches", "in_flight_limit"))
    if row["split_backward"] == "False" and limit >= p:
        assert found["1f1b"] == best  # no order of whole backward passes is faster
    if row["measure"] == "longest_device_span":
        if limit == p:
            assert found["zb_h1"] == best
        if limit >= 2 * p - 1 and m >= 2 * p - 1:
            assert found["zb_h2"] == best


WHOLE = st.integers(1, 12)
COUNTS = {
    "gpipe": st.tuples(st.integers(1, 6), st.integers(1, 12), st.just(1)),
    "1f1b": st.tuples(st.integers(1, 6), st.integers(1, 12), st.just(1)),
    "zb_h1": st.tuples(st.integers(1, 6), st.integers(1, 12), st.just(1)),
    "zb_h2": st.tuples(st.integers(1, 6), st.integers(1, 12), st.just(1)),
    "interleaved_1f1b": st.builds(lambda p, turns, v: (p, p * turns, v), st.integers(1, 5), st.integers(1, 3), st.integers(2, 4)),
    "dualpipe": st.builds(lambda half, more: (2 * half, 4 * half + 2 * more, 2), st.integers(1, 4), st.integers(0, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", schedules())
@given(data=st.data())
def test_schedule_invariants_for_any_times(name, data):
    p, m, v = data.draw(COUNTS[name])
    many = st.lists(WHOLE, min_size=p, max_size=p)
    f, b, w = (data.draw(many) for _ in range(3))
    travel = data.draw(st.integers(0, 3))
    run = schedule(name, p, m, v, forward_seconds=f, backward_seconds=b, weight_seconds=w, p2p_seconds=travel)
    stages = p if name == "dualpipe" else p * v
    passes = defaultdict(dict)
    for slot in run.slots:
        stage = slot.chunk * p + slot.device
        if name == "dualpipe":
            stage = slot.device if not slot.chunk else p - 1 - slot.device
        passes[stage, slot.micro_batch][slot.kind] = slot
    # Every micro-batch passes every stage once forward and once backward, whole or in two halves.
    assert len(passes) == stages * m and len(run.slots) == sum(map(len, passes.values()))
    assert all(kinds.keys() in ({"forward", "backward"}, {"forward", "input_gradient", "weight_gradient"})
               for kinds in passes.values())  # fmt: skip
    lag = travel if p > 1 else 0
    for (stage, j), kinds in passes.items():
        back = kinds.get("backward") or kinds["input_gradient"]
        assert back.start >= kinds["forward"].end - 1e-9
        if "weight_gradient" in kinds:
            assert kinds["weight_gradient"].start >= back.end - 1e-9
        if stage:  # the result of the neighbouring stage has arrived
            before = passes[stage - 1, j]
            assert kinds["forward"].start >= before["forward"].end + lag - 1e-9
            assert (before.get("backward") or before["input_gradient"]).start >= back.end + lag - 1e-9
    per_device = defaultdict(list)
    for slot in run.slots:
        per_device[slot.device].append(slot)
    for device, slots in per_device.items():
        assert all(
            other.start >= one.end - 1e-9 or other.paired for one, other in pairwise(slots)
        )  # one pass at a time
        held = most = 0
        for slot in slots:
            held += slot.kind == "forward"
            most = max(most, held)
            split = "weight_gradient" in passes[stage_of(name, slot, p), slot.micro_batch]
            held -= slot.kind == ("weight_gradient" if split else "backward")
        assert held == 0 and most / (1 if name == "dualpipe" else v) == pytest.approx(run.in_flight[device])
    assert run.makespan_seconds >= max(run.busy_seconds) - 1e-9 and min(run.idle_seconds) >= -1e-9
    if name != "dualpipe":
        work = [m * sum(one) for one in zip(f, b, w, strict=True)]
    else:
        work = [m / 2 * sum(f[i] + b[i] + w[i] for i in (d, p - 1 - d)) for d in range(p)]
    assert run.busy_seconds == pytest.approx(work)  # each device does all its arithmetic


def stage_of(name, slot, p):
    if name == "dualpipe":
        return slot.device if not slot.chunk else p - 1 - slot.device
    return slot.chunk * p + slot.device


@given(WHOLE, WHOLE, WHOLE, st.integers(1, 7), st.integers(0, 9))
def test_zero_bubble_formulas_beyond_what_was_published(f, b, w, p, more):
    times = dict(forward_seconds=f, backward_seconds=b, weight_seconds=w)
    for name, m in (("zb_h1", p + more), ("zb_h2", 2 * p - 1 + more)):
        run = schedule(name, p, m, **times)
        assert bubble_over_ideal(name, p, m, **times) == pytest.approx(run.bubble_over_ideal, **NEAR)
        # Before the first gradient arrives a device can only start as many micro-batches as it may hold.
        limit = p if name == "zb_h1" else 2 * p - 1
        assert run.bubble_seconds >= max(0, p * f + (p - 1) * b - limit * f) - 1e-9


@given(WHOLE, WHOLE, st.integers(1, 5), st.integers(0, 5))
def test_dualpipe_formula_where_it_is_claimed(f, w, half, more):
    times = dict(forward_seconds=f, backward_seconds=f, weight_seconds=min(w, f))
    run = schedule("dualpipe", 2 * half, 4 * half + 2 * more, **times)
    assert bubble_over_ideal("dualpipe", 2 * half, 4 * half + 2 * more, **times) == pytest.approx(run.bubble_over_ideal, **NEAR)  # fmt: skip
    assert bubble_over_makespan("dualpipe", 2 * half, 4 * half + 2 * more, **times) == pytest.approx(run.bubble_over_makespan, **NEAR)  # fmt: skip


def brute(lists, times, m):
    """Exact longest path through the passes, iterated until nothing changes."""
    stages = len(lists)
    end = defaultdict(Fraction)
    for _ in range(4 * stages * m):
        before = dict(end)
        for device, order in enumerate(lists):
            clock = Fraction(0)
            for kind, j in order:
                need = (device - 1, "forward", j) if kind == "forward" else (device + 1, "backward", j)
                clock = max(clock, end[need] if 0 <= need[0] < stages else 0) + times[kind][device]
                end[device, kind, j] = clock
        if end == before:
            return max(end.values())
    raise AssertionError("the orders wait for each other")


@given(st.integers(1, 4), st.integers(1, 6), st.data())
def test_unequal_stages_against_exact_longest_paths(p, m, data):
    f, b = (data.draw(st.lists(WHOLE, min_size=p, max_size=p)) for _ in range(2))
    passes = range(m)
    gpipe = [[*(("forward", j) for j in passes), *(("backward", j) for j in passes)]] * p
    lists = []
    for device in range(p):
        warm = min(m, p - 1 - device)
        order = [("forward", j) for j in range(warm)]
        for j in passes:
            order += [("forward", j + warm)] * (j + warm < m) + [("backward", j)]
        lists.append(order)
    for name, orders in (("gpipe", gpipe), ("1f1b", lists)):
        found = schedule(name, p, m, forward_seconds=f, backward_seconds=b).makespan_seconds
        assert found == brute(orders, {"forward": f, "backward": b}, m)


def test_schedules_match_published_statements():
    # Narayanan et al. 2021, 2.2: the bubble over ideal is (p - 1) / m, interleaved a v-th of it.
    assert bubble_over_ideal("1f1b", 8, [8, 64]).tolist() == [7 / 8, 7 / 64]
    assert bubble_over_ideal("interleaved_1f1b", 8, 64, [2, 4]).tolist() == [7 / 128, 7 / 256]
    # Qi et al. 2023, table 1: zero-bubble H1 has a third of the bubble where f = b = w, H2 none.
    third = bubble_over_ideal("zb_h1", 8, 32) / bubble_over_ideal("1f1b", 8, 32)
    assert third == pytest.approx(1 / 3)
    assert bubble_over_ideal("zb_h2", 8, 32) == 0
    # DeepSeek-V3, table 2: p + 1 micro-batches in flight.
    run = schedule("dualpipe", 8, 20, forward_seconds=1, backward_seconds=1, weight_seconds=1)
    assert set(run.in_flight) == {9}


def test_overlapped_pair_shortens_dualpipe():
    times = dict(forward_seconds=2, backward_seconds=2, weight_seconds=2)
    alone = schedule("dualpipe", 8, 32, **times)
    paired = schedule("dualpipe", 8, 32, overlapped_seconds=5, **times)
    assert paired.makespan_seconds < alone.makespan_seconds


def test_scalars_give_plain_floats_and_arrays_broadcast():
    assert type(bubble_over_ideal("1f1b", 4, 8)) is float and type(bubble_over_makespan("zb_h2", 4, 8)) is float
    assert bubble_over_makespan("zb_h1", np.array([[2], [4]]), np.array([4, 8, 16])).shape == (2, 3)
    run = schedule("1f1b", np.int64(4), 8.0, forward_seconds=np.float32(1), backward_seconds=2)
    assert type(run.makespan_seconds) is float


TIMES = dict(forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0)


@every_row("change, words", [
    (dict(name="zb_v"), "name must be one of 'gpipe'.*'zb_v'"),
    (dict(stages=0), "stages must be at least 1"),
    (dict(stages=[2, 4]), "stages must be a single whole number"),
    (dict(stages=True), "stages must be a number, got the truth value"),
    (dict(micro_batches=1.5), "micro_batches must be a whole number"),
    (dict(micro_batches=-1), "micro_batches must be at least 1"),
    (dict(chunks=2), "chunks must be 1 for '1f1b', got 2"),
    (dict(name="interleaved_1f1b"), "chunks must be given for 'interleaved_1f1b'"),
    (dict(name="interleaved_1f1b", chunks=1), "chunks must be at least 2"),
    (dict(name="interleaved_1f1b", chunks=2, micro_batches=6), "multiple of the stages, 4,.*got 6"),
    (dict(name="dualpipe", stages=3), "stages must be even"),
    (dict(name="dualpipe", micro_batches=7), "even and at least 8"),
    (dict(name="dualpipe", micro_batches=6), "even and at least 8"),
    (dict(name="dualpipe", chunks=1), "chunks must be 2 for 'dualpipe'"),
    (dict(forward_seconds=0), "forward_seconds must be greater than zero"),
    (dict(forward_seconds=[1, 2]), r"forward_seconds must be one number or 4 \(one a device\), got an array"),
    (dict(backward_seconds=float("nan")), "backward_seconds must be finite"),
    (dict(weight_seconds=-1), "weight_seconds must be zero or more"),
    (dict(name="zb_h1", weight_seconds=0), "weight_seconds must be greater than zero"),
    (dict(p2p_seconds=-0.5), "p2p_seconds must be zero or more"),
    (dict(p2p_seconds=[1, 2]), "p2p_seconds must be a single number"),
    (dict(overlapped_seconds=2.0), "overlapped_seconds has no meaning for '1f1b'"),
])  # fmt: skip
def test_bad_input_is_named(change, words):
    given = dict(name="1f1b", stages=4, micro_batches=8, **TIMES) | change
    with pytest.raises((ValueError, TypeError), match=words):
        schedule(**given)


@every_row("change, words", [
    (dict(name="pipedream"), "name must be one of"),
    (dict(stages=0), "stages must be at least 1"),
    (dict(micro_batches="8"), "micro_batches must be a number"),
    (dict(chunks=3), "chunks must be 1 for '1f1b'"),
    (dict(name="interleaved_1f1b", chunks=2, micro_batches=[4, 6]), "multiple of the stages"),
    (dict(name="zb_h1", micro_batches=3), "at least as many micro_batches as stages"),
    (dict(name="zb_h2", micro_batches=6), "at least 2 stages - 1 micro_batches"),
    (dict(name="dualpipe", stages=3), "an even number of stages"),
    (dict(name="dualpipe", micro_batches=6), "twice the stages or more"),
    (dict(name="dualpipe", forward_seconds=2.0), "forward_seconds equal to backward_seconds"),
    (dict(forward_seconds=0.0), "forward_seconds must be greater than zero"),
    (dict(backward_seconds=-1.0), "backward_seconds must be greater than zero"),
    (dict(weight_seconds=-1.0), "weight_seconds must be zero or more"),
    (dict(name="zb_h1", weight_seconds=0.0), "weight_seconds must be greater than zero"),
])  # fmt: skip
@every_row("function", [bubble_over_ideal, bubble_over_makespan])
def test_bad_input_of_the_formulas_is_named(function, change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        function(**(dict(name="1f1b", stages=4, micro_batches=8) | change))


def test_unknown_schedule_raises():
    assert len(schedules()) == 6 and parallelism.schedules is schedules


@every_row("name, p, m, chunks", [
    ("gpipe", 4, 8, None), ("1f1b", 8, 5, None), ("1f1b", 4, 16, None), ("interleaved_1f1b", 4, 8, 3), ("zb_h1", 8, 20, None),
    ("zb_h2", 8, 16, None), ("dualpipe", 8, 18, None),
])  # fmt: skip
@every_row("p2p", [0.0, 0.4])
def test_micro_batches_held_match_counting_by_pass(name, p, m, chunks, p2p):
    run = parallelism.schedule(
        name, p, m, chunks, forward_seconds=1.0, backward_seconds=1.3, weight_seconds=0.7, p2p_seconds=p2p
    )
    share = 1 if name == "dualpipe" else run.chunks
    for device, steps in enumerate(run.micro_batches_held):
        own = [slot for slot in run.slots if slot.device == device]
        begun = {(one.micro_batch, one.chunk): one.start for one in own if one.kind == "forward"}
        done = {}
        for one in own:
            if one.kind != "forward":
                done[one.micro_batch, one.chunk] = max(one.end, done.get((one.micro_batch, one.chunk), 0.0))
        for (moment, held), (after, _) in pairwise(steps):
            between = (moment + after) / 2
            assert held * share == pytest.approx(sum(begun[one] < between < done[one] for one in begun))
        assert max(held for _, held in steps) == pytest.approx(run.in_flight[device]) and steps[-1][1] == 0
