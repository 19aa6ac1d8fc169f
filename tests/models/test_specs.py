"""The catalogue against arithmetic, against figures typed from other sources, and against abuse."""

import copy
import dataclasses
import json
import math
import pickle
import re
import subprocess
import sys
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import specs

ALL = specs.accelerators()
EACH = pytest.mark.parametrize("a", ALL, ids=lambda a: a.id)
DATA = json.loads((files("chip2cluster") / "data" / "accelerators.json").read_text(encoding="utf-8"))
CONFIDENCE = {"confirmed", "secondary", "memory", "low"}
PLAIN = [
    "year", "compute_capability", "memory_bytes", "memory_type", "memory_bandwidth", "scale_up_link", "scale_up_links",
    "scale_up_bandwidth_one_way", "scale_up_bandwidth_both_ways", "tdp_watts", "boost_clock_hz", "max_clock_hz",
    "compute_units",
]


def dense(name, precision):
    return specs.accelerator(name).peak_flops_dense(precision)


def sparse(name, precision):
    return specs.accelerator(name).peak_flops_sparse(precision)


# ---- figures that follow from the hardware ---------------------------------------


@pytest.mark.parametrize(
    ("name", "precision", "units", "fma_per_unit", "clock"),
    [
        # NVIDIA: SMs, FMA per SM and clock (tensor cores x FMA each), whitepapers
        ("V100", "fp16", 80, 8 * 64, 1.530e9),
        ("V100", "fp32", 80, 64, 1.530e9),
        ("A100 40GB", "bf16", 108, 4 * 256, 1.410e9),
        ("A100 80GB", "bf16", 108, 4 * 256, 1.410e9),
        ("A100 80GB", "tf32", 108, 4 * 128, 1.410e9),
        ("A100 80GB", "int8", 108, 4 * 512, 1.410e9),
        ("A100 80GB", "fp64_tensor", 108, 64, 1.410e9),
        ("H100 SXM", "bf16", 132, 4 * 512, 1.830e9),
        ("H100 SXM", "fp8", 132, 4 * 1024, 1.830e9),
        ("H100 SXM", "fp32", 132, 128, 1.980e9),
        ("H100 SXM", "fp64", 132, 64, 1.980e9),
        ("H100 PCIe", "bf16", 114, 4 * 512, 1.620e9),
        ("H100 PCIe", "fp32", 114, 128, 1.755e9),
        ("H200", "bf16", 132, 4 * 512, 1.830e9),
        ("H200", "fp32", 132, 128, 1.980e9),
        ("GH200 96GB", "bf16", 132, 4 * 512, 1.830e9),
        ("L4", "fp16", 58, 4 * 128, 2.040e9),
        ("L4", "fp32", 58, 128, 2.040e9),
        ("L40S", "fp32", 142, 128, 2.520e9),
        ("RTX 4090", "fp32", 128, 128, 2.520e9),
        ("RTX 4090", "fp16", 128, 4 * 64, 2.520e9),
        # AMD: CUs x 4 matrix cores x FMA each, CDNA whitepapers
        ("MI250X", "fp16", 220, 4 * 128, 1.700e9),
        ("MI250X", "fp64", 220, 64, 1.700e9),
        ("MI300X", "fp16", 304, 4 * 256, 2.100e9),
        ("MI300X", "fp8", 304, 4 * 512, 2.100e9),
        ("MI300X", "fp32", 304, 128, 2.100e9),  # packed: 2 FMA per lane, 64 lanes
        ("MI300X", "fp64", 304, 64, 2.100e9),
        ("MI300A", "fp16", 228, 4 * 256, 2.100e9),
        ("MI325X", "fp16", 304, 4 * 256, 2.100e9),
        ("MI350X", "fp16", 256, 4 * 512, 2.200e9),
        ("MI355X", "fp16", 256, 4 * 512, 2.400e9),
        ("MI355X", "fp4", 256, 4 * 2048, 2.400e9),
        # systolic arrays: number x rows x columns
        ("Gaudi 2", "bf16", 2, 256 * 256, 1.650e9),
        ("Gaudi 3", "bf16", 8, 256 * 256, 1.750e9),
        ("TPU v3", "bf16", 2, 2 * 128 * 128, 0.940e9),
        ("TPU v4", "bf16", 2, 4 * 128 * 128, 1.050e9),
        ("TPU v5e", "bf16", 1, 4 * 128 * 128, 1.500e9),
        ("TPU v5p", "bf16", 2, 4 * 128 * 128, 1.750e9),
    ],
)
def test_peak_is_units_times_clock(name, precision, units, fma_per_unit, clock):
    a = specs.accelerator(name)
    assert a.compute_units == units
    assert clock in (a.boost_clock_hz, a.max_clock_hz)
    assert a.peak_flops_dense(precision) == pytest.approx(units * fma_per_unit * 2 * clock, rel=3e-3)


