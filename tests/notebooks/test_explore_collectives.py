"""The explorers of chapter 7: the ring at work, algorithms over the size of the message, NCCL's methods, adding switches."""

import re

import pytest

from chip2cluster import collectives, draw, explore, predict
from chip2cluster.chapters.collectives.explorers import protocols
from chip2cluster.chapters.collectives.explorers.collectives import COLLECTIVES, LINKS, RANKS, SIZES, spelled
from chip2cluster.chapters.collectives.explorers.ring import WAYS
from chip2cluster.draw import palette, style
from tests.tables import every_row


def ring_states():
    for way in WAYS:
        for ranks in (2, 4) if "doubling" in way else (2, 3, 4, 5, 6):
            yield way, ranks


@pytest.mark.parametrize("way, ranks", list(ring_states()))
def test_every_step_shows_what_the_simulator_holds(way, ranks):
    collective, algorithm = WAYS[way]
    view, total = explore.ring(way, ranks=ranks), collectives.steps(collective, algorithm, ranks)
    for step in range(total + 1):
        view.set(step=step)
        assert f"tep {step} of {total}" in view.sentence if step else "Before the first" in view.sentence
        assert view.alt.startswith(view.current.picture.title)
        for row in view.table:
            rank, sends, held, _ = row.values()
            assert f"rank {rank}: {held}" in view.alt
            assert sends == "–" or f"rank {rank} to rank {sends[-1]}, {sends[:-4]}" in view.alt
        with pytest.raises(ValueError, match="step must be one of"):
            view.set(step=total + 1)
    # In the end everything is where the collective promises it, and has cost what the model says.
    wanted = re.search(r"(\d+) of (\d+) chunks", view.current.picture.title)
    assert wanted.group(1) == wanted.group(2)
    busiest = max(row["sent so far (× vector)"] for row in view.table)
    assert busiest == pytest.approx(collectives.traffic(collective, algorithm, 1.0, ranks).sent)


def test_digits_tell_whose_data_is_in_a_chunk():
    view = explore.ring(ranks=4, step=3)
    assert list(view.table[0].values()) == ["0", "chunk 2 → 1", "1000 1111 1011 1001", 0.75]
    assert "4 of 16 chunks are complete" in view.sentence and "all 4 ranks send 0.25 of a vector" in view.sentence
    assert "rank 0 to rank 1, chunk 2;" in view.alt
    assert "2 of 4 ranks send 1.0 of a vector, 2 send nothing" in explore.ring("all-reduce by tree", step=1).sentence
    assert "its whole vector" in explore.ring("broadcast by tree", step=1).alt
    assert explore.ring("all-gather by ring", ranks=3, step=1).table[1]["then holds (chunks 0 to 2)"] == "a0 b1 –"


@pytest.mark.parametrize("way", explore.ring()._by_name["way"].options)
def test_ring_opens_with_messages_on_their_way(way):
    """JupyterLab, film and still show the state at the start: one in which arrows are seen."""
    for view in (explore.ring(way), explore.ring().set(way=way)):
        assert "Messages: rank" in view.alt and view.sentence.startswith("Step 1 of")
        for drawn in (view.current.picture, view.current.picture.narrow):
            assert re.search(f'<polygon[^>]*fill="{palette.COMMUNICATION}"', drawn.svg), "no head of an arrow"
    assert explore.ring(step=0).sentence.startswith("Before the first of")


def test_a_smaller_ring_starts_again_and_says_where_it_is():
    view = explore.ring(ranks=6, step=10).set(ranks=3)
    assert view.values["step"] == 1 and view.sentence.startswith("Step 1 of 4: all 3 ranks send")
    assert explore.ring(ranks=3).set(way="all-reduce by recursive doubling").values["ranks"] == 4


@pytest.mark.sampled(24)
@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("ranks", RANKS)
def test_every_number_of_ranks_shows_what_the_models_say(collective, ranks):
    for number, link in enumerate(LINKS):
        message, latency = SIZES[(3 * number + ranks) % len(SIZES)], (2, 5, 10, 20)[number % 4]
        view = explore.collectives(
            collective, ranks=ranks, message=message, link=link, latency=latency, adding=number % 2 == 0
        )
        numbers = ranks, LINKS[link], latency * 1e-6
        names = {spelled(name): name for name in collectives.algorithms(collective)}
        for row in view.table:
            seconds = collectives.time(collective, names[row["algorithm"]], message, *numbers)
            assert row["time (µs)"] == pytest.approx(1e6 * seconds)
            assert row["bus bandwidth (GB/s)"] * 1e9 == pytest.approx(
                collectives.bus_bandwidth(collective, message, seconds, ranks)
            )
            assert f"{row['algorithm']}: {row['steps']:,} step" in view.alt
        times = [row["time (µs)"] for row in view.table]
        assert times == sorted(times)
        assert f"{view.table[0]['algorithm']} is fastest" in view.sentence
        assert view.table[0]["algorithm"] in view.current.picture.title
        assert ("in-network" in view.alt) == (number % 2 == 0 and "in_network" in names.values())
        assert ("power of two" in view.sentence) == bool(ranks & (ranks - 1))


