"""Notebooks that an editor, a converter or a disk has spoiled: work that is there is found, and nothing is an exception."""

import codecs
import copy
import json

import pytest

from autograder.grading.intake.notebook import NotANotebook, clean_notebook, parse_notebook
from autograder.grading.intake.reconstruction import rebuild
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade
from autograder.sandbox import Sandbox
from tests.grading.attacks.model import FULL, LAB, SOLVED
from tests.grading.attacks.model import notebook as solved
from tests.grading.notebooks import RELEASED, answered, text

SOUND = json.dumps(answered()).encode()
PADDED = {
    "zeros at the end": SOUND + bytes(4096),
    "zeros around": bytes(512) + SOUND + bytes(512),
    "a byte order mark": codecs.BOM_UTF8 + SOUND,
    "two byte order marks": codecs.BOM_UTF8 * 2 + SOUND,
    "UTF-16": SOUND.decode().encode("utf-16"),
    "UTF-16 without a mark": SOUND.decode().encode("utf-16-le"),
    "UTF-32": SOUND.decode().encode("utf-32"),
    "tabs in texts": SOUND.replace(rb"\n", b"\n", 9),
}
ODD = [None, 7, -1.5, 10**300, "x" * 500, [], {}, [[]], [None], {"a": [{}]}, "\ud800", True]


def sources(notebook):
    return [(cell["cell_type"], text(cell)) for cell in notebook["cells"]]


@pytest.mark.parametrize("name", PADDED)
def test_spoiled_file_has_the_same_cells(name):
    assert sources(parse_notebook(PADDED[name])[0]) == sources(answered())


@pytest.mark.parametrize("data", [bytes(5000), codecs.BOM_UTF8, b"", b" \n", bytes(1) + b"{" + bytes(1)])
def test_file_without_content_is_not_a_notebook(data):
    with pytest.raises(NotANotebook):
        parse_notebook(data)


@pytest.mark.parametrize(
    "twice",
    [
        SOUND[:-1] + b', "cells": []}',
        b'{"cells": [], ' + SOUND[1:],
        SOUND.replace(b'"source": ', b'"source": "", "source": ', 1),
    ],
)
def test_entry_that_is_there_twice_is_refused(twice):
    """JSON would keep the last one silently, and the answers can be in the first."""
    with pytest.raises(NotANotebook, match="twice"):
        parse_notebook(twice)


def test_entry_twice_in_metadata_is_harmless():
    data = SOUND.replace(b'"metadata": {"', b'"metadata": {"a": 1, "a": 2, "', 3)
    assert data != SOUND
    assert sources(parse_notebook(data)[0]) == sources(answered())


@pytest.mark.sandbox
def test_unseen_characters_cost_no_points(tmp_path, monkeypatch):
    """No-break spaces in indentation, a byte order mark and a zero keep Python from compiling a cell."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    made = solved({}, base=SOLVED)
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            source = text(cell)
            cell["source"] = "\ufeff" + source.replace("\n    ", "\n\u00a0 \u00a0 ") + "\x00"
    (tmp_path / f"{LAB.notebook}.ipynb").write_text(json.dumps(made), encoding="utf-8")
    with Sandbox(LAB) as box:
        result = grade(tmp_path, "ann", LAB, box, secrets_for(LAB, "ann"))
    assert result.score == FULL and any("nobody sees" in sentence for sentence in result.repairs)


def test_no_break_space_within_a_line_stays():
    cell = {"cell_type": "code", "metadata": {}, "source": "x = 'a\u00a0b'\nif x:\n\u00a0\u00a0y = '\u00a0'"}
    notes = []
    made = clean_notebook({"cells": [cell]}, notes)
    assert made["cells"][0]["source"] == "x = 'a\u00a0b'\nif x:\n  y = '\u00a0'" and len(notes) == 1


@pytest.mark.parametrize("key", ["outputs", "metadata", "attachments", "id", "attached", "printed", "execution_count"])
def test_odd_values_of_cells_change_no_answer(key):
    for value in ODD:
        made = answered()
        for cell in made["cells"]:
            cell[key] = copy.deepcopy(value)
        parsed = parse_notebook(json.dumps(made).encode())[0]
        assert sources(parsed) == sources(answered())
        rebuilt = rebuild(parsed, RELEASED).notebook
        json.dumps(rebuilt, ensure_ascii=False).encode()
        assert [cell["id"] for cell in rebuilt["cells"]] == [cell["id"] for cell in RELEASED["cells"]]


@pytest.mark.parametrize("key", ["metadata", "typed", "nbformat", "nbformat_minor", "worksheets"])
def test_odd_values_of_notebooks_change_no_answer(key):
    for value in ODD:
        parsed = parse_notebook(json.dumps(answered() | {key: value}).encode())[0]
        assert sources(parsed) == sources(answered())
        rebuild(parsed, RELEASED)


@pytest.mark.parametrize("key", ["name", "text", "data", "ename", "traceback", "output_type"])
def test_odd_values_of_outputs_change_no_answer(key):
    kinds = [
        {"output_type": "stream", "name": "stdout", "text": "x"},
        {"output_type": "display_data", "data": {"text/html": [1, None, "<p>x"], "text/plain": {}}, "metadata": []},
        {"output_type": "error", "ename": "E", "evalue": None, "traceback": 5},
    ]
    for value in ODD:
        made = answered()
        for cell in made["cells"]:
            cell["outputs"] = [kind | {key: copy.deepcopy(value)} for kind in kinds]
        assert sources(parse_notebook(json.dumps(made).encode())[0]) == sources(answered())
