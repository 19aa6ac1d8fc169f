"""Routing to experts: counting one by one, enumeration of all outcomes, and conservation."""

from itertools import combinations, product
from math import lgamma
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster.parallelism import Routing, expected_dropped_share, expert_capacity, route
from tests.tables import every_row

ANY = st.builds(
    lambda experts, k, tokens, skew, seed: route(8 * tokens, experts, min(k, experts), skew=skew, seed=seed),
    st.sampled_from([8, 16, 24]), st.integers(1, 8), st.integers(1, 20), st.floats(0, 2), st.integers(0, 10**6),
)  # fmt: skip


@given(ANY, st.sampled_from([1, 2, 4, 8]), st.floats(0.1, 4))
def test_route_conserves_tokens(routing, devices, factor):
    assert isinstance(routing, Routing)
    assert all(len(set(row)) == routing.per_token for row in routing.choices.tolist())  # different experts
    assert routing.load.sum() == routing.tokens * routing.per_token
    assert routing.load.tolist() == [int((routing.choices == expert).sum()) for expert in range(routing.experts)]
    assert 1 <= routing.device_imbalance(devices) <= routing.imbalance * (1 + 1e-12)
    room = expert_capacity(routing.tokens, routing.experts, routing.per_token, factor)
    served = sum(min(room, load) for load in routing.load.tolist())
    assert served + routing.dropped_share(factor) * routing.choices.size == pytest.approx(routing.choices.size)
    # Bytes, counted one routed token at a time.
    per_device, per_token = routing.experts // devices, routing.tokens // devices
    by_hand, single = np.zeros((2, devices, devices))
    for token, row in enumerate(routing.choices.tolist()):
        targets = [expert // per_device for expert in row]
        for target in targets:
            by_hand[token // per_token, target] += 2.0
        for target in set(targets):
            single[token // per_token, target] += 2.0
    np.fill_diagonal(by_hand, 0)
    np.fill_diagonal(single, 0)
    assert routing.sent(devices, 2.0).tolist() == by_hand.tolist()
    assert routing.sent(devices, 2.0, once=True).tolist() == single.tolist()


@every_row("tokens, experts, k", [(3, 3, 1), (4, 2, 1), (3, 3, 2), (2, 4, 2), (2, 3, 3)])
@every_row("factor", [0.5, 1.0, 1.4, 3.0])
def test_even_router_drops_match_enumeration(tokens, experts, k, factor):
    room = expert_capacity(tokens, experts, k, factor)
    rows = list(combinations(range(experts), k))
    shares = []
    for outcome in product(rows, repeat=tokens):
        visits = [expert for row in outcome for expert in row]
        shares.append(sum(max(0, visits.count(expert) - room) for expert in range(experts)) / (tokens * k))
    assert expected_dropped_share(tokens, experts, k, factor) == pytest.approx(fmean(shares), abs=1e-12)


def test_simulated_routing_matches_expected_dropped_share():
    for experts, k in ((8, 2), (64, 8)):
        drawn = [route(512, experts, k, seed=seed).dropped_share(1.0) for seed in range(200)]
        error = stdev(drawn) / len(drawn) ** 0.5
        assert fmean(drawn) == pytest.approx(expected_dropped_share(512, experts, k, 1.0), abs=4 * error)


def test_route_skew_follows_zipf():
    """k = 1: the shares of the experts are 1, 1/2, 1/3 ... of their sum."""
    load = np.sort(route(200_000, 8, 1, skew=1.0).load)[::-1] / 200_000
    law = 1 / np.arange(1, 9)
    assert load == pytest.approx(law / law.sum(), rel=0.03)


def test_route_respects_groups_per_token():
    free = route(512, 256, 8)
    limited = route(512, 256, 8, groups=8, groups_per_token=4)
    visited = [len({expert // 32 for expert in row}) for row in limited.choices.tolist()]
    assert max(visited) <= 4 < max(len({expert // 32 for expert in row}) for row in free.choices.tolist())
    # With fewer nodes per token, fewer copies of it cross the network.
    assert limited.sent(8, 1.0, once=True).sum() < 0.8 * free.sent(8, 1.0, once=True).sum()
    assert limited.sent(8, 1.0).sum() == pytest.approx(free.sent(8, 1.0).sum(), rel=0.05)
    one = route(64, 16, 2, groups=4, groups_per_token=1)
    assert all(len({expert // 4 for expert in row}) == 1 for row in one.choices.tolist())


def test_dropped_share_is_monotone():
    factors = np.linspace(0.5, 2, 7)
    assert (np.diff(expected_dropped_share(1024, 16, 2, factors)) <= 0).all()
    # More tokens at once reduce the random imbalance; more experts increase it.
    assert (np.diff(expected_dropped_share([64, 256, 1024, 4096], 16, 2, 1.0)) < 0).all()
    assert (np.diff(expected_dropped_share(1024, [8, 32, 128], 2, 1.0)) > 0).all()
    spread = [fmean(route(2048, 64, 4, skew=skew, seed=s).imbalance for s in range(4)) for skew in (0.0, 0.3, 0.6, 1.0)]
    assert spread == sorted(spread)


def test_expected_dropped_share_takes_arrays_and_scalars():
    assert expert_capacity(1024, [8, 16], 1, 1.25).tolist() == [160, 80]
    assert type(expert_capacity(np.int64(10), 4)) is int and expert_capacity(10, 4) == 3
    assert expert_capacity(1000, 10, 1, 1.1) == 110  # not 111 for a rounding error
    assert type(expected_dropped_share(64, 8)) is float and expected_dropped_share(64, 8, 8, 1.0) == 0
    assert expected_dropped_share([64, 128], [[8], [16]]).shape == (2, 2)
    assert route(64, 8, 2, seed=3).choices.tolist() == route(64, 8, 2, seed=3).choices.tolist()


GOOD = dict(tokens=64, experts=16, per_token=2)


@every_row("change, words", [
    (dict(tokens=0), "tokens must be at least 1"),
    (dict(experts=2.5), "experts must be a whole number"),
    (dict(per_token=17), "per_token must be at most 16, the experts that a token may be routed to, got 17"),
    (dict(skew=-1), "skew must be zero or more"),
    (dict(groups=3), "groups must divide experts=16, got 3"),
    (dict(groups=4, groups_per_token=5), "groups_per_token must be at most groups=4"),
    (dict(groups=8, groups_per_token=1, per_token=3), "per_token must be at most 2"),
    (dict(seed=-1), "seed must be at least 0"),
    (dict(seed="x"), "seed must be a number"),
])  # fmt: skip
def test_bad_input_of_a_router_is_named(change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        route(**(GOOD | change))


@given(st.lists(
    st.tuples(st.integers(1, 6000), st.integers(1, 300), st.integers(1, 300), st.floats(0.02, 4)), min_size=1, max_size=6
))  # fmt: skip
def test_expected_dropped_share_matches_full_sums(cells):
    cells = [(n, max(e, k), min(e, k), factor) for n, e, k, factor in cells]
    found = expected_dropped_share(*(np.array(column) for column in zip(*cells, strict=True)))
    for (n, e, k, factor), share in zip(cells, found.tolist(), strict=True):
        room, chance = expert_capacity(n, e, k, factor), k / e
        loads = np.arange(min(room, n) + 1, n + 1)
        if k == e:
            assert share == max(n - room, 0) / n
            continue
        ways = np.array([lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) for x in loads.tolist()])
        ways = ways + loads * np.log(chance) + (n - loads) * np.log1p(-chance)
        assert share == pytest.approx(((loads - room) * np.exp(ways)).sum() / (n * chance), rel=1e-8, abs=1e-300)


@every_row("change, words", [
    (dict(tokens=-1), "tokens must be at least 1"),
    (dict(experts=0), "experts must be at least 1"),
    (dict(per_token="2"), "per_token must be a number"),
    (dict(capacity_factor=0), "capacity_factor must be greater than zero"),
])  # fmt: skip
@every_row("function", [expert_capacity, expected_dropped_share])
def test_bad_input_of_a_capacity_is_named(function, change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        function(**(GOOD | change))


def test_routing_methods_refuse_bad_input():
    routing = route(64, 16, 2)
    for call, words in (
        (lambda: routing.device_imbalance(3), "devices must divide the experts, 16, got 3"),
        (lambda: routing.sent(5, 2), "devices must divide the experts"),
        (lambda: route(30, 16, 2).sent(4, 2), "devices must divide the tokens, 30, got 4"),
        (lambda: routing.sent(4, 0), "token_bytes must be greater than zero"),
        (lambda: routing.dropped_share(-1), "capacity_factor must be greater than zero"),
        (lambda: expected_dropped_share(8, 2, 3), "per_token must be at most experts=2, got 3"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