def test_matrix_clock_is_not_the_maximum_clock_on_hopper():
    h100 = specs.accelerator("H100 SXM")
    assert (h100.boost_clock_hz, h100.max_clock_hz) == (1830e6, 1980e6)
    assert 132 * 4 * 512 * 2 * h100.max_clock_hz == pytest.approx(1070e12, rel=1e-3)  # the trap


@pytest.mark.parametrize(
    ("name", "chips", "pod_flops"),
    [("TPU v2", 256, 11.5e15), ("TPU v4", 4096, 1.1e18), ("TPU v5p", 8960, 4.11e18)],  # Google's pod figures
)
def test_pods_add_up(name, chips, pod_flops):
    assert chips * dense(name, "bf16") == pytest.approx(pod_flops, rel=0.03)


def test_ironwood_superpod_is_42_5_exaflops():
    assert 9216 * dense("Ironwood", "fp8") == pytest.approx(42.5e18, rel=1e-3)  # Google, April 2025


@pytest.mark.parametrize(
    ("name", "bus_bits", "gigatransfers"),
    [  # memory bandwidth = bus width x data rate / 8
        ("A100 40GB", 5120, 2.43), ("A100 80GB", 5120, 3.186), ("MI250X", 8192, 3.2), ("MI300X", 8192, 5.2),
        ("MI325X", 8192, 6.0), ("MI355X", 8192, 8.0), ("RTX 4090", 384, 21.0), ("L40S", 384, 18.0), ("L4", 192, 12.5),
    ],
)  # fmt: skip
def test_memory_bandwidth_is_bus_times_rate(name, bus_bits, gigatransfers):
    expected = bus_bits * gigatransfers * 1e9 / 8
    assert specs.accelerator(name).memory_bandwidth == pytest.approx(expected, rel=0.025)


@pytest.mark.parametrize(
    ("name", "links", "per_link_one_way"),
    [
        ("V100", 6, 25e9), ("A100 80GB", 12, 25e9), ("H100 SXM", 18, 25e9), ("B200", 18, 50e9), ("GB200", 18, 50e9),
        ("B300", 18, 50e9), ("MI250X", 8, 50e9), ("MI300X", 7, 64e9), ("MI355X", 7, 76.8e9), ("Gaudi 2", 21, 100e9 / 8),
        ("Gaudi 3", 21, 200e9 / 8), ("TPU v4", 6, 50e9), ("TPU v5e", 4, 50e9), ("TPU v5p", 6, 100e9),
        ("TPU v2", 4, 496e9 / 8), ("TPU v3", 4, 656e9 / 8), ("Ascend 910", 3, 240e9 / 8),
    ],
)  # fmt: skip
def test_links_add_up_one_way(name, links, per_link_one_way):
    a = specs.accelerator(name)
    assert a.scale_up_links == links
    assert a.scale_up_bandwidth_one_way == pytest.approx(links * per_link_one_way)


def test_pcie_cards_have_no_nvlink():
    for name, transfers in (("L4", 16e9), ("L40S", 16e9), ("RTX 4090", 16e9), ("RTX PRO 6000 Server", 32e9)):
        a = specs.accelerator(name)
        assert a.scale_up_link.startswith("PCIe")
        assert "no NVLink" in a.source("scale_up_link").note
        assert a.scale_up_bandwidth_one_way == pytest.approx(transfers * 16 * 128 / 130 / 8, rel=1e-3)


def test_gb200_domain_is_130_terabytes_per_second():
    assert 72 * specs.accelerator("GB200").scale_up_bandwidth_both_ways == pytest.approx(129.6e12)


# ---- figures typed from vendors' pages and other tables --------------------------


