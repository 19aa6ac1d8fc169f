"""Expected steps of DP attention with expert parallelism: the exchange of tokens with their experts."""

from dataclasses import replace

import pytest

from chip2cluster import serving
from chip2cluster.serving import Batch, Efficiency, deploy

EIGHT = deploy("DeepSeek-V3", "H200 SXM", 8, "fp8", attention="data", link_latency=2e-6)
WITH = replace(EIGHT, expert_messages=True)


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("batch", [Batch(decoding=1024, context=1024 * 2000), Batch(prompt=4096, pairs=4096 * 2048)])
def test_exchange_of_experts_is_added_to_the_expected_step(batch, share):
    tokens, latency = batch.decoding + batch.prompt, 2 * 58 * 2e-6
    sent = serving.expert_exchange_seconds(EIGHT, tokens) - latency
    found = serving.message_seconds(WITH, batch, Efficiency(link=share))
    assert found == pytest.approx(sent / share + latency)
    steps = [serving.step_seconds(one, batch, Efficiency(link=share)) for one in (EIGHT, WITH)]
    assert steps[1] - steps[0] == pytest.approx(found)
    assert serving.step_seconds(WITH, batch) == serving.step_seconds(EIGHT, batch)  # the bound has no messages


def test_bytes_of_a_token_are_those_of_distinct_devices():
    """8 of 256 experts reach 5.3 of 8 devices on average, of which 7/8 are others: 58 layers of 7,168, 1 + 2 bytes."""
    chosen = 8 * (1 - (7 / 8) ** 8)  # with replacement; without it slightly more
    low = chosen * 7 / 8 * 58 * 7168 * 3 / 450e9
    found = serving.expert_exchange_seconds(replace(EIGHT, link_latency=0.0), 8) * EIGHT.link_bandwidth_one_way / 450e9
    assert low < found < 1.02 * low


def test_streams_with_experts_take_longer():
    rates = [
        serving.stream_rate(one, 1000, 1000, sequences=1024, efficiency=Efficiency(link=0.3)) for one in (EIGHT, WITH)
    ]
    assert rates[1] < rates[0]


def test_expert_messages_need_experts_on_data_parallel_attention():
    for options in ({"name": "DeepSeek-V3", "attention": "tensor"}, {"name": "Llama 3 70B", "attention": "data"}):
        with pytest.raises(ValueError, match="a model with experts and attention"):
            deploy(chip="H200 SXM", devices=8, precision="fp8", expert_messages=True, **options)
