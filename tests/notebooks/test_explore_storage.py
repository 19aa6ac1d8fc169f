"""The explorers of storage: stripes dealt out by hand, shuffles really played, runs that fail at the same moments."""

from itertools import pairwise

import numpy as np
import pytest

from chip2cluster import explore, loading, reliability
from tests.tables import every_row

MIB = 2**20


# --- where do my bytes go --------------------------------------------------------------


def dealt(size, stripe_size, count):
    """Bytes of each target, stripe by stripe."""
    held = [0] * count
    for number, start in enumerate(range(0, size, stripe_size)):
        held[number % count] += min(stripe_size, size - start)
    return held


@pytest.mark.parametrize(
    "stripe_size, size", [("64 KiB", "5 MiB"), ("1 MiB", "9 MiB"), ("4 MiB", "33 MiB"), ("64 MiB", "4 KiB")]
)
def test_stripes_lie_where_dealing_them_out_puts_them(stripe_size, size):
    view = explore.stripes(4, stripe_size=stripe_size, file_size=size)
    for row in view.table[:-1]:
        held = dealt(view.values["file_size"], view.values["stripe_size"], int(row["stripe count"]))
        assert row["fullest"] == max(held) and row["with data"] == np.count_nonzero(held)
        assert row["objects"] == int(row["stripe count"])
        # A target reads 2 GB/s, the node 12.5 GB/s.
        assert row["read in"] == pytest.approx(max(max(held) / 2e9, sum(held) / 12.5e9))
    marked = view.table[view.current.table.marked]
    assert marked["stripe count"] == "4" and f"{marked['with data']} of 8 targets" in view.current.picture.title


