"""A file of measurements is refused where a row lacks its source, its reason or its number."""

import json
from copy import deepcopy

import pytest

from chip2cluster.reality import data


@pytest.fixture
def text():
    return deepcopy(json.loads((data.FOLDER / "triad.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("key", ["title", "measured_by", "date", "address", "licence", "confidence"])
def test_a_source_that_lacks_something_is_refused(text, key):
    text["sources"][text["tables"][0]["source"]][key] = ""
    with pytest.raises(ValueError, match=f"triad, table 'gpu-stream-v100': the source says nothing of {key}"):
        data.read("triad", text)


def test_a_row_without_its_source_is_refused(text):
    del text["tables"][1]["source"]
    with pytest.raises(ValueError, match="gpu-stream-a100_40': a measurement without its source is not taken"):
        data.read("triad", text)


def test_hearsay_is_refused(text):
    text["sources"][text["tables"][0]["source"]]["confidence"] = "C"
    with pytest.raises(ValueError, match="confidence must be one of A, B, got 'C'"):
        data.read("triad", text)


def test_a_row_that_counts_has_a_public_address(text):
    text["sources"][text["tables"][0]["source"]]["address"] = "bibliography.ipynb#source-c"
    with pytest.raises(ValueError, match="a row that counts has a public address"):
        data.read("triad", text)
    text["tables"][0]["uncounted"] = "nobody can open it"
    data.read("triad", text)


def test_a_reason_says_for_which_direction(text):
    text["tables"][0]["why"] = {"always": "bad luck"}
    with pytest.raises(ValueError, match="why must be by 'high' and 'low', got 'always'"):
        data.read("triad", text)


@pytest.mark.parametrize("value", [0, -1, None, "800", float("nan")])
def test_what_is_no_measurement_is_refused(text, value):
    text["tables"][0]["rows"][0][-1] = value
    with pytest.raises(ValueError, match="measured must be above zero, got .* in row 0"):
        data.read("triad", text)


@pytest.mark.parametrize("changed", [{"meets": False, "reason": ""}, {"meets": True, "reason": "bad luck"}])
def test_a_miss_has_a_reason_and_a_hit_none(text, changed):
    with pytest.raises(ValueError, match="a kind that misses its band says why"):
        data.read("triad", {**text, **changed})


@pytest.mark.parametrize("changed", [{"unit": "GB/h"}, {"how": "guess"}, {"family": "luck"}])
def test_an_unknown_word_names_the_choices(text, changed):
    with pytest.raises(
        ValueError, match="family must be one of wires, memory.* how one of accounting.* unit one of GB/s"
    ):
        data.read("triad", {**text, **changed})
