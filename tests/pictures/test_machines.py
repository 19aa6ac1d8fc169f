"""Drawings of machines: every part is there once, areas are to scale, and every label can be read."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from chip2cluster import draw, specs, topology
from chip2cluster.draw import palette, style
from chip2cluster.draw.machines import compute_tray, course_map, die, floor_plan, leaf_spine, nvswitch, pod, rack
from chip2cluster.draw.machines.parts import machines, source
from tests.pictures import geometry

WIDTHS = [style.WIDTH, style.NARROW]
LIT = {
    "compute_tray": compute_tray.PARTS,
    "die": die.PARTS,
    "dies": ("H100", "WSE-3"),
    "floor_plan": tuple(floor_plan.KINDS),
    "leaf_spine": leaf_spine.PARTS,
    "nvswitch": nvswitch.MODES,
    "pod": pod.PARTS,
    "rack": rack.PARTS,
}
STATES = [(name, part) for name, parts in LIT.items() for part in (None, *parts) if (name, part) != ("nvswitch", None)]


def rectangles(picture):
    """Width, height, fill and dashes of each rectangle of a picture."""
    found = ElementTree.fromstring(picture.svg).iter(f"{geometry.SVG}rect")
    return [(float(one.get("width")), float(one.get("height")), one.get("fill"), "stroke-dasharray" in one.attrib) for one in found]  # fmt: skip


@pytest.mark.parametrize("name, part", STATES)
def test_labels_of_a_machine_can_be_read_in_both_widths(name, part):
    picture = getattr(draw, name)(lit=part)
    assert picture.title.strip() and len(picture.description) > len(picture.title) + 80
    assert picture.narrow.title == picture.title and picture.narrow.description == picture.description
    for form in (picture, picture.narrow):
        lines = geometry.texts(form.svg)
        assert not geometry.problems(lines, form.width, form.height, style.SMALLEST[form.width] / form.width)
        assert geometry.colours(form.svg) <= palette.DARK.keys()
        assert " id=" not in form.svg, "two drawings on a page would share it"


@pytest.mark.parametrize("name, part", STATES)
def test_lit_parts_stand_out_and_others_stay(name, part):
    plain = getattr(draw, name)(lit="forward" if name == "nvswitch" else None)
    picture = getattr(draw, name)(lit=part)
    assert (picture.svg != plain.svg) == (part not in (None, "forward"))
    assert abs(picture.height - plain.height) <= 40


@pytest.mark.parametrize("name", LIT)
def test_unknown_part_is_refused_with_the_choices(name):
    with pytest.raises(ValueError, match=f"lit must be one of '{LIT[name][0]}'|lit must be one of 'TPU v1'"):
        getattr(draw, name)(lit="turbo")


@pytest.mark.parametrize("width", WIDTHS)
def test_die_has_every_multiprocessor_and_memory_site_once(width):
    """Whitepaper: 144 SMs on the die, 132 in an H100 SXM; six sites for memory, five stacks of 16 GB."""
    picture = draw.die("sm", width=width)
    units = [one for one in rectangles(picture) if one[2] == palette.BLUE]
    assert len(units) == specs.accelerator("H100 SXM").compute_units == 132
    off = [one for one in rectangles(picture) if one[3]]
    assert len(off) == 144 - 132 + 1
    words = [line.words for line in geometry.texts(picture.svg)]
    assert words.count("HBM") == words.count("16 GB") == 5 and words.count("empty") == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_dies_have_the_areas_that_their_makers_state(width):
    stated = {"P100": 610, "V100": 815, "A100": 826, "H100": 814, "WSE-3": 46225}
    drawn = {}
    for name in stated:
        ((across, along, *_),) = [one for one in rectangles(draw.dies(name, width=width)) if one[2] == palette.BLUE][:1]
        drawn[name] = across * along
    for name, area in stated.items():
        assert drawn[name] / drawn["WSE-3"] == pytest.approx(area / stated["WSE-3"], rel=0.01), name
    (field,) = [one for one in rectangles(draw.dies(width=width)) if one[3]]
    assert field[0] * field[1] / drawn["H100"] == pytest.approx(26 * 33 / 814, rel=0.01)


@pytest.mark.parametrize("width", WIDTHS)
def test_floor_plan_fills_the_die_with_the_printed_shares(width):
    """Jouppi et al. (2017), figure 2: buffers 37 %, compute 30 %, input and output 10 %, control 2 %."""
    found = floor_plan.areas(width)
    die_area = floor_plan.SIDE[width] ** 2
    share = {name: 100 * wide * tall / die_area for name, (_, _, wide, tall) in found.items()}
    assert sum(share.values()) == pytest.approx(100)
    assert share["unified buffer"] + share["other buffers"] == pytest.approx(37)
    assert share["matrix unit"] + share["activation"] == pytest.approx(30)
    assert (share["input and output"], share["control"]) == pytest.approx((10, 2))
    corners = [(left, top, left + wide, top + tall) for left, top, wide, tall in found.values()]
    for number, (left, top, right, bottom) in enumerate(corners):
        for x, y, end_x, end_y in corners[:number]:
            assert right <= x + 1e-6 or end_x <= left + 1e-6 or bottom <= y + 1e-6 or end_y <= top + 1e-6


def test_a_diagonal_of_the_array_works_on_one_vector():
    words = [line.words for line in geometry.texts(draw.floor_plan().svg)]
    assert [words.count(str(vector)) for vector in (1, 2, 3)] == [8, 7, 6]


@pytest.mark.parametrize("width", WIDTHS)
def test_rack_has_its_trays_in_equal_units(width):
    """User guide: 18 compute trays and 9 switch trays of one unit; 72 GPUs in 18 trays of four, 18 switches."""
    assert [rack.units().count(kind) for kind in rack.PARTS] == [18, 9, 8]
    heights = [
        one[1] for part in rack.PARTS for one in rectangles(draw.rack(part, width=width)) if one[2] == palette.BLUE
    ]
    assert len(heights) == 35 and set(heights) == {heights[0]}
    assert "so there are 72 GPUs" in draw.rack().description
    assert topology.nvswitch_node("GB200 NVL72").graph.number_of_nodes() - 72 == 18


@pytest.mark.parametrize("width", WIDTHS)
def test_pod_draws_every_chip_and_every_link(width):
    picture = draw.pod("cut", width=width)
    chips = [one for one in rectangles(picture) if one[2] in palette.BLUES]
    assert len(chips) == 256 and {one[2] for one in chips} == {palette.BLUES[1], palette.BLUES[2]}
    lines = [one.get("stroke") for one in ElementTree.fromstring(picture.svg).iter(f"{geometry.SVG}polyline")]
    # Between chips a link is one line, at the rim two stubs; the cut has a line of its own.
    assert len(lines) - 1 == 2 * 16 * 17 == 512 + 32
    assert lines.count(palette.BROKEN) - 1 - 16 == topology.bisection(topology.torus((16, 16))).links == 32


def test_switch_has_the_links_that_the_node_has():
    """DGX H100: a GPU has 18 links to four switches, at most five to one."""
    assert "5 links to it, so 40 of its 64 ports" in draw.nvswitch().description
    ports = [one for one in rectangles(draw.nvswitch()) if one[:2] == (14, 6)]
    assert len(ports) == 40


@pytest.mark.parametrize("spines, says", [(1, "8:1"), (2, "4:1"), (4, "2:1"), (8, "1:1")])
def test_uplinks_and_ratio_of_leaf_and_spine_agree(spines, says):
    picture = draw.leaf_spine(spines, 4, 8)
    assert says in picture.title and f"{4 * spines} uplinks for 32 nodes" in picture.description
    lines = [*ElementTree.fromstring(picture.svg).iter(f"{geometry.SVG}polyline")]
    assert len(lines) == 4 * spines


def test_leaf_and_spine_of_every_size_can_be_read():
    for spines in range(1, 9):
        for racks in range(2, 7):
            for form in (picture := draw.leaf_spine(spines, racks, 8), picture.narrow):
                lines = geometry.texts(form.svg)
                assert not geometry.problems(lines, form.width, form.height, style.SMALLEST[form.width] / form.width)
    with pytest.raises(ValueError, match="spines"):
        draw.leaf_spine(9)


@pytest.mark.parametrize("name", LIT)
def test_machine_is_drawn_as_png_too(name):
    assert getattr(draw, name)().png(1).startswith(b"\x89PNG")


def test_every_stored_part_has_a_source():
    for chip in machines()["dies"]:
        assert source(chip["source"]).citation and source(chip["source"]).confidence in ("confirmed", "memory")


# Twenty chapters, more than there are now: long names, none solved, some solved, all solved.
DOORS = [
    draw.Door(number + 1, name, place, done)
    for number, (name, place, done) in enumerate(
        [("The machine", "all", 1.0)]
        + [(f"{stage} chapter with a name of two lines", stage, 0.05) for stage in course_map.STAGES for _ in range(4)]
        + [("Memory and parallelism", "rack", 0.5), ("Money, energy, carbon", "cluster", 0.0), ("Design", "all", 0.0)]
    )
]


@pytest.mark.parametrize("doors", [DOORS, DOORS[1:5], DOORS[:1], [*DOORS[:4], DOORS[-1]]])
def test_map_of_any_chapters_can_be_read_and_has_a_box_for_each(doors):
    picture = draw.course_map(doors)
    assert all(door.name in picture.description for door in doors)
    for form in (picture, picture.narrow):
        lines = geometry.texts(form.svg)
        assert not geometry.problems(lines, form.width, form.height, style.SMALLEST[form.width] / form.width)
        assert geometry.colours(form.svg) <= palette.DARK.keys()
        boxes, _, height = course_map.places(doors, form.width)
        drawn = [(wide, tall) for wide, tall, *_ in rectangles(form)]
        assert len(boxes) == len(doors)
        for (x, y, wide, tall), door in zip(boxes, doors, strict=True):
            assert (wide, tall) in drawn
            above = form.height - height - 4
            (number,) = [line for line in lines if line.words == str(door.number)]
            left, top = number.corners.min(axis=0)
            assert x <= left <= x + wide and above + y <= top <= above + y + tall


def test_map_draws_what_is_solved_as_a_length():
    wide = [one[0] for one in rectangles(draw.course_map(DOORS)) if one[1] == 5 and one[2] == palette.BLUE]
    assert max(wide) == pytest.approx(600 - 16 - 2)
    assert "1: 100 %, 2: 5 %" in draw.course_map(DOORS).description


@pytest.mark.parametrize("doors", [[], [draw.Door(1, "x", "hall")], [draw.Door(1, "x", "chip", 1.5)]])
def test_impossible_map_is_refused(doors):
    with pytest.raises(ValueError, match=r"the map needs a chapter|place must be|done must be"):
        draw.course_map(doors)


@pytest.mark.parametrize("narrow", [False, True])
def test_outlines_of_parts_are_those_that_are_drawn(narrow):
    chips = [one["name"] for one in machines()["dies"]]
    for picture, counts in (
        (draw.die(), {"die sm": 132, "die l2": 1, "die hbm": 5, "die nvlink": 18, "die pcie": 1}),
        (draw.dies(), {f"dies {name}": 1 + (name == "WSE-3") for name in chips}),  # a plate with its name lies on it
    ):
        shown = picture.narrow if narrow else picture
        assert {name: path.count("M") for name, path in shown.parts.items()} == counts
        drawn = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', shown.svg)
        faces = {tuple(round(float(edge)) for edge in rect) for rect in drawn}
        for path in shown.parts.values():
            for place in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z", path):
                near = [face for face in faces if max(abs(a - int(b)) for a, b in zip(face, place, strict=True)) <= 1]
                assert near, place


@pytest.mark.parametrize("width", WIDTHS)
def test_border_of_a_node_runs_through_none_of_its_labels(width):
    picture = draw.node_diagram("DGX H100", width=width)
    lines = [one.get("points") for one in ElementTree.fromstring(picture.svg).iter(f"{geometry.SVG}polyline")]
    ends = [[tuple(map(float, point.split(","))) for point in line.split()] for line in lines]
    dashes = [line for line in ends if len(line) == 2 and sum(map(abs, np.subtract(*line))) == pytest.approx(5)]
    assert len(dashes) > 8
    for text in geometry.texts(picture.svg):
        (left, top), (right, bottom) = text.corners.min(axis=0), text.corners.max(axis=0)
        struck = [dash for dash in dashes if any(left < x < right and top < y < bottom for x, y in dash)]
        assert not struck, text.words