def test_crossings_are_where_the_fastest_changes():
    view = explore.collectives(ranks=8)
    assert "Below 2.16 MB recursive doubling beats halving-doubling" in view.sentence
    below, above = (view.set(message=size).table[0]["algorithm"] for size in (2 * 10**6, 5 * 10**6))
    assert (below, above) == ("recursive doubling", "halving-doubling")
    assert "same for every size" in explore.collectives(ranks=8, adding=True).sentence


def test_ranks_link_and_latency_of_ones_own():
    view = explore.collectives(ranks=40, link="300 GB/s", latency="700 ns", message=10**6)
    seconds = collectives.time("all_reduce", "double_binary_tree", 1e6, 40, 300e9, 0.7e-6)
    row = next(row for row in view.table if row["algorithm"] == "double binary tree")
    assert row["time (µs)"] == pytest.approx(1e6 * seconds)
    assert "40 ranks, 300 GB/s, 0.7 µs a step" in view.alt
    assert view.set(ranks=48, link="NVLink 4").set(ranks=40).values["ranks"] == 40
    assert explore.collectives(**view.values).table == view.table
    assert explore.collectives(latency=8.0).values["latency"] == 8.0
    assert 40 not in dict.fromkeys(explore.collectives().controls[1].options)


def test_a_message_of_ones_own():
    view = explore.collectives(message="3 MB")
    assert view.sentence.startswith("For 3.00 MB ") and view.values["message"] == 3 * 10**6
    assert 3 * 10**6 in view.controls[2].options and view.set(message="5 MB").values["message"] == 5 * 10**6
    options = explore.collectives(message="1 MB", latency="2 us")
    assert options.controls[2].options == SIZES and options.values == explore.collectives().values
    assert explore.collectives(message="1.25 MB").sentence.startswith("For 1.25 MB ")
    assert explore.protocols(message="1 MiB").alt == explore.protocols(message=2**20).alt
    with pytest.raises(ValueError, match=r"message must be one of 1024, 2048, 4096, 8192, 16384, … 8589934592; got 3"):
        explore.protocols(message="3 MB")


