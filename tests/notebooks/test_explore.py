"""Explorers and predictions, from the Python side: values, errors, stills, agreement with the models."""

import dataclasses
import itertools
import re
from types import SimpleNamespace

import pytest

from chip2cluster import explore, predict, roofline, specs
from chip2cluster.draw import palette
from chip2cluster.explore import base, display
from chip2cluster.explore.controls import Slider, Toggle
from chip2cluster.explore.frame import Column, Table

pytestmark = pytest.mark.usefixtures("own_record")


def grid():
    """A grid over devices and the ends of each control."""
    ends = itertools.cycle([(1, 1024, 512, 1), (64, 8192, 4096, 8), (4096, 16384, 131072, 4), (160, 8192, 512, 8)])
    for device in specs.accelerators():
        for precision in device.precisions_dense:
            yield device.name, precision, *next(ends)


BYTES = {
    "fp64": 8,
    "fp32": 4,
    "tf32": 4,
    "bf16": 2,
    "fp16": 2,
    "fp8": 1,
    "int8": 1,
    "fp6": 0.75,
    "fp4": 0.5,
    "int4": 0.5,
}


@pytest.mark.parametrize("device, precision, batch, width, context, group", list(grid()))
def test_every_state_shows_what_the_models_say(device, precision, batch, width, context, group, unrendered):
    view = explore.roofline(device, precision=precision, batch=batch, width=width, context=context, group=group)
    chip = specs.accelerator(device)
    peak, bandwidth = chip.peak_flops_dense(precision), chip.memory_bandwidth
    size = BYTES[precision.split("_")[0]]
    heads = width // 128
    kernels = [
        roofline.feed_forward(batch, width, bytes_per_element=size),
        roofline.attention_decode(context, heads, 128, heads // group, batch, size),
        roofline.attention_prefill(context, heads, 128, heads // group, bytes_per_element=size),
        roofline.feed_forward(context, width, bytes_per_element=size),
    ]
    for row, kernel in zip(view.table, kernels, strict=True):
        _, intensity, attainable, share, bound = row.values()
        assert intensity == kernel.intensity
        assert attainable * 1e12 == pytest.approx(roofline.attainable(kernel.intensity, peak, bandwidth))
        assert share == pytest.approx(100 * roofline.fraction_of_peak(kernel.intensity, peak, bandwidth))
        assert bound == ("compute" if roofline.is_compute_bound(kernel.intensity, peak, bandwidth) else "memory")
    first = view.table[0]
    assert first["operation"] in view.alt and f"{first['bound by'].capitalize()}-bound" in view.alt
    assert f"{first['of peak (%)']:.1f} %" in view.sentence and f"{first['bound by']}-bound" in view.sentence
    threshold = roofline.batch_threshold(width, 4 * width, peak, bandwidth, size)
    assert ("No batch" if threshold == float("inf") else f"{int(threshold):,} token") in view.sentence
    sources = chip.source("memory_bandwidth"), chip.source("peak_flops_dense", precision)
    assert ("Low confidence" in view.sentence) == any(source.confidence == "low" for source in sources)


def test_values_are_set_by_name_and_reset():
    view = explore.roofline("a100 80gb", batch=64)
    assert view.values["device"] == "A100 SXM 80GB" and view.values["precision"] == "bf16"
    before = view.sentence
    assert view.set(batch=4096, device="h100 sxm").values["device"] == "H100 SXM"
    assert view.sentence != before
    assert view.reset().sentence == before


def test_a_new_device_keeps_the_precision_or_says_that_it_cannot():
    view = explore.roofline("H100 SXM", precision="fp8")
    assert "fp8" in view.set(device="B200").sentence and "not offered" not in view.sentence
    view.set(device="A100 SXM 80GB")
    assert view.values["precision"] == "bf16"
    assert view.sentence.startswith("Precision: fp8 is not offered here, showing bf16.")
    assert "not offered" not in view.set(batch=8).sentence


def test_only_devices_with_the_precision_can_be_compared():
    view = explore.roofline("H100 SXM", precision="fp8", compare="B200")
    assert "on B200 (TFLOP/s)" in view.table[0]
    with pytest.raises(ValueError, match="compare must be one of 'none'"):
        view.set(compare="A100 SXM 80GB")


@pytest.mark.parametrize(
    "values, message",
    [
        ({"bach": 4}, "no control 'bach' [(]did you mean 'batch'[?][)]; there are device, precision, batch"),
        ({"batch": 3.5}, "batch must be one of 1, 2, 3"),
        ({"batch": True}, "batch must be one of"),
        ({"batch": "64"}, "batch must be one of"),
        ({"batch": float("nan")}, "batch must be one of"),
        ({"precision": "fp12"}, "precision must be one of 'fp64'"),
        ({"group": 3}, "group must be one of 1, 4, 8"),
    ],
)
def test_bad_values_name_the_choices_and_change_nothing(values, message):
    view = explore.roofline(batch=64)
    before = view.values
    with pytest.raises(ValueError, match=message):
        view.set(**values)
    assert view.values == before
    with pytest.raises(ValueError, match=message):
        explore.roofline(**values)


def test_an_unknown_device_raises_the_error_of_specs():
    with pytest.raises(specs.UnknownAccelerator, match="A100 SXM 80GB"):
        explore.roofline(device="foo")


def test_the_still_says_the_same_without_a_kernel():
    view = explore.roofline(batch=64)
    still = view.still()
    assert re.search(r'<img alt="Memory-bound: 129 of 312 TFLOP/s', still)
    assert (
        'src="data:image/svg+xml;base64,' in still
        and "<script" not in still
        and "http" not in still.split("base64,")[0]
    )
    assert "<figcaption" in still and "c2c-state" in still and 'scope="row"' in still and "41.4" in still
    assert "becomes compute-bound at 157 tokens" in still


@pytest.fixture
def published(monkeypatch):
    """What a notebook is given to show: (data, the name of its place, whether that is filled anew)."""
    display = []
    take = lambda data, metadata=None, *, transient=None, update=False: display.append(
        (data, (transient or {}).get("display_id"), update)
    )
    monkeypatch.setattr("IPython.display.publish_display_data", take)
    return display


class Loop:
    """A kernel's loop, as far as stills need it: remembers what is to be called."""

    def __init__(self):
        self.waiting = []

    def call_later(self, _, call):
        self.waiting.append(call)
        return SimpleNamespace(cancel=lambda: self.waiting.remove(call))


def test_a_still_lies_behind_the_live_view_and_follows_it(published, monkeypatch):
    loop = Loop()
    monkeypatch.setattr(display.asyncio, "get_running_loop", lambda: loop)
    view = explore.roofline(batch=64)
    view._ipython_display_()
    (live, _, _), (still, place, _) = published
    assert set(still) == {"text/html", "text/plain", "image/png"} and still["text/plain"] == view.sentence
    assert view.still() in still["text/html"] and f'id="{place}"' in still["text/html"]
    assert view.widget.frame["still"] == place and display.AGAIN in still["text/html"]
    # Nothing is shown twice by a viewer that knows no widgets.
    assert "application/vnd.jupyter.widget-view+json" in live
    assert (live["text/html"], live["text/plain"]) == ("<!-- live -->", "")
    for batch in (5, 6, 7):  # a hand that has not come to rest
        answered(view, {"values": {"batch": batch}})
    (once,) = loop.waiting
    once()
    (still, again, update) = published[-1]
    assert len(published) == 3 and update and again == place
    assert "At batch 8 " in still["text/plain"] and "c2c-fresh" not in still["text/html"].rpartition("</style>")[2]


def no_loop():
    raise RuntimeError("no running event loop")


def test_still_is_shown_without_event_loop_or_on_request(published, monkeypatch):
    monkeypatch.setattr(display.asyncio, "get_running_loop", no_loop)
    view = explore.roofline(batch=64)
    view._ipython_display_()
    assert len(published) == 2 and 'class="c2c-saved"' in published[1][0]["text/html"]
    assert set(view._repr_mimebundle_()) == {"text/html", "text/plain", "image/png"}
    monkeypatch.setenv("CHIP2CLUSTER_STILL", "1")
    with pytest.raises(NotImplementedError):
        view._ipython_display_()


class Fragile(base.Explorer):
    title = "Fragile"
    controls = (
        Slider(name="steps", label="Steps", options=(1, 2, 3), default=1),
        Toggle(name="both", label="Both ways"),
    )

    def frame(self, values):
        if values["steps"] == 3:
            raise ZeroDivisionError("three is too many")
        return explore.roofline().current


def answered(view, message):
    view.widget._receive(view.widget, {"seq": "7", **message}, [])
    return view.widget.frame


def test_an_error_in_a_frame_is_shown_and_the_view_lives_on(capsys):
    view = Fragile()
    frame = answered(view, {"values": {"steps": 2}})
    assert frame["error"] == "This did not work, and nothing was changed: three is too many" and frame["seq"] == "7"
    assert frame["controls"][0]["value"] == 0 and view.values["steps"] == 1
    assert "Traceback" in capsys.readouterr().err
    assert not answered(view, {"values": {"steps": 1}}).get("error")
    assert view.values["steps"] == 2


def test_every_control_round_trips():
    view = Fragile()
    frame = answered(view, {"values": {"steps": 1, "both": True}})
    assert view.values == {"steps": 2, "both": True}
    assert [control["kind"] for control in frame["controls"]] == ["range", "checkbox"]
    assert "3 options" in answered(view, {"values": {"steps": 9}})["error"]
    assert "Traceback" not in answered(view, {"action": "reset", "values": {}}).get("error", "")
    assert view.values == {"steps": 1, "both": False}
    with pytest.raises(ValueError, match="both must be True or False"):
        view.set(both=1)


def test_only_what_moves_is_sent_again(monkeypatch):
    view, sent = explore.roofline(), []
    widget = view.widget
    monkeypatch.setattr(widget, "send_state", lambda key=None: sent.append(set(key)))
    before = widget.back
    first = answered(view, {"values": {"batch": 5}})
    assert sent == [{"frame"}] and widget.back == before
    assert "batch 6" in first["picture"]["alt"] and "FLOP/byte</text>" not in first["picture"]["svg"]
    assert first["picture"]["alt"] == view.alt
    answered(view, {"values": {"device": 0}})
    assert sent[1:] == [{"frame", "back", "options", "handles"}] and widget.back != before


def test_typeface_is_sent_with_the_first_picture_only():
    faces = explore.roofline().widget.typeface["faces"]
    assert {weight: face[:4] for weight, face in faces.items()} == {"400": b"wOF2", "700": b"wOF2"}
    assert sum(map(len, faces.values())) < 25_000
    assert predict.ask("roofline.faster_chip").widget.typeface == {}


def test_a_picture_without_layers_is_sent_whole():
    view = Fragile()
    picture = dataclasses.replace(view.current.picture, layers=None)
    view._frame = dataclasses.replace(view.current, picture=picture)
    content = view.content()
    assert content["back"] == palette.BACK and content["picture"]["svg"] == picture.svg


def test_an_empty_message_is_not_answered():
    view = Fragile()
    before = view.widget.frame
    view.widget._receive(view.widget, {}, [])
    assert view.widget.frame is before


def test_a_table_escapes_aligns_and_marks():
    table = Table(
        "A & B", (Column("name"), Column("rate", "GB/s", "{:.1f}".format)), (("<x>", 1.0), ("y", 2.0)), marked=1, note="C & D"
    )  # fmt: skip
    html = table.html()
    assert "<caption>C &amp; D</caption>" in html and "A &amp; B" not in html and "&lt;x&gt;" in html
    assert html.count('class="c2c-number"') == 3 and html.count("c2c-marked") == 1
    assert table.records() == [{"name": "<x>", "rate (GB/s)": 1.0}, {"name": "y", "rate (GB/s)": 2.0}]


# --- a second roof, and a chip of one's own -------------------------------------------
MINE = specs.own("My card", dense={"bf16": "400 TFLOP/s"}, memory="48 GB", memory_bandwidth="0.9 TB/s")


def test_what_was_measured_stands_beside_the_sheet():
    view = explore.roofline("H100 SXM", batch=512, compare="what was measured")
    roofs = roofline.measured_roofs("H100 SXM")
    for row in view.table:
        rate = roofline.attainable(row["intensity (FLOP/byte)"], roofs.peak_flops, roofs.memory_bandwidth)
        assert (
            row["under the measured roof (TFLOP/s)"] * 1e12 == pytest.approx(rate)
            and row["attainable (TFLOP/s)"] * 1e12 > rate
        )
    assert "Measured on this chip: a product of 794 TFLOP/s, 80 % of the sheet" in view.sentence
    assert "what was measured" not in explore.roofline("B200").set(batch=1).controls[3].choices(
        {"device": "B200", "precision": "bf16"}
    )


@pytest.mark.parametrize("compare, known", [("what was measured", "MI300X"), ("its L2 cache", "H100 SXM")])
def test_what_nobody_measured_is_said_with_the_chips_that_were(compare, known):
    with pytest.raises(ValueError, match=f"My card.*{known}") as refused:
        explore.roofline(MINE, compare=compare)
    assert "B200" not in str(refused.value)
    with pytest.raises(ValueError, match="A100 SXM 80GB"):
        explore.roofline("B200").set(compare=compare)


def test_floor_holds_small_operations_below_the_roof():
    """An H100 takes 3 microseconds for its smallest kernels: decode attention of 1,024 wide at 512 tokens needs 0.08."""
    small = {"width": 1024, "context": 512}
    free, held = (explore.roofline("H100 SXM", floor=floor, **small).table for floor in (0.0, 3e-6))
    bound = {row["operation"]: row["bound by"] for row in held}
    assert bound["attention, decode"] == "shortest time" and bound["feed-forward, prefill"] == "compute"
    rates = [row["attainable (TFLOP/s)"] for row in held]
    assert (
        rates[1] * 1e12 * 3e-6 == pytest.approx(4 * 512 * 8 * 128) and free[1]["attainable (TFLOP/s)"] > 30 * rates[1]
    )
    large = {"width": 8192, "context": 4096, "batch": 64}
    assert explore.roofline(floor=3e-6, **large).table == explore.roofline(**large).table
    view = explore.roofline("H100 SXM", floor=3e-6, **small)
    assert "No kernel takes less than 3 µs" in view.sentence and "too short a kernel" in view.alt


def test_against_the_cache_attention_stands_at_its_block():
    view = explore.roofline("H100 SXM", compare="its L2 cache", context=131072)
    rows = {row["operation"]: row for row in view.table}
    inner = rows["attention, prefill"]
    assert inner["per L2 (FLOP/byte)"] == pytest.approx(128, rel=0.01)  # a block of 128 queries, two bytes an element
    assert inner["L2 allows (TFLOP/s)"] == pytest.approx(973, rel=0.01)  # 128 x 7.6 TB/s, as measured
    assert rows["feed-forward, decode"]["per L2 (FLOP/byte)"] is None
    assert "at most 972 TFLOP/s here. By this count no prompt, however long, gets past 973 TFLOP/s." in view.sentence
    short = explore.roofline("H100 SXM", compare="its L2 cache", context=512).sentence
    assert "at most 778 TFLOP/s here. By this count no prompt, however long, gets past 973 T" in short
    assert "attention, prefill against L2 cache: 128 FLOP/byte" in view.alt
    view.set(device="MI300X")
    assert view.values["compare"] == "none"


def test_a_chip_of_ones_own_is_a_device_and_a_rival():
    view = explore.roofline(MINE, batch=64)
    assert view.table[1]["attainable (TFLOP/s)"] == pytest.approx(8 * 0.9, rel=0.01)
    assert "of My card's 400 TFLOP/s in bf16" in view.sentence and "477 tokens" in view.sentence
    menu = view.content()["controls"][0]
    assert menu["texts"][menu["value"]] == "My card"
    view.set(device="H100 SXM").set(compare=MINE)
    assert "on My card (TFLOP/s)" in view.table[0] and "On My card it reaches" in view.sentence
    assert view.set(device=MINE).values["compare"] == "none"  # nobody is his own rival
    assert view.reset().values["device"] is MINE
    with pytest.raises(ValueError, match="device must be one of"):
        explore.roofline().set(device=MINE)


def test_precision_asked_for_returns_where_it_is_offered():
    view = explore.roofline("A100 SXM 80GB", precision="bf16")
    assert view.set(device="V100 SXM2").values["precision"] == "fp16" and "bf16 is not offered here" in view.note
    assert view.set(device="H100 SXM").values["precision"] == "bf16" and not view.note
    view.set(device="V100 SXM2", precision="fp16").set(device="H100 SXM")
    assert view.values["precision"] == "fp16", "what was asked for last counts"
    assert view.reset().set(device="V100 SXM2").set(device="A100 SXM 80GB").values["precision"] == "bf16"


def test_refused_message_leaves_the_last_wish():
    view = explore.roofline()
    devices = [*view._by_name["device"].choices(view.values)]
    with pytest.raises(ValueError, match="precision has"):
        view._answer({"values": {"device": devices.index("V100 SXM2"), "precision": 99}})
    assert view.values["device"] == "A100 SXM 80GB"
    view._answer({"values": {"device": devices.index("V100 SXM2")}})
    view._answer({"values": {"device": devices.index("H100 SXM")}})
    assert view.values["precision"] == "bf16"


def test_sliders_stay_where_another_control_put_them():
    assert explore.ring(step=3).set(ranks=6).values["step"] == 1
    view = explore.systolic(rows_of_a=16, cycle=26)
    assert view.set(rows_of_a=1).set(rows_of_a=16).values["cycle"] < 26


def test_long_lists_have_their_makers():
    device, compare = (
        next(control for control in explore.roofline().content()["controls"] if control["name"] == name)
        for name in ("device", "compare")
    )
    makers = dict(zip(device["texts"], device["groups"], strict=True))
    assert makers["MI300X"] == "AMD" and makers["TPU v5p"] == "Google" and all(makers.values())
    assert compare["groups"][0] == "" and set(compare["groups"]) - {""} <= set(device["groups"])
