"""The bisection explorer: every state agrees with the models."""

import re

import pytest

from chip2cluster import explore, predict, topology
from chip2cluster.chapters.bisection.explorers.bisection import SIZES, TIERS, network
from chip2cluster.chapters.bisection.explorers.bisection import _ratios as ratios
from tests.tables import every_row

STATES = [
    (kind, size, ratio)
    for kind, sizes in SIZES.items()
    for size in sizes
    for ratio in ratios({"topology": kind, "size": size})
]
# By hand or published: links in the narrowest cut.
KNOWN = {
    ("ring", "9 nodes"): 2,
    ("path", "9 nodes"): 1,
    ("mesh", "5 × 5"): 6,
    ("torus", "4 × 4"): 8,
    ("torus", "5 × 5"): 12,
    ("torus", "6 × 6"): 12,
    ("3-D torus", "4 × 4 × 4"): 32,
    ("hypercube", "32 nodes"): 16,
    ("full mesh", "9 nodes"): 20,
    ("fat-tree", "4-port switches"): 8,
    ("plain tree", "32 hosts"): 1,
    ("dragonfly", "6 groups of 5 routers"): 9,
}


@pytest.mark.parametrize("kind, size, ratio", STATES)
def test_every_state_shows_what_the_models_say(kind, size, ratio):
    view = explore.bisection(kind, size=size, oversubscription=ratio)
    net, rows = network(kind, size, ratio, 50e9), view.table
    found = topology.bisection(net)
    assert found.exact
    last = rows[-1]
    assert last["links"] == found.links == KNOWN.get((kind, size), found.links)
    assert last["one way (GB/s)"] * 1e9 == pytest.approx(found.bandwidth_one_way)
    assert last["all-to-all (ms)"] / 1e3 == pytest.approx(
        topology.crossing_time(1e9, net.terminals, found.bandwidth_one_way)
    )
    assert rows[0]["all-to-all (ms)"] / 1e3 == pytest.approx(topology.injection_time(net, 1e9))
    assert all(row["both ways (GB/s)"] == 2 * row["one way (GB/s)"] for row in rows)
    if kind in TIERS:
        assert len(rows) == (4 if kind == "rail cluster" else 3) and topology.oversubscription(net) == ratio
    slowest = max(rows, key=lambda row: row["all-to-all (ms)"])
    assert slowest["all-to-all (ms)"] / 1e3 == pytest.approx(topology.all_to_all_time(net, 1e9))
    assert view.current.table.rows[view.current.table.marked] == tuple(slowest.values())
    even = max(row["all-to-all (ms)"] for row in rows) == pytest.approx(min(row["all-to-all (ms)"] for row in rows))
    where = "equally at all of these cuts" if even else f"longest {slowest['cut']}"
    assert f"waits {where}" in view.sentence
    words = f"cuts {found.links:,} link{'s' * (found.links != 1)}:"
    assert words in view.sentence and view.alt.startswith(f"{found.links:,} link") and size in view.alt
    if net.terminals > 64 or kind == "rail cluster":  # drawn in summary
        assert all(f"out of each {tier.name}: {tier.links:,} link" in view.alt for tier in net.tiers)
        return
    cut = topology.cut(net)
    assert found.links == cut.links
    assert view.alt.count(" to ") >= min(len(cut.edges), 24)

    svg = view.current.picture.svg
    thick = re.findall(r'stroke="#1f2430" stroke-width="3"', svg)
    assert len(thick) >= len(cut.edges) + 1  # and the one in the legend
    marks = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert all(8 <= float(x) <= 592 and 60 <= float(y) <= 412 for x, y in marks)


# Links that a vertical line cuts after so many terminals, by hand.
BY_HAND = [
    ("path", "9 nodes", 4, 1),
    ("full mesh", "8 nodes", 2, 2 * 6),
    *(("mesh", "5 × 5", 5 * columns, 5) for columns in (1, 2, 4)),
    *(("torus", "6 × 6", 6 * columns, 12) for columns in (1, 3)),
    ("leaf-spine", "4 leaves × 8 hosts", 3, 3),
    ("leaf-spine", "4 leaves × 8 hosts", 8, 8),
    ("leaf-spine", "4 leaves × 8 hosts", 16, 16),
    ("plain tree", "16 hosts", 5, 2),
    ("fat-tree", "4-port switches", 4, 4),
]


