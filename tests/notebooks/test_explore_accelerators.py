"""The accelerator explorer and the questions of its chapter: agreement with the catalogue, words, picture."""

import itertools
import re

import pytest
from matplotlib.path import Path

from chip2cluster import draw, explore, predict, roofline, specs
from chip2cluster.chapters.accelerators.explorers import accelerators as view_module
from chip2cluster.draw import style
from tests.pictures import geometry

ACROSS = ("memory bandwidth", "power", "year")


def states():
    """Every precision with every axis, dense and sparse where both exist, and the ends of the years."""
    for precision, across in itertools.product(view_module.PRECISIONS, ACROSS):
        values = {"precision": precision, "across": across, "count": "dense"}
        for count in view_module._counts(values):
            years = view_module._years({**values, "count": count})
            for until in {years[0], years[len(years) // 2], years[-1]}:
                yield {**values, "count": count, "until": until}


def view_of(values):
    return explore.accelerators(view_module._names(values)[-1], every=True, **values)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("values", list(states()), ids=lambda values: "-".join(map(str, values.values())))
def test_every_state_shows_what_the_catalogue_says(values):
    view = view_of(values)
    precision, sparse = values["precision"], values["count"] == "with sparsity"
    wanted = set()
    for chip in specs.accelerators():
        has = precision in (chip.precisions_sparse if sparse else chip.precisions_dense)
        if has and chip.year <= values["until"] and not (values["across"] == "power" and chip.tdp_watts is None):
            wanted.add(chip.name)
    assert {row["chip"] for row in view.table} == wanted
    order = []
    for place, row in enumerate(view.table, start=1):
        assert row.pop("place") == place
        name, year, peak, bandwidth, ratio, watts, joule, doubts = row.values()
        chip = specs.accelerator(name)
        assert (chip.tdp_covers or "-") in doubts or not chip.tdp_covers
        exact = chip.peak_flops_sparse(precision) if sparse else chip.peak_flops_dense(precision)
        order.append(exact / (chip.tdp_watts if values["across"] == "power" else 1))
        assert (year, peak * 1e12) == (chip.year, pytest.approx(exact))
        assert bandwidth * 1e12 == pytest.approx(chip.memory_bandwidth)
        assert ratio == pytest.approx(roofline.ridge_point(exact, chip.memory_bandwidth))
        assert (watts, joule) == ("not printed",) * 2 or joule * 1e12 * watts == pytest.approx(exact)
    assert order == sorted(order, reverse=True)
    chosen = view.values["chip"]
    assert chosen in view.alt and chosen in view.sentence and view.current.picture.title in view.alt
    assert f"{len(wanted)} chips" in view.alt and str(values["until"]) in view.alt
    group = "peak_flops_sparse" if sparse else "peak_flops_dense"
    sources = [(group, precision), ("memory_bandwidth", None)]
    sources += [("tdp_watts", None)] * (specs.accelerator(chosen).tdp_watts is not None)
    low = any(key in specs.accelerator(chosen).low_confidence for key in sources)
    assert ("Low confidence" in view.sentence) == low
    marked = view.current.table.rows[view.current.table.marked]
    assert bool(marked[-1]) == (low or specs.accelerator(chosen).tdp_covers is not None)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("values", list(states()), ids=lambda values: "-".join(map(str, values.values())))
def test_every_chip_lies_inside_the_axes(values):
    chips = view_module._chips(values)
    across = view_module._axis(values["across"])
    up = view_module._up(values["precision"], "FLOP")
    for chip in chips:
        x = view_module._across(chip, values["across"])
        y = view_module._peak(chip, values["precision"], values["count"]) / 1e12
        assert across.low < x < across.high and up.low < y < up.high
    assert len(up.ticks) >= 2


def test_the_short_table_holds_the_first_and_the_neighbours():
    view = explore.accelerators("TPU v4")
    chips = [chip for chip in specs.accelerators() if "bf16" in chip.precisions_dense and chip.year <= 2025]
    chips.sort(key=lambda chip: chip.peak_flops_dense("bf16"), reverse=True)
    place = 1 + [chip.name for chip in chips].index("TPU v4")
    assert [row["place"] for row in view.table] == [*range(1, 7), *range(place - 2, place + 3)]
    assert view.current.table.rows[view.current.table.marked][0] == "TPU v4"
    whole = view.set(every=True).table
    assert [row["chip"] for row in whole] == [chip.name for chip in chips]


def test_power_axis_sentence_and_order_use_joules():
    view = explore.accelerators("MI350X", across="power")
    shown = len(view.set(every=True).table)
    assert view.table[0]["chip"] == "MI350X"
    assert f"None of the {shown} shown has more FLOP for each joule." in view.sentence
    assert "the MI350X leads with 2.31 TFLOP." in view.set(chip="L4").sentence


def test_a_tdp_that_feeds_a_cpu_too_is_said():
    view = explore.accelerators("GH200 96GB", across="power")
    assert "With 1,000 W, which feed GPU, CPU and memory, that is 0.99 TFLOP for each joule." in view.sentence
    assert next(row for row in view.table if row["chip"] == "GH200 96GB")["in doubt"] == "TDP of GPU, CPU and memory"


def test_what_is_only_announced_is_not_there_at_first():
    view = explore.accelerators(precision="fp4", every=True)
    assert "Rubin" not in [row["chip"] for row in view.table]
    later = view.set(until=2026)
    assert later.table[0]["chip"] == "Rubin" and "Rubin" in later.alt


MINE = specs.own(
    "My card", dense={"bf16": "400 TFLOP/s"}, memory="48 GB", memory_bandwidth="0.1 TB/s", power="350 W", year=2026
)


@pytest.mark.parametrize("across", ACROSS)
def test_a_chip_of_ones_own_stands_among_ours(across):
    view = explore.accelerators(MINE, across=across, until=2026)
    row = next(row for row in view.table if row["chip"] == "My card")
    assert row["peak (TFLOP/s)"] == 400 and row["ratio (FLOP/byte)"] == 4000 and row["TDP (W)"] == 350
    assert "My card (2026) has a peak of 400 TFLOP/s" in view.sentence and "yours" in view.current.picture.svg
    axis = view_module._axis(across, (MINE,))
    assert axis.low < view_module._across(MINE, across) < axis.high
    assert "My card" not in view.set(precision="fp8").sentence.replace("My card is not offered here", "")
    assert view.set(precision="bf16", chip="My card").values["chip"] == "My card"
    assert view.set(chip="L4").values["chip"] == "L4"


def test_what_a_chip_of_ones_own_lacks_leaves_it_out():
    bare = specs.own("Bare", dense={"fp16": 1e14}, memory=1e10, memory_bandwidth=1e12)
    view = explore.accelerators(bare, precision="fp16")
    assert "Bare has a peak of 100 TFLOP/s" in view.sentence and "It has no TDP here." in view.sentence
    for across in ("power", "year"):
        with pytest.raises(
            ValueError, match=f"Bare is not offered here: it has no {'TDP' if across == 'power' else 'year'}"
        ):
            explore.accelerators(bare, precision="fp16", across=across)
    moved = view.set(across="year")
    assert moved.note == "Follow: Bare is not offered here (it has no year), showing H100 SXM."
    with pytest.raises(specs.UnknownAccelerator):
        explore.accelerators("Bare")
    assert explore.accelerators(specs.accelerator("MI300X")).values["chip"] == "MI300X"


def test_a_narrower_precision_moves_a_chip_up_and_not_sideways():
    wide, narrow = explore.accelerators(), explore.accelerators(precision="fp8")
    row = {
        name: next(r for r in view.table if r["chip"] == "H100 SXM")
        for name, view in (("wide", wide), ("narrow", narrow))
    }
    assert row["narrow"]["memory (TB/s)"] == row["wide"]["memory (TB/s)"] == 3.35
    assert row["narrow"]["peak (TFLOP/s)"] == pytest.approx(2 * row["wide"]["peak (TFLOP/s)"], rel=1e-3)


def test_missing_chip_is_replaced_with_a_note():
    view = explore.accelerators("TPU v4")
    assert "not offered here" in view.set(count="with sparsity").sentence
    assert view.values["chip"] == "H100 SXM"
    assert view.reset().values["chip"] == "TPU v4"


@pytest.mark.parametrize("values, message", [({"precision": "fp12"}, "precision must be one of 'bf16'"), ({"across": "price"}, "across must be"),
                                             ({"untli": 2020}, "did you mean 'until'"), ({"until": 2016}, "until must be one of 2017"),
                                             ({"precision": "fp64", "count": "with sparsity"}, "count must be one of 'dense'")])  # fmt: skip
def test_bad_values_name_the_choices(values, message):
    with pytest.raises(ValueError, match=message):
        explore.accelerators(**values)
    with pytest.raises(specs.UnknownAccelerator):
        explore.accelerators("H1000")


@pytest.mark.parametrize("given, values, message", [
    ("V100 SXM2", {}, "it has no dense peak in bf16, but in fp16, int8, fp32, fp64"),
    ("Grace", {}, "it has no dense peak in bf16, but in fp32, fp64"),
    ("TPU v4", {"count": "with sparsity"}, "it has no peak with sparsity in bf16"),
    ("TPU v4", {"across": "power"}, "its maker prints no TDP"),
    ("Rubin", {}, "it is of 2026, later than 2025"),
])  # fmt: skip
def test_a_chip_that_is_not_there_says_why(given, values, message):
    with pytest.raises(ValueError, match=f"^chip {given} is not offered here: {message}$"):
        explore.accelerators(given, **values)


def test_a_doubt_says_why():
    words = explore.accelerators("Rubin", until=2026).sentence
    assert "Low confidence in its bf16 peak, memory bandwidth and TDP: it is only announced." in words
    words = explore.accelerators("B300", precision="fp4", across="power").sentence
    assert "Low confidence in its fp4 peak and TDP: sources disagree, or assume something." in words


def marks(view):
    """Where the marks of the chips are, px, without the legend's."""
    svg = view.current.picture.layers[1]
    circles = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)]
    corners = [re.findall(r"([\d.]+),([\d.]+)", points) for points in re.findall(r'<polygon points="([^"]+)"', svg)]
    middles = [
        tuple((min(map(float, axis)) + max(map(float, axis))) / 2 for axis in zip(*one, strict=True)) for one in corners
    ]
    return [(x, y) for x, y in circles + middles if y > 80]


