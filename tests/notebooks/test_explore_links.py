"""The link explorer and the questions of its chapter: agreement with the models, words, picture."""

import itertools

import pytest

from chip2cluster import draw, explore, hierarchy, links, predict
from chip2cluster.draw import labels, style
from chip2cluster.draw.pictures import links as drawing

NODES, KINDS = ("DGX A100", "DGX H100", "DGX B200"), ("NVLink", "PCIe", "InfiniBand")
MESSAGES = (100, 5_000, 100_000, 2_000_000, 10**9)
# Data sheets, one way: NVLink 3 to 5, PCIe 4 and 5 with sixteen lanes, InfiniBand HDR and NDR.
SHEETS = {"DGX A100": (300, 31.508, 25), "DGX H100": (450, 63.015, 50), "DGX B200": (900, 63.015, 50)}


def states():
    """Every node with every link, over the ends of the other controls."""
    rest = itertools.cycle(itertools.product((1, 2, 4), (0.25, 0.5, 1, 2, 4)))
    for node, kind, message in itertools.product(NODES, KINDS, MESSAGES):
        yield node, kind, message, *next(rest)


@pytest.mark.parametrize("node, kind, message, bandwidth, latency", list(states()))
def test_every_state_shows_what_the_models_say(node, kind, message, bandwidth, latency, unrendered):
    view = explore.links(node, link=kind, message=message, bandwidth=bandwidth, latency=latency)
    for row, name, sheet in zip(view.table, KINDS, SHEETS[node], strict=True):
        _, rate, start, half, time, effective, share = row.values()
        faster, slower = (bandwidth, latency) if name == kind else (1, 1)
        assert name in row["link"] and rate == pytest.approx(faster * sheet, rel=1e-4)
        assert time == pytest.approx(start + message / (rate * 1e3)) and start <= slower * 2.7
        assert effective == pytest.approx(links.effective_bandwidth(message, rate * 1e9, start * 1e-6) / 1e9)
        assert half == pytest.approx(rate * start) and share == pytest.approx(100 * effective / rate)
    followed = view.table[KINDS.index(kind)]
    assert f"{followed['share (%)']:.1f} %" in view.sentence
    assert ("mostly waiting" in view.alt) == (followed["share (%)"] < 50)
    assert view.current.picture.title in view.alt and view.alt.count("levels off at") == 3


def test_the_largest_half_size_is_named():
    assert "NVLink needs the largest message" in explore.links("DGX H100").sentence
    assert "your InfiniBand needs the largest message" in explore.links(link="InfiniBand", latency=4).sentence


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
        words = f"{row['link']} {row['one way (GB/s)']:,.3g}"
        assert drawing.AXES[2] + 6 + labels.text_size(words, style.TEXT)[0] <= style.WIDTH
    heights = drawing._apart([205.0, 300.0, 200.0])
    assert heights[0] - heights[2] >= 17 and heights[1] == 300


def test_a_picture_of_no_link_or_too_many_is_refused():
    wire = draw.Wire("x", 1e9, 1e-6)
    with pytest.raises(ValueError, match="one to 3, got 4"):
        draw.links([wire] * 4, 1e3)
    with pytest.raises(ValueError, match="from 0 to 0, got 1"):
        draw.links([wire], 1e3, chosen=1)


def test_the_truths_are_those_that_can_be_worked_by_hand():
    truths = {one.id: one.truth() for one in predict.QUESTIONS if one.id.startswith("links.")}
    assert truths == {
        "links.small_message": pytest.approx(4000 / (600 + 4000 / 450), rel=1e-9),
        "links.faster_network": pytest.approx((2.7 + 0.32) / (2.7 + 0.16), rel=1e-9),
        "links.two_boards": 1200,  # NVIDIA prints 2.4 TB/s and counts both ways
    }
    for one in predict.QUESTIONS:
        assert len(one.explain(one.truth())) < 320
    assert hierarchy.system("DGX H100").tier("node HBM over NVLink").latency_seconds == 0.6e-6
