"""Input pipelines: exact probabilities, brute force, loops of other tools, and bounds."""

import itertools
import json
import random
import tracemalloc
from fractions import Fraction
from math import ceil, comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import loading
from chip2cluster.loading import loader_step, prefetch_run, shuffle_probabilities, shuffle_quality, step_time
from tests.tables import every_row

SHUFFLES = json.loads((Path(__file__).parent / "data/shuffles.json").read_text(encoding="utf-8"))["cases"]


# --- shuffle buffers ---------------------------------------------------------------------------
@pytest.mark.parametrize("case", SHUFFLES, ids=lambda case: case["id"])
def test_shuffles_are_as_good_as_an_exact_recursion_says(case):
    found = shuffle_quality(**case["inputs"])
    for name, key in (
        ("mean_displacement", "mean_abs_displacement"),
        ("uniform_displacement", "uniform_mean_abs_displacement"),
        ("most_forward", "max_forward_jump"),
        ("first_stays_first", "prob_first_item_out_first"),
        ("last_in_last_tenth", "prob_last_item_in_last_10pct"),
        ("output_of_first", "expected_output_position_of_item_0"),
        ("output_of_last", "expected_output_position_of_last"),
    ):
        assert getattr(found, name) == pytest.approx(case[key], rel=1e-9)


def every_draw(items, buffer):
    """All outputs of a buffer with their probabilities: (output, probability)."""
    ways = [((), tuple(range(min(items, buffer))), Fraction(1))]
    for _ in range(items):
        following = []
        for out, inside, chance in ways:
            for item in inside:
                rest = tuple(one for one in inside if one != item)
                taken = len(out) + 1 + len(rest)
                rest += (taken,) if taken < items else ()
                following.append(((*out, item), rest, chance / len(inside)))
        ways = following
    return [(out, chance) for out, _, chance in ways]


@every_row("items, buffer", [(1, 1), (5, 1), (5, 2), (6, 3), (5, 4), (5, 5), (4, 9)])
def test_shuffle_probabilities_match_enumeration(items, buffer):
    wanted = np.zeros((items, items))
    for out, chance in every_draw(items, buffer):
        for place, item in enumerate(out):
            wanted[item, place] += float(chance)
    assert shuffle_probabilities(items, buffer) == pytest.approx(wanted, abs=1e-12)


def webdataset(items, bufsize, initial, rng):
    """Rule of WebDataset's shuffle: two in for one out until the buffer is full."""
    source, buffer, out = iter(range(items)), [], []

    def pick():
        out.append(buffer.pop(rng.randrange(len(buffer))))

    for item in source:
        buffer.append(item)
        if len(buffer) < bufsize:
            buffer.extend(itertools.islice(source, 1))
        if len(buffer) >= initial:
            pick()
    while buffer:
        pick()
    return out


@pytest.mark.parametrize(
    "items, buffer, initial", [(12, 5, 2), (12, 5, 3), (12, 6, 6), (9, 20, 4), (9, 20, 15), (7, 1, 1)]
)
def test_shuffle_buffer_with_initial_agrees_with_webdataset(items, buffer, initial):
    rng, runs = random.Random(4), 6000
    counted = np.zeros((items, items))
    for _ in range(runs):
        for place, item in enumerate(webdataset(items, buffer, initial, rng)):
            counted[item, place] += 1 / runs
    assert np.abs(shuffle_probabilities(items, buffer, initial) - counted).max() < 4.5 * 0.5 / runs**0.5


@given(st.integers(1, 60), st.integers(1, 80), st.one_of(st.none(), st.integers(1, 80)))
def test_every_item_comes_out_once(items, buffer, initial):
    initial = initial and min(initial, buffer)
    chances = shuffle_probabilities(items, buffer, initial)
    assert chances.sum(0) == pytest.approx(1) and chances.sum(1) == pytest.approx(1)
    assert (chances >= 0).all() and not np.tril(chances, -buffer).any()
    shuffled = loading.ShuffleBuffer(items, buffer, 1, initial)
    out = shuffled.run()
    assert sorted(out) == list(range(items))
    assert all(chances[item, place] > 0 for place, item in enumerate(out))
    assert all(len(step.inside) <= buffer and step.drawn in step.inside for step in shuffled.history)


