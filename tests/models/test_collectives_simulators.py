"""Simulators of collectives: results on real arrays, and traffic equal to the closed forms."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import collectives
from chip2cluster.collectives import Simulator
from tests.tables import every_row

PIPELINED = {("all_reduce", "double_binary_tree"), ("broadcast", "ring"), ("reduce", "ring")}
PAIRS = [
    (collective, algorithm)
    for collective in collectives.algorithms()
    for algorithm in collectives.algorithms(collective)
    if algorithm != "in_network"
]
ROOTED = ("broadcast", "reduce", "gather", "scatter")
REDUCING = ("all_reduce", "reduce_scatter", "reduce")
OPERATIONS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def numbers(ranks, elements, dtype=np.int64, start=1):
    """Distinct small values, so that a chunk in the wrong slot is detected."""
    return np.random.default_rng(ranks * 1000 + elements).integers(start, 50, (ranks, elements)).astype(dtype)


def serves(pair, ranks):
    try:
        collectives.steps(*pair, ranks)
    except ValueError:
        return False
    return True


def cut(vector, blocks):
    return np.array_split(vector, blocks)  # NumPy's own way of cutting into nearly equal parts


def promised(collective, x, root=0, operation="sum"):
    """Result of each rank by NCCL's documentation, computed with NumPy."""
    ranks = len(x)
    combined = OPERATIONS[operation](x, axis=0).astype(x.dtype)  # wraps as the type does
    return {
        "all_reduce": lambda: [combined] * ranks,
        "reduce_scatter": lambda: cut(combined, ranks),
        "all_gather": lambda: [x.ravel()] * ranks,
        "broadcast": lambda: [x[root]] * ranks,
        "reduce": lambda: combined,
        "gather": lambda: x.ravel(),
        "scatter": lambda: cut(x[root], ranks),
        "all_to_all": lambda: [np.concatenate([cut(row, ranks)[rank] for row in x]) for rank in range(ranks)],
        "send_recv": lambda: [x[rank - 1] for rank in range(ranks)],
    }[collective]()


def counted_traffic(simulator):
    return [simulator.sent.max(), simulator.received.max(), simulator.sent.sum()]


def closed_traffic(pair, size, ranks):
    traffic = collectives.traffic(*pair, size, ranks)
    return pytest.approx([traffic.sent, traffic.received, traffic.total], rel=1e-12)


def same(got, expected):
    return len(got) == len(expected) and all(np.array_equal(g, e) for g, e in zip(got, expected, strict=True))


# Results


@pytest.mark.sampled(8)
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_simulator_result_is_that_of_the_collective(pair):
    """Up to 17 ranks and at 32, lengths that divide and lengths that do not, fewer elements than ranks."""
    collective = pair[0]
    for ranks in [*range(1, 18), 32]:
        if not serves(pair, ranks):
            continue
        for elements in (2 * ranks, 3 * ranks + 2, 1):
            x = numbers(ranks, elements)
            assert same(Simulator(*pair, x).run(), promised(collective, x)), (ranks, elements)


@settings(deadline=None)
@given(st.sampled_from([p for p in PAIRS if p[0] in ROOTED]), st.integers(1, 20), st.data())
def test_any_rank_can_be_the_root(pair, ranks, data):
    if pair[1] == "rabenseifner":
        ranks = 16
    root = data.draw(st.integers(0, ranks - 1))
    x = numbers(ranks, data.draw(st.integers(1, 40)))
    simulator = Simulator(*pair, x, root=root)
    assert simulator.root == root
    assert same(simulator.run(), promised(pair[0], x, root))


@settings(deadline=None)
@given(st.sampled_from([p for p in PAIRS if p[0] in REDUCING]), st.sampled_from(sorted(OPERATIONS)), st.data())
def test_operations_and_types(pair, operation, data):
    ranks = data.draw(st.sampled_from([1, 2, 4, 8]))
    dtype = data.draw(st.sampled_from([np.int8, np.uint16, np.int64, np.float32, np.float64]))
    x = numbers(ranks, data.draw(st.integers(1, 30)), dtype, start=-3 if np.dtype(dtype).kind != "u" else 1)
    got = Simulator(*pair, x, operation=operation).run()
    expected = promised(pair[0], x, operation=operation)
    assert len(got) == len(expected)
    for result, wanted in zip(got, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5)
        assert result.dtype == dtype


