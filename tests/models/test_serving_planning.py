"""Capacity planning: queues, steady batch, prefill and decode pools, offloading, against simulation and brute force."""

import numpy as np
import pytest

from chip2cluster import links, scheduling, serving, transformer
from chip2cluster.serving import deploy

LLAMA = deploy("Llama 3 8B", "H100 SXM")


@pytest.mark.parametrize(("servers", "busy"), [(1, 0.6), (1, 0.9), (4, 0.8), (16, 0.9)])
def test_wait_percentile_matches_simulated_queue(servers, busy):
    rng = np.random.default_rng(servers)
    arrivals = rng.exponential(1 / (servers * busy), 200_000).cumsum()
    free, waits = np.zeros(servers), np.empty(len(arrivals))
    for number, (now, service) in enumerate(zip(arrivals, rng.exponential(1.0, len(arrivals)), strict=True)):
        one = free.argmin()
        start = max(now, free[one])
        waits[number], free[one] = start - now, start + service
    for percent in (50, 90, 99):
        ours = serving.wait_percentile(servers, busy, 1.0, percent)
        assert ours == pytest.approx(np.percentile(waits, percent), rel=0.12, abs=0.02)


def test_wait_percentiles_integrate_to_mean_wait():
    percents = (np.arange(200_000) + 0.5) / 2000
    mean = serving.wait_percentile(3, 0.85, 2.0, percents).mean()
    assert mean == pytest.approx(scheduling.mean_wait(3, 0.85, 2.0), rel=1e-3)


@pytest.mark.parametrize("bad", [dict(percent=100), dict(utilization=1.0), dict(servers=0), dict(service_time=-1.0)])
def test_wait_percentile_refuses_bad_arguments(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        serving.wait_percentile(**(dict(servers=2, utilization=0.5, service_time=1.0, percent=99) | bad))


@pytest.mark.parametrize("rate", [4.0, 10.0, 16.0])
def test_steady_batch_matches_simulation(rate):
    # A replica that only decodes, at the bound; answers of 200 tokens after prompts of 4,000.
    weights, cache = serving.step_parts(LLAMA, 4100)
    requests = serving.poisson_requests(rate, 1500, 4000, 200, seed=3)
    chip = serving.replica(LLAMA, max_sequences=512)
    run = serving.disaggregate(requests, [chip] * 8, chip, 0.0).decode
    steps = run.steps
    middle = (steps.start > 20) & (steps.end < requests.arrival_seconds[-1])
    took = (steps.end - steps.start)[middle]
    seen = (steps.decoding[middle] * took).sum() / (steps.end[middle][-1] - steps.start[middle][0])
    assert serving.steady_batch(rate, 199, weights, cache) == pytest.approx(seen, rel=0.1)


def test_step_parts_add_up_to_the_step():
    for sequences in (1, 8, 100):
        weights, cache = serving.step_parts(LLAMA, 4096)
        assert weights + sequences * cache == pytest.approx(serving.time_between_tokens(LLAMA, 4096, sequences))


def test_no_batch_keeps_up_beyond_the_rate_of_the_cache():
    weights, cache = serving.step_parts(LLAMA, 4096)
    limit = 1 / (200 * cache)
    assert serving.steady_batch([0.999 * limit, 1.001 * limit], 200, weights, cache)[1] == np.inf
    assert np.isfinite(serving.steady_batch(0.999 * limit, 200, weights, cache))


@pytest.mark.parametrize("limit", [0.006, 0.012, 0.03, 1.0])
def test_pool_sizes_match_brute_force(limit):
    found = serving.pool_sizes(LLAMA, 25.0, 3000, 301, limit, used=0.8)
    context, most = 3000 + 151, serving.largest_batch(LLAMA, 3301)
    fits = [b for b in range(1, most + 1) if serving.time_between_tokens(LLAMA, context, b) <= limit]
    assert found.batch == fits[-1]
    assert found.decode >= 25.0 * 300 / (serving.decode_rate(LLAMA, context, found.batch) * 0.8) > found.decode - 1
    assert found.prefill >= 25.0 * serving.time_to_first_token(LLAMA, 3000) / 0.8 > found.prefill - 1


def test_pool_sizes_refuses_unreachable_limits():
    with pytest.raises(ValueError, match=r"at least 0\.0046"):
        serving.pool_sizes(LLAMA, 1.0, 4096, 16, 0.001)
    with pytest.raises(ValueError, match="fit into the cache"):
        serving.pool_sizes(LLAMA, 1.0, 10**7, 16, 0.1)
    with pytest.raises(ValueError, match="used"):
        serving.pool_sizes(LLAMA, 1.0, 4096, 16, 0.1, used=1.2)


def test_tokens_to_hide_is_the_ridge_of_the_link():
    link = links.pcie(5, 16).bandwidth_one_way
    tokens = serving.tokens_to_hide(LLAMA, link)
    parameters = transformer.parameters(LLAMA.config)
    arithmetic = 2 * parameters * tokens / LLAMA.peak_flops_dense
    assert arithmetic == pytest.approx(2 * parameters / link)  # two bytes per parameter on the link
    # Precision halves the bytes and doubles the peak: the same tokens.
    assert serving.tokens_to_hide(deploy("Llama 3 8B", "H100 SXM", precision="fp8"), link) == pytest.approx(
        tokens, rel=1e-3
    )


def test_outside_bytes_are_hidden_up_to_rate_share():
    own, outside = 3.35e12, 63e9
    share = outside / (own + outside)
    whole = serving.outside_step_seconds(1e9, 0, own, outside)
    assert serving.outside_step_seconds(1e9 * (1 - share), 1e9 * share, own, outside) == pytest.approx(
        whole * (1 - share)
    )
    assert serving.outside_step_seconds(1e9 * 0.9, 1e9 * 0.1, own, outside) > whole


def test_fetch_beats_prefill_on_a_fast_link():
    fetch, again = serving.fetch_or_read(LLAMA, 4096, 63e9)
    assert fetch == pytest.approx(4096 * 131072 / 63e9)
    assert again == serving.time_to_first_token(LLAMA, 4096)
    slow, _ = serving.fetch_or_read(LLAMA, 4096, 6.25e9)
    assert fetch < again < slow


def test_prefix_aware_routing_hits_more_when_caches_are_small():
    requests = serving.poisson_requests(30.0, 800, 3200, 20, seed=2, prefixes=400, prefix_tokens=3000)
    assert 400 * 3000 > LLAMA.cache_tokens > 400 * 3000 / 4
    table = serving.router_table(requests, [serving.replica(LLAMA)] * 4)
    spared = table["prefix cache hits (% of prompt tokens)"]
    assert spared["prefix-aware"] > 1.5 * max(spared["round-robin"], spared["least-loaded"])
    run = serving.simulate(requests, [serving.replica(LLAMA)] * 4, "round_robin")
    assert table.loc["round-robin"].iloc[1] == pytest.approx(1e3 * run.percentile("time_to_first_token", 99))
