"""The explorers of chapter 11: a service at work, what fills the cache, two pools."""

import re
from itertools import pairwise

import numpy as np
import pytest

from chip2cluster import draw, explore, serving, specs, transformer, units_parse
from chip2cluster.chapters.serving.explorers.cache import KINDS, SERVED, STRETCH
from chip2cluster.chapters.serving.explorers.pools import REPLICAS
from chip2cluster.chapters.serving.explorers.serve import MANY, ONE, POLICIES, RATES
from chip2cluster.draw import style
from chip2cluster.explore.custom_service import REACHED
from tests.pictures import geometry
from tests.tables import every_row

LLAMA = serving.deploy("Llama 3 8B", "H100 SXM")


@pytest.mark.parametrize("number, policy", list(enumerate(POLICIES)))
def test_waits_match_the_simulation_and_exceed_the_bound(number, policy):
    rate, step_tokens = RATES[2 * number + 1], (512, 2048, 8192)[number]
    view = explore.serve(rate, policy=policy, step_tokens=step_tokens)
    count = min(240, int(12 * rate))
    requests = serving.poisson_requests(rate, count, 1000, serving.geometric_lengths(100, count, 1), 1)
    rules = serving.replica(LLAMA, REACHED, policy=POLICIES[policy], step_tokens=step_tokens)
    run = serving.simulate(requests, rules)
    last = requests.arrival_seconds[-1]
    while_they_come = [now - before for times in run.token_seconds
                       for before, now in pairwise(times) if now <= last]  # fmt: skip
    for row, waits in zip(view.table, (run.time_to_first_token, while_they_come), strict=True):
        _, alone, half, most = row.values()
        assert [half, most] == pytest.approx(1e3 * np.percentile(waits, [50, 99]))
        assert alone <= half <= most
    assert f"{count} requests" in view.sentence and "while requests still arrive" in view.sentence


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("step_tokens, top", [(256, 100), (2048, 100), (8192, 500)])
def test_steps_show_the_gap_and_the_wait_of_the_title(policy, step_tokens, top):
    """Title, table and picture agree, on a time axis of 2 s in every state."""
    for rate in RATES[1::3]:
        view = explore.serve(rate, policy=policy, step_tokens=step_tokens)
        picture, (first, between) = view.current.picture, view.table
        ttft, itl = (
            units_parse.parse(word, "s") for word in re.search(r"TTFT (.+), ITL (.+)$", picture.title).groups()
        )
        assert [1e3 * ttft, 1e3 * itl] == pytest.approx([first["p99 (ms)"], between["p99 (ms)"]], rel=5e-3)
        words = [text.words for text in geometry.texts(picture.svg)]
        (gap,) = (re.fullmatch(r"a gap of (.+) between two tokens", one) for one in words if one.startswith("a gap"))
        assert units_parse.parse(gap[1], "s") == pytest.approx(itl, rel=0.02)
        assert "2 s" in words and "2.5 s" not in words
        assert f"{top:g}" in words or (top == 500 and "100" in words)
        waits = [one for one in words if one.startswith("longest wait here for a first token")]
        assert all(units_parse.parse(one.split(": ")[1], "s") <= 1e-3 * view.table[0]["p99 (ms)"] * 2 for one in waits)
        if policy == "static batching" and rate >= 20:
            assert units_parse.parse(waits[0].split(": ")[1], "s") > 2


def test_the_typical_gap_of_the_short_run_is_that_of_a_long_one():
    rules = serving.replica(LLAMA, REACHED)
    for rate in (20, 25, 35):
        requests = serving.poisson_requests(rate, 2000, 1000, serving.geometric_lengths(100, 2000, 2), 2)
        long = 1e3 * serving.simulate(requests, rules).percentile("time_between_tokens", 50)
        assert explore.serve(rate).table[1]["median (ms)"] == pytest.approx(long, rel=0.15)


def test_policies_trade_the_first_token_for_the_next():
    first, between = ({policy: explore.serve(30, policy=policy).table[row]["p99 (ms)"] for policy in POLICIES}
                      for row in (0, 1))  # fmt: skip
    pieces, whole, static = POLICIES
    assert between[whole] > 5 * between[pieces]
    assert first[static] > 5 * max(first[pieces], first[whole])


def test_a_step_of_fewer_tokens_lets_the_next_token_come_sooner():
    waits = [explore.serve(25, step_tokens=tokens).table for tokens in (512, 2048)]
    assert waits[0][1]["p99 (ms)"] < waits[1][1]["p99 (ms)"]
    assert waits[0][0]["p99 (ms)"] > waits[1][0]["p99 (ms)"]


def test_the_sheet_is_faster_and_says_that_nothing_reaches_it():
    view = explore.serve(15)
    seen = view.table[0]["median (ms)"]
    assert "50 % of the peak" in view.sentence
    assert view.set(speed="datasheet rates").table[0]["median (ms)"] < seen and "nothing reaches" in view.sentence


