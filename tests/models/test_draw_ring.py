"""The picture of a collective: sound SVG, readable, and saying what the simulator says."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from chip2cluster import collectives
from chip2cluster.collectives import Simulator
from chip2cluster.draw import ring
from tests.pictures import geometry

SVG = "{http://www.w3.org/2000/svg}"


def after(simulator, steps):
    for _ in range(steps):
        simulator.step()
    return simulator


def data(ranks, elements=64):
    return np.ones((ranks, elements), np.float32)


PICTURES = {
    "ring before": after(collectives.RingAllReduce(data(4)), 0),
    "ring": after(collectives.RingAllReduce(data(4)), 2),
    "ring done": after(collectives.RingAllReduce(data(16)), 30),
    "two": after(collectives.RingAllReduce(data(2)), 1),
    "one": collectives.RingAllReduce(data(1)),
    "tree": after(Simulator("all_reduce", "tree", data(13)), 1),
    "halving": after(Simulator("all_reduce", "halving_doubling", data(8)), 1),
    "two trees": after(Simulator("all_reduce", "double_binary_tree", data(7), segments=4), 4),
    "hierarchy": after(Simulator("all_reduce", "hierarchical", data(8), ranks_per_node=4), 4),
    "all-to-all": after(Simulator("all_to_all", "pairwise", data(8)), 3),
    "bruck": after(Simulator("all_to_all", "bruck", data(6)), 2),
    "send": after(Simulator("send_recv", "direct", data(5)), 1),
    "scatter": after(Simulator("broadcast", "van_de_geijn", data(6), root=2), 4),
    "chain": after(Simulator("broadcast", "ring", data(5), root=1), 3),
}


def parsed(simulator):
    return ElementTree.fromstring(ring(simulator))


def texts(root):
    return [(element.text, element) for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("simulator", PICTURES.values(), ids=PICTURES)
def test_sound_and_readable(simulator):
    root = parsed(simulator)
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text and root[1].text.endswith(".")
    assert root.get("viewBox").split() == ["0", "0", root.get("width"), root.get("height")]
    assert not geometry.unreadable(ring(simulator))


@pytest.mark.parametrize("simulator", PICTURES.values(), ids=PICTURES)
def test_one_arrow_a_message_and_one_number_a_chunk(simulator):
    root = parsed(simulator)
    messages = simulator.history[-1].messages if simulator.history else []
    assert len(root.findall(f"{SVG}polygon")) == len(messages)
    assert len(root.findall(f"{SVG}circle")) == simulator.ranks
    frames = [element for element in root.iter(f"{SVG}rect") if element.get("fill") == "none"]
    arrivals = [(step.destination.tolist(), step.target.tolist()) for step in simulator.history[-1:]]
    assert len(frames) == sum(len(set(zip(*places, strict=True))) for places in arrivals)
    counts = sorted(str(count) if count else "–" for count in simulator.contributions.ravel())
    cells = sorted(
        text for text, element in texts(root) if element.get("font-size") == "13" and (text.isdigit() or text == "–")
    )
    labels = [str(m.chunks[0]) for m in messages if len(m.chunks) == 1 and _to_the_next(simulator, m)]
    assert cells == sorted(counts + labels)


def _to_the_next(simulator, message):
    return message.destination == (message.source + 1) % simulator.ranks


def test_title_states_finding_and_description_messages():
    root = parsed(after(collectives.RingAllReduce(data(4)), 4))
    assert root[0].text == (
        "Ring all-reduce, 4 ranks, step 4 of 6 (all-gather): "
        "8 of 16 chunks complete, 256 B sent in this step, 1.02 kB so far"
    )
    assert "rank 0 to rank 1: chunk 1" in root[1].text
    assert root[1].text.endswith("Complete chunks: rank 0 2, rank 1 2, rank 2 2, rank 3 2.")


def test_complete_chunks_are_bold_not_only_blue():
    root = parsed(after(collectives.RingAllReduce(data(4)), 3))
    bold = [text for text, element in texts(root) if element.get("font-weight") == "bold"]
    assert bold.count("4") == 4


def test_drawing_changes_nothing():
    simulator = after(collectives.RingAllReduce(data(4)), 2)
    assert ring(simulator) == ring(simulator)
    assert len(simulator.history) == 2


@pytest.mark.parametrize("bad", [None, "ring", 3, [[1, 2], [3, 4]], collectives.RingAllReduce])
def test_only_simulators_are_drawn(bad):
    with pytest.raises(TypeError, match="simulator must be a Simulator such as RingAllReduce"):
        ring(bad)


def test_what_cannot_be_read_is_not_drawn():
    with pytest.raises(ValueError, match="up to 16 ranks and 16 chunks, got 17 ranks and 17 chunks"):
        ring(collectives.RingAllReduce(data(17)))
    with pytest.raises(ValueError, match="got 9 ranks and 18 chunks"):
        ring(Simulator("all_to_all", "pairwise", data(9)))