@pytest.mark.parametrize(
    ("name", "precision", "dense_tflops", "sparse_tflops"),
    [
        ("A100 80GB", "bf16", 312, 624),  # A100 datasheet
        ("A100 40GB", "tf32", 156, 312),
        ("A100 80GB", "int8", 624, 1248),
        ("H100 SXM", "bf16", 989.4, 1978.9),  # H100 whitepaper; lockwood
        ("H100 SXM", "fp8", 1978.9, 3957.8),
        ("H100 SXM", "tf32", 494.7, 989.4),
        ("H100 PCIe", "fp16", 756, 1513),  # H100 datasheet, PCIe column
        ("B200", "bf16", 2250, 4500),  # Blackwell datasheet, HGX
        ("B200", "fp8", 4500, 9000),
        ("B200", "fp4", 9000, 18000),
        ("GB200", "bf16", 2500, 5000),  # GB200 NVL72 / 72
        ("GB200", "fp4", 10000, 20000),
        ("L40S", "bf16", 362, 733),  # L40S datasheet: 362.05 | 733
        ("L40S", "fp8", 733, 1466),
        ("MI300X", "fp16", 1307.4, 2614.9),  # MI300X data sheet
        ("MI300X", "fp8", 2614.9, 5229.8),
        ("MI355X", "fp8", 5033.2, 10066.3),  # AMD: 10.1 PF FP8 is with sparsity
        ("Trainium2", "fp8", 1299, 2563),  # AWS Neuron documentation
        ("Trainium2", "bf16", 667, 2563),
        ("B300", "fp4", 13500, 18000),  # HGX B300: 108 and 144 PF for 8
    ],
)
def test_dense_and_sparse_as_published(name, precision, dense_tflops, sparse_tflops):
    assert dense(name, precision) == dense_tflops * 1e12
    assert sparse(name, precision) == sparse_tflops * 1e12


@pytest.mark.parametrize(
    ("name", "gigabytes", "gigabytes_per_second"),
    [
        ("V100", 32, 900), ("A100 40GB", 40, 1555), ("A100 SXM4 80GB", 80, 2039), ("H100 SXM", 80, 3350),
        ("H100 PCIe", 80, 2039), ("H200", 141, 4800), ("GH200 96GB", 96, 4000), ("GH200 144GB", 144, 4900),
        ("B200", 180, 8000), ("GB200", 186, 8000), ("B300", 288, 8000), ("L4", 24, 300), ("L40S", 48, 864),
        ("RTX 4090", 24, 1008), ("RTX PRO 6000 Server", 96, 1597), ("MI250X", 128, 3276.8), ("MI300X", 192, 5300),
        ("MI325X", 256, 6000), ("MI300A", 128, 5300), ("MI355X", 288, 8000), ("MI350X", 288, 8000),
        ("Gaudi 2", 96, 2460), ("Gaudi 3", 128, 3700), ("TPU v2", 16, 700), ("TPU v3", 32, 900), ("TPU v4", 32, 1200),
        ("TPU v5e", 16, 819), ("TPU v5p", 95, 2765), ("TPU v6e", 32, 1638), ("TPU7x", 192, 7380),
        ("Trainium1", 32, 820), ("Trainium2", 96, 2900), ("Ascend 910", 32, 1200), ("Ascend 910B", 64, 1600),
    ],
)  # fmt: skip
def test_memory_as_published(name, gigabytes, gigabytes_per_second):
    a = specs.accelerator(name)
    assert a.memory_bytes == gigabytes * 1e9
    assert a.memory_bandwidth == pytest.approx(gigabytes_per_second * 1e9)


@pytest.mark.parametrize(
    ("name", "link", "one_way"),
    [("V100", "NVLink 2", 150), ("A100 80GB", "NVLink 3", 300), ("H100 SXM", "NVLink 4", 450), ("H200", "NVLink 4", 450),
     ("GH200 96GB", "NVLink 4", 450), ("B200", "NVLink 5", 900), ("B300", "NVLink 5", 900)],
)  # fmt: skip
def test_nvlink_generations(name, link, one_way):
    a = specs.accelerator(name)
    assert (a.scale_up_link, a.scale_up_bandwidth_one_way) == (link, one_way * 1e9)


