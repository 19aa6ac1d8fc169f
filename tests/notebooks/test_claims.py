"""Every number in prose is proved, and the prover itself can fail."""

import json
from pathlib import Path

import pytest

from tests.notebooks.claims import QUANTITY, problems, uncovered
from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("course/*.ipynb"), *ROOT.glob("solutions/*/*.ipynb")])


def cell(text, claims=None):
    return {"cell_type": "markdown", "source": [text], "metadata": {"claims": claims} if claims else {}}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_quantity_is_a_proved_claim(page):
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    # The numbers of a second question, if there is one, are computed by the module that writes it.
    texts = [cell for cell in cells if cell["cell_type"] == "markdown" and not cell["id"].startswith("second-")]
    wrong = {cell["id"]: problems(cell) for cell in texts}
    assert {name: lines for name, lines in wrong.items() if lines} == {}


@every_row(
    "text",
    [
        "It takes 16 GB.",
        "312 TFLOP/s",
        "at 0.6 % of it",
        "1,979 TFLOP/s",
        "3.17 times",
        "40 tokens a second",
        "2 GiB of it",
        "at 32 GT/s",
    ],
)
def test_a_bare_quantity_is_found(text):
    assert uncovered(cell(text))


@every_row("text", ["chapter 3", "`4 bytes`", "$2 FLOP$", "35 minutes", "3 points", "an H100", "8192 by 8192"])
def test_plain_numbers_are_left_alone(text):
    assert not uncovered(cell(text))


def test_a_wrong_claim_is_caught():
    right = {"295 FLOP/byte": "roofline.ridge_point(989.4e12, 3.35e12)"}
    assert problems(cell("The ridge is 295 FLOP/byte.", right)) == []
    wrong = {"296 FLOP/byte": "roofline.ridge_point(989.4e12, 3.35e12)"}
    assert "gives 295.343" in problems(cell("The ridge is 296 FLOP/byte.", wrong))[0]
    assert "does not say" in problems(cell("nothing", right))[0]
    assert "citation" in problems(cell("271 TFLOP/s", {"271 TFLOP/s": {}}))[0]


def test_units_scale_as_printed():
    assert problems(cell("3.35 TB/s", {"3.35 TB/s": "3.35e12"})) == []
    assert problems(cell("74 %", {"74 %": "0.7444"})) == []
    assert QUANTITY.search("87 %").group(2) == "%"
