"""Wavefronts on a CDNA SIMD against what the LLVM compiler prints for real kernels."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import occupancy as occ
from tests.tables import every_row

DATA = Path(__file__).parent / "data"
COLUMNS = ["workgroup_size", "num_vgprs_arch", "num_agprs", "lds_bytes_per_workgroup"]
TARGETS = ["gfx908", "gfx90a", "gfx942", "gfx950"]


def rows(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["occupancy_cdna.csv", "occupancy_cdna_edges.csv"])
def test_cdna_occupancy_matches_the_compiler(name):
    """The occupancy in the assembly of compiled kernels; the second file is from LLVM 22.1."""
    table = rows(name)
    for row in table:
        arguments = [int(row[column]) for column in COLUMNS]
        answer = int(row["occupancy_waves_per_simd_llvm"])
        assert occ.cdna_occupancy(row["llvm_cpu"], *arguments) == answer, row
        for part in row.get("parts", row["llvm_cpu"]).split("/"):
            assert occ.cdna_occupancy(part, *arguments) == answer, row
    assert {row["llvm_cpu"] for row in table} == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_cdna_occupancy_of_arrays_matches_the_compiler(target):
    table = [row for row in rows("occupancy_cdna_edges.csv") if row["llvm_cpu"] == target]
    arguments = np.array([[int(row[column]) for column in COLUMNS] for row in table]).T
    answers = [int(row["occupancy_waves_per_simd_llvm"]) for row in table]
    assert occ.cdna_occupancy(target, *arguments).tolist() == answers


@every_row(
    ("registers", "waves"),
    [(64, 8), (72, 7), (80, 6), (96, 5), (128, 4), (168, 3), (256, 2)],
)
def test_cdna_occupancy_matches_the_published_mi200_table(registers, waves):
    """AMD, register pressure on CDNA 2: most registers for each number of waves."""
    assert occ.cdna_occupancy("MI250X", 256, registers) == waves
    if registers < 256:
        assert occ.cdna_occupancy("MI250X", 256, registers + 1) < waves


def test_accumulation_registers_share_the_file_from_gfx90a():
    assert occ.cdna_occupancy("gfx908", 256, 128, 128) == 2
    assert occ.cdna_occupancy("gfx90a", 256, 128, 128) == 2
    assert occ.cdna_occupancy("gfx908", 256, 128) == 2
    assert occ.cdna_occupancy("gfx90a", 256, 128) == 4


KERNELS = {
    "target": st.sampled_from(TARGETS),
    "size": st.integers(1, 1024),
    "vector": st.integers(0, 255),
    "accumulation": st.integers(0, 255),
    "lds": st.integers(0, 65536),
}


@given(**KERNELS)
def test_cdna_occupancy_is_bounded_and_monotone(target, size, vector, accumulation, lds):
    chip = occ.cdna_limits(target)
    waves = occ.cdna_occupancy(target, size, vector, accumulation, lds)
    assert type(waves) is int
    assert 1 <= waves <= chip.max_waves_per_simd
    assert waves == min(occ.cdna_wave_limits(target, size, vector, accumulation, lds))
    assert occ.cdna_occupancy(target, size, vector + 1, accumulation, lds) <= waves
    assert occ.cdna_occupancy(target, size, vector, accumulation + 1, lds) <= waves
    assert occ.cdna_occupancy(target, size, vector, accumulation, max(lds - 1, 0)) >= waves
    assert waves * max(vector, accumulation) <= chip.vector_registers_per_lane


@given(**KERNELS)
def test_cdna_occupancy_of_scalars_and_arrays_agrees(target, size, vector, accumulation, lds):
    alone = occ.cdna_wave_limits(target, size, vector, accumulation, lds)
    many = occ.cdna_wave_limits(target, [size, size], [[vector]], np.float32(accumulation), np.int64(lds))
    assert all(limit.shape == (1, 2) for limit in many)
    assert all((limit == single).all() for limit, single in zip(many, alone, strict=True))


def test_cdna_limits_ignore_case():
    assert occ.cdna_limits("mi300x") is occ.cdna_limits("GFX942")


@every_row("function", [occ.cdna_occupancy, occ.cdna_wave_limits])
@every_row(
    ("arguments", "error", "message"),
    [
        ({"target": "gfx1100"}, ValueError, "target must be one of 'gfx908', .*'MI355X', got 'gfx1100'"),
        ({"target": 942}, TypeError, "target must be one of 'gfx908'"),
        ({"workgroup_size": 0}, ValueError, "workgroup_size must be at least 1, got 0"),
        ({"workgroup_size": 1025}, ValueError, "workgroup_size must be at most 1024, got 1025"),
        ({"workgroup_size": True}, TypeError, "workgroup_size must be a number"),
        ({"vector_registers": 257}, ValueError, "vector_registers must be at most 256"),
        ({"vector_registers": float("nan")}, ValueError, "vector_registers must be finite"),
        ({"accumulation_registers": -1}, ValueError, "accumulation_registers must be at least 0"),
        ({"accumulation_registers": "4"}, TypeError, "accumulation_registers must be a number"),
        ({"lds_bytes": 0.5}, ValueError, "lds_bytes must be a whole number"),
        ({"lds_bytes": 65537}, ValueError, "lds_bytes must be at most 65536, got 65537"),
    ],
)
def test_invalid_arguments_are_refused(function, arguments, error, message):
    with pytest.raises(error, match=message):
        function(**{"target": "MI300X", "workgroup_size": 256} | arguments)


def test_cdna_limits_refuse_unknown_names():
    with pytest.raises(ValueError, match="target must be one of"):
        occ.cdna_limits("H100")
    with pytest.raises(TypeError, match="target must be one of"):
        occ.cdna_limits(None)
