"""Costs of collectives: published numbers, independently evaluated cases, properties."""

import json
from math import ceil, inf, isclose, log2, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives
from tests.tables import every_row

CASES = json.loads((Path(__file__).parent / "data" / "alpha_beta_cases.json").read_text())["cases"]
PAIRS = [(c, a) for c in collectives.algorithms() for a in collectives.algorithms(c)]
POWER_OF_TWO = {
    ("all_reduce", "recursive_doubling"),
    ("all_reduce", "halving_doubling"),
    ("reduce_scatter", "recursive_halving"),
    ("all_gather", "recursive_doubling"),
    ("reduce", "rabenseifner"),
}
ALL_REDUCES = collectives.algorithms("all_reduce")
POINT_TO_POINT = [pair for pair in PAIRS if pair[1] != "in_network"]

NAMED_IN_CASES = {
    "ring_allreduce_s": ("all_reduce", "ring"),
    "binomial_tree_reduce_plus_broadcast_s": ("all_reduce", "tree"),
    "recursive_doubling_allreduce_s": ("all_reduce", "recursive_doubling"),
    "recursive_halving_doubling_allreduce_s": ("all_reduce", "halving_doubling"),
}

sizes = st.floats(1, 1e12)
bandwidths = st.floats(1e6, 1e13)
latencies = st.floats(1e-9, 1e-3)


def rank_counts(pair):
    return st.sampled_from([1, 2, 4, 64, 4096]) if pair in POWER_OF_TWO else st.integers(1, 5000)


@st.composite
def situations(draw, pairs=PAIRS):
    pair = draw(st.sampled_from(pairs))
    return (*pair, draw(sizes), draw(rank_counts(pair)), draw(bandwidths), draw(latencies))


# Published numbers


def test_time_of_published_cases_in_the_printed_units():
    """14 GB over 8 ranks at 450 and 64 at 50 Gb/s: 435.6 ms, 4410.0 ms, 10.1 times."""
    gigabit = 1e9 / 8
    inside = collectives.ring_all_reduce_time(14e9, 8, 450 * gigabit)
    between = collectives.ring_all_reduce_time(14e9, 64, 50 * gigabit)
    assert f"{inside * 1e3:.1f}" == "435.6"
    assert f"{between * 1e3:.1f}" == "4410.0"
    assert f"{between / inside:.1f}" == "10.1"


def test_time_of_published_cases_in_hardware_units():
    """NVLink 4 is 450 GB/s one way, NDR InfiniBand 50 GB/s."""
    inside, between = collectives.ring_all_reduce_time(14e9, [8, 64], [450e9, 50e9])
    assert inside == pytest.approx(54.44e-3, rel=1e-4)
    assert between == pytest.approx(551.25e-3, rel=1e-9)
    assert between / inside == pytest.approx(10.125)


@pytest.mark.parametrize(
    ("seconds", "microseconds"),
    [
        (collectives.time("all_gather", "ring", 2 * 1024 * 16384, 8, 450e9), 65),
        (collectives.time("send_recv", "direct", 2 * 2048 * 4096, 2, 9e10), 188),
        (collectives.time("all_reduce", "ring", 2 * 1024 * 4096, 2**40, 9e10), 190),
    ],
)
def test_time_matches_the_scaling_book(seconds, microseconds):
    """JAX-ML scaling book: GPU pop quiz 1; TPU question 5; sharding question 2.3 (2 % rounding)."""
    assert seconds * 1e6 == pytest.approx(microseconds, rel=0.02)


@pytest.mark.parametrize(("link", "ranks", "printed"), [(450, 8, 514), (400, 32, 413)])
def test_all_gather_bandwidth_matches_the_scaling_book(link, ranks, printed):
    """Algorithm bandwidth of a full link: 450 * 8 / 7 and 400 * 32 / 31."""
    assert round(link / collectives.bus_factor("all_gather", ranks)) == printed


