"""Pictures: what they say is what the model says."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from chip2cluster import draw, roofline
from chip2cluster.draw import Operation, Roof, labels
from chip2cluster.draw.format import tera
from chip2cluster.draw.pictures.roofline import finding
from tests.pictures import geometry

A100 = Roof("A100", 312e12, 2.0e12)
H100 = Roof("H100", 989.4e12, 3.35e12)


def operations(batch, width=8192, context=4096, group=8, size=2):
    heads = width // 128
    return [
        Operation(
            "feed-forward, decode", roofline.feed_forward(batch, width, bytes_per_element=size).intensity, moved=True,
            start=roofline.feed_forward(1, width, bytes_per_element=size).intensity,
        ),
        Operation("attention, decode", roofline.attention_decode(context, heads, 128, heads // group, batch, size).intensity),
        Operation("attention, prefill", roofline.attention_prefill(context, heads, 128, heads // group, 1, size).intensity),
        Operation("feed-forward, prefill", roofline.feed_forward(context, width, bytes_per_element=size).intensity),
    ]  # fmt: skip


def test_every_roof_and_every_operation_is_named():
    words = [text.words for text in geometry.texts(draw.roofline([A100, H100], operations(8)).svg)]
    assert sum(text.startswith("ridge ") for text in words) == sum(text.endswith("B/s") for text in words) == 2
    assert {operation.name for operation in operations(8)} <= set(words)


@pytest.mark.parametrize("batch, title", [(1, "Memory-bound: 2.0 of 312 TFLOP/s"), (160, "Compute-bound: all of 312 TFLOP/s"),
                                          (159, "Memory-bound: 310 of 312 TFLOP/s")])  # fmt: skip
def test_the_title_states_the_finding(batch, title):
    picture = draw.roofline([A100], operations(batch))
    assert picture.title == title
    assert picture.description.startswith(title)
    assert title in "".join(ElementTree.fromstring(picture.svg).itertext())


def test_the_title_never_says_memory_bound_at_the_full_peak():
    assert finding(A100, 155.9999) == "Memory-bound: 311.9998 of 312.0000 TFLOP/s"


def test_a_printed_picture_says_its_title_and_spares_its_drawing():
    picture = draw.roofline([A100], operations(1))
    assert picture.title in repr(picture) and len(repr(picture)) < 2000


def test_the_description_names_every_number_of_the_picture():
    state = operations(64)
    text = draw.roofline([A100, H100], state).description
    for operation in state:
        assert operation.name in text and tera(A100.rate(operation.intensity)) in text
    for word in ("2.00 TB/s", "312 TFLOP/s", "156 FLOP/byte", "3.35 TB/s", "989 TFLOP/s", "295 FLOP/byte"):
        assert word in text


@pytest.mark.parametrize("other", [(794.5e12, 2.97e12), (989.4e12, 5.5e12), (2250e12, 8e12), (312e12, 2.039e12)])
@pytest.mark.parametrize("first_is_higher", [True, False])
def test_no_ridge_runs_through_the_name_of_a_region(other, first_is_higher):
    roofs = [draw.Roof("H100", 989.4e12, 3.35e12), draw.Roof("another", *other)]
    picture = draw.roofline(roofs if first_is_higher else roofs[::-1], [draw.Operation("one", 1.0)])
    feet = [picture.place(roof.ridge, 1e12)[0] for roof in roofs]
    names = {text.words: text.corners[:, 0] for text in geometry.texts(picture.svg) if text.words.endswith("-bound")}
    assert set(names) == {"memory-bound", "compute-bound"}
    assert not [x for x in feet for across in names.values() if across.min() - 2 < x < across.max() + 2]


def test_a_title_of_ones_own_replaces_the_finding():
    roof, one = draw.Roof("A100", 312e12, 2.0e12), draw.Operation("one", 1.0)
    assert draw.roofline([roof], [one], title="Fused").title == "Fused"


def test_the_svg_is_one_document_without_outside_references():
    picture = draw.roofline([A100, H100], operations(64))
    root = ElementTree.fromstring(picture.svg)
    assert root.get("viewBox") == f"0 0 {picture.width} {picture.height}"
    assert not re.search(r'(?:href|src)="(?!#)', picture.svg)
    assert "url(http" not in picture.svg
    assert picture.data_uri.startswith("data:image/svg+xml;base64,")
    assert picture.png(scale=1)[:4] == b"\x89PNG"


def test_layers_are_the_picture_taken_apart():
    pictures = [draw.roofline([A100], operations(batch)) for batch in (1, 64)]
    (back, front), (same, other) = (picture.layers for picture in pictures)
    assert back == same and front != other
    whole = pictures[0].svg
    for layer in (back, front):
        ElementTree.fromstring(layer)
        assert layer[layer.index("</style>") + 8 : -len("</svg>")] in whole
    assert whole.count("<text") == back.count("<text") + front.count("<text")


def test_the_same_state_gives_the_same_bytes():
    assert draw.roofline([A100], operations(64)).svg == draw.roofline([A100], operations(64)).svg


def test_axes_stay_while_the_batch_moves():
    ticks = [re.findall(r">([\d,.]+)</text>", draw.roofline([A100], operations(batch)).svg) for batch in (1, 64, 4096)]
    assert ticks[0] == ticks[1] == ticks[2]


def test_ticks_are_plain_numbers():
    svg = draw.roofline([A100], operations(1)).svg
    for tick in ("0.1", "1", "10", "100", "1,000", "10,000", "100,000"):
        assert f">{tick}</text>" in svg
    assert "mathdefault" not in svg


@pytest.mark.parametrize("roofs, points", [([], 4), ([A100] * 3, 4), ([A100], 0), ([A100], 7)])
def test_too_many_or_too_few_are_refused(roofs, points):
    with pytest.raises(ValueError, match="one or two roofs|one to six operations"):
        draw.roofline(roofs, (operations(1) * 2)[:points])


def test_a_label_goes_to_a_free_place():
    taken = np.array([[0.0, 100.0, 200.0, 140.0, 6.0]])
    box, leader = labels.place((100, 95), (60, 15), taken, (0, 0, 200, 200))
    assert box[3] <= 100 and leader is None


def test_a_label_far_from_its_point_gets_a_leader():
    taken = np.array([[40.0, 40.0, 160.0, 160.0, 6.0]])
    box, leader = labels.place((100, 100), (60, 15), taken, (0, 0, 300, 300))
    assert leader[0] == (100, 100)
    assert box[0] >= 159 or box[2] <= 41 or box[1] >= 159 or box[3] <= 41
