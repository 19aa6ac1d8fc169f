"""The scheduler, the waves and the measured concurrency of chapter 4, in their states, against the models."""

import itertools
import re

import numpy as np
import pytest

from chip2cluster import draw, explore, occupancy, specs
from tests.tables import every_row

STATES = [
    {},
    {"warps": 1, "latency": 48},
    {"warps": 4, "loads": 4},
    {"warps": 9},
    {"warps": 16, "latency": 4, "compute": 0},
    {"warps": 7, "latency": 24, "loads": 2, "compute": 7},
]


@every_row("state", STATES)
def test_the_scheduler_shows_what_the_model_says(state):
    view = explore.warps(**state)
    values = view.values
    kernel = values["latency"], values["loads"], values["compute"]
    yours, alone, *enough = view.table
    share = occupancy.issue_utilization(values["warps"], *kernel)
    assert yours["warps"] == values["warps"] and yours["issues (% of cycles)"] == pytest.approx(100 * share)
    assert alone["issues (% of cycles)"] == pytest.approx(100 * occupancy.issue_utilization(1, *kernel))
    # What the chapter asks to look for is told to those who have found it.
    assert bool(enough) == ("every cycle" in view.sentence) == (share == 1)
    for row in enough:
        assert occupancy.issue_utilization(row["warps"], *kernel) == 1
        assert row["warps"] == 1 or occupancy.issue_utilization(row["warps"] - 1, *kernel) < 1
    run = occupancy.warp_timeline(values["warps"], *kernel, cycles=96)
    assert f"issues in {(run.issued >= 0).sum()} of its first 96 cycles" in view.alt
    assert view.alt.count(" loads, computes in ") == values["warps"]


def test_the_rows_of_the_picture_hold_every_instruction():
    """Each path of the rows and of the issue slot has a mark for each load and each computing cycle."""
    view = explore.warps(5, 16, 2, compute=1)
    run = occupancy.warp_timeline(5, 16, 2, 1, cycles=96)
    for state, face in ((occupancy.LOADS, draw.style.ORANGE), (occupancy.COMPUTES, draw.style.BLUE)):
        paths = re.findall(rf'<path d="([^"]+)" fill="{face}"/>', view.current.picture.svg)
        legend, rows, slot = (path.count("M") for path in paths)
        assert (legend, rows, slot) == (1, (run.states == state).sum(), (run.states == state).sum())


def test_the_pictures_refuse_what_they_cannot_show():
    with pytest.raises(ValueError, match="one scheduler with up to 16 warps and 96 cycles, got 1 with 17 and 10"):
        draw.warp_timeline(occupancy.warp_timeline(17, 4, cycles=10))
    with pytest.raises(ValueError, match="got 2 with 4 and 10"):
        draw.warp_timeline(occupancy.warp_timeline(4, 4, cycles=10, schedulers=2))
    with pytest.raises(ValueError, match="up to 1200 blocks, got 1201"):
        draw.wave_quantization(1201, 132)


@pytest.mark.parametrize("name", ["warps", "waves", "concurrency"])
def test_a_png_is_the_same_picture(name):
    assert getattr(explore, name)().current.picture.png()[:4] == b"\x89PNG"


@pytest.mark.parametrize("chip", explore.Waves.controls[0].options)
@pytest.mark.parametrize("each", [1, 2, 4])
def test_the_waves_show_what_the_model_says(chip, each):
    view, units = explore.waves(chip=chip, each=each), specs.accelerator(chip).compute_units
    for blocks in view.controls[2].choices(view.values)[::5]:
        view.set(blocks=blocks)
        for row in view.table:
            assert row["waves"] == occupancy.waves(row["blocks"], units, each)
            assert row["slots at work (%)"] == pytest.approx(
                100 * occupancy.wave_efficiency(row["blocks"], units, each)
            )
        assert all(row["slots at work (%)"] == pytest.approx(100) for row in view.table[1:])
        rounds, last = view.table[0]["waves"], view.table[0]["in the last wave (blocks)"]
        assert blocks == (rounds - 1) * units * each + last
        assert ("all slots work" in view.sentence) == (last == units * each)
        assert f"the last holds {last:,} of {units * each:,} blocks" in view.alt