def test_ring_traffic_of_one_millisecond():
    """A published table gives all-reduce below 1 ms for gradients; 14 GB takes 54 ms."""
    size = 1e-3 * 450e9 / collectives.bus_factor("all_reduce", 8)
    assert size == pytest.approx(0.257e9, rel=1e-3)


# Cases evaluated with other tools


@every_row("case", CASES)
def test_time_matches_independent_evaluation(case):
    link = case["S_bytes"], case["n"], case["B_bytes_per_s"], case["alpha_s"]
    for name, pair in NAMED_IN_CASES.items():
        if name in case:
            assert collectives.time(*pair, *link) == pytest.approx(case[name], rel=1e-12)
        else:
            with pytest.raises(ValueError, match="ranks must be a power of two"):
                collectives.time(*pair, *link)
    half = case["ring_allgather_or_reducescatter_s"]
    assert collectives.time("all_gather", "ring", *link) == pytest.approx(half, rel=1e-12)
    assert collectives.time("reduce_scatter", "ring", *link) == pytest.approx(half, rel=1e-12)


@every_row("ranks", [2, 3, 5, 8, 13, 64])
def test_ring_time_matches_event_driven_ranks(ranks):
    """Event-driven, without lock step: each rank sends its next chunk once it has received the last one."""
    size, bandwidth, latency = 3e6, 2e9, 5e-6
    ready = [0.0] * ranks
    for _ in range(2 * (ranks - 1)):
        ready = [max(ready[r], ready[r - 1]) + latency + size / ranks / bandwidth for r in range(ranks)]
    assert collectives.ring_all_reduce_time(size, ranks, bandwidth, latency) == pytest.approx(max(ready))


def test_bruck_all_to_all_sends_a_block_once_per_bit():
    """Independent count: distance d consists of as many hops as d has 1 bits."""
    ranks = np.arange(1, 40)
    hops = [sum(distance.bit_count() for distance in range(count)) for count in ranks]
    assert collectives.traffic("all_to_all", "bruck", ranks, ranks).sent == pytest.approx(hops)
    each = [collectives.traffic("all_to_all", "bruck", int(count), int(count)).sent for count in ranks]
    assert each == pytest.approx(hops)


def test_bruck_traffic_at_powers_of_two():
    assert collectives.traffic("all_to_all", "bruck", 1.0, 1024).sent == 5.0


# Properties


@given(situations())
def test_time_of_scalars_and_arrays_agrees(situation):
    collective, algorithm, *numbers = situation
    scalar = collectives.time(collective, algorithm, *numbers)
    assert type(scalar) is float
    array = collectives.time(collective, algorithm, *(np.array([number]) for number in numbers))
    assert array.shape == (1,)
    assert array[0] == pytest.approx(scalar, rel=1e-12)
    size, ranks, *_ = numbers
    count = collectives.steps(collective, algorithm, ranks)
    assert type(count) is int
    assert collectives.steps(collective, algorithm, np.array([ranks])).tolist() == [count]
    single, many = (collectives.traffic(collective, algorithm, size, n) for n in (ranks, np.array([ranks])))
    for name in ("sent", "received", "total"):
        assert type(getattr(single, name)) is float
        assert getattr(many, name) == pytest.approx(getattr(single, name), rel=1e-12)


def test_time_broadcasts_like_a_ufunc():
    ranks = np.array([[2], [4], [8]])
    for pair in PAIRS:
        grid = collectives.time(*pair, np.array([1e3, 1e6]), ranks, 1e9, 1e-6, 1e-12)
        assert grid.shape == (3, 2)
        assert grid[2, 1] == pytest.approx(collectives.time(*pair, 1e6, 8, 1e9, 1e-6, 1e-12))
        assert collectives.traffic(*pair, np.array([1e3, 1e6]), ranks).total.shape == (3, 2)


