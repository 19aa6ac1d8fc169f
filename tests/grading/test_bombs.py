"""Small files that would take much memory or time to show are refused or shortened."""

import base64
import copy
import json
import random
import struct
import zlib

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checking.verdict import Verdict
from autograder.grading.outputs import PICTURE_BYTES_FACTOR, safe_outputs, verdict_outputs
from autograder.grading.sanitize import html, notebook_cells
from autograder.grading.sanitize.outputs import CHUNKS, MAX_SIDE, PNG, clean_png, clean_text, pixel_area, still_image


def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(width=8, height=8, *more):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = zlib.compress((b"\0" + bytes(min(width, 50))) * min(height, 50))
    return PNG + head + b"".join(more) + chunk(b"IDAT", rows) + chunk(b"IEND")


def encoded(raw):
    return base64.b64encode(raw).decode()


def drawn(raw):
    return {"output_type": "display_data", "metadata": {}, "data": {"image/png": encoded(raw)}}


def notebook(*cells):
    made = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    for number, cell in enumerate(made["cells"]):
        cell |= {"id": f"c{number}", "metadata": {}}
    return nbformat.from_dict(made)


def code(source, *outputs):
    return {"cell_type": "code", "execution_count": None, "source": source, "outputs": list(outputs)}


@pytest.mark.parametrize("sides", [(MAX_SIDE + 1, 1), (1, MAX_SIDE + 1), (36_000, 36_000), (0, 5), (2**31, 2**31)])
def test_a_picture_that_fills_a_browser_is_no_picture(sides):
    assert clean_png(encoded(picture(*sides))) is None is html.png_data_url(encoded(picture(*sides)))
    assert safe_outputs([drawn(picture(*sides))], 32_768) == []


def test_a_picture_keeps_its_points_and_loses_what_hides_in_it():
    hidden = [
        chunk(b"zTXt", zlib.compress(bytes(10**6))),
        chunk(b"acTL", bytes(8)),
        chunk(b"IHDR", b"\xff" * 13),
        chunk(b"tEXt", b"<script>"),
    ]
    raw = picture(8, 8, chunk(b"pHYs", bytes(9)), *hidden) + b"<script>after the end</script>"
    assert still_image(raw) == picture(8, 8, chunk(b"pHYs", bytes(9)))
    assert clean_png([encoded(raw)[:30], encoded(raw)[30:]]) == encoded(still_image(raw))


@given(st.data())
def test_no_bytes_raise_or_come_out_larger(data):
    raw = bytearray(picture(8, 8, chunk(b"PLTE", bytes(30)), chunk(b"iCCP", bytes(30))))
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    if (found := still_image(raw)) is not None:
        assert len(found) <= len(raw) and pixel_area(found) <= MAX_SIDE**2
        assert found.count(b"IHDR") == 1 or b"IHDR" in b"".join(CHUNKS)


def test_a_cell_and_a_notebook_hold_so_much_and_no_more():
    large = picture(4000, 4000)
    assert len(safe_outputs([drawn(large)] * 500, 1000)) <= PICTURE_BYTES_FACTOR * 1000 // len(encoded(large)) + 1
    text = "a" * 30_000
    made = notebook(
        *(code("x = 1", drawn(large), {"output_type": "stream", "name": "stdout", "text": text}) for _ in range(100)),
        *(code("\n".join([text] * 3)) for _ in range(20)),
        *({"cell_type": kind, "source": "<b> [a](b) " * 5000} for kind in ("markdown", "raw") for _ in range(40)),
    )
    notebook_cells.sanitize_notebook(made, {})
    note = 100  # characters of the note about the cut
    outputs = [output for cell in made.cells for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == notebook_cells.TOTAL_PIXELS // 4000**2
    assert sum(len(output.get("text", "")) for output in outputs) <= notebook_cells.TOTAL_PRINTED + note * len(outputs)
    assert sum("left out" in output.get("data", {}).get("text/plain", "") for output in outputs) > 90
    codes = [cell.source for cell in made.cells if cell.cell_type == "code"]
    assert max(len(line) for source in codes for line in source.split("\n")) <= notebook_cells.MAX_LINE
    assert sum(map(len, codes)) <= notebook_cells.TOTAL_CODE + note * len(made.cells)
    # Separators add a few characters.
    assert sum(
        len(cell.source) for cell in made.cells if cell.cell_type != "code"
    ) <= 1.4 * notebook_cells.TOTAL_TEXT + note * len(made.cells)
    assert "cut here" in codes[-1] and "cut here" in made.cells[-1].source
    before = copy.deepcopy(made)
    notebook_cells.sanitize_notebook(made, {})
    assert made == before


def test_no_flood_washes_away_the_points_of_a_check_cell():
    """nbgrader gives full points for a check cell whose value is not a number."""
    flood = {"output_type": "stream", "name": "stdout", "text": "a" * (notebook_cells.TOTAL_PRINTED + 1)}
    check = code("award()", *verdict_outputs(Verdict("x", "X", "raises", "Why.", 0.0, 3.0)))
    made = notebook(code("print()", flood), check)
    made.cells[1].metadata.nbgrader = {"grade": True, "grade_id": "x-check", "points": 3}
    before = copy.deepcopy(made.cells[1])
    notebook_cells.sanitize_notebook(made, {})
    assert made.cells[1].outputs == before.outputs and len(made.cells[0].outputs[0].text) < len(flood["text"]) + 20


def test_what_honest_people_write_is_not_cut():
    essay, program = "A sentence of eight words about one chip. " * 200, "def f(x):\n    return x\n" * 900
    made = notebook({"cell_type": "markdown", "source": essay}, code(program, drawn(picture(2400, 1800))))
    before = copy.deepcopy(made)
    notebook_cells.sanitize_notebook(made, {})
    assert json.dumps(made) == json.dumps(before)


def test_two_long_texts_with_the_same_beginning_stay_two():
    first, second = ({"cell_type": "markdown", "source": "a" * 20_000 + end} for end in "xy")
    made = notebook(first, second)
    notebook_cells.sanitize_notebook(made, {})
    assert made.cells[0].source != made.cells[1].source


def test_towers_of_accents_are_levelled():
    tall = "a" + "\u0301\u0336\u20dd" * 100_000 + "b"
    assert len(clean_text(tall)) < 20
    assert clean_text("é ñ ก็ שָׁ 한") == "é ñ ก็ שָׁ 한"
    marks = [chr(point) for point in range(0x300, 0x370)]
    assert len(clean_text("o" + "".join(random.Random(1).choices(marks, k=5000)))) < 20
