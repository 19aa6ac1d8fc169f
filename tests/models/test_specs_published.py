"""The catalogue against figures typed from vendors' pages and other tables."""

import pytest

from chip2cluster import hierarchy, specs
from tests.models.catalogue import dense
from tests.tables import every_row


def sparse(name, precision):
    return specs.accelerator(name).peak_flops_sparse(precision)


DENSE_AND_SPARSE = [
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
    ("GB300", "fp4", 15000, 20000),  # GB300 NVL72: 1,080 and 1,440 PF for 72
    ("A40", "bf16", 149.7, 299.4),  # A40 datasheet
    ("H20", "bf16", 148, 296),  # partners' tables
    ("A10", "bf16", 125, 250),  # A10 datasheet
    ("Trainium3", "bf16", 671, 2517),  # AWS Neuron documentation
]


@every_row(("name", "precision", "dense_tflops", "sparse_tflops"), DENSE_AND_SPARSE)
def test_dense_and_sparse_as_published(name, precision, dense_tflops, sparse_tflops):
    assert dense(name, precision) == dense_tflops * 1e12
    assert sparse(name, precision) == sparse_tflops * 1e12


MEMORY = [
    ("V100", 32, 900), ("A100 40GB", 40, 1555), ("A100 SXM4 80GB", 80, 2039), ("H100 SXM", 80, 3350),
    ("H100 PCIe", 80, 2039), ("H200", 141, 4800), ("GH200 96GB", 96, 4000), ("GH200 144GB", 144, 4900),
    ("B200", 180, 8000), ("GB200", 186, 8000), ("B300", 288, 8000), ("L4", 24, 300), ("L40S", 48, 864),
    ("RTX 4090", 24, 1008), ("RTX PRO 6000 Server", 96, 1597), ("MI250X", 128, 3276.8), ("MI300X", 192, 5300),
    ("MI325X", 256, 6000), ("MI300A", 128, 5300), ("MI355X", 288, 8000), ("MI350X", 288, 8000),
    ("Gaudi 2", 96, 2460), ("Gaudi 3", 128, 3700), ("TPU v2", 16, 700), ("TPU v3", 32, 900), ("TPU v4", 32, 1200),
    ("TPU v5e", 16, 819), ("TPU v5p", 95, 2765), ("TPU v6e", 32, 1638), ("TPU7x", 192, 7380),
    ("Trainium1", 32, 820), ("Trainium2", 96, 2900), ("Ascend 910", 32, 1200), ("Ascend 910B", 64, 1600),
    # GPU catalogues, RRZE's gpu-benches (A40, MI210), S. Bekman's tables of August 2026, press tables of the announcements
    ("T4", 16, 320), ("A100 PCIe 40GB", 40, 1555), ("A100 80GB PCIe", 80, 1935), ("A10", 24, 600), ("A40", 48, 696),
    ("RTX 3090", 24, 936), ("H800", 80, 3350), ("H20", 96, 4000), ("GB300", 288, 8000), ("Rubin", 288, 22000),
    ("RTX PRO 6000 Workstation", 96, 1792), ("MI210", 64, 1638.4), ("MI455X", 432, 23300), ("TPU 8t", 216, 6528),
    ("TPU 8i", 288, 8601), ("Trainium3", 144, 4900), ("Ascend 910C", 128, 3200), ("Grace", 480, 384),
    ("Xeon 8480+", 4000, 8 * 8 * 4.8),
]  # fmt: skip


@every_row(("name", "gigabytes", "gigabytes_per_second"), MEMORY)
def test_memory_as_published(name, gigabytes, gigabytes_per_second):
    a = specs.accelerator(name)
    assert a.memory_bytes == gigabytes * 1e9
    assert a.memory_bandwidth == pytest.approx(gigabytes_per_second * 1e9)


NVLINK = [("V100", "NVLink 2", 150), ("A100 40GB", "NVLink 3", 300), ("A100 80GB", "NVLink 3", 300), ("H100 SXM", "NVLink 4", 450), ("H200", "NVLink 4", 450),
 ("GH200 96GB", "NVLink 4", 450), ("GH200 144GB", "NVLink 4", 450), ("B200", "NVLink 5", 900), ("B300", "NVLink 5", 900),
 ("H100 64GB", "NVLink 4", 450), ("H20", "NVLink 4", 450), ("GB300", "NVLink 5", 900), ("Rubin", "NVLink 6", 1800)]  # fmt: skip


@every_row(("name", "link", "one_way"), NVLINK)
def test_nvlink_generations(name, link, one_way):
    a = specs.accelerator(name)
    assert (a.scale_up_link, a.scale_up_bandwidth_one_way) == (link, one_way * 1e9)


BOTH_WAYS = [
    ("H100 PCIe", 600),  # H100 datasheet, PCIe column: NVLink with a bridge
    ("A100 PCIe 40GB", 600),  # A100 datasheet, PCIe column
    ("A100 PCIe 80GB", 600),
    ("MI455X", 3600),  # Helios: 260 TB/s for 72, rounded
    ("Ascend 910C", 784),  # press reports
    ("Grace", 900),  # NVLink-C2C, GH200 datasheet
    ("TPU7x", 1200),  # Google, April 2025: 1.2 TB/s both ways
    ("TPU v6e", 1200 / 1.5),  # the same: one and a half times Trillium's
]


@every_row(("name", "gigabytes_per_second"), BOTH_WAYS)
def test_links_together_as_announced(name, gigabytes_per_second):
    assert specs.accelerator(name).scale_up_bandwidth_both_ways == pytest.approx(gigabytes_per_second * 1e9)


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
    assert specs.accelerator("A100 PCIe 80GB").memory_bandwidth != specs.accelerator("A100 SXM 80GB").memory_bandwidth
    assert specs.accelerator("RTX PRO 6000 Workstation").memory_bandwidth != 1597e9  # that is the Server Edition
    assert dense("Rubin", "fp4") != 50e15  # that is inference, compressing as it goes
    assert dense("MI455X", "fp8") < 2.1 * dense("MI455X", "bf16")  # AMD prints four times, without a word on sparsity


def test_the_memory_of_grace():
    """One figure here and on the machine of chapter 1; NVIDIA's guide expects four fifths of it in a triad."""
    memory = hierarchy.system("GH200").tier("host memory over NVLink-C2C").bandwidth_one_way
    assert specs.accelerator("Grace").memory_bandwidth == memory
    assert 307e9 / memory == pytest.approx(400e9 / 512e9, abs=0.03)  # with 480 GB, and with 120


def test_known_ratios():
    assert dense("H100 SXM", "bf16") / dense("TPU v4", "bf16") == pytest.approx(3.6, rel=0.01)
    ridge = {n: dense(n, "bf16") / specs.accelerator(n).memory_bandwidth for n in ("H100 SXM", "B200", "TPU v5p")}
    assert ridge == pytest.approx({"H100 SXM": 295.3, "B200": 281.25, "TPU v5p": 166.0}, rel=1e-3)
