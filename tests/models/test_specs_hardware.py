"""Published peaks and bandwidths against what follows from the hardware."""

import pytest

from chip2cluster import specs
from tests.models.catalogue import dense
from tests.tables import every_row

UNITS_TIMES_CLOCK = [
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
    ("GH200 144GB", "bf16", 132, 4 * 512, 1.830e9),
    ("L4", "fp16", 58, 4 * 128, 2.040e9),
    ("L4", "fp32", 58, 128, 2.040e9),
    ("L40S", "fp32", 142, 128, 2.520e9),
    ("RTX 4090", "fp32", 128, 128, 2.520e9),
    ("RTX 4090", "fp16", 128, 4 * 64, 2.520e9),
    ("T4", "fp16", 40, 8 * 64, 1.590e9),
    ("A100 PCIe 40GB", "bf16", 108, 4 * 256, 1.410e9),
    ("A100 PCIe 80GB", "bf16", 108, 4 * 256, 1.410e9),
    ("A10", "bf16", 72, 4 * 128, 1.695e9),
    ("A40", "bf16", 84, 4 * 128, 1.740e9),
    ("RTX 3090", "fp16", 82, 4 * 64, 1.695e9),
    ("H100 64GB", "bf16", 132, 4 * 512, 1.830e9),
    ("H800", "bf16", 132, 4 * 512, 1.830e9),
    ("RTX PRO 6000 Workstation", "bf16", 188, 4 * 128, 2.617e9),
    ("RTX PRO 6000 Workstation", "fp32", 188, 128, 2.617e9),
    # CPUs: cores x FMA each; AMX starts 512 in bf16
    ("Xeon 8480+", "bf16", 56, 512, 2.0e9),
    ("Xeon 8480+", "fp64", 56, 16, 2.0e9),
    # AMD: CUs x 4 matrix cores x FMA each, CDNA whitepapers
    ("MI250X", "fp16", 220, 4 * 128, 1.700e9),
    ("MI250X", "fp64", 220, 64, 1.700e9),
    ("MI210", "fp16", 104, 4 * 128, 1.700e9),
    ("MI210", "fp64", 104, 64, 1.700e9),
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
]


@every_row(("name", "precision", "units", "fma_per_unit", "clock"), UNITS_TIMES_CLOCK)
def test_peak_is_units_times_clock(name, precision, units, fma_per_unit, clock):
    a = specs.accelerator(name)
    assert a.compute_units == units
    assert clock in (a.boost_clock_hz, a.max_clock_hz)
    assert a.peak_flops_dense(precision) == pytest.approx(units * fma_per_unit * 2 * clock, rel=3e-3)


def test_matrix_clock_is_not_the_maximum_clock_on_hopper():
    h100 = specs.accelerator("H100 SXM")
    assert (h100.boost_clock_hz, h100.max_clock_hz) == (1830e6, 1980e6)
    assert 132 * 4 * 512 * 2 * h100.max_clock_hz == pytest.approx(1070e12, rel=1e-3)  # the trap


PODS = [  # pod figures, Google's first, and how far they are rounded
    ("TPU v2", "bf16", 256, 11.5e15, 0.03),
    ("TPU v4", "bf16", 4096, 1.1e18, 0.03),
    ("TPU v5p", "bf16", 8960, 4.11e18, 0.03),
    ("TPU v6e", "bf16", 256, 234.9e15, 1e-3),
    ("TPU7x", "fp8", 9216, 42.5e18, 1e-3),  # April 2025, as Ironwood
    ("TPU 8t", "fp4", 9600, 121e18, 5e-3),  # April 2026
    ("TPU 8i", "fp4", 1152, 11.6e18, 5e-3),
    # other makers' racks
    ("GB300", "fp8", 72, 360e15, 1e-3),
    ("GB300", "fp4", 72, 1.1e18, 0.02),
    ("Rubin", "fp8", 72, 1.2e18, 0.06),  # announced in 2025
    ("Trainium3", "fp8", 144, 362e15, 2e-3),  # AWS, December 2025
    ("Ascend 910C", "bf16", 384, 300e15, 0.04),  # CloudMatrix 384, by the press
    ("Grace", "fp64", 2, 7.1e12, 1e-3),  # a superchip of two
]


@every_row(("name", "precision", "chips", "pod_flops", "rounding"), PODS)
def test_pods_add_up(name, precision, chips, pod_flops, rounding):
    assert chips * dense(name, precision) == pytest.approx(pod_flops, rel=rounding)


@every_row(
    ("name", "bus_bits", "gigatransfers"),
    [  # memory bandwidth = bus width x data rate / 8
        ("A100 40GB", 5120, 2.43), ("A100 80GB", 5120, 3.186), ("MI250X", 8192, 3.2), ("MI300X", 8192, 5.2),
        ("MI325X", 8192, 6.0), ("MI355X", 8192, 8.0), ("RTX 4090", 384, 21.0), ("L40S", 384, 18.0), ("L4", 192, 12.5),
    ],
)  # fmt: skip
def test_memory_bandwidth_is_bus_times_rate(name, bus_bits, gigatransfers):
    expected = bus_bits * gigatransfers * 1e9 / 8
    assert specs.accelerator(name).memory_bandwidth == pytest.approx(expected, rel=0.025)


LINKS = [
    ("V100", 6, 25e9), ("A100 80GB", 12, 25e9), ("H100 SXM", 18, 25e9), ("B200", 18, 50e9), ("GB200", 18, 50e9),
    ("B300", 18, 50e9), ("MI250X", 8, 50e9), ("MI300X", 7, 64e9), ("MI325X", 7, 64e9), ("MI350X", 7, 76.8e9), ("MI355X", 7, 76.8e9), ("Gaudi 2", 21, 100e9 / 8),
    ("Gaudi 3", 21, 200e9 / 8), ("TPU v4", 6, 50e9), ("TPU v5e", 4, 50e9), ("TPU v5p", 6, 100e9),
    ("TPU v2", 4, 496e9 / 8), ("TPU v3", 4, 656e9 / 8), ("Ascend 910", 3, 240e9 / 8),
    ("A40", 4, 14.0625e9), ("RTX 3090", 4, 14.0625e9), ("H800", 8, 25e9), ("MI210", 3, 50e9),
]  # fmt: skip


@every_row(("name", "links", "per_link_one_way"), LINKS)
def test_links_add_up_one_way(name, links, per_link_one_way):
    a = specs.accelerator(name)
    assert a.scale_up_links == links
    assert a.scale_up_bandwidth_one_way == pytest.approx(links * per_link_one_way)


PCIE = [
    ("T4", 8e9),
    ("A10", 16e9),
    ("RTX PRO 6000 Workstation", 32e9),
    ("L4", 16e9),
    ("L40S", 16e9),
    ("RTX 4090", 16e9),
    ("RTX PRO 6000 Server", 32e9),
]


@every_row(("name", "transfers"), PCIE)
def test_pcie_cards_have_no_nvlink(name, transfers):
    a = specs.accelerator(name)
    assert a.scale_up_link.startswith("PCIe")
    assert "no NVLink" in a.source("scale_up_link").note
    assert a.scale_up_bandwidth_one_way == pytest.approx(transfers * 16 * 128 / 130 / 8, rel=1e-3)


def test_gb200_domain_is_130_terabytes_per_second():
    assert 72 * specs.accelerator("GB200").scale_up_bandwidth_both_ways == pytest.approx(129.6e12)
