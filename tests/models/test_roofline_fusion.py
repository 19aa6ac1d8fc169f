"""Kernel fusion of attention and feed-forward blocks: traffic, bounds, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import roofline
from chip2cluster.roofline import Kernel

kernels = st.builds(Kernel, st.floats(1, 1e15), st.floats(1, 1e12))
chips = st.tuples(st.floats(1e12, 1e16), st.floats(1e11, 1e13))


@given(st.integers(1, 9000), st.integers(1, 8), st.integers(1, 256))
def test_fused_attention_chain_is_fused_attention(sequence, heads, width):
    # Scores, softmax, weighted sum, each with its own traffic; the softmax is counted without arithmetic.
    size = 2 * heads * sequence * sequence
    scores = Kernel(2 * heads * sequence**2 * width, 2 * heads * 2 * sequence * width + size)
    softmax = Kernel(0, 2 * size)
    weighted = Kernel(2 * heads * sequence**2 * width, 2 * heads * 2 * sequence * width + size)
    apart = roofline.attention_prefill(sequence, heads, width, fused=False)
    assert (scores + softmax + weighted).bytes_moved == pytest.approx(apart.bytes_moved)
    both = roofline.fuse(scores, softmax, weighted, intermediate_bytes=2 * size)
    fused = roofline.attention_prefill(sequence, heads, width)
    assert both.flops == pytest.approx(fused.flops) and both.bytes_moved == pytest.approx(fused.bytes_moved)


@given(st.integers(1, 9000), st.integers(1, 8), st.integers(1, 256))
def test_attention_chain_matches_attention_prefill(sequence, heads, width):
    chain = roofline.attention_chain(sequence, heads, width)
    for ours, fused in ((chain.apart, False), (chain.fused, True)):
        known = roofline.attention_prefill(sequence, heads, width, fused=fused)
        assert ours.bytes_moved == pytest.approx(known.bytes_moved)
        assert ours.flops == pytest.approx(known.flops + 5 * heads * sequence**2)


@pytest.mark.parametrize("make", [roofline.bias_chain, roofline.activation_chain, roofline.feed_forward_chain])
@given(tokens=st.integers(1, 5000), width=st.integers(1, 5000))
def test_fuse_keeps_inputs_and_outputs(make, tokens, width):
    chain = make(tokens, width)
    out = 4 * tokens * width if make is roofline.activation_chain else tokens * width
    weights = {roofline.bias_chain: 0, roofline.activation_chain: 4, roofline.feed_forward_chain: 8}[make] * width**2
    assert chain.fused.bytes_moved == 2 * (tokens * width + weights + out)
    assert chain.apart.flops == chain.fused.flops == sum(part.flops for part in chain.parts.values())


def test_fusion_of_compute_bound_products_gains_nothing():
    chip = dict(peak_flops=312e12, memory_bandwidth=2.039e12)
    gains = [
        roofline.fusion_speedup(*chain.parts.values(), intermediate_bytes=chain.intermediate_bytes, **chip)
        for chain in (roofline.feed_forward_chain(tokens, 8192) for tokens in (8, 4096))
    ]
    assert gains[1] == pytest.approx(1) and 1 < gains[0] < 1.01


def test_fused_activation_adds_no_traffic():
    # [512, 8192] x [8192, 32768], then an activation on what comes out: read and write of 512 x 32768 vanish.
    product, activation = roofline.gemm(512, 32768, 8192), roofline.elementwise(512 * 32768)
    both = roofline.fuse(product, activation, intermediate_bytes=2 * 512 * 32768)
    assert both.bytes_moved == product.bytes_moved  # the result is written once, as before
    assert both.flops == product.flops + 512 * 32768


@given(st.lists(kernels, min_size=2, max_size=5), st.floats(0, 0.999), chips)
def test_fusing_moves_right_and_never_costs_time(parts, share, chip):
    apart = sum(parts[1:], start=parts[0])
    kept = share * apart.bytes_moved / 2
    both = roofline.fuse(*parts, intermediate_bytes=kept)
    assert both.flops == pytest.approx(apart.flops) and both.intensity >= apart.intensity * (1 - 1e-12)
    assert apart.bytes_moved - both.bytes_moved == pytest.approx(2 * kept, abs=1e-6 * apart.bytes_moved)
    gain = roofline.fusion_speedup(*parts, intermediate_bytes=kept, peak_flops=chip[0], memory_bandwidth=chip[1])
    assert gain >= 1 - 1e-9
    ridge = roofline.ridge_point(*chip)
    if all(part.intensity > 1.001 * ridge for part in parts):
        assert gain == pytest.approx(1)  # each kernel is compute-bound, and so is the fused one
    if both.intensity < 0.999 * ridge:
        slow = all(part.intensity < ridge for part in parts)
        assert not slow or gain == pytest.approx(apart.bytes_moved / both.bytes_moved)


def test_arrays_and_refusals():
    step = roofline.elementwise([1000, 2000])
    assert roofline.fuse(step, step, intermediate_bytes=[2000, 4000]).bytes_moved.tolist() == [4000, 8000]
    one = roofline.elementwise(1000)
    assert isinstance(roofline.fuse(one, one, intermediate_bytes=np.float32(2000)).bytes_moved, float)
    with pytest.raises(ValueError, match="at least two kernels, got 1"):
        roofline.fuse(one, intermediate_bytes=0)
    with pytest.raises(TypeError, match="only kernels can be fused, got 3.0"):
        roofline.fuse(one, 3.0, intermediate_bytes=0)
    with pytest.raises(ValueError, match="less than half of the 8000.0 bytes"):
        roofline.fuse(one, one, intermediate_bytes=4000)
    with pytest.raises(ValueError, match="intermediate_bytes must be zero or more, got -1"):
        roofline.fuse(one, one, intermediate_bytes=-1)
    with pytest.raises(ValueError, match="peak_flops must be greater than zero"):
        roofline.fusion_speedup(one, one, intermediate_bytes=0, peak_flops=0, memory_bandwidth=1)