def test_small_files_cost_names_and_large_ones_bytes():
    small, large = (explore.stripes(1, file_size=size) for size in ("64 KiB", "1 GiB"))
    assert "so the names decide" in small.sentence and "so the bytes decide" in large.sentence
    files = -(-(10**12) // 2**16)
    assert f"{files:,} names" in small.sentence
    asked = [row["ls -l of all (requests)"] for row in small.table]
    assert asked == pytest.approx([files * (1 + objects) for objects in (1, 2, 4, 8, 1)])


def test_a_progressive_file_moves_nothing_as_it_grows():
    held = []
    for size in ("3 MiB", "4 MiB", "5 MiB", "256 MiB", "300 MiB"):
        view = explore.stripes("progressive", file_size=size)
        held.append(view.system.progressive.bytes_per_target(view.values["file_size"]))
        assert held[-1].sum() == view.values["file_size"]
        assert held[-1].max() == view.table[-1]["fullest"]
    assert all((after >= before).all() for before, after in pairwise(held))
    assert np.count_nonzero(held[1]) == 1 and np.count_nonzero(held[4]) == 8


def test_a_progressive_layout_brings_its_own_stripes():
    view = explore.stripes(4, stripe_size="16 MiB")
    view.set(stripe_count="progressive")
    assert "16 MiB is not offered here (a progressive layout brings its own), showing 1 MiB" in view.sentence


def test_a_file_system_of_ones_own_takes_part():
    view = explore.stripes(
        targets=24, target_bandwidth="5 GB/s", client_bandwidth_one_way="50 GB/s", file_size="700 MiB",
        layout="-E 64M -c 1 -E 1G -S 4M -c 6",
    )  # fmt: skip
    assert view.values["stripe_count"] == "progressive" and "24 targets of 5 GB/s" in view.current.table.note
    assert [row["stripe count"] for row in view.table] == ["1", "2", "4", "8", "16", "24", "progressive"]
    assert view.table[-2]["read in"] == pytest.approx(max(30 * MIB / 5e9, 700 * MIB / 50e9))
    assert view.set(file_size=1 << 30).values["file_size"] == 1 << 30
    assert explore.stripes(2, targets=3).controls[0].options == (1, 2, 3)


@every_row("given, says", [
    ({"targets": 65}, "targets must be at most 64, got 65"),
    ({"targets": 0}, "targets must be at least 1"),
    ({"target_bandwidth": "2 GB"}, "'2 GB' is in B, but B/s is asked for"),
    ({"layout": "-c 4 -E 4M"}, "text must be options -E"),
    ({"layout": "-E -1 -c 9"}, "stripe_count must be at most the 8 targets, got 9"),
    ({"stripe_count": 3}, "stripe_count must be one of 1, 2, 4, 8, 'progressive'"),
    ({"file_size": "9"}, "'9' has no unit"),
    ({"file_size": 0}, "file_size must be at least 1"),
])  # fmt: skip
def test_a_wrong_file_system_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.stripes(**given)


def test_the_axis_holds_still_while_the_count_moves():
    assert all(">9 MiB</text>" in explore.stripes(count, file_size="9 MiB").current.picture.svg for count in (1, 4, 8))


# --- the shuffle buffer ----------------------------------------------------------------


@pytest.mark.parametrize("order, shards", [("in order", 1), ("in random order", 10)])
@pytest.mark.parametrize("buffer, start", [(1, "it is full"), (10, "it is full"), (30, "a tenth of it is full")])
def test_items_move_as_far_as_in_shuffles_that_are_played(order, shards, buffer, start):
    view = explore.shuffle(buffer, order, start=start)
    initial = None if start == "it is full" else 3
    moved, first = [], 0
    for seed in range(400):
        if shards == 1:
            out = loading.ShuffleBuffer(100, buffer, seed, initial).run()
        else:
            out = loading.shuffle_shards(10, 10, buffer, seed, initial)
        moved.append(np.abs(out - np.arange(100)).mean())
        first += out[0] == 0
    row = view.table[view.current.table.marked]
    error = np.std(moved) / 20
    assert row["an item moves (places)"] == pytest.approx(np.mean(moved), abs=4 * error + 1e-9)
    chance = row["first stays first (%)"] / 100
    assert first / 400 == pytest.approx(chance, abs=4 * (chance * (1 - chance) / 400) ** 0.5 + 1e-9)


def test_shards_at_random_move_items_and_leave_their_neighbours():
    near, far, best = explore.shuffle(10, "in random order").table
    assert far["an item moves (places)"] > 0.99 * best["an item moves (places)"] > 4 * near["an item moves (places)"]
    assert far["shards in a batch"] < 0.6 * best["shards in a batch"]


def test_a_buffer_of_all_is_a_perfect_shuffle():
    view = explore.shuffle(100)
    first, _, best = view.table
    assert first["an item moves (places)"] == pytest.approx((100**2 - 1) / 300) == best["an item moves (places)"]
    assert first["shards in a batch"] == best["shards in a batch"]
    met = [loading.shards_in_batches(loading.ShuffleBuffer(100, 100, seed).run(), 10, 10) for seed in range(200)]
    assert np.mean(met) == pytest.approx(best["shards in a batch"], abs=0.1)


@pytest.mark.parametrize("order", ["in order", "in random order"])
@pytest.mark.parametrize("buffer", [1, 10, 50])
def test_as_many_shards_meet_as_in_shuffles_that_are_played(order, buffer):
    met = []
    for seed in range(300, 500):
        if order == "in order":
            out = loading.ShuffleBuffer(100, buffer, seed).run()
        else:
            out = loading.shuffle_shards(10, 10, buffer, seed)
        met.append(loading.shards_in_batches(out, 10, 10))
    view = explore.shuffle(buffer, order)
    assert view.table[view.current.table.marked]["shards in a batch"] == pytest.approx(np.mean(met), abs=0.12)


@pytest.mark.parametrize("control", explore.Shuffle.controls, ids=lambda control: control.name)
def test_every_value_of_the_shuffle_draws(control):
    view = explore.shuffle()
    for value in control.choices(view.values):
        shown = view.reset().set(**{control.name: value})
        assert shown.current.picture.title.startswith("A batch of ") and shown.note == ""


def test_a_buffer_that_is_not_offered_is_named():
    with pytest.raises(ValueError, match="buffer must be one of 1, 2, 3"):
        explore.shuffle(101)
    with pytest.raises(ValueError, match="shards must be one of 2, 5, 10, 20"):
        explore.shuffle(shards=3)


# --- how often to save -----------------------------------------------------------------


@pytest.mark.parametrize("dump, mtbf", [("60 s", "3.09 h"), ("5 min", "30 min"), ("1 s", "24 h"), ("20 min", "10 min")])
def test_no_interval_beats_the_exact_one(dump, mtbf):
    view = explore.checkpoint(dump=dump, mtbf=mtbf)
    best = view.table[-1]["work (%)"]
    for interval in view.controls[2].choices(view.values):
        row = view.set(interval=interval).table[0]
        assert row["work (%)"] <= best + 1e-9
        assert sum(row[name] for name in ("work (%)", "checkpoints (%)", "lost (%)", "restarts (%)")) == pytest.approx(
            100
        )


def test_daly_agrees_with_his_paper():
    """Figures 3 and 4 of Daly 2006: dumps of 5 minutes and a failure a day, or every six hours."""
    for mtbf, printed in (("24 h", 117), ("6 h", 57)):
        row = explore.checkpoint(dump="5 min", mtbf=mtbf).table[2]
        assert (row["interval"], round(row["of work (min)"])) == ("Daly", printed)


def test_the_run_fails_at_the_same_moments_whatever_the_interval():
    moments = set()
    for interval, dump, restart in ((300, 60, 600), (3600, 300, 600), (21600, 1, 60), (43200, 60, 3600)):
        plan = reliability.RunPlan(1e7, interval, dump, restart, node_mtbf=11124)
        moments.add(tuple(round(one.time, 3) for one in reliability.simulate_run(plan, 8, until=90000).failures))
    assert len(moments) == 1 and len(*moments) > 5


def test_the_mean_of_the_runs_is_the_curve():
    """The eight runs that the reader can choose from, and many more."""
    view = explore.checkpoint("20 min")
    kept = []
    for seed in range(300):
        plan = reliability.RunPlan(1e6, 1200, 60, 600, node_mtbf=11124)
        kept.append(100 * reliability.simulate_run(plan, seed, until=8 * 11124).goodput)
    # A run that has just begun has not failed yet, and the last interval counts once it will be kept.
    assert view.table[0]["work (%)"] == pytest.approx(np.mean(kept), abs=4 * np.std(kept) / 300**0.5 + 0.5)


def test_young_interval_fails_for_slow_checkpoints():
    young, _, exact = explore.checkpoint("10 min", dump="20 min", mtbf="10 min").table[1:]
    assert young["of work (min)"] == pytest.approx(20) and young["work (%)"] < 0.75 * exact["work (%)"]


def test_times_of_ones_own_take_part():
    view = explore.checkpoint("12 min", dump="47 s", mtbf="5 h", restart="7 min")
    assert view.values == {"mtbf": 18000.0, "dump": 47.0, "interval": 720.0, "restart": 420.0, "seed": 8}
    assert "Dump 47 s, restart 7 min, a failure every 5 h" in view.alt
    assert view.set(interval=720).note == "" and view.set(interval="1 h").values["interval"] == 3600


@pytest.mark.parametrize("given, says", [
    ({"interval": "10 s"}, "interval must be 30 s to 12 h, got 10 s"),
    ({"interval": 60, "mtbf": "24 h"}, "interval 60 s is not offered here: so short that a run of 8 days"),
    ({"dump": 0}, "dump must be greater than zero"),
    ({"mtbf": "3 GB"}, "'3 GB' is in B, but s is asked for"),
    ({"seed": 9}, "seed must be one of 1, 2"),
])  # fmt: skip
def test_a_wrong_time_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.checkpoint(**given)


def test_mtbf_change_keeps_the_interval_or_adds_a_note():
    view = explore.checkpoint(60, mtbf="10 min")
    assert "is not offered here (so short that a run of 8 days would be all stripes)" in view.set(mtbf="24 h").sentence
