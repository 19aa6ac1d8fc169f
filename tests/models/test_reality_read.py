"""Validation of measurement files: sources, reasons and numbers."""

import json
from copy import deepcopy

import pytest

from chip2cluster.reality import measurement_tables


@pytest.fixture
def text():
    return deepcopy(json.loads((measurement_tables.FOLDER / "triad.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("key", ["title", "measured_by", "date", "address", "licence", "confidence"])
def test_incomplete_source_is_rejected(text, key):
    text["sources"][text["tables"][0]["source"]][key] = ""
    with pytest.raises(ValueError, match=f"triad, table 'gpu-stream-v100': the source says nothing of {key}"):
        measurement_tables.read("triad", text)


def test_row_without_source_is_rejected(text):
    del text["tables"][1]["source"]
    with pytest.raises(ValueError, match="gpu-stream-a100_40': a measurement without its source is not taken"):
        measurement_tables.read("triad", text)


def test_low_confidence_is_rejected(text):
    text["sources"][text["tables"][0]["source"]]["confidence"] = "C"
    with pytest.raises(ValueError, match="confidence must be one of A, B, got 'C'"):
        measurement_tables.read("triad", text)


def test_counted_row_needs_a_public_address(text):
    text["sources"][text["tables"][0]["source"]]["address"] = "bibliography.ipynb#source-c"
    with pytest.raises(ValueError, match="a row that counts has a public address"):
        measurement_tables.read("triad", text)
    text["tables"][0]["uncounted"] = "nobody can open it"
    measurement_tables.read("triad", text)


def test_reason_needs_a_direction(text):
    text["tables"][0]["why"] = {"always": "bad luck"}
    with pytest.raises(ValueError, match="why must be by 'high' and 'low', got 'always'"):
        measurement_tables.read("triad", text)


@pytest.mark.parametrize("value", [0, -1, None, "800", float("nan")])
def test_invalid_measurement_is_rejected(text, value):
    text["tables"][0]["rows"][0][-1] = value
    with pytest.raises(ValueError, match="measured must be above zero, got .* in row 0"):
        measurement_tables.read("triad", text)


@pytest.mark.parametrize("changed", [{"meets": False, "reason": ""}, {"meets": True, "reason": "bad luck"}])
def test_only_a_miss_has_a_reason(text, changed):
    with pytest.raises(ValueError, match="a kind that misses its band says why"):
        measurement_tables.read("triad", {**text, **changed})


@pytest.mark.parametrize("changed", [{"unit": "GB/h"}, {"how": "guess"}, {"family": "luck"}])
def test_unknown_word_names_the_choices(text, changed):
    with pytest.raises(
        ValueError, match="family must be one of wires, memory.* how one of accounting.* unit one of GB/s"
    ):
        measurement_tables.read("triad", {**text, **changed})
