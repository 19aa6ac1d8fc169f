"""The machine explorer and the questions of its chapter: agreement with the models, words, picture."""

import itertools
import math

import pytest

from chip2cluster import draw, explore, hierarchy, predict, specs
from chip2cluster.chapters.machine.explorers import machine
from chip2cluster.draw.format import giga
from tests.tables import every_row

SYSTEMS = [system.name for system in hierarchy.systems()]
SOME = (1, 200, 50_000_000, 16 * 10**9, 140 * 10**9, 10**12)


@every_row("system, message", list(itertools.product(SYSTEMS, SOME)))
def test_every_state_shows_what_the_models_say(system, message):
    view = explore.machine(system, message=message)
    moves, home = hierarchy.time_to_move(system, message), hierarchy.tier_for(system, message)
    peak = specs.accelerator(machine.CHIPS[system]).peak_flops_dense("bf16")
    nearer = 0
    for row, tier in zip(view.table, hierarchy.system(system).tiers, strict=True):
        name, holds, rate, latency, seconds, work = row.values()
        assert (name, holds, latency) == (tier.name, tier.capacity_bytes, tier.latency_seconds)
        assert (rate is None) == (tier.bandwidth_one_way is None)
        nearer, before = max(nearer, latency or 0), nearer
        if tier.capacity_bytes is not None and tier.capacity_bytes < message:
            assert seconds == work == "does not fit" and f"{name}: {view_rate(rate)}, does not fit." in view.alt
            continue
        tells = moves[name].seconds is None or latency is not None or moves[name].seconds >= before
        assert seconds == (moves[name].seconds if tells else None)
        if seconds is not None:
            assert rate == pytest.approx(tier.bandwidth_one_way / 1e9) and work == pytest.approx(peak * seconds)
            ways = [(way.latency_seconds, way.bandwidth_one_way) for way in tier.protocols]
            ways = ways or [(latency or 0, tier.bandwidth_one_way)]
            assert seconds == pytest.approx(min(alpha + message / beta for alpha, beta in ways))
        assert f"{name}: " in view.alt
    assert view.current.table.marked == SYSTEMS_TIERS[system].index(home.name)
    assert f"in {home.name}" in view.sentence and f"in {home.name}: " in view.current.picture.title
    assert view.alt.startswith(view.current.picture.title)
    assert ("NCCL" in view.sentence) == any(tier.protocols for tier in hierarchy.system(system).tiers)
    assert ("≥" in view.sentence) == any("≥" in part for part in view.alt.split(". "))


def view_rate(rate):
    return "rate unknown" if rate is None else f"{giga(1e9 * rate)} GB/s"


SYSTEMS_TIERS = {name: [tier.name for tier in hierarchy.system(name).tiers] for name in SYSTEMS}


def test_unknown_storage_latency_is_not_zero():
    few, many = explore.machine(message=1), explore.machine(message=10**9)
    assert "remote storage: 5.00 GB/s, unknown." in few.alt and "80.0 µs" in few.sentence and "≥" not in few.sentence
    assert "remote storage: 5.00 GB/s, ≥ 200 ms." in many.alt
    assert "latency unknown" in explore.machine(message=1, axis="time").current.picture.svg


def test_custom_tier_adds_a_rung_and_moves_no_other():
    mine = hierarchy.measure_memory()
    assert (
        1e8 < mine.bandwidth_one_way < 1e12 and "Measured on this machine" in mine.source("bandwidth_one_way").citation
    )
    assert mine.latency_seconds is None or 1e-9 < mine.latency_seconds < 1e-4
    for system, message in itertools.product(SYSTEMS, (1, 140 * 10**9)):
        own, plain = explore.machine(mine, message=message).set(system=system), explore.machine(system, message=message)
        rows = [row for row in own.table if row["tier"] != mine.name]
        assert rows == plain.table and len(own.table) == len(rows) + 1
        assert own.current.picture.title == plain.current.picture.title
        rates = [row["one way (GB/s)"] for row in own.table]
        place = [row["tier"] for row in own.table].index(mine.name)
        assert all(rate is None or rate >= rates[place] for rate in rates[:place])
    assert "yours" in own.current.picture.svg and "not from the accelerator" in own.sentence


