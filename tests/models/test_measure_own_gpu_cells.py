"""Cells that read the file of `chip2cluster measure gpu`: in chapter 15, lab 15 and the page of measurements."""

import contextlib
import io
import json
import shutil
import textwrap
from pathlib import Path

import pytest

from chip2cluster import draw, measure

ROOT = Path(__file__).parents[2]
OURS = Path(__file__).parent / "data" / "gpu" / "my_gpu_h200.json"
CELLS = {
    "course/15_measure.ipynb": "own-gpu-run",
    "labs/15_measure/lab_15_measure.ipynb": "own-gpu-run",
    "course/reality.ipynb": "own-gpu-picture",
}


@pytest.fixture(params=CELLS, ids=["chapter", "lab", "reality"])
def shown(request, tmp_path, monkeypatch):
    """Run the cell beside a file, and return what it prints with its picture."""
    cells = json.loads((ROOT / request.param).read_text(encoding="utf-8"))["cells"]
    (source,) = ("".join(cell["source"]) for cell in cells if cell["id"] == CELLS[request.param])
    source = textwrap.dedent(source.partition("if SHOW_GPU:\n")[2] or source)  # the lab asks before it draws
    *body, picture = source.rstrip().splitlines()
    monkeypatch.chdir(tmp_path)

    def run():
        names, printed = {"measure": measure, "draw": draw, "display": lambda drawn: drawn}, io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("\n".join(body), names)
            drawn = eval(picture, names)
        return printed.getvalue(), drawn, names["own"]

    return run


def test_own_gpu_cell_shows_the_file_beside_the_recorded_cards(shown, tmp_path):
    shutil.copy(OURS, tmp_path / "my_gpu.json")
    printed, picture, own = shown()
    assert printed == "Measured on NVIDIA H200.\n" and not own.recorded
    assert "here" in picture.title and "on the H100" in picture.title and "on the H200" in picture.title


def test_own_gpu_cell_without_a_file_says_that_it_is_recorded(shown):
    printed, picture, own = shown()
    assert "there is no my_gpu.json" in printed and "chip2cluster measure gpu --out my_gpu.json" in printed
    assert own.recorded and "H200" in picture.description


@pytest.mark.parametrize("text", ["", '{"format": "chip2cluster gpu 1", "device": "A"', "not\x00json", "[1, 2]"])
def test_own_gpu_cell_says_why_a_file_is_refused(shown, tmp_path, text):
    (tmp_path / "my_gpu.json").write_text(text)
    printed, _, own = shown()
    assert "my_gpu.json could not be read" in printed and "--out" in printed and own.recorded