def test_prefix_aware_routing_prefills_least():
    view = explore.serve(40, seen=MANY)
    table = {row["routing policy"]: row for row in view.table}
    spared = {name: row["prefix cache hits (% of prompt tokens)"] for name, row in table.items()}
    assert spared["prefix-aware"] > 1.3 * spared["round-robin"]
    late = {name: row["p99 (ms)"] for name, row in table.items()}
    assert late["prefix-aware"] < late["least-loaded"] < late["round-robin"]
    assert all(name.capitalize() in view.sentence for name in table)
    assert view.set(seen=ONE).table[0]["what a user waits for"] == "first token (TTFT)"


def test_router_view_names_a_best_policy_only_if_every_run_does():
    """The order of the policies changes with the seed where all prefixes fit into every cache."""
    for rate, step_tokens in ((20, 2048), (20, 8192), (40, 2048)):
        view = explore.serve(rate, step_tokens=step_tokens, seen=MANY)
        late = {}
        for router in ("round_robin", "least_loaded", "cache_aware"):
            late[router] = [_p99_behind_a_router(rate, step_tokens, router, seed) for seed in range(1, 6)]
        firsts = {min(late, key=lambda router: late[router][run]) for run in range(5)}
        title = view.current.picture.title
        assert ("no difference that 2,000 requests can show" in title) == (len(firsts) > 1)
        assert (view.current.table.marked is None) == (len(firsts) > 1)


def _p99_behind_a_router(rate, step_tokens, router, seed):
    prompts = 500 + serving.geometric_lengths(500, 400, seed + 5)
    requests = serving.poisson_requests(
        4 * rate, 400, prompts, serving.geometric_lengths(10, 400, seed), seed, prefixes=64, prefix_tokens=500
    )
    replicas = [serving.replica(LLAMA, REACHED, step_tokens=step_tokens)] * 4
    return serving.simulate(requests, replicas, router).percentile("time_to_first_token", 99)


def test_router_view_has_one_length_of_answers_and_says_why():
    view = explore.serve(seen=MANY)
    output = next(control for control in view.controls if control.name == "output")
    assert output.choices(view.values) == (10,) and view.values["output"] == 10
    with pytest.raises(ValueError, match="answers behind a router have 10 tokens"):
        view.set(output=400)
    assert view.set(seen=ONE, output=400).values["output"] == 400


def test_pools_say_that_an_overloaded_queue_grows():
    for reading, rate in ((4, 80), (6, 110), (6, 80)):
        view = explore.pools(reading, rate=rate)
        prefill = serving.pool_rates(LLAMA, 2000, 64, 0.02, efficiency=REACHED).prefill
        grows = rate > reading * prefill
        assert (view.table[0]["TTFT, p99 (ms)"] == float("inf")) == grows
        assert ("grows without end" in view.current.picture.title) == grows
        assert (">grows<" in view.current.table.html()) == grows


def test_pools_name_a_difference_if_every_run_shows_it():
    view = explore.pools(6)
    assert "no difference that 1,500 requests can show" in view.sentence.split("p99 of the ITL")[0]
    assert "shorter with 6 prefill, 2 decode" in view.sentence.split("p99 of the ITL")[1]


def test_a_service_of_ones_own_gets_rates_that_fit_it():
    config = transformer.Config(layers=12, d_model=768, heads=12, vocab_size=50304)
    view = explore.serve(model=config, chip=specs.accelerator("L40S"), precision="fp16")
    rates = view.controls[0].options
    bound = serving.throughput_bound(serving.deploy(config, "L40S", precision="fp16"), 1000, 100) / 100
    assert 0.4 * bound < rates[-1] < bound and list(rates) == sorted(rates)
    assert "your model on L40S" in view.current.picture.svg


@pytest.mark.parametrize("make", [explore.serve, explore.pools])
def test_a_rate_of_ones_own_joins_the_slider(make):
    view = make(rate=33.5)
    assert view.values["rate"] == 33.5 and "33.5" in view.current.table.caption
    rates = next(control for control in view.controls if control.name == "rate").options
    assert list(rates) == sorted(rates) and view.reset().values["rate"] == 33.5
    assert 33.5 not in next(control for control in make().controls if control.name == "rate").options
    for wrong in (0, -3, True, "20", float("nan"), 1e9):
        with pytest.raises((ValueError, TypeError), match="rate must be"):
            make(rate=wrong)


@pytest.mark.parametrize("make", [explore.serve, explore.pools, explore.cache])
def test_a_model_that_does_not_fit_says_how_many_devices_hold_it(make):
    with pytest.raises(ValueError, match="devices=1 leave no room .* at least 10 devices are needed"):
        make(model="Llama 3.1 405B")
    with pytest.raises(TypeError, match="model must be the name of a published model"):
        make(model=70)
    with pytest.raises(specs.UnknownAccelerator):
        make(model="Llama 3 8B", chip="H1000")


