"""Every picture can be read, and is the same on every system, whatever fonts it has."""

import re
from base64 import b64decode
from itertools import takewhile
from xml.etree import ElementTree

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.font_manager import FontProperties, findfont

from chip2cluster import collectives, draw, systolic, topology
from chip2cluster.draw import style, typeface, typesetting
from tests.pictures import geometry, states

EXPLORERS = states.explorers()
EVERY = pytest.mark.parametrize("name", EXPLORERS)


@EVERY
def test_texts_are_large_enough_inside_and_apart(name, hidden):
    reports = hidden[name]["states"]
    assert reports
    assert not {state: report["problems"] for state, report in reports.items() if report["problems"]}


def boxes(reports):
    return {state: report["boxes"] for state, report in reports["states"].items()}


@EVERY
def test_texts_lie_where_they_lie_on_a_system_with_wide_fonts(name, hidden, wide):
    assert boxes(wide[name]) and boxes(wide[name]).items() <= boxes(hidden[name]).items()


@pytest.mark.prove
@EVERY
def test_text_positions_do_not_depend_on_system_fonts(name, hidden, all_wide):
    assert boxes(all_wide[name]) == boxes(hidden[name])


@EVERY
@pytest.mark.parametrize("system", ["hidden", "wide"])
def test_matplotlib_draws_as_wide_as_was_measured(name, system, request):
    for words, size, weight, width in request.getfixturevalue(system)[name]["figure"]:
        measured = typesetting.text_size(words, size, weight)[0]
        # It gives the ink of a line, which begins and ends a little within its letters' places.
        assert -0.16 * size <= width - measured <= 0.06 * size, words


def test_matplotlib_takes_the_file_of_the_package():
    with style.applied():
        for weight in ("normal", "bold"):
            assert findfont(FontProperties(weight=weight)).startswith(str(typeface.FOLDER))


def test_pages_and_matplotlib_get_the_same_letters():
    for file in typeface.FOLDER.glob("*.ttf"):
        with TTFont(file) as drawn, TTFont(file.with_suffix(".woff2")) as shown:
            assert drawn.getBestCmap() == shown.getBestCmap()
            for name in drawn.getGlyphOrder():
                assert drawn["hmtx"][name] == shown["hmtx"][name]
                assert drawn["glyf"][name] == shown["glyf"][name]
            # Nothing that moves letters: a line is as wide as they are.
            assert not {"GPOS", "GSUB", "kern", "fpgm", "prep"} & {*drawn.keys(), *shown.keys()}
            assert "Open Font License" in drawn["name"].getDebugName(13)
            assert drawn["name"].getDebugName(1) == typeface.FAMILY


def test_words_are_measured_as_the_files_of_the_faces_say():
    for weight, name in (("normal", "Regular"), ("bold", "Bold")):
        with TTFont(typeface.FOLDER / f"Chip2ClusterSans-{name}.ttf") as font:
            em, letters = font["head"].unitsPerEm, font.getBestCmap()
            wide = {chr(code): font["hmtx"][glyph][0] / em for code, glyph in letters.items()}
        assert len(wide) > 200
        assert {letter: typeface.advance(letter, weight) for letter in wide} == pytest.approx(wide, abs=1e-4)
        assert typeface.advance("\N{SNOWMAN}", weight) == 1.0


def test_standalone_pictures_embed_the_typeface():
    picture = draw.roofline([draw.Roof("A", 1e12, 1e12)], [draw.Operation("x", 2.0, moved=True)])
    alone = [
        b64decode(picture.data_uri.partition("base64,")[2]).decode(),
        draw.ring(collectives.RingAllReduce(np.ones((3, 3)))),
        draw.systolic(systolic.WeightStationary([[1]], [[1]], 1, 1)),
        draw.topology(topology.ring(4)),
    ]
    for document in alone:
        root = ElementTree.fromstring(document)
        assert [child.tag for child in root][:2] == [f"{geometry.SVG}title", f"{geometry.SVG}desc"]
        assert document.count("@font-face") == 2
    assert not any("@font-face" in document for document in (picture.svg, *picture.layers))


def test_widths_are_those_that_the_face_gives():
    """Arimo is as wide as Arial, whose digits are 1139 of 2048 units wide and whose M is 1706."""
    assert typesetting.text_size("0123456789", 20.48)[0] == pytest.approx(10 * 11.39)
    assert typesetting.text_size("M", 20.48, "bold")[0] == pytest.approx(17.06)
    assert typesetting.text_size("世", 13)[0] == 13, "a letter that the face lacks is taken to be wide"


@EVERY
def test_narrow_picture_begins_below_its_subtitle(name):
    """What a heading does not need of its room is left above it: on a phone no more than a line is empty below it."""
    drawn = EXPLORERS[name]().current.picture.narrow
    lines = sorted(geometry.texts(drawn.svg), key=lambda text: text.corners[:, 1].min())
    head = [*takewhile(lambda text: abs(text.corners[:, 0].min() - 8) < 1 and text.corners[:, 1].max() < 92, lines)]
    end = max(text.corners[:, 1].max() for text in head)
    places = [text.corners[:, 1].min() for text in lines[len(head) :]]
    places += [float(y) for y in re.findall(r'<(?:rect|circle)[^>]* c?y="([\d.]+)"', drawn.svg)]
    places += [
        float(y) for points in re.findall(r'points="([^"]+)"', drawn.svg) for y in re.findall(r",([\d.]+)", points)
    ]
    assert min(y for y in places if y > end) - end <= 48


PAIR = '<svg xmlns="http://www.w3.org/2000/svg"><text x="10" y="{}" font-size="{}">ridge</text>{}</svg>'


@pytest.mark.parametrize("svg, problem", [
    (PAIR.format(20, 13, ""), None),
    (PAIR.format(20, 10, ""), "10.0 px high"),
    (PAIR.format(20, 13, '<text x="60" y="60" font-size="13">世</text>'), "another face"),
    (PAIR.format(8, 13, ""), "cut off"),
    (PAIR.format(20, 13, '<text x="60" y="60" font-size="13">-5 ms</text>'), "hyphen for a minus"),
    (PAIR.format(98, 13, ""), "cut off"),
    (PAIR.format(20, 13, '<text x="30" y="26" font-size="13">TB/s</text>'), "overlap"),
    (PAIR.format(20, 13, '<text x="50" y="20" font-size="13">TB/s</text>'), None),
    (PAIR.format(40, 13, '<text style="font-size: 13px" x="24" y="52" transform="rotate(-45 24 52)">TB/s</text>'), "overlap"),
    (PAIR.format(40, 13, '<text style="font-size: 13px" x="9" y="95" transform="rotate(-45 9 95)">compute-bound</text>'), None),
    ('<svg xmlns="http://www.w3.org/2000/svg"/>', "no text"),
])  # fmt: skip
def test_the_check_finds_what_is_wrong(svg, problem):
    problems = geometry.problems(geometry.texts(svg), 100, 100)
    assert [problem in words for words in problems] == [True] if problem else not problems