def test_the_step_of_the_prediction_can_be_reached():
    view = explore.waves(132)
    assert view.set(blocks=133).table[0]["waves"] == 2 and view.table[0]["slots at work (%)"] < 51
    view.set(chip="A100 SXM 80GB")
    assert view.values["blocks"] == 109 and "133 is not offered here, showing 109" in view.sentence  # its own step
    assert view.table[0]["waves"] == 2
    for chip, blocks in (("B200", 149), ("MI300X", 305), ("RTX 4090", 129)):
        assert explore.waves(133).set(chip=chip).values["blocks"] == blocks
    assert explore.waves(132).set(chip="MI300X").values["blocks"] == 304
    assert explore.waves(1189).set(chip="MI300X").values["blocks"] == 913  # the axis ends after three of its waves
    assert explore.waves(144).set(chip="MI300X").values["blocks"] == 144


def test_every_grid_finds_its_place_on_every_chip():
    for old, new in itertools.permutations(explore.Waves.controls[0].options, 2):
        view = explore.waves(chip=old)
        for blocks in view.controls[2].choices(view.values):
            view.set(chip=old).set(blocks=blocks).set(chip=new)
            assert view.values["blocks"] in view.controls[2].choices(view.values)


def test_amd_has_compute_units_and_one_step_is_no_staircase():
    assert "304 compute units" in explore.waves(chip="MI300X").alt and "132 multiprocessors" in explore.waves().alt
    assert explore.waves(1200, "MI300X", 4).alt.endswith("It is all one step.")
    assert "end at 132, 264" in explore.waves().alt


def test_measured_points_and_law_are_the_models():
    for gpu in occupancy.curves():
        for kernel in ("read", "store", "triad"):
            view, found = explore.concurrency(gpu, kernel, 400), occupancy.curve(gpu, kernel)
            places = found.compute_units * found.threads_per_unit
            for row in view.table:
                at = np.abs(found.occupancy - row["occupancy (%)"] / 100).argmin()
                assert row["measured (GB/s)"] == found.bandwidth[at] / 1e9
                bytes_ = places * row["occupancy (%)"] / 100 * found.bytes_per_thread
                assert row["law (GB/s)"] == pytest.approx(min(bytes_ / 400e-9, found.sheet_bandwidth) / 1e9)
                if time := row.get("a place was taken for (ns)"):
                    assert time == pytest.approx(bytes_ / row["measured (GB/s)"])
            assert view.current.picture.svg.count("<circle") == len(found.threads) + 1  # the legend has one


def test_the_times_are_told_to_who_has_fitted_the_first_points():
    hidden = explore.concurrency()
    assert "a place was taken for (ns)" not in hidden.table[0] and "560" not in hidden.sentence
    found = hidden.set(latency=550)
    assert found.table[0]["a place was taken for (ns)"] == pytest.approx(560, abs=0.5) and "560 ns" in found.sentence
    for gpu in occupancy.curves():  # somewhere on the slider, for every curve
        for kernel in ("read", "store", "triad"):
            view = explore.concurrency(gpu, kernel)
            told = ["A place was taken" in view.set(latency=some).sentence for some in range(200, 1001, 25)]
            assert any(told) and not all(told)


def test_single_latency_does_not_fit_growing_load():
    """What the chapter says of the GH200: 560 ns at a tenth of the places, 779 ns with all of them."""
    first, *_, last = explore.concurrency("GH200", "read", 575).table
    assert first["law over measured"] == pytest.approx(1, abs=0.03) and last["law over measured"] > 1.3
