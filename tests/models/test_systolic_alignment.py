"""Alignment of a product's rows: the rule against every recorded kernel, and the recorded slowdowns."""

import math
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import specs, systolic

SWEEPS = ("k", "n", "m", "vocabulary", "waves")
COUNTS = {"k": 1100, "n": 1100, "m": 1100, "vocabulary": 73, "waves": 1056}


@pytest.mark.parametrize("sweep", SWEEPS)
def test_widest_copy_names_every_recorded_kernel(sweep):
    # The rule knows shapes, the other side is what a profiler printed; a product with one column is a vector.
    steps = systolic.product_steps(sweep)
    assert len(steps) == COUNTS[sweep]
    wrong = [step for step in steps if step.copy != systolic.widest_copy(step.n, step.k)]
    assert [step.n for step in wrong] == ([1] if sweep == "n" else [])


def test_narrower_copies_are_slower():
    """Fastest recorded rate of each copy, for one layer: the order of the copies is that of the rates."""
    steps = systolic.product_steps("vocabulary")
    best = [max(step.flops_per_second for step in steps if step.copy == copy) for copy in systolic.COPIES]
    assert best == sorted(best, reverse=True)


def test_odd_vocabulary_is_seven_times_slower():
    at = {step.n: step.flops_per_second / 1e12 for step in systolic.product_steps("vocabulary")}
    assert [round(at[n]) for n in (50257, 50258, 50256, 50264, 50304)] == [111, 294, 719, 764, 800]


def test_slowdowns_have_the_published_medians_and_ends():
    # Recomputed from the times, without the function's own grouping by kernel.
    for letter, parity, copy in (("k", 1, "element"), ("n", 1, "element"), ("k", 2, "cp.async"), ("n", 2, "cp.async")):
        time = {
            getattr(step, letter): math.prod(step[:3]) / step.flops_per_second
            for step in systolic.product_steps(letter)
        }
        chosen = [x for x in range(256, 1097) if (x % 2 == 1 if parity == 1 else x % 2 == 0 and x % 8)]
        ratios = [time[x] / time[math.ceil(x / 8) * 8] for x in chosen]
        mine = systolic.alignment_slowdowns(letter, copy)
        assert sorted(mine) == pytest.approx(sorted(ratios))
        assert min(mine) > (3.1 if parity == 1 else 2.1)
    assert max(systolic.alignment_slowdowns("n", "element")) == pytest.approx(9.33, abs=0.01)
    assert median(systolic.alignment_slowdowns("m", "TMA")) == pytest.approx(1, abs=0.02)
    with pytest.raises(ValueError, match="copy must be one of"):
        systolic.alignment_slowdowns("k", "none")


def test_fixed_tile_predicts_a_wave_that_the_library_avoids():
    chip = specs.accelerator("H100 SXM")
    roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    at = {step.n: step for step in systolic.product_steps("waves")}
    bound = [systolic.gpu_useful_rate(2048, n, 4096, 128, 256, 64, *roofs, compute_units=132) for n in (2048, 2056)]
    assert bound[1] < 0.51 * bound[0]
    assert at[2056].flops_per_second > 0.95 * at[2048].flops_per_second > 0.95 * 730e12
    assert at[2056].flops_per_second > 1.4 * bound[1]  # a bound of one kernel, not of the library
    assert systolic.kernel_tile(at[2048].kernel) == (256, 128) and systolic.kernel_tile(at[2056].kernel) == (176, 192)


def test_library_took_41_tiles_at_a_steady_rate():
    steps = [step for step in systolic.product_steps("waves") if step.n >= 1008]
    rates = np.array([step.flops_per_second for step in steps]) / 1e12
    assert len({systolic.kernel_tile(step.kernel) for step in steps}) == 41
    assert (rates.mean(), rates.std()) == (pytest.approx(734, abs=1), pytest.approx(38, abs=1))


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.sampled_from((1, 2, 4, 8)))
def test_widest_copy_is_the_largest_common_divisor(n, k, width):
    common = math.gcd(n * width, k * width)
    copy = systolic.widest_copy(n, k, width)
    assert copy == ("TMA" if math.gcd(common, 16) == 16 else "cp.async" if math.gcd(common, 4) == 4 else "element")
    assert (copy == "TMA") == (systolic.aligned(n, width) and systolic.aligned(k, width))


def test_alignment_refuses_bad_input():
    for call in (
        lambda: systolic.widest_copy(0, 8),
        lambda: systolic.widest_copy(8, 8, -1),
        lambda: systolic.kernel_copy("ampere_sgemm_128x64_tn"),
        lambda: systolic.kernel_tile("memset"),
        lambda: systolic.product_steps("squares"),
        lambda: systolic.varied_size("l"),
    ):
        with pytest.raises((ValueError, TypeError), match="must"):
            call()
    assert systolic.product_step_bound("waves", 4096, 1e12, 1e13) == 1e12