def test_time_takes_numpy_scalars_and_empty_arrays():
    plain = collectives.ring_all_reduce_time(14e9, 8, 450e9, 1e-6)
    numpy = collectives.ring_all_reduce_time(np.int64(14_000_000_000), np.int32(8), np.float64(450e9), 1e-6)
    assert numpy == plain and type(numpy) is float
    assert type(collectives.ring_all_reduce_time(np.float32(1024), 8, np.float32(2.0))) is float
    assert collectives.ring_all_reduce_time([], 8, 450e9).shape == (0,)
    assert collectives.traffic("all_to_all", "bruck", 1.0, []).sent.shape == (0,)


@given(situations())
def test_time_scales_with_units(situation):
    """Bytes and bytes/s in any unit give the same seconds; latency and time scale together."""
    collective, algorithm, size, ranks, bandwidth, latency = situation
    seconds = collectives.time(collective, algorithm, size, ranks, bandwidth, latency)
    in_bits = collectives.time(collective, algorithm, size * 8, ranks, bandwidth * 8, latency)
    slower = collectives.time(collective, algorithm, size, ranks, bandwidth / 1000, latency * 1000)
    assert in_bits == pytest.approx(seconds, rel=1e-12)
    assert slower == pytest.approx(seconds * 1000, rel=1e-9)


@given(situations(), st.floats(1.01, 100))
def test_time_is_monotone(situation, factor):
    collective, algorithm, size, ranks, bandwidth, latency = situation
    seconds = collectives.time(collective, algorithm, size, ranks, bandwidth, latency)
    assert collectives.time(collective, algorithm, size * factor, ranks, bandwidth, latency) >= seconds
    assert collectives.time(collective, algorithm, size, ranks, bandwidth, latency * factor) >= seconds
    assert collectives.time(collective, algorithm, size, ranks, bandwidth * factor, latency) <= seconds
    assert collectives.time(collective, algorithm, size, ranks, bandwidth, latency, 1e-12) >= seconds


@given(st.sampled_from(PAIRS), sizes)
def test_time_of_a_single_rank_is_zero(pair, size):
    assert collectives.time(*pair, size, 1, 1e9, 1e-6, 1e-12) == 0.0
    assert collectives.steps(*pair, 1) == 0
    assert collectives.traffic(*pair, size, 1) == collectives.Traffic(0.0, 0.0, 0.0)


@given(situations(POINT_TO_POINT))
def test_time_is_at_least_the_bound_of_the_collective(situation):
    """Bytes that must reach a rank (Patarasuk and Yuan; Chan et al.), and log2 n steps to reach all."""
    collective, algorithm, size, ranks, bandwidth, latency = situation
    share = (ranks - 1) / ranks
    must_cross = {"all_reduce": 2 * share, "broadcast": ranks > 1, "reduce": ranks > 1, "send_recv": ranks > 1}
    least = must_cross.get(collective, share) * size / bandwidth
    depth = min(ranks - 1, 1) if collective == "send_recv" else ceil(log2(ranks))
    assert collectives.time(collective, algorithm, size, ranks, bandwidth, latency) >= (
        (least + depth * latency) * (1 - 1e-12)
    )


@given(situations(POINT_TO_POINT))
def test_traffic_is_conserved_and_agrees_with_time(situation):
    """The total is between one and all times the busiest rank's bytes, and time covers the busiest rank."""
    collective, algorithm, size, ranks, bandwidth, _ = situation
    traffic = collectives.traffic(collective, algorithm, size, ranks)
    slack = 1 + 1e-9
    for busiest in (traffic.sent, traffic.received):
        assert busiest <= traffic.total * slack
        assert traffic.total <= ranks * busiest * slack
        assert busiest / bandwidth <= collectives.time(collective, algorithm, size, ranks, bandwidth) * slack


@given(sizes, st.integers(1, 5000), bandwidths, latencies)
def test_all_reduce_equals_reduce_scatter_plus_all_gather(size, ranks, bandwidth, latency):
    """A tree all-reduce equals a reduce plus a broadcast."""
    link = size, ranks, bandwidth, latency, 1e-12
    for whole, first, second in (("ring", "reduce_scatter", "all_gather"), ("tree", "reduce", "broadcast")):
        parts = collectives.time(first, whole, *link) + collectives.time(second, whole, *link)
        assert collectives.time("all_reduce", whole, *link) == pytest.approx(parts)