@given(st.integers(2, 40), st.integers(1, 39))
def test_larger_buffers_shuffle_better_and_a_full_one_perfectly(items, buffer):
    small, large = shuffle_quality(items, buffer), shuffle_quality(items, buffer + 1)
    assert small.mean_displacement <= large.mean_displacement * (1 + 1e-12) <= large.uniform_displacement * (1 + 1e-9)
    assert small.first_stays_first == pytest.approx(1 / min(buffer, items))
    assert small.most_forward == min(buffer, items) - 1
    assert shuffle_probabilities(items, items) == pytest.approx(np.full((items, items), 1 / items))


def test_buffer_of_a_tenth_shuffles_poorly():
    found = shuffle_quality(100, 10)
    assert (round(found.mean_displacement, 1), round(found.uniform_displacement, 1)) == (6.6, 33.3)
    long = shuffle_probabilities(3000, 2)  # products that underflow a float
    assert long.sum(1) == pytest.approx(1) and np.isfinite(long).all()


def test_simulated_shuffles_follow_probabilities():
    runs, counted = 4000, np.zeros((10, 10))
    for seed in range(runs):
        out = loading.ShuffleBuffer(10, 4, seed).run()
        counted[out, np.arange(10)] += 1 / runs
    assert np.abs(counted - shuffle_probabilities(10, 4)).max() < 4.5 * 0.5 / runs**0.5


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 70), st.integers(0, 99))
def test_two_stages_keep_every_item_once(shards, each, buffer, seed):
    out = loading.shuffle_shards(shards, each, buffer, seed)
    assert sorted(out) == list(range(shards * each))
    assert (out == loading.shuffle_shards(shards, each, buffer, seed)).all()
    if buffer == 1:  # whole shards in random order
        assert (out.reshape(shards, each) % each == np.arange(each)).all()


@given(st.integers(1, 40), st.integers(1, 50), st.integers(0, 99))
def test_shuffle_buffer_without_history_gives_the_same_output(items, buffer, seed):
    told, silent = (loading.ShuffleBuffer(items, buffer, seed) for _ in range(2))
    assert told.run().tolist() == silent._run_without_history().tolist() and not silent.history