@pytest.mark.parametrize("algorithm", ["ring", "tree", "double_binary_tree", "recursive_doubling", "halving_doubling"])
def test_all_ranks_end_with_the_same_bits(algorithm):
    """Sums of floats depend on the order; an all-reduce must still leave every rank the same result."""
    x = np.random.default_rng(1).normal(size=(16, 100)).astype(np.float32)
    result = Simulator("all_reduce", algorithm, x).run()
    assert (result == result[0]).all()
    np.testing.assert_allclose(result[0], x.sum(axis=0), atol=1e-5)


@pytest.mark.parametrize("algorithm", ["ring", "bruck"])
def test_all_gather_of_parts_of_any_length(algorithm):
    parts = [[1.5], [], [2.0, 3.0, 4.0], [5.0, 6.0], []]
    assert Simulator("all_gather", algorithm, parts).run().tolist() == [[1.5, 2.0, 3.0, 4.0, 5.0, 6.0]] * 5
    assert Simulator("gather", "tree", parts, root=3).run().tolist() == [1.5, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_ring_all_reduce_of_a_published_example():
    """Each of 8 ranks contributes its own number: 0 + 1 + ... + 7."""
    ring = collectives.RingAllReduce([np.full(8, rank) for rank in range(8)])
    assert (ring.run() == 28).all()


def test_ring_all_reduce_is_the_simulator_of_its_pair():
    x = numbers(4, 8)
    ring = collectives.RingAllReduce(x)
    assert (ring.collective, ring.algorithm) == ("all_reduce", "ring")
    assert same(ring.run(), promised("all_reduce", x))
    assert "RingAllReduce all_reduce by ring: 4 ranks, step 6 of 6" in repr(ring)


# Counted against closed forms


@pytest.mark.parametrize("pair", [p for p in PAIRS if p not in PIPELINED], ids="-".join)
def test_counted_traffic_equals_the_closed_forms(pair):
    for ranks in [*range(1, 20), 24, 32, 64]:
        if not serves(pair, ranks):
            continue
        in_parts = pair[0] in ("all_gather", "gather")
        elements = 3 if in_parts else 3 * ranks
        simulator = Simulator(*pair, numbers(ranks, elements, np.float32))
        simulator.run()
        size = 4 * elements * (ranks if in_parts else 1)
        assert counted_traffic(simulator) == closed_traffic(pair, size, ranks), ranks
        assert len(simulator.history) == simulator.total_steps == collectives.steps(*pair, ranks)
        link = 2e9, 3e-6, 1e-11
        assert simulator.time(*link) == pytest.approx(collectives.time(*pair, size, ranks, *link), rel=1e-12), ranks


@pytest.mark.parametrize("pair", sorted(PIPELINED), ids="-".join)
def test_pipelined_traffic_equals_the_closed_forms(pair):
    for ranks in (2, 3, 4, 7, 8, 13, 32):
        size = 8 * 1024
        closed = collectives.time(*pair, size, ranks, 1.0)
        sums = collectives.time(*pair, size, ranks, 1.0, 0.0, 1.0) - closed
        excess = []
        for segments in (1, 4, 64, 512):
            simulator = Simulator(*pair, numbers(ranks, 1024), segments=segments)
            simulator.run()
            assert counted_traffic(simulator) == closed_traffic(pair, size, ranks), (ranks, segments)
            # The closed form has no step for the slices after the first.
            assert simulator.total_steps == collectives.steps(*pair, ranks) + segments - 1
            excess.append(simulator.time(1.0) / closed - 1)
        assert excess == sorted(excess, reverse=True)
        assert excess[-1] < 0.08
        assert sums * (1 - 1e-9) <= simulator.combined_bytes <= 1.08 * sums


@pytest.mark.parametrize("ranks", [2, 3, 5, 8, 16])
def test_uneven_chunks_cost_at_most_one_element_per_step(ranks):
    for elements in (1, ranks - 1, ranks + 1, 10 * ranks + 3):
        ring = collectives.RingAllReduce(numbers(ranks, elements))
        ring.run()
        mean = collectives.ring_all_reduce_traffic(8 * elements, ranks)
        assert ring.sent.mean() == pytest.approx(mean)
        assert mean <= ring.wire_bytes <= mean + ring.total_steps * 8


@pytest.mark.parametrize(("nodes", "ranks_per_node"), [(1, 4), (4, 1), (2, 4), (3, 5), (8, 8)])
def test_hierarchical_phases_equal_the_closed_form(nodes, ranks_per_node):
    ranks = nodes * ranks_per_node
    x = numbers(ranks, 2 * ranks)
    simulator = Simulator("all_reduce", "hierarchical", x, ranks_per_node=ranks_per_node)
    assert same(simulator.run(), promised("all_reduce", x))
    inside = [step for step in simulator.history if "inside" in step.phase]
    between = [step for step in simulator.history if "between" in step.phase]
    assert all((step.source // ranks_per_node == step.destination // ranks_per_node).all() for step in inside)
    # Between nodes each rank stays on its own rail.
    assert all((step.source % ranks_per_node == step.destination % ranks_per_node).all() for step in between)
    seconds = sum(1e-6 + step.sent.max() / 450e9 for step in inside)
    seconds += sum(5e-6 + step.sent.max() / 50e9 for step in between)
    place = x[0].nbytes, ranks_per_node, nodes, 450e9, 50e9
    latencies = {"intra_latency": 1e-6, "inter_latency": 5e-6}
    assert seconds == pytest.approx(collectives.hierarchical_all_reduce_time(*place, **latencies))


def test_simulator_of_1024_ranks():
    """1,024 ranks and a length that they do not divide."""
    x = np.random.default_rng(0).integers(0, 9, (1024, 1500)).astype(np.int32)
    total = x.sum(axis=0)
    ring = collectives.RingAllReduce(x)
    assert (ring.run() == total).all()
    assert len(ring.history) == 2046
    assert ring.sent.mean() == pytest.approx(collectives.ring_all_reduce_traffic(6000, 1024))
    halving = Simulator("all_reduce", "halving_doubling", x)
    assert (halving.run() == total).all()
    assert len(halving.history) == 20


# Steps


@pytest.mark.parametrize("ranks", [2, 3, 4, 8, 11])
def test_ring_moves_chunks_by_the_published_rule(ranks):
    """Step s: rank i sends chunk (n - s + i) mod n and receives (n - s + i - 1) mod n."""
    ring = collectives.RingAllReduce(numbers(ranks, ranks))
    for s in range(ranks - 1):
        step = ring.step()
        assert step.index == s and step.phase == "reduce-scatter"
        for message in step.messages:
            i = message.source
            assert message.destination == (i + 1) % ranks and message.combined
            assert message.chunks == ((ranks - s + i) % ranks,)
        received = {m.destination: m.chunks[0] for m in step.messages}
        assert received == {i: (ranks - s + i - 1) % ranks for i in range(ranks)}
    complete = np.argwhere(ring.contributions == ranks)
    assert complete.tolist() == [[i, (i + 1) % ranks] for i in range(ranks)]
    assert {step.phase for step in (ring.step() for _ in range(ranks - 1))} == {"all-gather"}
    assert (ring.contributions == ranks).all()


@given(st.integers(2, 20), st.integers(1, 70))
def test_ring_step_moves_the_whole_message_once(ranks, elements):
    """All chunks travel in every step, whatever their sizes."""
    ring = collectives.RingAllReduce(numbers(ranks, elements))
    while (step := ring.step()) is not None:
        assert sorted(step.chunk) == list(range(ranks))
        assert step.total_bytes == 8 * elements


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_simulator_conserves_bytes_and_completes_chunks(pair):
    simulator = Simulator(*pair, numbers(8, 21))
    sent = received = combined = 0
    while not simulator.done:
        step = simulator.step()
        assert step.sent.sum() == step.received.sum() == step.total_bytes
        assert sum(m.nbytes for m in step.messages) == step.total_bytes
        assert (step.source != step.destination).all()
        assert (step.combined_bytes <= step.received).all()
        sent, received = sent + step.sent, received + step.received
        combined = max(combined, step.combined_bytes.max())
    assert (simulator.sent == sent).all() and (simulator.received == received).all()
    assert simulator.sent.sum() == simulator.received.sum()
    assert simulator.contributions.max() == simulator.complete == (8 if pair[0] in REDUCING else 1)
    assert (combined > 0) == (pair[0] in REDUCING)


def test_double_binary_tree_shares_the_inner_nodes():
    """A rank that reduces in one tree is a leaf of the other: the reason for two trees."""
    for ranks in (4, 5, 8, 13, 32, 33):
        simulator = Simulator("all_reduce", "double_binary_tree", numbers(ranks, 8), segments=1)
        simulator.step()
        assert simulator.wire_bytes == simulator.received.max()
        simulator.run()
        adds = [set(), set()]
        for step in simulator.history:
            for message in step.messages:
                if message.combined:
                    for tree in message.chunks:
                        adds[tree].add(message.destination)
        # The two roots have one child each and may be inner nodes of both.
        assert len(adds[0] & adds[1]) <= 2 - ranks % 2
        assert max(simulator.sent) == 2 * 64
        first = simulator.history[0]
        assert first.received.max() == 2 * first.sent.max()  # two children, one parent: the parent sets the pace


def test_inputs_are_copied_and_history_grows():
    x = numbers(4, 8)
    before = x.copy()
    ring = collectives.RingAllReduce(x)
    assert ring.history == () and not ring.done and ring.total_steps == 6
    assert np.array_equal(ring.buffers, x)
    with pytest.raises(RuntimeError, match="0 of 6 steps taken"):
        _ = ring.result
    first = ring.step()
    assert ring.history == (first,)
    result = ring.run()
    assert ring.done and len(ring.history) == 6 and ring.step() is None and len(ring.history) == 6
    assert np.array_equal(result, ring.result) and np.array_equal(result, ring.buffers)
    assert np.array_equal(x, before)
    result[:] = 0
    assert ring.buffers.any()
    midway = collectives.RingAllReduce(x)
    midway.step()
    saved = copy.deepcopy(midway)  # to come back to a step, keep a copy
    midway.run()
    assert len(saved.history) == 1 and np.array_equal(saved.run(), result + x.sum(axis=0))
    with pytest.raises(ValueError, match="read-only"):
        first.source[0] = 3


# Invalid arguments


def refuses(match, *args, **kwargs):
    with pytest.raises((ValueError, TypeError), match=match):
        Simulator(*args, **kwargs)


def test_unknown_pair_error_lists_the_simulators():
    refuses("collective must be one of 'all_reduce'.*'butterfly'", "butterfly", "ring", [[1]])
    refuses("collective must be a text", None, "ring", [[1]])
    refuses("simulated 'all_reduce' must be one of 'ring', 'tree'.*'in_network'", "all_reduce", "in_network", [[1]])
    refuses("simulated 'gather' must be one of 'direct', 'tree'", "gather", "ring", [[1]])


@every_row(
    "buffers",
    [None, 3, "abc", [], np.float64(2.0), {0: [1]}, [[1, 2], [3]], [["a"], ["b"]], [[True], [False]], [1, 2], [[], []],
     np.ones((2, 2, 2)), [[None], [None]], [[[1], [2, 3]], [1]]],
)  # fmt: skip
def test_invalid_buffers_are_refused(buffers):
    with pytest.raises((ValueError, TypeError), match="buffers"):
        collectives.RingAllReduce(buffers)


def test_ranks_other_than_powers_of_two_are_refused():
    for algorithm in ("recursive_doubling", "halving_doubling"):
        with pytest.raises(ValueError, match="ranks must be a power of two.*got 6; any number"):
            Simulator("all_reduce", algorithm, numbers(6, 6))


def test_simulator_options_are_checked():
    x = numbers(4, 8)
    refuses("operation must be one of 'sum', 'prod', 'max', 'min', got 'avg'", "all_reduce", "ring", x, operation="avg")
    refuses("operation does not apply to 'broadcast'", "broadcast", "tree", x, operation="sum")
    refuses("root does not apply to 'all_reduce'", "all_reduce", "ring", x, root=0)
    refuses("segments does not apply to 'all_reduce' by 'ring'", "all_reduce", "ring", x, segments=4)
    refuses("ranks_per_node does not apply", "all_reduce", "ring", x, ranks_per_node=2)
    refuses("ranks_per_node must be given", "all_reduce", "hierarchical", x)
    refuses("ranks_per_node must divide the 4 ranks, got 3", "all_reduce", "hierarchical", x, ranks_per_node=3)
    for bad in (True, "1", 1.5, -1, float("nan"), [1, 2]):
        refuses("root must", "reduce", "tree", x, root=bad)
        refuses("segments must", "reduce", "ring", x, segments=bad)
        refuses("ranks_per_node must", "all_reduce", "hierarchical", x, ranks_per_node=bad)
    refuses("root must be a rank from 0 to 3, got 4", "reduce", "tree", x, root=4)
    refuses("segments must be at least 1", "broadcast", "ring", x, segments=0)


@pytest.mark.parametrize("bad", [True, "8", None, float("nan"), -1])
def test_simulator_time_refuses_invalid_links(bad):
    ring = collectives.RingAllReduce([[1], [2]])
    for position, name in enumerate(("bandwidth_one_way", "latency", "reduction_time_per_byte")):
        link = [1e9, 0.0, 0.0]
        link[position] = bad
        with pytest.raises((ValueError, TypeError), match=f"^{name} must"):
            ring.time(*link)
