"""Well-known mistakes about chips, and relations between figures of different chips."""

import pytest

from chip2cluster import hierarchy, specs
from tests.models.catalogue import dense


def sparse(name, precision):
    return specs.accelerator(name).peak_flops_sparse(precision)


def test_catalogue_avoids_well_known_mistakes():
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
    assert dense("Rubin", "fp4") != 50e15  # that is the rate of inference with compression
    assert dense("MI455X", "fp8") < 2.1 * dense(
        "MI455X", "bf16"
    )  # AMD prints a factor of four without mentioning sparsity


def test_memory_of_grace_is_that_of_chapter_1():
    """Memory bandwidth equals that of the system of chapter 1; NVIDIA's guide expects four fifths of it in a triad."""
    memory = hierarchy.system("GH200").tier("host memory over NVLink-C2C").bandwidth_one_way
    assert specs.accelerator("Grace").memory_bandwidth == memory
    assert 307e9 / memory == pytest.approx(400e9 / 512e9, abs=0.03)  # with 480 GB, and with 120


def test_ratios_between_chips_are_as_published():
    assert dense("H100 SXM", "bf16") / dense("TPU v4", "bf16") == pytest.approx(3.6, rel=0.01)
    ridge = {n: dense(n, "bf16") / specs.accelerator(n).memory_bandwidth for n in ("H100 SXM", "B200", "TPU v5p")}
    assert ridge == pytest.approx({"H100 SXM": 295.3, "B200": 281.25, "TPU v5p": 166.0}, rel=1e-3)
