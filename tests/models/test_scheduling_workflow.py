"""critical_path against all chains, and pipeline_times against the geometric distribution."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster.scheduling import Task, critical_path, pipeline_times


@given(
    seconds=st.lists(st.integers(1, 20), min_size=1, max_size=5),
    edges=st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))),
)
def test_critical_path_is_the_longest_chain(seconds, edges):
    count = len(seconds)
    needs = {place: tuple(str(a) for a, b in sorted(edges) if b == place and a < b < count) for place in range(count)}
    found = critical_path([Task(str(place), seconds[place], needs[place]) for place in range(count)])
    chains = (
        order[:length]
        for order in permutations(range(count))
        for length in range(1, count + 1)
        if all(str(a) in needs[b] for a, b in pairwise(order[:length]))
    )
    assert found.seconds == max(sum(seconds[place] for place in chain) for chain in chains)
    assert sum(seconds[int(name)] for name in found.tasks) == found.seconds


def test_retries_are_geometric():
    alone = [Task("a", 10, failure=0.75)]
    times = pipeline_times(alone, 20_000, seed=1)
    assert critical_path(alone).seconds == 40
    assert times.mean() == pytest.approx(40, rel=0.03) and (times == 10).mean() == pytest.approx(0.25, abs=0.02)
    # Two of them in parallel: E max = 2/p - 1/(1 - (1 - p)^2) attempts.
    both = pipeline_times([Task("a", 10, failure=0.75), Task("b", 10, failure=0.75)], 20_000, seed=1)
    assert both.mean() == pytest.approx(10 * (2 / 0.25 - 1 / (1 - 0.75**2)), rel=0.03)


def test_runs_without_failures_equal_critical_path():
    steps = [Task("a", 5), Task("b", 7, ("a",)), Task("c", 1, ("a",)), Task("d", 2, ("b", "c"))]
    assert critical_path(steps).tasks == ("a", "b", "d")
    assert np.all(pipeline_times(steps, 10, seed=3) == 14)


@pytest.mark.parametrize(
    "tasks, words",
    [
        ([Task("a", 1, ("b",)), Task("b", 1, ("a",))], "form a cycle, got"),
        ([Task("a", 1), Task("a", 1)], "'a' twice"),
        ([Task("a", 1, ("z",))], "task a needs z, but there is no task of that name"),
        ([], "at least one"),
    ],
)
def test_workflow_errors(tasks, words):
    with pytest.raises(ValueError, match=words):
        critical_path(tasks)
    with pytest.raises(ValueError, match=words):
        pipeline_times(tasks, seed=1)


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"failure": 1.0}, {"failure": -0.1}])
def test_task_errors(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Task(**{"name": "a", "seconds": 1, **wrong})