@every_row(
    "values, says",
    [
        ({"ranks": 1}, "ranks must be a whole number from 2 to 100,000, got 1"),
        ({"ranks": 40.0}, "ranks must be a whole number"),
        ({"ranks": True}, "ranks must be a whole number"),
        ({"link": "NVLink 9"}, "link must be one of 'NVLink 5', .* or a rate such as '300 GB/s'; got 'NVLink 9'"),
        ({"link": "300 G"}, "'300 G' is ambiguous"),
        ({"link": "0 GB/s"}, "link must carry something"),
        ({"latency": "2"}, "'2' has no unit: write s, such as 2 µs"),
        ({"link": "300"}, "'300' has no unit: write B/s, such as 300 GB/s"),
        ({"message": "14 GB"}, "message must be from 1 kB to 10 GB, got '14 GB'"),
        ({"message": "1 GB/s"}, "is in B/s, but B is asked for"),
        ({"message": True}, "message must be a number of bytes"),
        ({"latency": -3}, "latency must be from 0 to 10,000 µs, got -3"),
        ({"latency": float("nan")}, "latency must be from 0"),
        ({"latency": None}, "latency must be a number of µs"),
        ({"latency": False}, "latency must be a number of µs"),
    ],
)
def test_numbers_of_ones_own_that_make_no_sense(values, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.collectives(**values)


@every_row("collective", COLLECTIVES)
def test_the_algorithms_that_nccl_has_are_told_from_the_others(collective):
    told = {row["algorithm"] for row in explore.collectives(collective, adding=True).table if row["in NCCL"]}
    assert told <= {spelled(name) for name in collectives.algorithms(collective, library="nccl")}
    if collective == "all_reduce":
        assert told == {"ring", "double binary tree", "in-network"}


def test_the_still_pictures_and_the_errors():
    for view in (explore.ring(step=2), explore.collectives()):
        assert view.current.picture.png(1).startswith(b"\x89PNG")
        assert f'width="{style.WIDTH}"' in view.still() and "c2c-state" in view.still()
    with pytest.raises(ValueError, match="way must be one of 'all-reduce by ring'"):
        explore.ring("all-reduce by bus")
    with pytest.raises(ValueError, match="collective must be one of 'all_reduce'"):
        explore.collectives("allreduce")
    with pytest.raises(ValueError, match="did you mean 'ranks'"):
        explore.collectives(rank=4)


def test_the_questions_have_the_published_answers():
    """435.6 and 4845.6 ms are printed with an eighth of the bandwidth."""
    truths = {one.id: one.truth() for one in predict.QUESTIONS}
    assert truths["collectives.node_time"] == pytest.approx(435.6 / 8, abs=0.01)
    assert truths["collectives.leader"] == pytest.approx(4845.56 / 8, abs=0.01)
    assert truths["collectives.flags"] == pytest.approx(41 / (1.75 / 0.141 - 1.75 / 0.366), rel=1e-6)
    assert truths["collectives.switch_gain"] == pytest.approx(14 / 9)
    assert truths["collectives.more_ranks"] == pytest.approx(1.998046875 / 1.75)


def test_another_collective_or_number_of_ranks_starts_over():
    ring = explore.ring().set(way="all-reduce by recursive doubling", step=2)
    assert ring.set(way="all-reduce by halving-doubling").values["step"] == 1
    assert ring.set(step=3).set(ranks=2).values["step"] == 1
    assert ring.set(ranks=4, step=1).values["step"] == 1
    assert "not offered" not in ring.set(way="all-reduce by ring", step=6).set(way="all-reduce by tree").sentence


def test_the_alternative_text_of_the_times_is_readable():
    alt = explore.collectives(ranks=2, message=10e9).alt
    assert "1 step," in alt and "e+" not in alt and "ms" in alt


# NCCL's methods

TAKEN = {  # what was logged on 8 H200 with NCCL 2.27.7, and what the constants say of the 21 rows
    ("8 H200", 2**20): "ring, LL",
    ("8 H200", 2**21): "NVLS, Simple",
    ("2 × 4 H100", 2**16): "tree, LL",
    ("2 × 4 H100", 2**17): "ring, LL",
    ("2 × 4 H100", 2**19): "ring, LL128",
}


@pytest.mark.parametrize("machine, message", TAKEN)
def test_the_methods_are_those_that_were_seen(machine, message):
    view = explore.protocols(machine, message=message)
    assert view.table[0]["method"] == TAKEN[machine, message]
    assert f"NCCL takes {TAKEN[machine, message]}" in view.current.picture.title
    assert "what NCCL takes" in view.current.picture.svg


@pytest.mark.parametrize("machine", protocols.NAMES)
@pytest.mark.parametrize("message", protocols.SIZES[::3])
def test_each_message_shows_tuner_choice_and_measurement(machine, message):
    view, ours = explore.protocols(machine, message=message), protocols.of(machine)
    times = [row["time (µs)"] for row in view.table]
    assert times == sorted(times)
    assert times[0] * 1e-6 == pytest.approx(collectives.nccl_time(float(message), ours.system))
    assert {row["method"] for row in view.table} >= {"ring, LL", "ring, LL128", "ring, Simple", "tree, LL"}
    measured = dict(ours.measured)
    assert ("Measured were" in view.sentence) == (message in measured)
    if message in measured:
        assert 0.8 < measured[message] / (times[0] * 1e-6) < 3.5  # the tuner's own estimate, and a loose one
    for row in view.table:  # latency and bytes over the rate are the time of each row
        rate = row["bus bandwidth (GB/s)"] * ours.system.ranks / (2 * (ours.system.ranks - 1)) * 1e3
        assert row["latency (µs)"] + message / rate == pytest.approx(row["time (µs)"])
        assert row["half of it at (MB)"] == pytest.approx(row["latency (µs)"] * rate / 1e6)
    assert ours.system.version in view.alt and view.sentence in view.alt


def test_without_the_switch_a_node_takes_all_three_protocols():
    view = explore.protocols("8 H200", methods="no in-network reduction")
    assert "ring, LL from 8 bytes, then ring, LL128 from 4 MiB, then ring, Simple from 64 MiB" in view.sentence
    assert "NVLS" not in view.alt and "measured" not in view.current.picture.svg
    assert view.set(machine="8 A100").values["methods"] == protocols.EVERY


def test_gpus_of_ones_own():
    mine = collectives.NcclSystem("blackwell", 4, 600e9, switch_adds=True)
    view = explore.protocols(mine, message=2**30)
    assert "yours: 4 blackwell. All-reduce, ring of 600 GB/s" in view.alt and "Measured" not in view.sentence
    assert view.set(methods="no in-network reduction").set(machine="8 H100").set(machine=mine).values["machine"] == mine
    assert collectives.NcclSystem("B200", 4, 600e9, switch_adds=True) == mine
    with pytest.raises(ValueError, match="in bytes/s: 366 GB/s are 366e9"):
        explore.protocols(collectives.NcclSystem("H200", 8, 366))
    with pytest.raises(
        ValueError, match="machine must be one of '8 H200', '8 H100', '8 A100', '2 × 4 H100'; got 'mine'"
    ):
        explore.protocols("mine")


def test_the_measured_points_are_drawn_where_they_lie():
    shapes = explore.protocols("8 H100").current.picture.svg
    shown = [row for row in protocols.of("8 H100").measured if 1e3 <= row[0] <= 1e10]
    assert shapes.count('fill="#ffffff" stroke="#1f2430"') == len(shown) + 1  # and one in the key


# In-network reduction


@every_row("machine, gpus", [(name, gpus) for name in ("H100", "H200", "B200") for gpus in range(2, 9)])
def test_ring_and_switch_stand_beside_what_was_measured(machine, gpus):
    view = explore.switch(machine, gpus=gpus)
    sweep = next(one for one in collectives.switch_sweeps() if one.gpu == machine)
    for row in view.table:
        count, ring, switch, *rates = row.values()
        assert (ring, switch) == (2 * (count - 1) / count, 1 + 1 / count)
        at = sweep.gpus.tolist().index(count) if count in sweep.gpus else None
        if at is None:
            assert rates[2:] == [None, None]
        else:
            assert rates[2] == pytest.approx(sweep.ring_bus_bandwidth[at] / 1e9)
            assert rates[0] == pytest.approx(rates[2], rel=0.015)  # one ring rate for all counts
            assert (rates[3] is not None) == (sweep.taken[at] == "nvls")
            if rates[3]:
                assert rates[1] == pytest.approx(rates[3], rel=0.03) and rates[3] == sweep.bus_bandwidth[at] / 1e9
    assert view.current.table.marked == gpus - 2 and f"{gpus} GPUs: the switch prints" in view.current.picture.title
    assert "from 5 on the switch wins" in view.sentence or (machine == "H100" and "from 4 on" in view.sentence)


def test_480_on_a_wire_of_450():
    view = explore.switch("H100")
    assert view.current.picture.title == "8 GPUs: the switch prints 480 GB/s, each wire carries 309 of 450"
    assert "sheet of the wire" in view.current.picture.svg and "1.750 times" in view.sentence
    assert "365 to 370" in view.sentence and "365 to 370" not in explore.switch("H200").sentence


def test_rates_of_ones_own():
    view = explore.switch(ring="400 GB/s", wire="200 GB/s", gpus=72)
    assert "The switch never wins" in view.sentence and "sheet" not in view.current.picture.svg
    assert list(view.table[0])[-1] == "switch (GB/s)" and "ring measured" not in view.still()
    assert "ring measured" in explore.switch().still()
    assert view.set(machine="H200").values["gpus"] == 8 and "GPUs: 72 is not offered here" in view.sentence
    assert explore.switch().set(gpus=3).sentence != explore.switch().sentence
    with pytest.raises(TypeError, match="ring and wire go together, got ring='1 GB/s', wire=None"):
        explore.switch(ring="1 GB/s")
    with pytest.raises(TypeError, match="ring must be a text with its unit, such as '700 GB/s'; got 400"):
        explore.switch(ring=400e9, wire=300e9)
    with pytest.raises(ValueError, match="ambiguous"):
        explore.switch(ring="400 G", wire="300 GB/s")
    with pytest.raises(ValueError, match="machine must be one of 'H100', 'H200', 'B200'; got 'yours'"):
        explore.switch("yours")


def test_a_picture_of_counts_needs_a_rate_for_each():
    with pytest.raises(ValueError, match="one to 3 laws, got 0"):
        draw.rates_by_gpus([2, 3], [], 2, title="x")
    with pytest.raises(ValueError, match="one rate for each of the 2 counts"):
        draw.rates_by_gpus([2, 3], [draw.Law("x", (1.0,))], 2, title="x")


def test_ring_names_chunks_and_says_what_the_disk_is():
    for narrow in (False, True):
        words = re.sub(r"<[^>]+>", " ", explore.ring(step=1).content(narrow=narrow)["picture"]["svg"])
        assert [words.split().count(f"c{chunk}") for chunk in range(4)] == [2, 1, 1, 1]  # an arrow each, and the disk
        whole = re.sub(r"<[^>]+>", " ", explore.ring(step=1).content(narrow=narrow)["back"]) + words
        assert "violet disk: chunk 0, drag it" in " ".join(whole.split())
    assert "violet disk" not in explore.ring("all-reduce by tree").current.picture.svg
