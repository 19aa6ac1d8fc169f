"""The two explorers of chapter 7: the ring at work, and the algorithms over the size of the message."""

import re

import pytest

from chip2cluster import collectives, explore, predict
from chip2cluster.draw import style
from chip2cluster.explore.views.collectives import COLLECTIVES, LINKS, RANKS, SIZES, spelled
from chip2cluster.explore.views.ring import WAYS


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


def test_a_smaller_ring_starts_again_and_says_where_it_is():
    view = explore.ring(ranks=6, step=10).set(ranks=3)
    assert view.values["step"] == 0 and view.sentence.startswith("Before the first")
    assert explore.ring(ranks=3).set(way="all-reduce by recursive doubling").values["ranks"] == 4


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


def test_the_still_pictures_and_the_errors():
    for view in (explore.ring(step=2), explore.collectives()):
        assert view.current.picture.png(1).startswith(b"\x89PNG")
        assert f'width="{style.WIDTH}"' in view.still() and "<caption>" in view.still()
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
    assert truths["collectives.more_ranks"] == pytest.approx(1.998046875 / 1.75)


def test_another_collective_or_number_of_ranks_starts_over():
    ring = explore.ring().set(way="all-reduce by recursive doubling", step=2)
    assert ring.set(way="all-reduce by halving-doubling").values["step"] == 0
    assert ring.set(step=3).set(ranks=2).values["step"] == 0
    assert ring.set(ranks=4, step=1).values["step"] == 1
    assert "not offered" not in ring.set(way="all-reduce by ring", step=6).set(way="all-reduce by tree").sentence


def test_the_alternative_text_of_the_times_is_readable():
    alt = explore.collectives(ranks=2, message=10e9).alt
    assert "1 step," in alt and "e+" not in alt and "ms" in alt