def test_shuffle_shards_with_large_buffer_bounds_memory():
    """20,000 items through a buffer of 5,000: its history would have a hundred million numbers."""
    tracemalloc.start()
    out = loading.shuffle_shards(20, 1000, 5000, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6 and np.array_equal(np.sort(out), np.arange(20_000))


# --- shards --------------------------------------------------------------------------------------
@given(st.integers(1, 300), st.integers(1, 40), st.sampled_from(["round_robin", "contiguous"]))
def test_every_shard_has_one_reader(shards, consumers, order):
    parts = loading.assign_shards(shards, consumers, order)
    assert len(parts) == consumers and sorted(np.concatenate(parts)) == list(range(shards))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1 and max(sizes) == loading.most_shards(shards, consumers)
    assert loading.shard_efficiency(shards, consumers) == pytest.approx(np.mean(sizes) / max(sizes))


def test_assign_shards_with_wrong_stride_drops_shards():
    """Tasks 0 to 3 with a stride of 5: every fifth shard is never read."""
    ours = np.concatenate(loading.assign_shards(20, 4))
    wrong = {shard for task in range(4) for shard in range(task, 20, 5)}
    assert len(ours) == 20 and len(wrong) == 16 and 20 - len(wrong) == 4


# --- row groups -----------------------------------------------------------------------------------
@given(st.integers(1, 10**6), st.floats(1.0, 1e4), st.floats(1.0, 1e4))
def test_groups_hold_all_rows_within_their_bytes(rows, row_bytes, many):
    found = loading.row_groups(rows, row_bytes, row_bytes * many)
    assert (found.groups - 1) * found.rows_per_group + found.last_rows == rows
    assert 0 < found.last_rows <= found.rows_per_group <= max(1, many * (1 + 1e-12))


@every_row("wanted, rows, group", [(1, 6, 2), (2, 6, 2), (3, 7, 3), (2, 5, 4), (5, 5, 2), (3, 8, 8), (3, 8, 20)])
def test_groups_touched_match_enumeration(wanted, rows, group):
    chosen = [{row // group for row in some} for some in itertools.combinations(range(rows), wanted)]
    mean = sum(map(len, chosen)) / comb(rows, wanted)
    assert loading.groups_touched(wanted, rows, group) == pytest.approx(mean)
    sizes = [min(group, rows - start) for start in range(0, rows, group)]  # the last group may be short
    read = sum(sum(sizes[one] for one in touched) for touched in chosen) / len(chosen)
    assert loading.read_amplification(wanted, rows, group) == pytest.approx(read / wanted)
    assert loading.read_amplification([wanted], rows, group).tolist() == pytest.approx([read / wanted])


@given(st.integers(1, 200), st.integers(200, 10**6), st.integers(1, 10**5))
def test_read_amplification_is_at_least_one(wanted, rows, group):
    touched = loading.groups_touched(wanted, rows, group)
    assert 1 - 1e-9 <= touched <= min(wanted, ceil(rows / group)) * (1 + 1e-9)
    amplified = loading.read_amplification(wanted, rows, group)
    assert 1 - 1e-9 <= amplified <= min(group, rows / wanted) * (1 + 1e-9)
    assert loading.read_amplification(wanted, rows, group, column_share=0.5) == pytest.approx(2 * amplified)
    assert loading.read_amplification(wanted, rows, 1) == pytest.approx(1)


def test_row_groups_take_arrays():
    found = loading.groups_touched([1, 1024], 10**7, [[100], [67_108]])
    assert found.shape == (2, 2) and found[0, 0] == pytest.approx(1)
    assert found[1, 1] == pytest.approx(loading.groups_touched(1024, 10**7, 67_108))


# --- prefetching ----------------------------------------------------------------------------------
times = st.floats(0.001, 10.0)


@given(times, times, st.integers(1, 8), st.integers(1, 4))
def test_prefetch_run_tends_to_step_time(load, compute, workers, factor):
    turns = 840  # multiple of one to eight workers
    run = prefetch_run([load] * (turns + 200), compute, workers=workers, prefetch_factor=factor)
    step = (run.end[-1] - run.end[-turns - 1]) / turns
    steady = step_time(compute, load, workers=workers)
    assert step >= steady * (1 - 1e-9)
    if factor > 1:  # a loader that is a whole round ahead never stalls the device
        assert step == pytest.approx(steady, rel=1e-3, abs=load / turns)
    assert run.stall[0] == load


def test_one_worker_one_batch_ahead_is_double_buffering():
    assert prefetch_run([3.0] * 4, 2.0, prefetch_factor=1).end.tolist() == [5.0, 8.0, 11.0, 14.0]
    assert step_time(2.0, 3.0, prefetch=False) == 5.0


@given(st.lists(st.tuples(times, times), min_size=1, max_size=40), st.integers(1, 5), st.integers(1, 4))
def test_prefetch_run_keeps_order_and_one_batch_per_worker(batches, workers, factor):
    loads, computes = map(list, zip(*batches, strict=True))
    run = prefetch_run(loads, computes, workers=workers, prefetch_factor=factor)
    assert (run.start[1:] >= run.end[:-1]).all() and (run.start >= run.ready).all() and (run.stall >= -1e-12).all()
    assert run.ready - run.load_start == pytest.approx(loads)
    assert run.end - run.start == pytest.approx(computes)
    assert (run.load_start[workers:] >= run.ready[:-workers]).all()
    ahead = workers * factor
    assert (run.load_start[ahead:] >= run.start[:-ahead]).all()
    bound = max(sum(computes) + loads[0], sum(loads) / workers)
    assert bound * (1 - 1e-9) <= run.seconds <= (sum(computes) + sum(loads)) * (1 + 1e-9)
    more = prefetch_run(loads, computes, workers=workers, prefetch_factor=factor + 1)
    assert more.seconds <= run.seconds * (1 + 1e-12)


@given(times, times)
def test_workers_needed_avoid_stalls(compute, load):
    needed = int(loading.workers_needed(compute, load))
    assert step_time(compute, load, workers=needed) == pytest.approx(compute)
    assert needed == 1 or step_time(compute, load, workers=needed - 1) > compute
    assert step_time([compute], load).tolist() == [max(compute, load)]


FEED = {
    "compute_seconds": 0.35, "samples": 8192, "sample_bytes": 110e3, "nodes": 8, "storage_bandwidth": 20e9,
    "node_bandwidth_one_way": 25e9, "workers_per_node": 12, "samples_per_worker_second": 100,
}  # fmt: skip


@pytest.mark.parametrize("change, limiter, seconds", [
    ({}, "workers", 8192 / 9600),
    ({"workers_per_node": 64}, "compute", 0.35),
    ({"workers_per_node": 64, "storage_bandwidth": 1e9}, "storage", 0.90112),
    ({"workers_per_node": 64, "node_bandwidth_one_way": 0.1e9}, "network", 1.1264),
    ({"prefetch": False}, "workers", 8192 / 9600 + 0.35),
])  # fmt: skip
def test_loader_step_is_limited_by_slowest_stage(change, limiter, seconds):
    step = loader_step(**(FEED | change))
    assert step.limiter == limiter and step.seconds == pytest.approx(seconds)
    assert step.stall_share == pytest.approx(1 - 0.35 / seconds)


# --- bad input --------------------------------------------------------------------------------
@every_row("function, good, name, value", [
    *((function, {"items": 5, "buffer": 3}, name, 0)
      for function in (shuffle_probabilities, shuffle_quality) for name in ("items", "buffer", "initial")),
    (shuffle_probabilities, {"items": 5, "buffer": 3}, "items", 5001),
    (shuffle_probabilities, {"items": 5, "buffer": 3}, "buffer", 2.5),
    (shuffle_probabilities, {"items": 5, "buffer": 3}, "initial", 4),
    *((loading.ShuffleBuffer, {"items": 5, "buffer": 3, "seed": 1}, name, -1) for name in ("items", "buffer", "seed", "initial")),
    *((loading.shuffle_shards, {"shards": 5, "items_per_shard": 3, "buffer": 3, "seed": 1}, name, -1)
      for name in ("shards", "items_per_shard", "buffer", "seed")),
    *((loading.assign_shards, {"shards": 5, "consumers": 3}, name, 0) for name in ("shards", "consumers")),
    (loading.assign_shards, {"shards": 5, "consumers": 3}, "order", "random"),
    *((function, {"shards": 5, "consumers": 3}, name, 0)
      for function in (loading.most_shards, loading.shard_efficiency) for name in ("shards", "consumers")),
    *((loading.row_groups, {"rows": 5, "row_bytes": 3, "group_bytes": 10}, name, 0)
      for name in ("rows", "row_bytes", "group_bytes")),
    (loading.row_groups, {"rows": 5, "row_bytes": 3}, "group_bytes", 2),
    *((function, {"wanted_rows": 2, "rows": 5, "rows_per_group": 2}, name, 0)
      for function in (loading.groups_touched, loading.read_amplification) for name in ("wanted_rows", "rows", "rows_per_group")),
    (loading.groups_touched, {"rows": 5, "rows_per_group": 2}, "wanted_rows", 6),
    (loading.read_amplification, {"wanted_rows": 2, "rows": 5, "rows_per_group": 2}, "column_share", 1.5),
    (loading.read_amplification, {"wanted_rows": 2, "rows": 5, "rows_per_group": 2}, "column_share", 0),
    *((step_time, {"compute_seconds": 1, "load_seconds": 1}, name, -1) for name in ("compute_seconds", "load_seconds", "workers")),
    *((loading.workers_needed, {"compute_seconds": 1, "load_seconds": 1}, name, 0) for name in ("compute_seconds", "load_seconds")),
    *((prefetch_run, {"load_seconds": [1.0], "compute_seconds": 1}, name, -1)
      for name in ("load_seconds", "compute_seconds", "workers", "prefetch_factor")),
    (prefetch_run, {"compute_seconds": 1.0}, "load_seconds", []),
    (prefetch_run, {"compute_seconds": 1.0}, "load_seconds", [[1.0]]),
    *((loader_step, FEED, name, -1) for name in FEED),
])  # fmt: skip
def test_bad_arguments_are_named(function, good, name, value):
    with pytest.raises(ValueError, match=f"^{name}"):
        function(**(good | {name: value}))


@every_row("call", [
    lambda: shuffle_probabilities([5, 6], 3),
    lambda: loading.assign_shards([5, 6], 3),
    lambda: loading.row_groups([5, 6], 1, 1),
    lambda: step_time(1, 1, prefetch=1),
    lambda: loader_step(**(FEED | {"prefetch": "yes"})),
    lambda: loader_step(**(FEED | {"nodes": [1, 2]})),
    lambda: prefetch_run([1.0], 1.0, workers=[1, 2]),
])  # fmt: skip
def test_arrays_for_single_numbers_raise(call):
    with pytest.raises(TypeError):
        call()


def test_shuffle_buffer_raises_stop_iteration_when_empty():
    shuffled = loading.ShuffleBuffer(2, 2, 1)
    shuffled.run()
    with pytest.raises(StopIteration, match="all 2 items are out"):
        shuffled.step()


@pytest.mark.parametrize("items, shards, buffer", [(6, 3, 2), (6, 2, 6), (4, 4, 1), (6, 3, 1)])
def test_shuffled_shards_average_over_all_orders(items, shards, buffer):
    chances, each = shuffle_probabilities(items, buffer), items // shards
    mean = np.zeros((items, items))
    orders = list(itertools.permutations(range(shards)))
    for order in orders:
        for place, shard in enumerate(order):
            mean[shard * each : (shard + 1) * each] += chances[place * each : (place + 1) * each] / len(orders)
    assert shuffle_probabilities(items, buffer, shards=shards) == pytest.approx(mean)


def test_perfect_shuffle_spreads_a_batch_over_expected_shards():
    """The mean over all orders of six items: equals `groups_touched` of random rows."""
    orders = list(itertools.permutations(range(6)))
    met = [loading.shards_in_batches(order, 2, 3) for order in orders]
    assert np.mean(met) == pytest.approx(loading.groups_touched(3, 6, 2))
    assert loading.shards_in_batches(range(7), 2, 2) == 1  # an incomplete last batch does not count


@pytest.mark.parametrize("call, says", [
    (lambda: shuffle_probabilities(10, 3, shards=4), "shards must divide the 10 items, got 4"),
    (lambda: shuffle_probabilities(10, 3, shards=0), "shards must be at least 1"),
    (lambda: loading.shards_in_batches(range(3), 1, 4), "batch must be at most the 3 items of order, got 4"),
    (lambda: loading.shards_in_batches([-1], 1, 1), "order must be at least 0"),
])  # fmt: skip
def test_shards_that_do_not_divide_raise(call, says):
    with pytest.raises(ValueError, match=f"^{says}"):
        call()