@every_row("kind, size, left, links", BY_HAND)
def test_cut_of_the_hand_has_the_links_that_one_counts(kind, size, left, links):
    view = explore.bisection(kind, size=size, cut=left)
    row, net = view.table[-1], network(kind, size, view.values["oversubscription"], 50e9)
    assert (row["cut"], row["links"], row["one way (GB/s)"]) == ("through your cut", links, 50 * links)
    # From each terminal to each other a share of a gigabyte: what crosses, over what the links carry.
    crossing = left * (net.terminals - left) * 1 / net.terminals
    assert row["all-to-all (ms)"] == pytest.approx(1e3 * crossing / (50 * links))
    assert (
        view.sentence.startswith(f"Your cut has {left} of {net.terminals} ")
        and f"crosses {links} link" in view.sentence
    )
    assert view.alt.startswith(f"Your cut crosses {links} link") and f"Part A holds {left} of" in view.alt
    svg = view.current.picture.svg
    assert len(re.findall(r'<circle [^>]*r="[\d.]+" fill="#4a8ff4"', svg)) == left + 1, "and the one in the legend"


def test_cut_of_the_hand_can_be_narrower_than_the_halving():
    view = explore.bisection("mesh", size="3 x 3")
    assert "takes at least 11.1 ms; it waits longest between the halves" in view.sentence
    view.set(cut=3)
    assert "takes at least 13.3 ms; it waits longest through your cut" in view.sentence
    assert view.current.table.marked == len(view.table) - 1


def test_cut_of_the_hand_stays_with_its_network():
    view = explore.bisection(cut=8)
    assert view.set(oversubscription=4).values["cut"] == 8 and view.table[-1]["links"] == 2
    assert view.set(message=10).values["cut"] == 8
    assert view.set(size="4 leaves × 4 hosts").values["cut"] == 0 and "not offered" not in view.sentence
    assert [row["cut"] for row in view.table][-1] == "between the halves"
    view.set(cut=4)
    assert view.set(topology="torus").values["cut"] == 0
    assert not view.set(topology="rail cluster").content()["picture"]["handles"], (
        "in a summary there is no place for it"
    )
    assert view.set(topology="mesh", cut=4).values["cut"] == 4
    assert explore.bisection(topology.ring(5, 50e9), cut=2).table[-1]["links"] == 2


@pytest.mark.parametrize("narrow", [False, True])
def test_hand_lies_on_the_line_that_it_draws(narrow):
    for kind, size in (("leaf-spine", "4 leaves × 8 hosts"), ("ring", "9 nodes"), ("3-D torus", "4 × 4 × 4")):
        view = explore.bisection(kind, size=size)
        for option, left in enumerate(view._choices("cut", view.values)):
            picture = view.set(cut=left).content(narrow=narrow)["picture"]
            (x, _), dashes = (
                picture["handles"][0]["points"][option],
                re.findall(r'points="([\d.]+),[^"]*" [^>]*stroke-dasharray="6 4"', picture["svg"]),
            )
            assert [float(at) for at in dashes] == ([pytest.approx(x, abs=0.11)] if left else [])


def test_a_slower_link_and_a_larger_buffer_scale_the_times():
    view = explore.bisection("torus", size="4x4")
    before = view.table[-1]["all-to-all (ms)"]
    assert view.set(link=25).table[-1]["all-to-all (ms)"] == pytest.approx(2 * before)
    assert view.set(message=10).table[-1]["all-to-all (ms)"] == pytest.approx(20 * before)
    assert "25 GB/s" in view.alt and "10 GB from each" in view.sentence


def test_a_new_topology_brings_its_own_sizes_without_a_word():
    view = explore.bisection(oversubscription=8)
    assert view.set(topology="torus").values["size"] == "4 × 4"
    assert "not offered" not in view.sentence
    view.set(topology="leaf-spine", oversubscription=8, size="4 leaves × 8 hosts")
    assert view.set(size="2 leaves × 4 hosts").values["oversubscription"] == 1
    assert view.sentence.startswith("Oversubscription: 8:1 is not offered here, showing 1:1.")


RATES = {"nvlink_bandwidth_one_way": 450e9, "nic_bandwidth_one_way": 50e9}
OWN = [
    topology.leaf_spine(16, 8, 32, 50e9),
    topology.leaf_spine(3, 4, 30, 50e9),
    topology.fat_tree(32, 50e9),
    topology.gpu_cluster(5, **RATES),
    topology.gpu_cluster(64, nodes_per_group=16, wiring="rack", oversubscription=2, **RATES),
    topology.gpu_cluster(256, nodes_per_group=32, **RATES),
    topology.cluster("GB200 SuperPOD"),
    topology.cluster("CloudMatrix384"),
    topology.torus((16, 16, 16), 50e9),
    topology.ring(5, 50e9),
    topology.star(1, 50e9),
    topology.place(topology.leaf_spine(4, 8, 32, 50e9), 32, "scattered", shared=True),
    topology.nvswitch_node("DGX-2"),
    topology.direct_node("DGX-1V"),
]


