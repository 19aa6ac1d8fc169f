"""Useful rate of a systolic array: padding lowers the peak, and both limits match the published models."""

import numpy as np
import pytest

from chip2cluster import roofline, specs, systolic

V1 = dict(rows=256, cols=256, peak_flops=systolic.peak_ops(256, 256, 700e6), memory_bandwidth=34e9)


def test_useful_rate_of_tpu_v1_is_memory_bound():
    # Jouppi et al., ISCA 2017, table 3 and figure 5: an LSTM with 64 operations (multiply and add: 128) for each byte
    # of weights, 8 bits each, reached 3.7 of 92 TOP/s; the roofline allows about 4.
    rate = systolic.useful_rate(64, 1024, 1024, **V1, bytes_per_element=1)
    assert 3.4e12 < rate < 4.4e12


def test_useful_rate_of_600_by_600_matches_the_paper():
    # Jouppi et al., section 7: 600 x 600 takes 9 tiles of 256 x 256 and 4 of 512 x 512. A long stream is limited by the cells.
    chip = dict(peak_flops=92e12, memory_bandwidth=1e15)
    small = systolic.useful_rate(10**6, 600, 600, 256, 256, **chip)
    large = systolic.useful_rate(10**6, 600, 600, 512, 512, **chip)
    assert small / 92e12 == pytest.approx(600**2 / (9 * 256**2))
    assert large / small == pytest.approx(9 * 256**2 / (4 * 512**2))


def test_useful_rate_of_full_tiles_is_the_roofline():
    for name in ("TPU v4", "TPU v5e", "TPU v5p"):
        chip = specs.accelerator(name)
        roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
        for m in (1, 64, 8192):
            plain = roofline.attainable(roofline.gemm(m, 1024, 512).intensity, *roofs)
            assert systolic.useful_rate(m, 1024, 512, 128, 128, *roofs) == plain


def test_useful_rate_broadcasts_below_both_roofs():
    m, k = np.array([[1], [300], [70_000]]), np.array([127, 128, 129, 4096])
    rate = systolic.useful_rate(m, 900, k, 128, 128, 275e12, 1.2e12)
    assert rate.shape == (3, 4)
    assert (rate <= 275e12).all() and (rate <= 1.2e12 * roofline.gemm(m, 900, k).intensity).all()
    assert rate[2, 2] < rate[2, 1]


@pytest.mark.parametrize(
    "change, message",
    [({"peak_flops": 0}, "peak_flops"), ({"memory_bandwidth": -1}, "memory_bandwidth"), ({"rows": 0}, "rows")],
)
def test_invalid_arguments_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        systolic.useful_rate(8, 8, 8, **{**V1, **change})