@pytest.mark.parametrize("precision", ["bf16", "fp8", "fp64"])
def test_no_mark_hides_another_of_its_year(precision):
    view = explore.accelerators(precision=precision, across="year", every=True)
    found = marks(view)
    assert len(found) == len(view.table)
    assert all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) > 5 for a, b in itertools.combinations(found, 2))


def test_a_disputed_figure_is_drawn_hollow():
    svg = explore.accelerators("B300", precision="fp4").current.picture.svg
    assert "hollow: in doubt" in svg and f'fill="{style.PAPER}" stroke="{style.HAND}"' in svg


def test_the_still_says_the_same_without_a_kernel():
    still = explore.accelerators("MI300X").still()
    assert '<img alt="MI300X: 247 FLOP for each byte' in still and "<script" not in still and "1,307" in still


def test_pictures_of_nothing_or_of_too_many_groups_are_refused():
    axis = draw.Axis("x", 1, 10, (1, 10))
    with pytest.raises(ValueError, match="at least one point"):
        draw.scatter([], 0, across=axis, up=axis, groups=("a",))
    with pytest.raises(ValueError, match="tells 7 groups apart, got 8"):
        draw.scatter([draw.Point("p", "a", 2, 2)], 0, across=axis, up=axis, groups="abcdefgh")


