"""The link explorer and the questions of its chapter: agreement with the models, words, picture."""

import itertools
import re

import pytest

from chip2cluster import draw, explore, links, predict, units
from chip2cluster.draw import style, typesetting
from chip2cluster.draw.pictures import links as drawing

NODES, KINDS = ("DGX A100", "DGX H100", "DGX B200"), ("NVLink", "PCIe", "InfiniBand")
MESSAGES = (100, 5_000, 100_000, 2_000_000, 10**9)
# Data sheets, one way: NVLink 3 to 5, PCIe 4 and 5 with sixteen lanes, InfiniBand HDR and NDR.
# NCCL's tuner, 2.18 to 2.30, one hop of a ring in µs, and the share of the wire that each protocol's flags leave.
HOPS = {
    "NVLink": {"LL": 0.6, "LL128": 1.9, "Simple": 3.4}, "PCIe": {"LL": 1.0, "LL128": 2.5, "Simple": 5.7},
    "InfiniBand": {"LL": 2.7, "LL128": 4.0, "Simple": 14.0},
}  # fmt: skip
SHARES = {"LL": 1 / 2, "LL128": 120 / 128, "Simple": 1}
SHEETS = {"DGX A100": (300, 31.508, 25), "DGX H100": (450, 63.015, 50), "DGX B200": (900, 63.015, 50)}


def states():
    """Every node with every link, over the ends of the other controls."""
    rest = itertools.cycle(itertools.product((1, 2, 4), (0.25, 0.5, 1, 2, 4), ("Simple", "LL128", "LL")))
    for node, kind, message in itertools.product(NODES, KINDS, MESSAGES):
        yield node, kind, message, *next(rest)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("node, kind, message, bandwidth, latency, protocol", list(states()))
def test_every_state_shows_what_the_models_say(node, kind, message, bandwidth, latency, protocol, unrendered):
    view = explore.links(node, link=kind, message=message, bandwidth=bandwidth, latency=latency, protocol=protocol)
    for row, name, sheet in zip(view.table, KINDS, SHEETS[node], strict=True):
        _, printed, rate, start, half, time, effective, share = row.values()
        faster, slower = (bandwidth, latency) if name == kind else (1, 1)
        assert name in row["link"] and printed == pytest.approx(faster * sheet, rel=1e-4)
        # One protocol gives both: no start of one with the rate of another.
        assert start == pytest.approx(slower * HOPS[name][protocol]) and rate <= SHARES[protocol] * printed
        assert time == pytest.approx(start + message / (rate * 1e3))
        assert effective == pytest.approx(links.effective_bandwidth(message, rate * 1e9, start * 1e-6) / 1e9)
        assert half == pytest.approx(rate * start) and share == pytest.approx(100 * effective / printed)
    followed = view.table[KINDS.index(kind)]
    waiting = followed["effective (GB/s)"] < followed["at most (GB/s)"] / 2
    assert ("mostly waiting" in view.alt) == waiting
    assert view.current.picture.title in view.alt and view.alt.count("levels off at") == 3


def test_half_of_a_wire_takes_what_its_own_protocol_needs():
    """3.4 µs and 370.8 GB/s are one protocol: 1.26 MB. The start of LL goes with half of the wire."""
    half = {name: explore.links(protocol=name).table[0]["half at (kB)"] for name in ("Simple", "LL")}
    assert half == {"Simple": pytest.approx(1261, abs=1), "LL": pytest.approx(111, abs=1)}


@pytest.mark.parametrize("kind", KINDS)
def test_side_by_side_the_fastest_of_three_is_followed(kind):
    fastest = []
    for message in MESSAGES:
        view = explore.links(link=kind, protocol="side by side", message=message)
        times = [row["time (µs)"] for row in view.table]
        assert view.table[view.current.table.marked]["time (µs)"] == min(times)
        fastest.append(view.table[view.current.table.marked]["link"])
    assert [row["link"] for row in view.table] == ["LL", "LL128", "Simple"]
    assert fastest[0] == "LL" and fastest[-1] == "Simple" and fastest == sorted(fastest)
    first, second = re.search(r"LL is the fastest up to (.+), LL128 up to (.+), Simple", view.sentence).groups()
    assert units.parse(first, "B") < units.parse(second, "B")


def test_the_three_rates_of_the_followed_wire_are_marked():
    view = explore.links()
    assert "measured" not in view.current.picture.svg and "measured (GB/s)" not in view.table[0]
    view.set(measured="shown")
    assert view.table[0]["measured (GB/s)"] == "copy engine 363 to 396; SM 363 to 368"
    front = view.current.picture.svg
    for words in (
        "sheet 450 GB/s",
        "NCCL at most 371",
        "measured, copy engine: 363 to 396",
        "measured, SM: 363 to 368",
    ):
        assert words in front
    assert "Measured on it by SM: 363 to 368 of 450 GB/s." in view.alt
    assert (
        "measured" not in explore.links(bandwidth=2, measured="shown").current.picture.svg
    )  # nobody measured a wire of twice the rate