def test_every_system_has_its_chip_and_the_chips_agree():
    assert list(machine.CHIPS) == SYSTEMS
    for name, chip in machine.CHIPS.items():
        own = hierarchy.system(name).tier("HBM")
        assert specs.accelerator(chip).memory_bandwidth == pytest.approx(own.bandwidth_one_way, rel=0.03)


def test_the_dgx_h100_by_hand():
    rows = {row["tier"]: row for row in explore.machine(message=10**9).table}
    assert rows["HBM"]["time"] == pytest.approx(1 / 3350, rel=2e-3)
    assert rows["node HBM over NVLink"]["time"] == pytest.approx(1 / 450 + 3.4e-6)
    assert rows["remote storage"]["time"] == pytest.approx(0.2)
    assert rows["remote storage"]["work in that time"] == pytest.approx(0.2 * 989.4e12)
    assert ">417 MFLOP</td>" in explore.machine(message=1).current.table.html()


def test_a_ratio_of_two_bounds_is_not_told_as_if_it_were_known():
    both, one = explore.machine("DGX B200", message=2 * 10**9), explore.machine("DGX H100", message=2 * 10**9)
    assert "at least 562 GFLOP" in both.sentence and "by the bandwidths alone 640 times as long" in both.sentence
    assert "at least 670 times as long" in one.sentence and "could do 591 GFLOP" in one.sentence
    assert "at least" not in explore.machine(message=1).sentence


def test_the_mark_moves_down_as_the_bytes_grow():
    marks = [explore.machine(message=message).current.table.marked for message in machine.SIZES]
    assert marks == sorted(marks) and marks[0] == 0 and marks[-1] == 5
    assert "1 byte lives in registers" in explore.machine(message=1).sentence


@pytest.mark.parametrize("values, message", [({"message": 4096}, "message must be one of 1, 2, 5"), ({"system": "DGX-2"}, "system must be"),
                                             ({"axis": "Time"}, "'bandwidth', 'time'"), ({"bytes": 2}, "no control 'bytes'")])  # fmt: skip
def test_bad_values_name_the_choices(values, message):
    with pytest.raises(ValueError, match=message):
        explore.machine(**values)


def test_the_picture_refuses_what_it_cannot_show():
    rung = draw.Rung("HBM", "chip", 3.35e12, 1e-3)
    for arguments, message in [(([], 1, 0, "time"), "one to 12 rungs, got 0"), (([rung] * 13, 1, 0, "time"), "got 13"),
                               (([rung], 1, 1, "time"), "from 0 to 0, got 1"), (([rung], 1, 0, "speed"), "axis must be")]:  # fmt: skip
        rungs, size, home, axis = arguments
        with pytest.raises(ValueError, match=message):
            draw.memory_tiers(rungs, size, home=home, axis=axis)
    assert draw.memory_tiers([rung], 1e9, home=0).png()[:4] == b"\x89PNG"


def test_the_truths_are_those_that_can_be_worked_by_hand():
    truths = {one.id: one.truth() for one in predict.QUESTIONS if one.id.startswith("machine.")}
    assert truths == {
        "machine.one_byte": pytest.approx(989.4 * 834.48 / 1980, rel=1e-4),  # TFLOP/s × µs: cycles at 1980 MHz
        "machine.storage": pytest.approx(3350 / 5, rel=1e-4),
        "machine.cores": 120,
    }
    assert math.ceil(2500 * 6 * 8 / 1000) == 120
    for one in predict.QUESTIONS:
        assert len(one.explain(one.truth())) < 320
