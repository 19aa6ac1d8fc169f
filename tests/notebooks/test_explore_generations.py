"""The generations explorer: agreement with the model, words, picture."""

import itertools

import pytest

from chip2cluster import explore, specs
from chip2cluster.chapters.accelerators.explorers import generations as view_module

WIDTHS = ("narrowest format", "16 bits", "32 bits")
STATES = [(width, name) for width in WIDTHS for name in view_module._names({"width": width})]


@pytest.mark.parametrize(("width", "name"), STATES)
def test_every_state_shows_what_the_model_says(width, name):
    view = explore.generations(name, width=width)
    known = {one.name: one for one in specs.generations()}
    for row in view.table:
        one = known[row["generation"]]
        assert row["peak (TFLOP/s)"] == pytest.approx(one.peaks[row["format"]] / 1e12)
        assert row["memory (TB/s)"] == pytest.approx(one.memory_bandwidth / 1e12)
        bits = next(iter(specs.by_bits({row["format"]: 1.0})))
        assert bits == (min(specs.by_bits(one.peaks)) if width == WIDTHS[0] else int(width[:2]))
        assert row["ratio (FLOP/byte)"] == pytest.approx(row["peak (TFLOP/s)"] / row["memory (TB/s)"])
        assert row["generation"] in view.alt
    chosen = view.current.table.rows[view.current.table.marked]
    assert chosen[0] == name and known[name].first in view.sentence
    low = known[name].sources[chosen[4]].confidence == "low"
    assert ("Low confidence" in view.sentence) == low
    assert view_module.ACROSS.low < known[name].year < view_module.ACROSS.high
    assert view_module.UP.low < chosen[3] < view_module.UP.high


def test_growth_is_split_into_silicon_and_narrower_numbers():
    words = explore.generations("Hopper").sentence
    assert "6.3 times the 312 TFLOP/s of Ampere" in words
    assert "At Ampere's 16 bits it grew 3.2 times; the other factor, 2.0, is narrower numbers." in words
    assert "all of it is hardware. " in explore.generations("Volta").sentence
    # By the sheets: fp4 from 9,000 to 13,500 to 35,000 TFLOP/s, bf16 from 2,250 to 2,250 to 4,000.
    ultra, rubin = explore.generations("Blackwell Ultra").sentence, explore.generations("Rubin").sentence
    assert "all of it is hardware, but for fp4 alone; at 16 bits it grew 1.0 times." in ultra
    assert "all of it is hardware, but for fp4 alone; at 16 bits it grew 1.8 times." in rubin
    assert "narrower" not in explore.generations("Hopper", width="16 bits").sentence


def test_a_width_that_a_generation_lacks_leaves_it_out():
    view = explore.generations("Fermi")
    moved = view.set(width="16 bits")
    assert "not offered here" in moved.sentence and moved.values["generation"] == "Ampere"
    assert next(row["generation"] for row in moved.table) == "Pascal"
    with pytest.raises(ValueError, match="generation must be one of 'Pascal'"):
        explore.generations("Fermi", width="16 bits")


def test_at_32_bits_nothing_of_19_counts():
    words = explore.generations("Ampere", width="32 bits").sentence
    assert "19.5 TFLOP/s in fp32" in words and "That is 1.2 times the 15.7 TFLOP/s of Volta." in words
    assert {row["format"] for row in explore.generations(width="32 bits").table} == {"fp32"}


def test_a_doubt_says_which_it_is():
    assert "Low confidence: it is only announced." in explore.generations("Rubin").sentence
    assert "Low confidence: sources disagree, or assume something." in explore.generations("Blackwell Ultra").sentence


def test_one_name_is_said_once():
    assert "The Rubin (2026) has 35,000 TFLOP/s in fp4" in explore.generations("Rubin").sentence
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(explore.generations().current.table.rows))
