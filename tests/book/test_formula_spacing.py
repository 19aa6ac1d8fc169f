"""A formula that is cut where a line may end keeps the space around the sign at the cut, in the book and in slides."""

import re
from pathlib import Path

import nbformat
import pytest

from chip2cluster.explore import script
from course.publish.book import mathfont, mathml, sources
from tests.book.test_type_scale import PAGES

DISPLAYED = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
# The space on either side of the first sign of each piece but the first, in em of the formula.
SPACES = """() => [...document.querySelectorAll(".formula math")].flatMap((math) => {
    const row = [...math.querySelector("mrow").children].filter((node) => node.tagName !== "mspace");
    const before = math.previousElementSibling;
    if (row[0].tagName !== "mo" || !before || row.length < 2 || math.closest(".apart")) return [];
    const em = parseFloat(getComputedStyle(math).fontSize), sign = row[0].getBoundingClientRect();
    const shown = (node) => node.getBoundingClientRect(), same = Math.abs(shown(before).bottom - shown(math).bottom) < 40;
    const after = (shown(row[1]).left - sign.right) / em, ahead = same ? (sign.left - shown(before).right) / em : after;
    return [{ formula: math.getAttribute("alttext"), ahead, after }];
})"""


def displayed():
    """Return every displayed formula of the course."""
    for path in sorted(sources.COURSE.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                yield from DISPLAYED.findall(cell.source)


@pytest.mark.parametrize("name", PAGES)
def test_sign_at_a_cut_keeps_its_space(name, page, tmp_path):
    body, sheets = PAGES[name]
    formulas = "".join(map(mathml.block, displayed()))
    script.write_style(tmp_path)
    mathfont.write(mathfont.characters(formulas), tmp_path / "fonts")
    for sheet in sheets:
        (tmp_path / sheet.name).write_text(sheet.read_text(encoding="utf-8"), encoding="utf-8")
    links = "".join(f'<link rel="stylesheet" href="{sheet.name}">' for sheet in (Path("explorer.css"), *sheets))
    html = f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>x</title>{links}{body.format(formulas)}'
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("document.fonts.ready")
    found = page.evaluate(SPACES)
    assert len(found) > 30
    assert not [one for one in found if not (0.2 <= one["after"] <= 0.45 and 0.2 <= one["ahead"] <= 0.45)]


def test_sign_within_a_piece_keeps_the_space_of_the_browser():
    assert "mspace" not in mathml.mathml("a = b", display=True)
    assert mathml.mathml(r"= \text{b}", display=True).count('<mspace width="0.278em" />') == 2
