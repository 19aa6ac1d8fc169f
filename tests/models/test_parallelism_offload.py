"""Time of messages between a device and its host when training states are offloaded."""

import pytest

from chip2cluster import links, transformer
from chip2cluster.parallelism import Layout, Tier, step_time
from chip2cluster.utilization.gradient_exchange import BACKWARD, FORWARD

LLAMA = transformer.model("Llama 3 70B").config
TIERS = (Tier("node", 8, 450e9), Tier("network", 64, 50e9))
BATCH = {"sequence": 2048, "global_batch": 64}
PCIE = links.pcie(5, 16).bandwidth_one_way


def seconds(layout, rate=PCIE, offload=("optimizer",), **more):
    options = BATCH | more
    free = step_time(LLAMA, layout, "H100 SXM", TIERS, **options)
    late = step_time(LLAMA, layout, "H100 SXM", TIERS, offload=offload, host_bandwidth_one_way=rate, **options)
    assert late.model_arithmetic == free.model_arithmetic and late.pipeline_bubble == free.pipeline_bubble
    return late.seconds - free.seconds, free


def test_weights_of_an_offloaded_optimizer_come_back_in_35_ms():
    """A 64th of Llama 3 70B is 2.2 GB of weights: 35 ms over PCIe 5 x16; the gradients hide behind the backward pass."""
    late, free = seconds(Layout(data=64, zero_stage=2))
    back = 2 * transformer.parameters(LLAMA) / 64 / PCIE
    assert back == pytest.approx(0.035, rel=0.01)
    assert free.model_arithmetic * BACKWARD / (FORWARD + BACKWARD) > back  # one micro-batch: all of it hides
    assert late == pytest.approx(back, rel=1e-3)


def test_gradients_that_do_not_hide_are_exposed():
    rate = PCIE / 50
    late, free = seconds(Layout(data=64, zero_stage=2), rate)
    one_way = 2 * transformer.parameters(LLAMA) / 64 / rate
    hides = (free.model_arithmetic + free.recomputation + free.slow_kernels) * BACKWARD / (FORWARD + BACKWARD)
    assert one_way > hides
    assert late == pytest.approx(2 * one_way - hides, rel=1e-3)


def test_gradients_of_four_bytes_take_twice_as_long():
    rate = PCIE / 1000
    late, free = seconds(Layout(data=64, zero_stage=2), rate, gradient_bytes=4)
    hides = free.model_arithmetic * BACKWARD / (FORWARD + BACKWARD)
    assert late == pytest.approx(6 * transformer.parameters(LLAMA) / 64 / rate - hides, rel=1e-3)


def test_offloaded_weights_are_fetched_twice_per_micro_batch():
    rate, layout = PCIE / 1000, Layout(data=64, zero_stage=3)
    late, free = seconds(layout, rate, ("optimizer", "weights"))
    share = transformer.parameters(LLAMA) / 64
    busy = free.model_arithmetic
    hides = busy * BACKWARD / (FORWARD + BACKWARD)
    assert late == pytest.approx((4 * share / rate - busy) + (2 * share / rate - hides), rel=1e-2)


@pytest.mark.parametrize("offload, stage", [(("optimizer",), 1), (("optimizer",), 3), (("optimizer", "weights"), 3)])
def test_step_time_falls_with_the_bandwidth_to_the_host(offload, stage):
    layout = Layout(tensor=8, data=8, zero_stage=stage)
    found = [seconds(layout, rate, offload)[0] for rate in (1e9, 16e9, 64e9, 450e9, 1e18)]
    assert found == sorted(found, reverse=True) and found[0] > 0
    assert found[-1] == pytest.approx(0, abs=1e-6)


def test_offload_without_a_bandwidth_names_the_remedy():
    with pytest.raises(ValueError, match=r"links.pcie\(5, 16\)"):
        step_time(LLAMA, Layout(data=64), "H100 SXM", TIERS, offload=("optimizer",), **BATCH)
    with pytest.raises(ValueError, match="needs zero_stage=3"):
        seconds(Layout(data=64), offload=("optimizer", "weights"))
    with pytest.raises(ValueError, match="host_bandwidth_one_way"):
        seconds(Layout(data=64), rate=0.0)