@every_row("service", SERVED)
@every_row("pages", [STRETCH, 16])
def test_the_cache_holds_what_the_models_count(service, pages):
    view = explore.cache(4096, sequences=32, pages=pages, service=service)
    name, chip, devices, precision, attention = (*SERVED[service], 1, "bf16", "tensor")[:5] if len(SERVED[service]) == 2 else (
        *SERVED[service], *("bf16", "tensor")[len(SERVED[service]) - 3 :]
    )  # fmt: skip
    deployment = serving.deploy(name, chip, devices, precision, attention=attention)
    mine = view.table[view.current.table.marked]
    assert mine["a token (kB)"] == pytest.approx(deployment.cache_per_token / 1e3)
    lengths = (mine["filled (GB)"] * 1e9) / deployment.cache_per_token
    assert 32 <= lengths <= 32 * 4096 and lengths == pytest.approx(round(lengths))
    held = (mine["filled (GB)"] + mine["empty (GB)"]) * 1e9 / deployment.cache_per_token
    assert held == pytest.approx(32 * 4096) if pages == STRETCH else 0 < held - lengths < 16 * 32
    if pages == STRETCH:  # as many as the model of the largest batch says, for sequences that are all longest
        assert mine["sequences that fit"] == serving.largest_batch(deployment, 4096)
    order = [row["a token (kB)"] for row in view.table]
    assert order[0] >= order[1] >= order[2] and len(order) == len(KINDS)


def test_what_does_not_fit_is_said_in_picture_and_title():
    view = explore.cache(131072, sequences=64)
    assert "do not fit" in view.current.picture.title and "too much" in view.current.picture.svg
    assert "do not fit" not in explore.cache(512, sequences=1).current.picture.title


@pytest.mark.parametrize("reading, rate, prompt", [(1, 40, 500), (6, 80, 2000), (7, 140, 4000)])
def test_pools_carry_what_the_models_say(reading, rate, prompt):
    view = explore.pools(reading, rate=rate, prompt=prompt)
    each = serving.pool_rates(LLAMA, prompt, 64, 0.02, efficiency=REACHED)
    carried = min(reading * each.prefill, (REPLICAS - reading) * each.decode)
    apart, beside = view.table
    assert apart["carry at most (requests/s)"] == pytest.approx(carried)
    both = 8 * serving.stream_rate(LLAMA, prompt, 64, efficiency=REACHED) / 64
    assert beside["carry at most (requests/s)"] == pytest.approx(both)
    sizes = serving.pool_sizes(LLAMA, rate, prompt, 64, 0.02, used=1.0, efficiency=REACHED)
    assert f"At least {sizes.prefill} prefill and {sizes.decode} decode instances" in view.sentence
    assert ("of" not in view.current.picture.title.split("carried")[0]) == (carried >= rate)
    alone = 1e3 * serving.time_to_first_token(LLAMA, prompt, efficiency=REACHED)
    assert alone <= apart["TTFT, median (ms)"] * (1 + 1e-9)


def test_disaggregated_decode_has_no_prefill_in_its_steps():
    apart, beside = explore.pools(6, rate=80).table
    assert 2 * apart["ITL, p99 (ms)"] < beside["ITL, p99 (ms)"]
    slow, fast = (explore.pools(6, link=link).sentence for link in ("25 Gb/s Ethernet", "NVLink 4"))
    travels = [units_parse.parse(re.search(r"sent in ([\d.]+ .?s)", words)[1], "s") for words in (slow, fast)]
    assert travels[0] / travels[1] == pytest.approx(450 / 3.125, rel=0.05)


def test_unreachable_limit_names_the_nearest_reachable():
    view = explore.pools(model="Llama 3 70B", chip="A100 SXM 80GB", devices=2, limit=12)
    assert "No split keeps 12 ms" in view.current.picture.title
    assert "The rates here are those for 51 ms between tokens" in view.sentence
    assert view.table[0]["carry at most (requests/s)"] > 0


def test_the_pictures_refuse_what_they_cannot_show():
    for call, says in (
        (lambda: draw.latency_distribution([]), "one to 4 tails"),
        (lambda: draw.latency_distribution([draw.Tail("a", [0.0, 1.0])]), "above zero"),
        (lambda: draw.cache_bars([], 80e9), "one to four rows"),
        (lambda: draw.cache_bars([draw.Filled("a", 1, 1, 1)], 0), "memory_bytes"),
        (lambda: draw.pools(1.0, 1.0, 8, 8, 1.0), "each pool needs a replica"),
    ):
        with pytest.raises(ValueError, match=says):
            call()
    marked = draw.latency_distribution([draw.Tail("a", [0.01, 0.02])], limit=0.05, title="Within the limit")
    assert style.HAND in marked.svg and marked.narrow.width == style.NARROW


def test_the_stills_show_picture_table_and_sentence():
    for view in (explore.serve(), explore.serve(seen=MANY), explore.cache(), explore.pools()):
        assert view.current.picture.png(1).startswith(b"\x89PNG")
        assert "c2c-state" in view.still() and view.alt.startswith(view.current.picture.title)