def test_well_known_slips_are_not_in_the_catalogue():
    assert dense("B200", "bf16") != 5000e12 and sparse("B200", "bf16") != 5000e12  # that is GB200, sparse
    assert specs.accelerator("MI300X").memory_bytes != 128e9  # that is the MI300A
    assert specs.accelerator("MI250X").memory_bandwidth != 1.6384e12  # that is one of two dies
    assert specs.accelerator("MI250X").boost_clock_hz == 1700e6  # not 1740
    assert specs.accelerator("B200").compute_units == 148  # not 144
    assert specs.accelerator("MI350X").year == 2025
    assert specs.accelerator("MI350X").memory_type == specs.accelerator("H200").memory_type == "HBM3e"
    assert specs.accelerator("TPU v2").memory_bandwidth != 600e9
    assert specs.accelerator("Ascend 910").memory_bandwidth != 1.6e12  # that is the 910B
    assert specs.accelerator("H100 SXM").tdp_watts == 700


def test_known_ratios():
    assert dense("H100 SXM", "bf16") / dense("TPU v4", "bf16") == pytest.approx(3.6, rel=0.01)
    ridge = {n: dense(n, "bf16") / specs.accelerator(n).memory_bandwidth for n in ("H100 SXM", "B200", "TPU v5p")}
    assert ridge == pytest.approx({"H100 SXM": 295.3, "B200": 281.25, "TPU v5p": 166.0}, rel=1e-3)


# ---- what must hold for every accelerator ----------------------------------------


def test_thirty_four_of_them_in_a_fixed_order():
    assert len(ALL) == 34 and isinstance(ALL, tuple)
    assert specs.accelerators() == ALL
    assert len({a.id for a in ALL}) == len({a.name for a in ALL}) == 34
    assert ALL[0].name == "V100 SXM2"


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


# ---- names -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("H100 SXM", "h100-sxm5"), ("h100-sxm5", "h100-sxm5"), ("h100 sxm5 80gb", "h100-sxm5"), ("H100SXM", "h100-sxm5"),
        ("H100 PCIe", "h100-pcie"), ("h200", "h200-sxm"), ("MI300X", "mi300x"), ("AMD Instinct MI300X", "mi300x"),
        ("TPU v4", "tpu-v4"), ("tpu-v5p", "tpu-v5p"), ("v5e", "tpu-v5e"), ("Google TPU_v3", "tpu-v3"),
        ("Trillium", "tpu-v6e"), ("TPU v6e (Trillium)", "tpu-v6e"), ("Ironwood", "tpu-v7x"), ("TPU v7x", "tpu-v7x"),
        ("B200", "b200-hgx"), ("HGX B200", "b200-hgx"), ("GB200", "gb200-gpu"), ("A100 SXM4 80GB", "a100-80-sxm4"),
        ("A100 80GB", "a100-80-sxm4"), ("a100 80 gb", "a100-80-sxm4"), ("A100 40GB", "a100-40-sxm4"), ("L4", "l4"),
        ("NVIDIA L4", "l4"), ("L40S", "l40s"), ("V100", "v100-sxm2"), ("GH200 144 GB", "gh200-144"),
        ("gaudi3", "gaudi3"), ("Intel Gaudi 2", "gaudi2"), ("trn2", "trn2"), ("AWS Trainium 1", "trn1"),
        ("Ascend 910", "ascend-910"), ("Ascend 910B", "ascend-910b"), ("4090", "rtx4090"),
        ("RTX PRO 6000 Blackwell Server Edition", "rtxpro6000-server"),
        # what nvidia-smi and torch.cuda.get_device_name print
        ("NVIDIA H100 80GB HBM3", "h100-sxm5"), ("NVIDIA A100-SXM4-80GB", "a100-80-sxm4"), ("NVIDIA H200", "h200-sxm"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"), ("Instinct MI300A (APU)", "mi300a"), ("TPU Trillium", "tpu-v6e"),
         ("Tesla V100-SXM2-32GB", "v100-sxm2"), ("NVIDIA B200", "b200-hgx"),
    ],
)  # fmt: skip
def test_names_that_fit_one(name, found):
    assert specs.accelerator(name).id == found


@EACH
def test_every_name_and_id_finds_itself(a):
    for name in (a.name, a.id, f"{a.vendor} {a.name}"):
        for spelling in (name, name.upper(), name.lower(), f"  {name} ", name.replace(" ", "-"), name.replace(" ", "")):
            assert specs.accelerator(spelling) is a


