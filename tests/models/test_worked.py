"""Problems worked in books and papers: the package gives the printed answers.

Each row: where it is printed, the answer, its tolerance, and the package's way to it.
What belongs to one module alone (collectives, memory, MFU ...) is tested beside that module.
"""

import pytest

from chip2cluster import links, occupancy, roofline, specs, systolic, transformer, units, utilization
from tests.tables import every_row

A100 = specs.accelerator("A100 SXM 80GB")
H100 = specs.accelerator("H100 SXM")
B200 = specs.accelerator("B200")
V5P = specs.accelerator("TPU v5p")
SCALING_BOOK = "J. Austin et al., How to Scale Your Model"


def sms(chip):
    return chip.compute_units


ROWS = [
    # rooflines
    (f"{SCALING_BOOK}, rooflines, Q5", 298, 0.01, lambda: roofline.ridge_point(1e15, H100.memory_bandwidth)),
    # Two TPU v5e split a product over D: computing takes longer than the link once D > 8755.
    (f"{SCALING_BOOK}, rooflines", 8755, 0.001, lambda: 2 * roofline.ridge_point(1.97e14, 4.5e10)),
    (f"{SCALING_BOOK}, GPUs, quiz 1", 295, 0.01, lambda: roofline.ridge_point(990e12, H100.memory_bandwidth)),
    (
        f"{SCALING_BOOK}, GPUs, quiz 1",
        281,
        0.01,
        lambda: roofline.ridge_point(B200.peak_flops_dense("bf16"), B200.memory_bandwidth),
    ),
    (
        f"{SCALING_BOOK}, GPUs, quiz 1 Q7",
        3.84e-3,
        0.01,
        lambda: roofline.elementwise(2**30, reads=2, bytes_per_element=4).time(67e12, 3.35e12),
    ),
    # how many tokens a GPU needs before a link keeps up
    (f"{SCALING_BOOK}, GPUs", 2200, 1e-6, lambda: roofline.ridge_point(990e12, H100.scale_up_bandwidth_one_way)),
    (f"{SCALING_BOOK}, GPUs, quiz 5", 5625, 1e-9, lambda: roofline.ridge_point(B200.peak_flops_dense("bf16"), 400e9)),
    # machines
    (f"{SCALING_BOOK}, GPUs, quiz 1", 16896, 1e-9, lambda: sms(H100) * 4 * 32),
    (f"{SCALING_BOOK}, GPUs, quiz 1", 26.9e12, 0.01, lambda: sms(H100) * 128 * 1.59e9),
    (f"{SCALING_BOOK}, GPUs, quiz 1 Q5", 33e6, 0.06, lambda: sms(H100) * occupancy.limits("9.0").registers_per_sm * 4),
    (f"{SCALING_BOOK}, GPUs, quiz 1 Q6", 2.1e9, 0.02, lambda: B200.peak_flops_dense("fp32") / (sms(B200) * 128 * 2)),
    (f"{SCALING_BOOK}, GPUs, quiz 2", 3.6e12, 1e-9, lambda: 8 * H100.scale_up_bandwidth_one_way),
    (f"{SCALING_BOOK}, TPUs, Q2", 4e18, 0.05, lambda: 8960 * V5P.peak_flops_dense("bf16")),
    (
        "S. Bekman, Machine Learning Engineering: A100",
        312e12,
        0.003,
        lambda: sms(A100) * 4 * 256 * 2 * A100.boost_clock_hz,
    ),
    (
        "S. Bekman, Machine Learning Engineering: H100",
        989e12,
        0.003,
        lambda: sms(H100) * 4 * 512 * 2 * H100.boost_clock_hz,
    ),
    (
        "S. Bekman, Machine Learning Engineering: Gaudi 3 at 1600 MHz",
        1677e12,
        0.003,
        lambda: systolic.peak_ops(256, 256, 1.6e9, arrays=8),
    ),
    ("Jouppi et al. 2017: TPU v1", 92e12, 0.01, lambda: systolic.peak_ops(256, 256, 700e6)),
    ("Google: TPU v2 pod", 11.5e15, 0.01, lambda: 256 * specs.accelerator("TPU v2").peak_flops_dense("bf16")),
    ("Google: TPU v4 pod", 1.1e18, 0.03, lambda: 4096 * specs.accelerator("TPU v4").peak_flops_dense("bf16")),
    # energy, units, memory
    ("a lecture on clusters: H100", 1.4e12, 0.02, lambda: H100.peak_flops_dense("bf16") / H100.tdp_watts),
    ("a lecture on clusters: 1000 GPUs, printed as 1 PFLOPS", 1e18, 1e-9, lambda: 1000 * units.parse("1000 TFLOP/s")),
    ("a lecture on clusters: 70B weights in fp16", 140e9, 1e-9, lambda: transformer.weight_memory(70e9, 2)),
    ("the same, in GiB", 130.4 * units.GIB, 0.001, lambda: transformer.weight_memory(70e9, 2)),
    # links
    (
        "a chapter on accelerators: NVSwitch against network",
        16,
        1e-9,
        lambda: units.parse("400 GB/s") / units.parse("25 GB/s"),
    ),
    ("PCI-SIG: 5.0 x16 one way", 63.0e9, 0.002, lambda: links.pcie("5.0", 16).bandwidth_one_way),
    (
        "NVIDIA: six NVLink 2, both ways",
        300e9,
        1e-9,
        lambda: specs.accelerator("V100 SXM2").scale_up_bandwidth_both_ways,
    ),
    ("NVIDIA: HGX H100 aggregate, both ways", 7.2e12, 1e-9, lambda: 8 * H100.scale_up_bandwidth_both_ways),
    (
        "NVIDIA: 576 GB200, both ways",
        1.0e15,
        0.05,
        lambda: 576 * specs.accelerator("GB200").scale_up_bandwidth_both_ways,
    ),
    # utilization
    (
        "S. Bekman: 400 of 989 TFLOP/s",
        0.40,
        0.02,
        lambda: utilization.utilization_of_rate(400e12, H100.peak_flops_dense("bf16")),
    ),
    # occupancy
    (
        "S. Bekman: 152 blocks on 148 and on 152 SMs",
        2.0,
        0.001,
        lambda: occupancy.waves(152, 148) / occupancy.waves(152, 152),
    ),
    (
        "S. Bekman: 50,000 blocks on 148 and on 152 SMs",
        1.027,
        0.001,
        lambda: occupancy.waves(50000, 148) / occupancy.waves(50000, 152),
    ),
]


@every_row("place, printed, tolerance, work", ROWS)
def test_printed_answer(place, printed, tolerance, work):
    assert work() == pytest.approx(printed, rel=tolerance)


def test_where_the_book_rounds_on_the_way():
    # Scaling book, TPUs Q4: it prints 271 after rounding 2.05e4 to 2e4 and 1.34e8 to 1.3e8; unrounded it is 263.
    exact = roofline.batch_threshold(16384, 4096, 394e12, 8.1e11, bytes_per_element=1)
    assert exact != 271 and exact == pytest.approx(263, rel=0.05)
