"""The occupancy explorer and the questions of its chapter agree with the model, in every state."""

import itertools
import re

import pytest

from chip2cluster import draw, explore, occupancy, predict
from chip2cluster.chapters.occupancy.explorers.occupancy import CHIPS, REGISTERS, SHARED
from chip2cluster.draw.pictures.multiprocessor import NAMES


def states():
    """All values of each control beside the ends of the others."""
    sizes = range(32, 1025, 32)
    yield from ((size, registers, 0, "9.0") for size in sizes for registers in (16, 40, 72, 255))
    yield from ((size, registers, 0, "9.0") for registers in REGISTERS for size in (32, 256, 1024))
    yield from ((size, 32, shared, "9.0") for shared in SHARED for size in (32, 384))
    yield from itertools.product(
        (64, 768), (32, 128), (0, 16, 99), (name for name in CHIPS if name not in ("7.0", "7.5"))
    )
    yield from itertools.product((64, 1024), (32, 128), (0, 64), ("7.0", "7.5"))


STATES = list(dict.fromkeys(states()))


def view_of(state):
    threads, registers, shared, capability = state
    return explore.occupancy(threads, registers, shared, capability=capability)


@pytest.mark.parametrize("capability", CHIPS)
def test_every_state_shows_what_the_model_says(capability):
    for threads, registers, shared, _ in (state for state in STATES if state[-1] == capability):
        view = view_of((threads, registers, shared, capability))
        result = occupancy.occupancy(capability, threads, registers, 1024 * shared, barriers=0)
        holds = {row["resource"].removesuffix(" (KiB)"): row["so it holds (blocks)"] for row in view.table}
        for factor, name in NAMES.items():
            limit = getattr(result.block_limits, factor)
            assert holds[name] == ("any number" if limit == occupancy.UNLIMITED else limit)
        marked = {row["resource"].removesuffix(" (KiB)") for row in view.table if row["the limit"]}
        assert marked == {NAMES[factor] for factor in result.limiters}
        assert f"{result.active_blocks} block" in view.alt and f"occupancy {100 * result.occupancy:.1f} %" in view.alt
        if result.active_blocks:
            assert f"{result.active_warps} of {result.max_warps} warps" in view.sentence
        else:
            assert "does not fit" in view.sentence and view.alt.startswith("No block fits")
        for name in marked:
            assert name in view.sentence


def test_table_of_a_block_agrees_with_the_model():
    slots, warps, registers, shared = explore.occupancy(256, 40, 57).table
    assert [row["a block takes"] for row in (slots, warps, registers, shared)] == [1, 8, 8 * 1280, 58]
    assert [row["the SM has"] for row in (slots, warps, registers, shared)] == [32, 64, 65536, 228]


def test_the_advice_is_true():
    for state in STATES[::3]:
        view, (threads, registers, shared, capability) = view_of(state), state
        now = occupancy.occupancy(capability, threads, registers, 1024 * shared, barriers=0)
        if found := re.search(r"fit from (\d+) registers", view.sentence):
            fewer = int(found.group(1))
            blocks = [
                occupancy.occupancy(capability, threads, count, 1024 * shared).active_blocks
                for count in (fewer, fewer + 1)
            ]
            assert blocks[0] > now.active_blocks == blocks[1]
        sizes = range(32, 1025, 32)
        most = max(occupancy.occupancy(capability, t, registers, 1024 * shared, barriers=0).active_warps for t in sizes)
        if now.active_warps == now.max_warps:
            assert "More warps cannot live here" in view.sentence
        elif now.active_blocks:  # the best size is told to who has found it
            assert ("No other block size holds more warps" in view.sentence) == (most == now.active_warps)


def test_the_answers_of_the_page_are_told_only_where_they_are():
    assert "block size" not in explore.occupancy().sentence
    assert explore.occupancy(896).sentence.endswith("No other block size holds more warps.")
    assert explore.occupancy(1024, 32, 114).sentence.endswith("more warps at 114 KiB of shared memory a block.")


def test_one_warp_is_not_warps():
    assert "One more block of 1 warp would" in explore.occupancy(32, 72, 0).sentence


def test_the_bars_are_to_scale():
    """256 KiB of registers and 228 KiB of shared memory are as long as they are large."""
    picture = draw.multiprocessor("9.0", 256, 32, 0).svg
    widths = [
        float(wide) for wide in re.findall(r'<rect [^>]*width="([\d.]+)"[^>]*stroke="#(?:1f2430|908c98)"', picture)
    ]
    slots, *quarters, shared = widths
    assert slots == 480 and sum(quarters[1::2]) == 480
    assert shared / sum(quarters[1::2]) == pytest.approx(228 / 256, abs=1e-3)


def test_a_png_is_the_same_picture():
    assert explore.occupancy().current.picture.png()[:4] == b"\x89PNG"


def test_chip_change_keeps_shared_memory_or_adds_a_note():
    view = explore.occupancy(shared=192)
    assert "not offered" in view.set(capability="8.9").sentence and view.values["shared"] == 0
    with pytest.raises(ValueError, match="threads must be one of 32"):
        view.set(threads=100)


# -- predictions ------------------------------------------------------------------------

TRUTHS = {"occupancy.more_threads": 16, "occupancy.warps_for_memory": 84, "occupancy.one_block_more": 2}


def test_the_truths_come_from_the_models():
    assert {one.id: one.truth() for one in predict.QUESTIONS if one.id.startswith("occupancy.")} == TRUTHS


@pytest.mark.parametrize("name", TRUTHS)
def test_the_words_hold_what_the_model_says(name):
    question = predict.find(name)
    words = question.explain(question.truth())
    assert len(words) < 320
    number = {"more_threads": "28", "warps_for_memory": "1.4 MB", "one_block_more": "132"}[name.partition(".")[2]]
    assert number in words
    assert name != "occupancy.warps_for_memory" or "63 to 87" in words  # what other tools' latencies come to
    assert "24 warps" in predict.find("occupancy.more_threads").text


# -- tables -----------------------------------------------------------------------------


def test_tables_show_what_the_model_says():
    found = occupancy.table("9.0", {"glossary": (32, 8, 12 * 1024), "too large": (1024, 72)})
    assert found.loc["glossary", "active blocks"] == 17 and found.loc["glossary", "limited by"] == "shared memory"
    assert found.loc["too large", ["active warps", "limited by"]].tolist() == [0, "registers"]
    limits = occupancy.limits_table()
    assert (limits["registers (KiB)"] == 256).all() and limits.loc["8.0", "shared memory (KiB)"] == 164
    with pytest.raises(ValueError, match="compute_capability must be one of"):
        occupancy.limits_table(["9.9"])


def test_the_tables_of_waves_and_of_amd():
    waves = occupancy.wave_table([132, 133], compute_units=132)
    assert waves["waves"].tolist() == [1, 2] and waves["slots at work (%)"].tolist() == [100, 50.4]
    assert occupancy.cdna_table("MI300X", [72], [0, 64]).values.tolist() == [[7, 3]]
    assert occupancy.table("12.0", {"tiny": (32, 16)}).loc["tiny", "limited by"] == "slots"


def test_a_block_without_shared_memory_has_no_limit_there():
    """Before 8.0 nothing is reserved for the system."""
    assert "<td>any number</td>" in explore.occupancy(256, 32, 0, capability="7.0").content()["table"].replace(
        ' class="c2c-number"', ""
    )
