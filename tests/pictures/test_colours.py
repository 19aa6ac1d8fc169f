"""Every colour of a picture has a dark twin, and both can be read and told apart by every eye."""

import ast
import re
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from chip2cluster import draw
from chip2cluster.draw import palette
from tests.pictures import states

LIGHTNESS = re.compile(r"\b(?:dark|darker|darkest|pale|paler|black|white|lighter)\b", re.IGNORECASE)
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef
PICTURES = Path(__file__).resolve().parents[2] / "course/chip2cluster/draw/pictures"
# How a colour looks to who lacks one kind of cone, in linear RGB (Machado, Oliveira and Fernandes, 2009, severity 1).
EYES = {
    "usual": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
# Linear RGB to Oklab (Ottosson, 2020), in which equal distances look equal.
CONES = [[0.4122215, 0.5363325, 0.051446], [0.2119035, 0.6806995, 0.107397], [0.0883025, 0.2817188, 0.6299787]]
LAB = [[0.2104543, 0.7936178, -0.0040720], [1.9779985, -2.4285922, 0.4505937], [0.0259040, 0.7827718, -0.8086758]]


def linear(colour):
    parts = np.array(list(bytes.fromhex(colour[1:]))) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """As WCAG 2.2 defines it."""
    dark, light = sorted(linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def nearest(colours):
    """The least distance of two of them for any eye, in hundredths."""
    seen = [[LAB @ np.cbrt(CONES @ np.clip(eye @ linear(one), 0, 1)) for one in colours] for eye in EYES.values()]
    return min(100 * np.linalg.norm(one - other) for eye in seen for one, other in combinations(eye, 2))


def twin(colour):
    return palette.DARK[colour]


@pytest.mark.parametrize("look", [str, twin])
def test_letters_can_be_read_on_their_ground(look):
    for letters in (palette.INK, palette.MUTED, palette.HAND):
        assert contrast(look(letters), look(palette.PAPER)) >= 4.5, letters
    for ground in (palette.SHADE, palette.TINT):
        assert contrast(look(palette.INK), look(ground)) >= 4.5, ground
    for ground in (*palette.BLUES, palette.ORANGE):
        assert contrast(look(palette.ON), look(ground)) >= 4.5, ground


@pytest.mark.parametrize("look", [str, twin])
def test_marks_or_their_edges_stand_out_from_the_paper(look):
    for mark in (*palette.PALETTE, palette.SHADE, *palette.BLUES, palette.FAINT, *palette.KINDS):
        assert contrast(look(palette.EDGES.get(mark, mark)), look(palette.PAPER)) >= 3, mark


@pytest.mark.parametrize("look", [str, twin])
def test_hues_are_as_far_apart_as_those_of_petroff6(look):
    petroff = "#5790fc", "#f89c20", "#e42536", "#964a8b", "#9c9ca1", "#7a21dd"  # Petroff, 2021; in matplotlib 3.10
    assert nearest([look(hue) for hue in palette.PALETTE]) >= nearest(petroff) > 11


@pytest.mark.parametrize("look", [str, twin])
def test_shades_of_kinds_are_of_no_hue_and_differ_in_lightness(look):
    papers = [contrast(look(shade), look(palette.PAPER)) for shade in palette.KINDS]
    assert all(one / next_one >= 1.7 for one, next_one in pairwise(papers))
    for shade in palette.KINDS:
        _, green_red, blue_yellow = LAB @ np.cbrt(CONES @ linear(look(shade)))
        assert np.hypot(green_red, blue_yellow) < 0.025


def test_a_color_has_one_meaning_and_the_hand_is_red_alone():
    assert len(palette.MEANINGS) == 7 and palette.MEANINGS[palette.RED].startswith("what you move")
    pictures = {path.stem: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.py")}
    assert not [name for name, source in pictures.items() if re.search(r"\bRED\b", source)]
    moved = {name for name, source in pictures.items() if re.search(r"\bHAND\b", source)}
    assert len(moved) > 20 and {"memory_bars", "cache_bars", "topology", "fabric", "fit_residuals", "ring"}.isdisjoint(
        moved
    )


RAW = re.compile(r"\b(ORANGE|PLUM|VIOLET|PALETTE)\b")


def test_hues_without_a_meaning_are_named_with_a_reason():
    """A picture has hues by their meanings, or stands in the list of those that tell things apart by hue, too."""
    drawn = (path for path in PICTURES.parent.rglob("*.py") if path.name not in ("palette.py", "style.py"))
    used = {path.stem for path in drawn if RAW.search(path.read_text(encoding="utf-8"))}
    page = (PICTURES.parents[2] / "teaching/ACCESSIBILITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|$", page.split("## Known to fall short")[1], re.MULTILINE)
    assert {name for name, _ in rows} == used and all(len(reason) > 20 for _, reason in rows)


def test_pale_faces_have_an_edge(hidden):
    """A pale fill without a stroke is a mark that few see: no laid-out picture of an explorer has one."""
    bare = {
        (name, face) for name, report in hidden.items() for state in report["states"].values() for face in state["bare"]
    }
    assert bare == set()


@pytest.mark.parametrize("name", states.explorers())
def test_a_picture_has_no_colour_of_its_own(name, hidden):
    used = {colour for report in hidden[name]["states"].values() for colour in report["colours"]}
    assert palette.INK in used and used <= palette.DARK.keys()


def test_pictures_with_axes_of_matplotlib_are_named():
    """A picture of shapes needs no matplotlib until it becomes a PNG; the guide says which have more, and why."""
    drawn = {path.stem for path in PICTURES.glob("*.py") if "inner_svg(" in path.read_text(encoding="utf-8")}
    guide = (PICTURES.parents[3] / "docs/maintainers/pictures.md").read_text(encoding="utf-8")
    line = next(line for line in guide.splitlines() if "axes of matplotlib" in line)
    assert drawn == set(re.findall(r"`(\w+)`", line))


def test_no_text_of_a_picture_names_a_lightness():
    package = Path(draw.__file__).parents[1]
    files = [*package.glob("draw/pictures/*.py"), *package.glob("draw/machines/*.py"), *package.glob("chapters/*/explorers/*.py")]  # fmt: skip
    assert len(files) > 60
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)}
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        for text in set(texts) - docstrings:
            assert not LIGHTNESS.search(text), f"{file.name}: {text}"
