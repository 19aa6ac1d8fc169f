"""Invariants of every accelerator of the catalogue."""

import json
import math
import re
from importlib.resources import files

import pytest

from chip2cluster import specs
from tests.models.catalogue import ALL, EACH, PLAIN

DATA = json.loads((files("chip2cluster") / "data" / "accelerators.json").read_text(encoding="utf-8"))
CONFIDENCE = {"confirmed", "secondary", "memory", "low"}


def test_accelerators_are_unique_and_in_file_order():
    assert isinstance(ALL, tuple) and specs.accelerators() == ALL
    assert len({a.id for a in ALL}) == len({a.name for a in ALL}) == len(ALL)
    assert [a.id for a in ALL] == [record["id"] for record in DATA["accelerators"]]


@EACH
def test_figures_are_plausible(a):
    by_name = {"MI300A": "apu", "Grace": "cpu", "Xeon Platinum 8480+": "cpu"}
    by_vendor = {"Google": "tpu", "Intel": "npu", "AWS": "npu", "Huawei": "npu"}
    assert a.kind == by_name.get(a.name, by_vendor.get(a.vendor, "gpu"))
    assert 2017 <= a.year <= 2026 and type(a.year) is int
    assert a.compute_unit
    if a.compute_units is None:  # announced, or tables disagree
        assert a.year >= 2025
    else:
        assert type(a.compute_units) is int and a.compute_units > 0
    assert all(type(n) is int and n > 0 for n in a.compute_unit_counts.values())
    assert 10e9 <= a.memory_bytes <= (5e12 if a.kind == "cpu" else 500e9) and 2e11 <= a.memory_bandwidth <= 3e13
    if a.scale_up_bandwidth_one_way is None:
        assert a.kind == "cpu" and a.scale_up_bandwidth_both_ways is None and a.scale_up_link is None
    else:
        assert a.scale_up_bandwidth_both_ways == pytest.approx(2 * a.scale_up_bandwidth_one_way, rel=1e-12)
        # The link between Grace and its GPU is faster than its own memory.
        assert 1e10 <= a.scale_up_bandwidth_one_way < a.memory_bandwidth or a.name == "Grace"
    assert (a.compute_capability is not None) == (a.vendor == "NVIDIA" and a.name not in {"Grace", "Rubin"})
    assert a.tdp_watts is None or 50 <= a.tdp_watts <= 2000
    assert a.peak_watts is None or a.tdp_watts < a.peak_watts <= 2000
    assert a.boost_clock_hz is None or 5e8 <= a.boost_clock_hz <= 3.2e9
    assert a.max_clock_hz is None or a.max_clock_hz > a.boost_clock_hz
    for field in ("memory_bytes", "memory_bandwidth", "scale_up_bandwidth_one_way", "tdp_watts", "boost_clock_hz"):
        assert type(getattr(a, field)) is float or getattr(a, field) is None
    assert a.precisions_dense


@EACH
def test_peaks_are_consistent(a):
    d = {p: a.peak_flops_dense(p) for p in a.precisions_dense}
    assert all(type(v) is float and 1e12 <= v <= 4e16 for v in d.values())
    if {"bf16", "fp16"} <= d.keys() and a.name != "Gaudi 3":  # Gaudi 3 runs FP16 at a quarter
        assert d["bf16"] == d["fp16"]
    if "fp64" in d:
        assert d["fp64"] <= d["fp32"] <= d.get("bf16", math.inf)
    for p in a.precisions_sparse:
        s = a.peak_flops_sparse(p)
        if p not in d:
            assert (a.name, p) == ("RTX PRO 6000 Server", "fp4")
        elif a.vendor == "AWS":  # 4 of 16, one printed figure
            assert s == {"Trainium2": 2563e12, "Trainium3": 2517e12}[a.name] > d[p]
        elif (a.name, p) in {("B300", "fp4"), ("GB300", "fp4")}:  # only dense FP4 was raised
            assert d[p] < s < 2 * d[p]
        else:
            odd = a.name == "L40S" and p in {"bf16", "fp16"}  # NVIDIA prints 362.05 | 733
            assert s / d[p] == pytest.approx(2, rel=0.013 if odd else 1e-3)


@EACH
def test_only_parts_with_sparsity_have_sparse_peaks(a):
    announced = a.name in {"Rubin", "MI455X"}  # their second peaks are not settled
    sparse_gpu = (a.vendor == "NVIDIA" and a.year >= 2020 and a.kind == "gpu") or a.name.startswith("MI3")
    assert bool(a.precisions_sparse) == ((sparse_gpu and not announced) or a.name in {"Trainium2", "Trainium3"})
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


@pytest.mark.parametrize("name", ["Rubin", "MI455X", "TPU 8t", "TPU 8i"])
def test_announced_parts_have_low_confidence(name):
    a = specs.accelerator(name)
    assert len(a.low_confidence) == len(a._sources) and a.announced and a.year == 2026
    assert "low confidence: every value" in repr(a)


def test_tdp_is_power_as_delivered():
    """TDP is power as delivered; a higher setting is a separate field, and measured power is not a TDP."""
    assert [(a.name, a.tdp_watts, a.peak_watts) for a in ALL if a.peak_watts] == [
        ("MI250X", 500, 560), ("MI300A", 550, 760),
    ]  # fmt: skip
    assert {a.name for a in ALL if a.tdp_covers} == {"GH200 96GB", "GH200 144GB", "MI300A", "Grace"}
    v4 = specs.accelerator("TPU v4")
    assert v4.tdp_watts is None
    with pytest.raises(ValueError, match="the highest power that it measured is 192 W"):
        v4.source("tdp_watts")


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


def test_file_has_known_fields_and_used_sources():
    text = json.dumps(DATA).lower()
    assert not re.search(r"\bseeds?\b|\bfacts\b|stored copy", text)
    cited = set(re.findall(r'"source": "([^"]+)"', text))
    assert cited == {key.lower() for key in DATA["sources"]}  # all cited, none unused
    assert DATA["confidence"].keys() == CONFIDENCE
    known = {*PLAIN, "id", "name", "vendor", "kind", "known_as", "qualifiers", "compute_unit"}
    known |= {"peak_flops_dense", "peak_flops_sparse", "compute_unit_counts", "announced", "unchecked"}
    for record in DATA["accelerators"]:
        assert record.keys() <= known  # a misspelt field would be silently ignored