@given(st.integers(1, 4000), st.integers(1, 4000))
def test_ring_traffic_grows_with_ranks_below_twice_the_message(few, more):
    few, more = sorted((few, more))
    sent = collectives.ring_all_reduce_traffic(1e9, np.array([few, more]))
    assert sent[0] <= sent[1] < 2e9


@pytest.mark.parametrize(
    ("collective", "hops", "sent", "received", "total"),
    [
        ("all_reduce", 2, 1, 1, 8),
        ("reduce_scatter", 1, 7 / 8, 1 / 8, 7),
        ("all_gather", 1, 1 / 8, 7 / 8, 1),
        ("broadcast", 1, 1, 1, 1),
        ("reduce", 1, 1, 1, 8),
    ],
)
def test_in_network_reduction_and_multicast(collective, hops, sent, received, total):
    """Each rank sends its data once and receives the result once; the busier direction sets the time."""
    pair = collective, "in_network"
    assert collectives.traffic(*pair, 1.0, 8) == collectives.Traffic(sent, received, total)
    assert collectives.time(*pair, 1e9, 8, 1e9, latency=10.0) == pytest.approx(10 * hops + max(sent, received))
    assert collectives.time(*pair, 1e9, 8, 1e9, 0.0, 1.0) == pytest.approx(max(sent, received))  # ranks add nothing


# Crossover


@given(st.sampled_from(ALL_REDUCES), st.sampled_from(ALL_REDUCES), st.data())
def test_crossover_is_where_the_times_meet(first, second, data):
    ranks = data.draw(st.sampled_from([2, 4, 16, 1024]))
    link = data.draw(bandwidths), data.draw(latencies)
    size = collectives.crossover_size("all_reduce", first, second, ranks, *link, 1e-13)
    assert size == collectives.crossover_size("all_reduce", second, first, ranks, *link, 1e-13)

    assert collectives.crossover_size("all_reduce", first, second, [ranks], *link, 1e-13).tolist() == [size]

    def times(message):
        return [collectives.time("all_reduce", name, message, ranks, *link, 1e-13) for name in (first, second)]

    if size == inf:
        ours, theirs = np.transpose([times(message) for message in (1.0, 1e6, 1e12, 1e15)])
        rounding = 1e-12 * ours
        assert (ours > theirs - rounding).all() or (ours < theirs + rounding).all()
    else:
        assert isclose(*times(size), rel_tol=1e-9)
        if size:
            below, above = (np.subtract(*times(size * factor)) for factor in (0.5, 2))
            assert below * above < 0


def test_crossover_of_tree_and_ring():
    """8 ranks: the tree saves 8 steps and sends 4.25 more messages' worth of bytes."""
    size = collectives.crossover_size("all_reduce", "ring", "tree", [8, 64], 450e9, 2e-6)
    assert size[0] == pytest.approx(8 * 2e-6 * 450e9 / 4.25)
    assert collectives.crossover_size("all_reduce", "ring", "ring", 8, 450e9, 2e-6) == 0.0
    assert collectives.crossover_size("all_reduce", "ring", "tree", 8, 450e9, 0.0) == 0.0
    assert size[1] > size[0]


# Invalid arguments

BAD_NUMBERS = [True, "8", None, nan, inf, -1, -inf, [1, nan], ["a"], 1j]
BAD_COUNTS = [*BAD_NUMBERS, 0, 2.5, [2, 2.5]]


def refuses(function, match, *args, **kwargs):
    with pytest.raises((ValueError, TypeError), match=match):
        function(*args, **kwargs)