@settings(deadline=None)
@given(st.sampled_from(ALL), st.data())
def test_case_and_punctuation_do_not_matter(a, data):
    marks = data.draw(st.lists(st.sampled_from(["", " ", "-", "_", "/", "."]), min_size=len(a.name), max_size=len(a.name)))
    cases = data.draw(st.lists(st.booleans(), min_size=len(a.name), max_size=len(a.name)))
    written = "".join(m + (c.upper() if up else c.lower()) for m, c, up in zip(marks, a.name, cases, strict=True))
    assert specs.accelerator(written) is a


@settings(deadline=None)
@given(st.text(max_size=40) | st.text("hl40bst180 gmi23xtpuva", max_size=12))
def test_any_text_is_found_or_refused(text):
    try:
        found = specs.accelerator(text)
    except specs.UnknownAccelerator as error:
        assert repr(text) in str(error)
    else:
        assert found in ALL


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("H100", {"H100 SXM", "H100 PCIe"}), ("A100", {"A100 SXM 40GB", "A100 SXM 80GB"}), ("MI300", {"MI300X", "MI300A"}),
        ("NVIDIA H100 80GB", {"H100 SXM", "H100 PCIe"}), ("GH200", {"GH200 96GB", "GH200 144GB"}),
        ("Gaudi", {"Gaudi 2", "Gaudi 3"}), ("TPU v5", {"TPU v5e", "TPU v5p"}), ("Trainium", {"Trainium1", "Trainium2"}),
    ],
)  # fmt: skip
def test_ambiguous_names_list_their_candidates(name, candidates):
    with pytest.raises(specs.UnknownAccelerator) as error:
        specs.accelerator(name)
    message = str(error.value)
    assert message.startswith(f"{name!r} fits ")
    assert set(re.fullmatch(r".* fits (.*); say which", message)[1].split(", ")) == candidates


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("H1000 SXM", "H100 SXM"), ("MI300Y", "MI300X"), ("Trilium", "TPU v6e"), ("Iornwood", "TPU7x"),
        # real products that the catalogue does not hold must not turn into others
        ("L40", "L40S"), ("MI250", "MI250X"), ("H100 NVL", "H100 PCIe"), ("GB300", "B300"), ("A100 80GB PCIe", "A100 SXM 80GB"),
        ("RTX PRO 6000", "RTX PRO 6000 Server"), ("RTX 6000", "RTX PRO 6000 Server"), ("V100 16GB", "V100 SXM2"),
        ("H100 SXM 96GB", "H100 SXM"), ("TPU v6", "TPU v6e"),
    ],
)  # fmt: skip
def test_unknown_names_list_near_ones(name, near):
    with pytest.raises(specs.UnknownAccelerator) as error:
        specs.accelerator(name)
    assert str(error.value).startswith(f"no accelerator is called {name!r}; did you mean ")
    assert near in str(error.value)


@pytest.mark.parametrize("name", ["", "   ", "--", "qqqqqq"])
def test_hopeless_names_list_everything(name):
    with pytest.raises(specs.UnknownAccelerator) as error:
        specs.accelerator(name)
    assert all(a.name in str(error.value) for a in ALL)


@pytest.mark.parametrize("name", ["sxm" * 2000 + "!x", "h100sxm" * 2000, "nvidia gpu " * 500 + "L40", "\u0130\u00df" * 99])
def test_long_nonsense_is_refused_at_once(name):
    with pytest.raises(specs.UnknownAccelerator):
        specs.accelerator(name)


@pytest.mark.parametrize("name", [None, 4090, True, b"B200", ["B200"], ALL[0]])
def test_a_name_is_text(name):
    with pytest.raises(TypeError, match="name must be text"):
        specs.accelerator(name)


def test_unknown_accelerator_is_both_kinds_of_error_and_prints_plainly():
    assert issubclass(specs.UnknownAccelerator, LookupError) and issubclass(specs.UnknownAccelerator, ValueError)
    assert not str(specs.UnknownAccelerator("plain")).startswith("'")
    assert not issubclass(specs.UnknownAccelerator, KeyError)


# ---- precisions and sources ------------------------------------------------------


@pytest.mark.parametrize("precision", ["BF16", " bf16 ", "Bf16\n"])
def test_precision_spelling(precision):
    assert dense("A100 80GB", precision) == 312e12
    assert sparse("A100 80GB", precision) == 624e12


