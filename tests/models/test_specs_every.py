"""What must hold for every accelerator of the catalogue."""

import json
import math
import re
from importlib.resources import files

import pytest

from chip2cluster import specs
from tests.models.catalogue import ALL, EACH, PLAIN

DATA = json.loads((files("chip2cluster") / "data" / "accelerators.json").read_text(encoding="utf-8"))
CONFIDENCE = {"confirmed", "secondary", "memory", "low"}


def test_each_stands_there_once_in_the_order_of_the_file():
    assert isinstance(ALL, tuple) and specs.accelerators() == ALL
    assert len({a.id for a in ALL}) == len({a.name for a in ALL}) == len(ALL)
    assert [a.id for a in ALL] == [record["id"] for record in DATA["accelerators"]]


@EACH
def test_plausible(a):
    assert a.kind in {"gpu", "tpu", "npu", "apu"}
    assert a.kind == {"Google": "tpu", "Intel": "npu", "AWS": "npu", "Huawei": "npu"}.get(
        a.vendor, "apu" if a.name == "MI300A" else "gpu"
    )
    assert 2017 <= a.year <= 2026 and type(a.year) is int
    assert type(a.compute_units) is int and a.compute_units > 0 and a.compute_unit
    assert all(type(n) is int and n > 0 for n in a.compute_unit_counts.values())
    assert 10e9 <= a.memory_bytes <= 400e9 and 2e11 <= a.memory_bandwidth <= 9e12
    assert a.scale_up_bandwidth_both_ways == pytest.approx(2 * a.scale_up_bandwidth_one_way, rel=1e-12)
    assert 1e10 <= a.scale_up_bandwidth_one_way < a.memory_bandwidth
    assert (a.compute_capability is not None) == (a.vendor == "NVIDIA")
    assert a.tdp_watts is None or 50 <= a.tdp_watts <= 1500
    assert a.boost_clock_hz is None or 5e8 <= a.boost_clock_hz <= 3e9
    assert a.max_clock_hz is None or a.max_clock_hz > a.boost_clock_hz
    for field in ("memory_bytes", "memory_bandwidth", "scale_up_bandwidth_one_way", "tdp_watts", "boost_clock_hz"):
        assert type(getattr(a, field)) is float or getattr(a, field) is None
    assert a.precisions_dense


@EACH
def test_peaks_are_consistent(a):
    d = {p: a.peak_flops_dense(p) for p in a.precisions_dense}
    assert all(type(v) is float and 1e12 <= v <= 2e16 for v in d.values())
    if {"bf16", "fp16"} <= d.keys() and a.name != "Gaudi 3":  # Gaudi 3 runs FP16 at a quarter
        assert d["bf16"] == d["fp16"]
    if "fp64" in d:
        assert d["fp64"] <= d["fp32"] <= d.get("bf16", math.inf)
    for p in a.precisions_sparse:
        s = a.peak_flops_sparse(p)
        if p not in d:
            assert (a.name, p) == ("RTX PRO 6000 Server", "fp4")
        elif a.name == "Trainium2":  # 4 of 16, one printed figure
            assert s == 2563e12 > d[p]
        elif (a.name, p) == ("B300", "fp4"):  # only dense FP4 was raised
            assert d[p] < s < 2 * d[p]
        else:
            odd = a.name == "L40S" and p in {"bf16", "fp16"}  # NVIDIA prints 362.05 | 733
            assert s / d[p] == pytest.approx(2, rel=0.013 if odd else 1e-3)


@EACH
def test_only_these_have_sparse_peaks(a):
    sparse_gpu = (a.vendor == "NVIDIA" and a.name != "V100 SXM2") or a.name.startswith("MI3")
    assert bool(a.precisions_sparse) == (sparse_gpu or a.name == "Trainium2")
    assert not {"fp64", "fp64_tensor", "fp32", "fp32_matrix"} & set(a.precisions_sparse)
    if a.vendor == "AMD" and a.precisions_sparse:
        assert set(a.precisions_sparse) == {"bf16", "fp16", "fp8", "int8"}


@EACH
def test_every_value_has_its_source(a):
    asked = [(f,) for f in PLAIN if getattr(a, f) is not None]
    asked += [("peak_flops_dense", p) for p in a.precisions_dense]
    asked += [("peak_flops_sparse", p) for p in a.precisions_sparse]
    asked += [("compute_unit_counts", u) for u in a.compute_unit_counts]
    for key in asked:
        source = a.source(*key)
        assert isinstance(source, specs.Source)
        assert len(source.citation) > 10
        assert re.fullmatch(r"20\d\d(-\d\d)?", source.as_of)
        assert source.confidence in CONFIDENCE
        assert ((*key, None)[:2] in a.low_confidence) == (source.confidence == "low")


def test_provenance_is_per_value():
    b300, ironwood = specs.accelerator("B300"), specs.accelerator("Ironwood")
    assert b300.source("peak_flops_dense", "fp4").confidence == "low"
    assert b300.source("tdp_watts").confidence == "low"
    assert b300.source("scale_up_bandwidth_one_way").confidence == "confirmed"
    assert ironwood.source("memory_type").confidence == "memory"
    assert ironwood.source("memory_bandwidth").confidence == "confirmed"
    assert "1750 MHz" in specs.accelerator("Gaudi 3").source("peak_flops_dense", "BF16 ").note
    assert "192 GB" in specs.accelerator("B200").source("memory_bytes").note
    for name in ("TPU v3", "TPU v4", "TPU7x", "Trainium1", "Trainium2", "MI300X"):
        assert "GiB" in specs.accelerator(name).source("memory_bytes").note


def test_the_file_is_written_for_readers():
    text = json.dumps(DATA).lower()
    assert not re.search(r"\bseeds?\b|\bfacts\b|stored copy", text)
    cited = set(re.findall(r'"source": "([^"]+)"', text))
    assert cited == {key.lower() for key in DATA["sources"]}  # none missing, none unused
    assert DATA["confidence"].keys() == CONFIDENCE
    known = {*PLAIN, "id", "name", "vendor", "kind", "known_as", "qualifiers", "compute_unit"}
    known |= {"peak_flops_dense", "peak_flops_sparse", "compute_unit_counts"}
    for record in DATA["accelerators"]:
        assert record.keys() <= known  # a misspelt field would vanish without a word
