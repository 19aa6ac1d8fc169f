"""Serving simulator: queueing theory, conservation of tokens and blocks, two steps by hand."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import serving, transformer
from chip2cluster.serving import Replica, Requests, geometric_lengths, poisson_requests, simulate
from tests.tables import every_row

ROUTERS = ["round_robin", "least_loaded", "cache_aware", "shared_queue"]
LLAMA = serving.deploy("Llama 3 8B", "H100 SXM")


def steady(seconds=1.0, **rules):
    """Replica whose steps all take the same time."""
    return Replica(**({"step_seconds": lambda batch: seconds, "cache_blocks": 10_000} | rules))


def by_tokens(seconds, **rules):
    """Replica that serves one request at a time, in time proportional to its prompt."""
    whole = dict(max_sequences=1, step_tokens=10**6, cache_blocks=10**6)
    return Replica(step_seconds=lambda batch: batch.prompt * seconds, **(whole | rules))


def erlang_c(servers, load):
    """Probability to wait in M/M/c, from its definition."""
    offered = servers * load
    last = offered**servers / factorial(servers) / (1 - load)
    return last / (sum(offered**busy / factorial(busy) for busy in range(servers)) + last)


def standard_error(values, batches=30):
    return np.std([part.mean() for part in np.array_split(values, batches)]) / np.sqrt(batches - 1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("load", [0.3, 0.5, 0.8])
def test_one_sequence_of_one_step_is_m_d_1(load):
    run = simulate(poisson_requests(load, 25_000, 1, 1, seed=7), steady(max_sequences=1))
    waits = run.time_to_first_token - 1
    assert abs(waits.mean() - load / (2 * (1 - load))) < 4 * standard_error(waits)


@pytest.mark.prove
@pytest.mark.parametrize("load", [0.6, 0.9, 0.95])
def test_busy_single_sequence_server_is_m_d_1(load):
    run = simulate(poisson_requests(load, 400_000, 1, 1, seed=11), steady(max_sequences=1))
    waits = run.time_to_first_token - 1
    assert abs(waits.mean() - load / (2 * (1 - load))) < 3 * standard_error(waits)


@pytest.mark.prove
@pytest.mark.parametrize(("servers", "load"), [(2, 0.95), (64, 0.95)])
def test_many_busy_servers_are_m_m_c(servers, load):
    lengths = geometric_lengths(1000, 300_000, seed=3)
    requests = poisson_requests(load * servers, 300_000, lengths, 1, seed=4)
    waits = simulate(requests, [by_tokens(1e-3)] * servers, "shared_queue").time_to_first_token - lengths * 1e-3
    assert abs(waits.mean() - erlang_c(servers, load) / (servers * (1 - load))) < 3 * standard_error(waits)


def test_waits_of_one_server_follow_lindley():
    lengths = geometric_lengths(50, 3000, seed=1)
    requests = poisson_requests(15, 3000, lengths, 1, seed=2)
    waits = simulate(requests, by_tokens(1e-3)).time_to_first_token - lengths * 1e-3
    gaps, wait, expected = np.diff(requests.arrival_seconds), 0.0, [0.0]
    for gap, length in zip(gaps, lengths, strict=False):
        wait = max(0.0, wait + length * 1e-3 - gap)
        expected.append(wait)
    assert waits == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("servers", "load"), [(1, 0.7), (4, 0.8), (16, 0.8)])
def test_one_queue_before_many_replicas_is_m_m_c(servers, load):
    lengths = geometric_lengths(1000, 20_000, seed=3)
    requests = poisson_requests(load * servers, 20_000, lengths, 1, seed=4)
    waits = simulate(requests, [by_tokens(1e-3)] * servers, "shared_queue").time_to_first_token - lengths * 1e-3
    assert abs(waits.mean() - erlang_c(servers, load) / (servers * (1 - load))) < 4 * standard_error(waits)
    assert abs((waits > 1e-9).mean() - erlang_c(servers, load)) < 0.02


def test_routing_policies_rank_as_in_theory():
    lengths = geometric_lengths(1000, 20_000, seed=3)
    requests = poisson_requests(0.85 * 4, 20_000, lengths, 1, seed=4)
    means = {
        router: simulate(requests, [by_tokens(1e-3)] * 4, router).time_to_first_token.mean()
        for router in ("shared_queue", "least_loaded", "round_robin")
    }
    assert means["shared_queue"] < means["least_loaded"] < means["round_robin"]


def test_batched_decode_is_m_m_c():
    # Steps of constant time: eight concurrent sequences, output lengths geometric.
    output = geometric_lengths(60, 9_000, seed=5)
    run = simulate(poisson_requests(0.8 * 8 / 60 * 100, 9_000, 1, output, seed=6), steady(0.01, max_sequences=8))
    waits = run.time_to_first_token - 0.01
    # On average half a step passes before the next one starts.
    assert abs(waits.mean() - 0.005 - erlang_c(8, 0.8) / (8 * 0.2) * 0.6) < 4 * standard_error(waits)


@st.composite
def cases(draw):
    count = draw(st.integers(1, 25))
    block = draw(st.integers(1, 8))
    prompt = draw(st.lists(st.integers(2, 60), min_size=count, max_size=count))
    output = draw(st.lists(st.integers(1, 40), min_size=count, max_size=count))
    longest = max(a + b for a, b in zip(prompt, output, strict=True))
    rules = dict(
        cache_blocks=-(-longest // block) + draw(st.integers(0, 30)),
        block_tokens=block,
        max_sequences=draw(st.integers(1, 8)),
        step_tokens=draw(st.integers(8, 64)),
        policy=draw(st.sampled_from(["chunked", "prefill_first", "static"])),
        prefix_cache=draw(st.booleans()),
    )
    requests = poisson_requests(
        draw(st.floats(0.1, 5)), count, prompt, output, draw(st.integers(0, 99)), prefixes=2,
        prefix_tokens=draw(st.integers(0, min(prompt) - 1)),
    )  # fmt: skip
    return requests, rules, draw(st.integers(1, 3)), draw(st.sampled_from(ROUTERS))


@settings(max_examples=150, deadline=None)
@given(cases())
def test_tokens_and_blocks_are_conserved(case):
    requests, rules, count, router = case
    replica = steady(0.5, **rules)
    run = simulate(requests, [replica] * count, router)
    steps, output, prompt = run.steps, requests.output, requests.prompt
    # Every output token is generated once, in order, after the arrival.
    assert [len(times) for times in run.token_seconds] == output.tolist()
    assert all((np.diff(times) > 0).all() for times in run.token_seconds)
    assert (run.time_to_first_token >= 0.5 - 1e-12).all()
    assert steps.decoding.sum() + steps.finished.sum() == output.sum()
    # Processed tokens: needed ones plus recomputed ones minus prefix-cache hits.
    needed = (prompt + output - 1).sum()
    assert (steps.decoding + steps.prompt).sum() == needed + run.tokens_recomputed - run.tokens_from_prefix
    # Never more blocks than the cache has.
    assert steps.blocks.max() <= rules["cache_blocks"] and steps.blocks.min() > 0
    assert steps.decoding.max() <= rules["max_sequences"]
    if rules["policy"] == "chunked":
        assert (steps.decoding + steps.prompt).max() <= rules["step_tokens"]
    else:
        assert not (steps.decoding * steps.prompt).any()
    if not rules["prefix_cache"]:
        assert run.tokens_from_prefix == 0
    # A replica does one step at a time.
    for number in range(count):
        own = steps.replica == number
        assert (steps.start[own][1:] >= steps.end[own][:-1]).all()


@settings(max_examples=60, deadline=None)
@given(cases())
def test_all_blocks_are_freed(case):
    requests, rules, *_ = case
    from collections import deque

    from chip2cluster.serving.replica_scheduler import Engine, SequenceState

    waiting = deque(
        SequenceState(index, *map(int, row))
        for index, row in enumerate(
            zip(requests.prompt, requests.output, requests.prefix, requests.prefix_tokens, strict=True)
        )
    )
    engine, now = Engine(steady(**rules), waiting), 0.0
    while engine.start_step() is not None:
        held = sum(one.blocks for one in engine.prefilling + engine.decoding)
        kept = sum(blocks for blocks, _ in engine.prefixes.values())
        assert engine.free_blocks >= 0 and held + kept == engine.used_blocks
        assert all(
            one.cached <= (one.blocks + one.shared) * rules["block_tokens"]
            for one in engine.prefilling + engine.decoding
        )
        now += 1
        engine.finish_step(now)
    assert not waiting and not engine.decoding and not engine.prefilling
    assert engine.used_blocks == sum(blocks for blocks, users in engine.prefixes.values() if not users)


def test_two_requests_by_hand():
    # Budget of 8: step 1 prefills 8 of 10, step 2 the other 2 and 6 of the next, step 3 decodes one and prefills 4.
    requests = Requests([0.0, 0.0], prompt=[10, 10], output=[3, 2])
    run = simulate(requests, steady(1.0, step_tokens=8, max_sequences=4))
    assert run.steps.prompt.tolist() == [8, 8, 4, 0]
    assert run.steps.decoding.tolist() == [0, 0, 1, 2]
    assert [times.tolist() for times in run.token_seconds] == [[2, 3, 4], [3, 4]]
    # Whole prompts, one a step; decoding sequences wait.
    run = simulate(requests, steady(1.0, step_tokens=8, policy="prefill_first"))
    assert [times.tolist() for times in run.token_seconds] == [[1, 3, 4], [2, 3]]


def test_static_batch_admits_no_sequence():
    requests = Requests([0.0, 0.5], prompt=4, output=[5, 1])
    joined = simulate(requests, steady(1.0))
    waited = simulate(requests, steady(1.0, policy="static"))
    assert [joined.token_seconds[1][0], waited.token_seconds[1][0]] == [2, 6]


def test_youngest_sequence_is_preempted_and_recomputed():
    # Four blocks of 4: both fit with 8 tokens each, and neither can grow while the other is running.
    requests = Requests([0.0, 0.0], prompt=[7, 7], output=[6, 6])
    run = simulate(requests, steady(1.0, cache_blocks=4, block_tokens=4))
    assert run.preemptions == 1 and run.tokens_recomputed == 8
    assert run.token_seconds[0].tolist() == [1, 2, 3, 4, 5, 6]
    # Two tokens generated; its nine tokens are recomputed when the other has finished.
    assert run.token_seconds[1].tolist() == [1, 2, 7, 8, 9, 10]


def test_single_request_takes_the_bound():
    chip = serving.replica(LLAMA, step_tokens=4096)
    run = simulate(Requests([1.0], prompt=1000, output=50), chip)
    assert run.time_to_first_token[0] == pytest.approx(serving.time_to_first_token(LLAMA, 1000), rel=1e-12)
    gaps = serving.time_between_tokens(LLAMA, np.arange(1001, 1050))
    assert run.time_between_tokens == pytest.approx(gaps, rel=1e-9)
    assert run.latency[0] == run.seconds == pytest.approx(run.time_to_first_token[0] + gaps.sum())


@pytest.mark.parametrize(("prompt", "output"), [(128, 128), (1000, 300), (50, 700)])
def test_no_simulation_beats_the_bound_of_throughput(prompt, output):
    requests = Requests(np.zeros(400), prompt, output)
    run = simulate(requests, serving.replica(LLAMA, max_sequences=2048, step_tokens=8192))
    bound = serving.throughput_bound(LLAMA, prompt, output)
    assert 0.3 * bound < run.output_tokens_per_second <= bound
    limited = simulate(requests, serving.replica(LLAMA, max_sequences=16))
    assert limited.output_tokens_per_second <= serving.throughput_bound(LLAMA, prompt, output, sequences=16)


def test_chunked_prefill_keeps_inter_token_latency_short():
    # Purpose of chunked prefill: a long prompt does not stall decoding sequences.
    requests = poisson_requests(6, 250, 4000, 100, seed=8)
    worst = {
        policy: simulate(requests, serving.replica(LLAMA, policy=policy, step_tokens=512)).percentile(
            "time_between_tokens", 99
        )
        for policy in ("chunked", "prefill_first")
    }
    assert worst["chunked"] < 0.5 * worst["prefill_first"]


def test_prefix_aware_routing_prefills_less():
    requests = poisson_requests(30, 600, 2100, 10, seed=9, prefixes=12, prefix_tokens=2000)
    read = {}
    for router in ("round_robin", "cache_aware"):
        chip = serving.replica(LLAMA, cache_blocks=700, step_tokens=4096)  # capacity of five prefixes
        read[router] = simulate(requests, [chip] * 4, router).tokens_from_prefix
    assert read["cache_aware"] > 1.5 * read["round_robin"]
    assert read["cache_aware"] <= 2000 * (600 - 12)


def test_prefix_aware_routing_leaves_overloaded_replica():
    requests = Requests(np.zeros(40), 100, 5, prefix=0, prefix_tokens=64)
    assert set(simulate(requests, [steady()] * 2, "cache_aware", slack=4).replica) == {0, 1}
    assert set(simulate(requests, [steady()] * 2, "cache_aware", slack=100).replica) == {0}


def test_disaggregated_pools_send_the_cache_once():
    requests = poisson_requests(8, 200, 800, geometric_lengths(40, 200, seed=1), seed=2)
    chip = serving.replica(LLAMA)
    sent = serving.cache_transfer_seconds(LLAMA.config, requests.prompt, 50e9)
    assert sent[0] == transformer.kv_cache_memory(LLAMA.config, 800) / 50e9
    parted = serving.disaggregate(requests, chip, [chip, chip], sent)
    assert [len(times) for times in parted.token_seconds] == requests.output.tolist()
    assert parted.prefill.steps.decoding.sum() == 0 and parted.decode.steps.prompt.sum() == 0
    assert parted.prefill.steps.prompt.sum() == requests.prompt.sum()
    assert parted.decode.steps.decoding.sum() == (requests.output - 1).sum()
    firsts = np.array([times[1] - times[0] for times in parted.token_seconds if len(times) > 1])
    assert (firsts > sent[0]).all()
    # No inter-token latency contains another request's prefill, whatever the load.
    together = simulate(requests, serving.replica(LLAMA, policy="prefill_first"))
    later = np.concatenate([np.diff(times[1:]) for times in parted.token_seconds])
    assert later.max() < np.percentile(together.time_between_tokens, 99)


def test_disaggregated_has_the_latencies_of_a_run():
    chip = serving.replica(serving.deploy("Llama 3 8B", "H100 SXM"))
    requests = serving.poisson_requests(20.0, 200, 1000, 30, seed=2)
    parted, one = serving.disaggregate(requests, chip, chip, 0.004), serving.simulate(requests, chip)
    for what in ("time_to_first_token", "time_between_tokens", "latency"):
        for run in (parted, one):
            assert run.percentile(what, [50, 99]).tolist() == np.percentile(getattr(run, what), [50, 99]).tolist()
    assert parted.time_to_first_token.tolist() == parted.prefill.time_to_first_token.tolist()
    assert parted.latency == pytest.approx(
        [t[-1] - a for t, a in zip(parted.token_seconds, requests.arrival_seconds, strict=True)]
    )
    assert parted.output_tokens_per_second == pytest.approx(200 * 30 / parted.seconds)
    assert 0 <= parted.share_within(0.1, 0.01) <= 1


def test_disaggregated_pools_preempt_under_pressure():
    requests = Requests(np.zeros(12), prompt=16, output=30)
    tight = steady(1.0, cache_blocks=8, block_tokens=8)
    parted = serving.disaggregate(requests, steady(1.0), tight, 0.25, "round_robin")
    assert parted.decode.preemptions > 0 and parted.decode.steps.blocks.max() <= 8
    assert [len(times) for times in parted.token_seconds] == [30] * 12
    only_first = serving.disaggregate(Requests([0.0], 16, 1), steady(), steady(), 0)
    assert only_first.decode is None and only_first.time_between_tokens.size == 0


def test_run_percentiles_and_slo_attainment():
    run = simulate(Requests([0.0, 0.0], prompt=[10, 10], output=[3, 2]), steady(1.0, step_tokens=8, max_sequences=4))
    assert run.percentile("time_to_first_token", [0, 50, 100]).tolist() == [2, 2.5, 3]
    assert run.percentile("latency", 100) == 4 and run.percentile("time_between_tokens", 50) == 1
    assert [run.share_within(first, 1.0) for first in (1.9, 2.0, 3.0)] == [0, 0.5, 1]
    assert run.share_within(3.0, 0.5) == 0
    assert run.output_tokens_per_second == 5 / 4


def test_rate_sweep_matches_single_runs():
    chip = serving.replica(LLAMA)
    sweep = serving.rate_sweep([2, 20, 200], chip, 500, 50, count=300, seed=3, percents=[50, 90, 99])
    assert sweep.time_to_first_token.shape == sweep.time_between_tokens.shape == (3, 3)
    alone = simulate(poisson_requests(2.0, 300, 500, 50, seed=3), chip)
    assert sweep.time_to_first_token[0] == pytest.approx(alone.percentile("time_to_first_token", [50, 90, 99]))
    assert (np.diff(sweep.time_to_first_token, axis=0) > 0).all()
    assert (np.diff(sweep.output_tokens_per_second) > 0).all()
    assert sweep.output_tokens_per_second.max() < serving.throughput_bound(LLAMA, 500, 50)


def test_the_same_seed_gives_the_same_requests():
    first, again, other = (poisson_requests(3, 50, 10, 10, seed, prefixes=3, prefix_tokens=4) for seed in (1, 1, 2))
    assert (first.arrival_seconds == again.arrival_seconds).all() and (first.prefix == again.prefix).all()
    assert (first.arrival_seconds != other.arrival_seconds).any()


TWO = Requests([0.0, 1.0], 10, 10)


@every_row(
    ("call", "words"),
    [
        (lambda: Requests([], 1, 1), "arrival_seconds must be a list"),
        (lambda: Requests([1.0, 0.5], 1, 1), "arrival_seconds must be in ascending order"),
        (lambda: Requests([-1.0], 1, 1), "arrival_seconds must be zero or more"),
        (lambda: Requests([0.0, 1.0], [1, 2, 3], 1), "prompt must be one number or as many as arrivals, 2"),
        (lambda: Requests([0.0], 0, 1), "prompt must be at least 1"),
        (lambda: Requests([0.0], 1, 0.5), "output must be a whole number"),
        (lambda: Requests([0.0], 1, 1, prefix=-2), "prefix must be at least -1"),
        (lambda: Requests([0.0], 10, 1, prefix=0, prefix_tokens=10), "prefix_tokens must be less than the prompt"),
        (lambda: poisson_requests(0, 5, 1, 1, 0), "rate must be greater"),
        (lambda: poisson_requests([1, 2], 5, 1, 1, 0), "rate must be a single number"),
        (lambda: poisson_requests(1, 0, 1, 1, 0), "count must be at least 1"),
        (lambda: poisson_requests(1, 5, 1, 1, 0, prefixes=-1), "prefixes must be at least 0"),
        (lambda: geometric_lengths(0.5, 5, 0), "mean must be at least 1"),
        (lambda: geometric_lengths(5, 0, 0), "count must be at least 1"),
        (lambda: Replica(step_seconds=1.0, cache_blocks=5), "step_seconds must be a function"),
        (lambda: steady(cache_blocks=0), "cache_blocks must be at least 1"),
        (lambda: steady(block_tokens=1.5), "block_tokens must be a whole number"),
        (lambda: steady(max_sequences=[1, 2]), "max_sequences must be a single whole number"),
        (lambda: steady(step_tokens=10), "step_tokens must be at least max_sequences=256"),
        (lambda: steady(policy="orca"), "policy must be one of 'chunked', 'prefill_first', 'static'"),
        (lambda: steady(prefix_cache=1), "prefix_cache must be True or False"),
        (lambda: serving.replica("Llama"), "deployment must be a serving.Deployment"),
        (lambda: serving.replica(LLAMA, 0.5), "efficiency must be a serving.Efficiency"),
        (lambda: simulate([1, 2], steady()), "requests must be serving.Requests"),
        (lambda: simulate(TWO, "replica"), "replicas must be one serving.Replica"),
        (lambda: simulate(TWO, []), "replicas must be one serving.Replica"),
        (lambda: simulate(TWO, steady(), "random"), "router must be one of 'round_robin'"),
        (lambda: simulate(TWO, steady(), slack=-1), "slack must be zero or more"),
        (lambda: simulate(TWO, steady(cache_blocks=1)), "request 0 needs 19 tokens of cache, a replica has 16"),
        (lambda: simulate(TWO, steady(0.0)), "step_seconds must give a finite time above zero"),
        (lambda: simulate(TWO, steady()).percentile("tokens", 50), "quantity must be one of"),
        (lambda: simulate(TWO, steady()).percentile("latency", 101), "percent must be at most 100"),
        (lambda: simulate(Requests([0.0], 1, 1), steady()).percentile("time_between_tokens", 5), "no percentile"),
        (lambda: simulate(TWO, steady()).share_within(0, 1), "first_token_seconds must be greater"),
        (lambda: simulate(TWO, steady()).share_within(1, -1), "between_tokens_seconds must be greater"),
        (lambda: serving.disaggregate("x", steady(), steady(), 0), "requests must be serving.Requests"),
        (lambda: serving.disaggregate(TWO, "x", steady(), 0), "replicas must be one serving.Replica"),
        (lambda: serving.disaggregate(TWO, steady(), [], 0), "decode must be one serving.Replica"),
        (lambda: serving.disaggregate(TWO, steady(), steady(), -1), "transfer_seconds must be zero or more"),
        (lambda: serving.disaggregate(TWO, steady(), steady(), 0, "best"), "router must be one of"),
        (lambda: serving.rate_sweep([1, 0], steady(), 5, 5), "rates must be greater"),
        (lambda: serving.rate_sweep(1, steady(), 5, 5, percents=101, count=3), "percent must be at most 100"),
        (lambda: serving.rate_sweep(1, steady(), 5, 5, count=0), "count must be at least 1"),
        (lambda: serving.cache_transfer_seconds(LLAMA.config, 10, 0), "bandwidth_one_way must be greater"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