def test_a_link_of_ones_own_stands_beside_the_others():
    view = explore.links(own=links.own("100 Gb/s", "20 µs"), message=1_000_000)
    mine = view.table[3]
    assert view.values["link"] == mine["link"] == "my link" and mine["half at (kB)"] == pytest.approx(250)
    assert mine["time (µs)"] == pytest.approx(20 + 1e6 / 12.5e3) and mine["of sheet (%)"] is None
    assert "Over my link 1 MB gets 10.0 of 12.5 GB/s: 20.0 % of the time" in view.sentence
    view.set(link="NVLink", protocol="side by side")
    assert len(view.table) == 3 and view.set(link="my link").values["protocol"] == "Simple"
    with pytest.raises(TypeError, match="own must be a link such as"):
        explore.links(own="100 Gb/s")
    with pytest.raises(ValueError, match="own must have another name than NVLink"):
        explore.links(own=links.own(1e9, 1e-6, "NVLink"))


def test_half_size_is_named_only_for_a_changed_link():
    """Of the wires as they are, the page asks which it is."""
    assert all("needs the largest message" not in explore.links(link=kind).sentence for kind in KINDS)
    assert "your InfiniBand now needs the largest message" in explore.links(link="InfiniBand", latency=4).sentence


def test_title_and_sentence_hold_a_message_against_the_same_rate():
    for protocol in ("Simple", "LL"):
        view = explore.links(protocol=protocol)
        shares = [re.search(r"([\d.]+ of [\d.]+) GB/s", text).group(1) for text in (view.alt, view.sentence)]
        assert shares[0] == shares[1]


def test_a_changed_link_is_not_called_by_its_own_name():
    view = explore.links(link="PCIe", bandwidth=2)
    assert [row["link"] for row in view.table] == ["NVLink", "your PCIe", "InfiniBand"]
    assert view.set(link="NVLink").table[1]["link"] == "PCIe"


@pytest.mark.parametrize("values, message", [({"message": 4096}, "message must be one of 100"), ({"node": "DGX-2"}, "node must be"),
                                             ({"link": "nvlink"}, "'NVLink', 'PCIe'"), ({"latncy": 2}, "did you mean 'latency'")])  # fmt: skip
def test_bad_values_name_the_choices(values, message):
    with pytest.raises(ValueError, match=message):
        explore.links(**values)


def test_the_names_at_the_end_of_the_lines_stay_apart_and_fit():
    for row in explore.links("DGX B200", bandwidth=4).table + explore.links(link="InfiniBand", bandwidth=4).table:
        words = f"{row['link']} {row['at most (GB/s)']:,.3g}"
        assert drawing.AXES[style.WIDTH][2] + 6 + typesetting.text_size(words, style.TEXT)[0] <= style.WIDTH
    words = drawing._fitting("the new switch in the cellar", "12.5")
    assert words.startswith("the new") and words.endswith("… 12.5")
    assert drawing.AXES[style.WIDTH][2] + 6 + typesetting.text_size(words, style.TEXT)[0] <= style.WIDTH
    heights = drawing._apart([205.0, 300.0, 200.0])
    assert heights[0] - heights[2] >= 17 and heights[1] == 300
    close = sorted(drawing._apart([200.0, 201.0, 208.0, 240.0]))
    assert all(high - low >= 17 for low, high in itertools.pairwise(close))


def test_a_picture_of_no_link_or_too_many_is_refused():
    wire = draw.Wire("x", 1e9, 1e-6)
    with pytest.raises(ValueError, match="one to 4, got 5"):
        draw.links([wire] * 5, 1e3)
    with pytest.raises(ValueError, match="from 0 to 0, got 1"):
        draw.links([wire], 1e3, chosen=1)


def test_the_truths_are_those_that_can_be_worked_by_hand():
    truths = {one.id: one.truth() for one in predict.QUESTIONS if one.id.startswith("links.")}
    assert truths == {
        "links.small_message": pytest.approx(4000 / (3400 + 4000 / 370.8), rel=1e-9),
        "links.faster_network": pytest.approx((2.7 + 16 / 25) / (2.7 + 16 / 50), rel=1e-9),
        "links.all_cross": 150,  # NVIDIA prints 2.4 TB/s between the boards, both ways, for eight on each side
    }
    for one in predict.QUESTIONS:
        assert len(one.explain(one.truth())) < 320