@pytest.mark.parametrize(
    ("name", "kind", "precision", "words"),
    [
        ("A100 80GB", "dense", "fp8", ["A100 SXM 80GB", "dense", "'fp8'", "bf16, fp16, int8, int4"]),
        ("V100", "dense", "bf16", ["V100 SXM2", "'bf16'", "FP16 only", "fp64, fp32, fp16, int8"]),
        ("B300", "dense", "int8", ["'int8'", "cut the INT8 units", "fp4"]),
        ("RTX PRO 6000 Server", "dense", "bf16", ["Server Edition", "it has fp64, fp32"]),
        ("RTX PRO 6000 Server", "dense", "fp4", ["it has fp64, fp32"]),
        ("RTX PRO 6000 Server", "sparse", "bf16", ["sparse", "it has fp4"]),
        ("MI355X", "sparse", "fp4", ["it has bf16, fp16, fp8, int8"]),
        ("H100 SXM", "sparse", "fp32", ["it has tf32, bf16, fp16, fp8, int8"]),
        ("TPU v4", "sparse", "bf16", ["no sparse peak", "nor for any other precision", "dense it has bf16, int8"]),
        ("H100 SXM", "dense", "float16", ["'float16'", "fp16"]),
        ("H100 SXM", "dense", "", ["''", "bf16"]),
    ],
)
def test_unsupported_precision_names_the_choices(name, kind, precision, words):
    with pytest.raises(specs.PrecisionNotSupported) as error:
        getattr(specs.accelerator(name), f"peak_flops_{kind}")(precision)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("name", ["V100", "TPU v5p", "Gaudi 3", "MI250X", "Trainium1", "Ascend 910B"])
def test_no_sparse_peak_falls_back_to_the_dense_one(name):
    for precision in specs.accelerator(name).precisions_dense:
        with pytest.raises(specs.PrecisionNotSupported, match="no sparse peak"):
            sparse(name, precision)


@pytest.mark.parametrize("precision", [None, 16, True, ["bf16"], b"bf16", math.nan])
def test_precision_is_text(precision):
    for method in (ALL[0].peak_flops_dense, ALL[0].peak_flops_sparse):
        with pytest.raises(TypeError, match="precision must be a name"):
            method(precision)
    with pytest.raises(TypeError, match="precision must be a name"):
        ALL[0].source("peak_flops_dense", precision)


@settings(deadline=None)
@given(st.text(max_size=10))
def test_any_other_precision_is_refused(text):
    a = specs.accelerator("H100 SXM")
    if text.strip().lower() not in a.precisions_dense:
        with pytest.raises(specs.PrecisionNotSupported):
            a.peak_flops_dense(text)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (("bandwidth",), "no field 'bandwidth'; there are year, .*memory_bandwidth, .*peak_flops_dense"),
        (("name",), "no field 'name'"),
        ((None,), "no field None"),
        (("tdp_watts", "bf16"), "tdp_watts has one value"),
        (("tdp_watts",), "TPU v5e has no tdp_watts, .*Google prints no TDP"),
        (("compute_capability",), "TPU v5e has no compute_capability"),
        (("compute_unit_counts", "SM"), "for MXU_128x128, got 'SM'"),
    ],
)
def test_source_refuses(key, words):
    with pytest.raises(ValueError, match=words):
        specs.accelerator("TPU v5e").source(*key)


def test_source_of_an_absent_peak():
    with pytest.raises(specs.PrecisionNotSupported, match="no sparse peak"):
        specs.accelerator("TPU v5e").source("peak_flops_sparse", "bf16")


# ---- objects ---------------------------------------------------------------------


def test_frozen_and_hashable():
    a = specs.accelerator("B200")
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.memory_bytes = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.source("year").note = ""
    with pytest.raises(TypeError):
        a.compute_unit_counts["SM"] = 1
    assert len(set(ALL)) == 34


def test_copies_are_equal_and_what_if_copies_stay_different():
    a = specs.accelerator("B200")
    assert pickle.loads(pickle.dumps(a)) == copy.deepcopy(a) == a
    faster = dataclasses.replace(a, memory_bandwidth=9e12)
    assert copy.deepcopy(faster).memory_bandwidth == 9e12 and faster != a