@every_row("bad", BAD_NUMBERS)
def test_invalid_numbers_are_refused(bad):
    good = {"message_bytes": 1e6, "ranks": 8, "bandwidth_one_way": 1e9, "latency": 1e-6}
    for name in ("message_bytes", "bandwidth_one_way", "latency", "reduction_time_per_byte"):
        refuses(collectives.time, f"^{name} must", "all_reduce", "ring", **{**good, name: bad})
    for name in ("message_bytes", "bandwidth_one_way", "latency"):
        refuses(collectives.ring_all_reduce_time, f"^{name} must", **{**good, name: bad})
    refuses(collectives.ring_all_reduce_traffic, "^message_bytes must", bad, 8)
    refuses(collectives.traffic, "^message_bytes must", "reduce", "tree", bad, 8)
    crossing = {"ranks": 8, "bandwidth_one_way": 1e9, "latency": 1e-6, "reduction_time_per_byte": 0.0}
    for name in ("bandwidth_one_way", "latency", "reduction_time_per_byte"):
        refuses(collectives.crossover_size, f"^{name} must", "all_reduce", "ring", "tree", **{**crossing, name: bad})


@pytest.mark.parametrize("bad", BAD_COUNTS)
def test_invalid_counts_are_refused(bad):
    refuses(collectives.time, "^ranks must", "all_reduce", "ring", 1e6, bad, 1e9)
    refuses(collectives.steps, "^ranks must", "all_reduce", "ring", bad)
    refuses(collectives.traffic, "^ranks must", "all_reduce", "ring", 1e6, bad)
    refuses(collectives.ring_all_reduce_time, "^ranks must", 1e6, bad, 1e9)
    refuses(collectives.ring_all_reduce_traffic, "^ranks must", 1e6, bad)
    refuses(collectives.crossover_size, "^ranks must", "all_reduce", "ring", "tree", bad, 1e9, 1e-6)


def test_zero_bandwidth_is_refused_and_zero_size_is_not():
    refuses(collectives.time, "bandwidth_one_way must be greater than zero", "all_reduce", "ring", 1, 8, 0)
    assert collectives.time("all_reduce", "ring", 0, 8, 1e9, 1e-6) == pytest.approx(14e-6)


@pytest.mark.parametrize("collective", collectives.algorithms())
def test_unknown_algorithm_error_lists_the_algorithms(collective):
    with pytest.raises(ValueError, match=f"^algorithm for '{collective}' must be .* got 'butterfly'$") as refusal:
        collectives.time(collective, "butterfly", 1e6, 8, 1e9)
    assert all(repr(name) in str(refusal.value) for name in collectives.algorithms(collective))


@pytest.mark.parametrize("bad", ["allreduce", "", "All_Reduce", None, 3, ["all_reduce"], {}])
def test_unknown_collective_error_lists_the_collectives(bad):
    if bad is not None:  # None asks for all collectives
        refuses(collectives.algorithms, "^collective must.*'all_reduce', 'reduce_scatter'", bad)
    refuses(collectives.time, "^collective must.*'all_reduce', 'reduce_scatter'", bad, "ring", 1e6, 8, 1e9)
    refuses(collectives.steps, "^collective must", bad, "ring", 8)
    refuses(collectives.traffic, "^collective must", bad, "ring", 1e6, 8)
    refuses(collectives.crossover_size, "^collective must", bad, "ring", "tree", 8, 1e9, 1e-6)
    refuses(collectives.time, "^algorithm for 'all_reduce' must", "all_reduce", bad, 1e6, 8, 1e9)
    refuses(collectives.crossover_size, "^algorithm for", "all_reduce", "ring", bad, 8, 1e9, 1e-6)


@pytest.mark.parametrize("pair", sorted(POWER_OF_TWO))
def test_ranks_other_than_powers_of_two_are_refused(pair):
    for ranks in (3, 12, [4, 6], np.int64(1023)):
        refuses(collectives.time, f"ranks must be a power of two for '{pair[0]}'.*'ring'", *pair, 1e6, ranks, 1e9)
    assert collectives.time(*pair, 1e6, [1, 2, 1024], 1e9).shape == (3,)