def test_an_axis_maps_its_ends_to_the_ends():
    for log in (True, False):
        axis = draw.Axis("x", 1, 100, (1, 10, 100), log)
        assert axis.along(1, 50, 250) == 50 and axis.along(100, 50, 250) == pytest.approx(250)
    assert draw.Axis("x", 1, 100, ()).along(10, 0, 200) == pytest.approx(100)


def test_the_axis_holds_still_while_the_precision_narrows():
    """A chip that goes up by its numbers goes up on the screen."""
    heights = []
    for precision in ("bf16", "fp8"):
        up = view_module._up(precision, "FLOP")
        heights.append(up.along(specs.accelerator("H100 SXM").peak_flops_dense(precision) / 1e12, 0, 300))
    assert heights[1] - heights[0] > 20
    assert len({view_module._up(p, "FLOP") for p in view_module.PRECISIONS if p not in view_module.WIDE}) == 1
    assert len({view_module._up(p, "FLOP") for p in view_module.WIDE}) == 1


def test_the_truths_are_those_of_the_data_sheets():
    truths = {one.id: one.truth() for one in predict.QUESTIONS if one.id.startswith("accelerators.")}
    assert truths == {
        "accelerators.headline": pytest.approx(2500 / 989.4, rel=1e-9),
        "accelerators.tensorcores": pytest.approx(132 * 2048 / 65536),
        "accelerators.bandwidth_growth": pytest.approx(8 / 0.9, rel=1e-9),
        # The printed peak over twice the clock behind it says the same.
        "accelerators.macs_per_cycle": pytest.approx(989.4e12 / (2 * 1830e6), rel=1e-4),
        # The numbers of the question itself.
        "accelerators.processor": pytest.approx(989.4 / (56 * 512 * 2 * 2.0e-3), rel=1e-3),
    }
    for one in predict.QUESTIONS:
        assert len(one.explain(one.truth())) < 320
    assert (125 * 18) == 2250  # "grew 18 times", in the second question


@pytest.mark.parametrize("across", ["memory bandwidth", "power"])
@pytest.mark.parametrize("precision", ["bf16", "fp64"])
def test_no_mark_lies_on_the_name_of_a_line(precision, across):
    chips = view_module._names({"precision": precision, "across": across, "count": "dense", "until": 2025})
    for chip in (*chips[::5], "Xeon Platinum 8480+"):
        view = explore.accelerators(chip, precision=precision, across=across)
        names = [text for text in geometry.texts(view.current.picture.svg) if re.match(r"[\d.,]+ T?FLOP/", text.words)]
        assert names
        for text in names:
            assert not Path(text.corners).contains_points(marks(view)).any(), text.words