def test_repr_is_short_and_confesses():
    assert repr(specs.accelerator("H100 SXM")) == "<H100 SXM: NVIDIA 2022; 989 TFLOP/s bf16 dense; 80 GB HBM3; 3.35 TB/s>"
    assert "low confidence" in repr(specs.accelerator("B300")) and "fp4 dense" in repr(specs.accelerator("B300"))
    assert repr(specs.accelerator("Ascend 910B")).endswith("low confidence: every value>")
    assert all(len(repr(a)) < 200 and ("low confidence" in repr(a)) == bool(a.low_confidence) for a in ALL)


@EACH
def test_html_shows_every_value_with_its_confidence(a):
    page = a._repr_html_()
    assert page.startswith("<table>") and page.endswith("</table>")
    body = page.split("<tbody>")[1]
    assert body.count("<td>low</td>") == len(a.low_confidence)
    assert body.count("<tr>") >= len(a.precisions_dense) + len(a.precisions_sparse) + 8


# ---- tables ----------------------------------------------------------------------


def test_default_table():
    t = specs.table()
    assert list(t.index) == [a.name for a in ALL] and t.index.name == "accelerator"
    assert list(t.columns) == [
        "vendor", "year", "fp16 dense (TFLOP/s)", "bf16 dense (TFLOP/s)", "fp8 dense (TFLOP/s)", "memory (GB)",
        "memory bandwidth (GB/s)", "scale-up one way (GB/s)", "TDP (W)", "low confidence",
    ]  # fmt: skip
    assert set(t.select_dtypes("number").columns) == set(t.columns) - {"vendor", "low confidence"}
    assert t.loc["H100 SXM", "bf16 dense (TFLOP/s)"] == 989.4
    assert math.isnan(t.loc["V100 SXM2", "bf16 dense (TFLOP/s)"])
    assert math.isnan(t.loc["TPU v5e", "TDP (W)"])
    assert t.loc["B300", "low confidence"] == "memory, TDP"
    assert t.loc["H100 SXM", "low confidence"] == ""


def test_table_of_chosen_rows_and_columns():
    t = specs.table(iter(["mi300x", "B200"]), ("peak_flops_sparse:INT8", "scale_up_link", "compute_unit_counts:XCD"))
    assert list(t.columns) == ["int8 sparse (TOP/s)", "scale-up link", "XCD", "low confidence"]
    assert list(t.index) == ["MI300X", "B200"]
    assert t["XCD"].iloc[0] == 8 and math.isnan(t["XCD"].iloc[1])
    assert t.loc["B200", "scale-up link"] == "NVLink 5"
    assert specs.table("B200", "boost_clock_hz").iloc[0, 0] == 1965.0


def test_every_field_can_be_a_column_and_agrees_with_the_object():
    t = specs.table(fields=["id", "kind", "compute_unit", *PLAIN])
    for a in ALL:
        assert t.loc[a.name, "memory (GB)"] * 1e9 == pytest.approx(a.memory_bytes)
        assert t.loc[a.name, "scale-up both ways (GB/s)"] == pytest.approx(2 * a.scale_up_bandwidth_one_way / 1e9)
        assert t.loc[a.name, "compute units"] == a.compute_units


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ("memory", ValueError, "no field 'memory'; there are id, .*memory_bytes, .*peak_flops_dense:name"),
        ("peak_flops_dense", ValueError, "peak_flops_dense:name"),
        ("peak_flops_dense:fp12", ValueError, "no accelerator has 'peak_flops_dense:fp12'; .*bf16"),
        ("memory_bytes:x", ValueError, "no field"),
        ("vendor:", ValueError, "no field"),
        ([3], TypeError, "a field must be text, got 3"),
        (3, TypeError, "fields must be a name or several, got 3"),
    ],
)
def test_table_refuses_fields(fields, error, words):
    with pytest.raises(error, match=words):
        specs.table("B200", fields)


def test_table_refuses_names():
    with pytest.raises(specs.UnknownAccelerator, match="fits"):
        specs.table(["B200", "H100"])
    with pytest.raises(TypeError, match="names must be"):
        specs.table(5)
    assert specs.table([]).empty


def test_the_catalogue_itself_needs_neither_numpy_nor_pandas():
    code = "import sys; from chip2cluster import specs; print(specs.accelerator('B200').name, *{'numpy', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["B200"]