@pytest.mark.parametrize("net", OWN, ids=lambda net: net.name)
def test_a_network_of_ones_own(net):
    view = explore.bisection(net)
    assert view.values["topology"] == "yours" and view.values["size"] == net.name
    found, rows = topology.bisection(net), view.table
    assert rows[-1]["links"] == found.links
    assert rows[-1]["one way (GB/s)"] * 1e9 == pytest.approx(found.bandwidth_one_way)
    longest = max(row["all-to-all (ms)"] for row in rows)
    assert longest / 1e3 == pytest.approx(topology.all_to_all_time(net, 1e9))
    assert net.name in view.alt and view.current.picture.png()[:4] == b"\x89PNG"
    # It stands beside the others, and comes back.
    assert view.set(topology="ring").values["size"] == "8 nodes"
    assert view.set(topology="yours").table == rows
    assert explore.bisection(topology=net).table == rows
    assert "yours" not in explore.bisection()._by_name["topology"].options


@every_row(
    "values, message",
    [({"topology": "star"}, "topology must be one of 'leaf-spine'"), ({"size": "4 by 4"}, "size must be one of"),
     ({"topology": "star"}, "or a network made by `topology`, such as topology.leaf_spine(16, 8, 32, 50e9); got 'star'"),
     ({"topology": topology.leaf_spine}, "or a network made by `topology`"),
     ({"topology": topology.leaf_spine(4, 2, 8)}, "has no rate: give one in bytes/s for its links"),
     ({"topology": OWN[0], "oversubscription": 4}, "oversubscription=4: your network brings its own"),
     ({"topology": OWN[0], "link": 50}, "link=50: your network brings its own; leave link out"),
     ({"topology": "torus", "oversubscription": 4}, "only leaf-spine, fat-tree, rail cluster have uplinks to save"),
     ({"oversubscription": 3}, "oversubscription must be one of 1, 2, 4, 8"), ({"sice": 1}, "did you mean 'size'")],
)  # fmt: skip
def test_bad_values_name_the_choices(values, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        explore.bisection(**values)


def test_the_still_and_the_picture_without_a_kernel():
    view = explore.bisection(oversubscription=4)
    assert '<img alt="4 links join the halves: 200 GB/s one way' in view.still() and "60.0" in view.still()
    assert view.current.picture.png()[:4] == b"\x89PNG"


def test_the_truths_of_the_questions():
    truths = {q.id: q.truth() for q in predict.QUESTIONS if q.id.startswith("bisection.")}
    share = 100 * topology.hash_share(8, 8)
    assert truths == pytest.approx(
        {
            "bisection.torus_links": 32,
            "bisection.pod_over_box": 4 / 3,
            "bisection.scattered": 100 / (0.61 + 0.39 * 4 * 24 / 31),  # 24 of 31 others behind a quarter of the rate
            "bisection.hash": share,
        }
    )
    for question in predict.QUESTIONS:
        assert len(question.explain(question.truth())) < 320


def test_a_cut_whose_links_are_slower_says_so():
    view = explore.bisection(topology="fat-tree", size="4-port switches", oversubscription=4)
    assert "links of 50 GB/s, 12.5 GB/s to the core" in view.current.table.caption


def test_machines_are_named_as_their_makers_name_them():
    racks = explore.bisection(topology.cluster("GB200 SuperPOD"))
    assert (
        racks.table[1]["cut"] == "around one rack" and "8 racks" in racks.alt and "out of their racks" in racks.sentence
    )
    chips = explore.bisection(topology.cluster("CloudMatrix384"))
    assert (
        "waits longest around one chip" in chips.sentence and "2,688" in chips.still() and "2688" not in chips.still()
    )


def test_the_dashed_line_stops_where_the_words_are():
    svg = explore.bisection(topology.fat_tree(16, 50e9)).current.picture.svg
    label = svg.index(">out of each edge switch: 8 links, 400 GB/s<")
    paper = svg.rindex("<rect", 0, label)
    at = re.search(r'x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg[paper:label])
    left, top, width, height = map(float, at.groups())
    assert left < 138 and left + width > 365 and top < 250 < top + height  # the words and the line that they cross
    dashes = [dash.start() for dash in re.finditer(r'<polyline points="365\.0[^>]*#1f2430', svg)]
    assert dashes and max(dashes) < paper


def test_percentage_of_the_sentence_is_no_bandwidth_of_the_table():
    view = explore.bisection()
    assert "100 % of" in view.sentence and 100 in [row["both ways (GB/s)"] for row in view.table]
    assert "100" not in [piece for piece, _ in view.current.table.links(view.sentence)]
