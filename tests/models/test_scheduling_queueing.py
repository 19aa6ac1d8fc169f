"""Queueing formulas against a simulated table, limits, and `simulate`."""

import json
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from chip2cluster.scheduling import Job, erlang_c, mean_queue, mean_wait, mg1_wait, multi_node_wait, simulate
from tests.tables import every_row

CASES = json.loads((Path(__file__).parent / "data/scheduling/queueing.json").read_text(encoding="utf-8"))["cases"]


@every_row("case", CASES)
def test_formulas_match_simulated_table(case):
    given, model = case["inputs"], case["model"]
    if model == "M/M/c":
        queue = given["servers"], given["utilization"]
        found = {
            "probability_wait": erlang_c(*queue),
            "mean_wait": mean_wait(*queue, given["service_time"]),
            "mean_queue": mean_queue(*queue),
        }
    else:
        found = {"mean_wait": mg1_wait(given["utilization"], given["service_time"], given["squared_cv"])}
    assert found == pytest.approx({name: case[name] for name in found}, rel=1e-9)


@every_row("servers", [1, 2, 5, 20])
@every_row("busy", [0.1, 0.7, 0.99])
def test_erlang_c_matches_textbook_formula(servers, busy):
    load = servers * busy
    last = load**servers / factorial(servers) / (1 - busy)
    assert erlang_c(servers, busy) == pytest.approx(last / (sum(load**k / factorial(k) for k in range(servers)) + last))


def test_formulas_in_limits():
    assert mg1_wait(0.8, 3.0, 1.0) == pytest.approx(mean_wait(1, 0.8, 3.0))
    assert mg1_wait(0.8, 3.0, 0.0) == pytest.approx(
        mean_wait(1, 0.8, 3.0) / 2
    )  # jobs of equal length wait half as long
    assert erlang_c(7, 0.0) == 0 and 0 < erlang_c(10_000, 0.99) < 1


def test_arrays_match_scalars():
    servers, busy = np.array([[1], [4], [64]]), np.array([0.5, 0.95])
    table = erlang_c(servers, busy)
    assert table.shape == (3, 2) and type(erlang_c(4, 0.5)) is float and type(mean_wait(4, 0.5, 1)) is float
    assert all(table[i, j] == pytest.approx(erlang_c(int(servers[i, 0]), busy[j])) for i in range(3) for j in range(2))
    assert mg1_wait([0.5, 0.9], 1.0).shape == mean_queue([1, 2], 0.5).shape == (2,)


@pytest.mark.parametrize("servers", [1, 4])
def test_simulate_agrees_with_erlang_c(servers):
    """20,000 one-node jobs, FCFS; batches of 1,000 because waits of neighboring jobs are correlated."""
    draw = np.random.default_rng(2)
    submit = np.cumsum(draw.exponential(1 / (0.7 * servers), 20_000)).tolist()
    time = np.maximum(draw.exponential(1.0, 20_000), 1e-9).tolist()
    starts = simulate([Job(n, submit[n], 1, time[n]) for n in range(20_000)], servers, "fcfs").starts
    waits = np.array([starts[n] - submit[n] for n in range(20_000)]).reshape(20, -1).mean(axis=1)
    assert abs(waits.mean() - mean_wait(servers, 0.7, 1.0)) < 4 * waits.std(ddof=1) / 20**0.5


def test_multi_node_jobs_wait_longer_than_mmc():
    """Same load, but half of the time in four-node jobs: longer waits than M/M/c, because the machine drains for each."""
    draw = np.random.default_rng(3)
    sizes = draw.choice([1, 4], 8000).tolist()
    time = np.maximum(draw.exponential(1.0, 8000), 1e-9).tolist()
    submit = np.cumsum(draw.exponential(2.5 / (4 * 0.6), 8000)).tolist()
    starts = simulate([Job(n, submit[n], sizes[n], time[n]) for n in range(8000)], 4, "fcfs").starts
    assert np.mean([starts[n] - submit[n] for n in range(8000)]) > 4 * mean_wait(4, 0.6, 1.0)


@every_row(
    "call, message",
    [
        (lambda: erlang_c(0, 0.5), "servers must be at least 1"),
        (lambda: erlang_c(2.5, 0.5), "servers must be a whole number"),
        (lambda: erlang_c(10**9, 0.5), "servers must be at most 10,000,000"),
        (lambda: erlang_c([1, 10**9], 0.5), "servers must be at most 10,000,000"),
        (lambda: erlang_c(2, 1.0), "utilization must be below 1, or the queue grows without bound"),
        (lambda: mean_wait(2, 0.5, 0), "service_time must be greater than zero"),
        (lambda: mean_queue(2, -0.1), "utilization must be zero or more"),
        (lambda: mg1_wait([0.5, 1.0], 1), "utilization must be below 1"),
        (lambda: mg1_wait(0.5, 1, -1), "squared_cv must be zero or more"),
    ],
)
def test_queueing_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_multi_node_wait_meets_both_exact_formulas():
    """Jobs of one node are the M/M/c queue; jobs of the whole machine are one server of any lengths."""
    assert multi_node_wait(64, 1, 0.9, 2.0) == mean_wait(64, 0.9, 2.0)
    for squared in (0, 1, 16):
        assert multi_node_wait(64, 64, 0.9, 2.0, squared) == pytest.approx(mg1_wait(0.9, 2.0, squared))
    larger = multi_node_wait(64, [1, 2, 4, 8, 16, 32, 64], 0.9, 1.0)
    assert (np.diff(larger) > 0).all()


@every_row("each", [8, 16, 32])
def test_multi_node_wait_meets_a_simulated_machine(each):
    waits = []
    for seed in range(6):
        draw = np.random.default_rng(seed)
        lengths = draw.exponential(1000, 6000)
        arrivals = draw.exponential(1000 * each / (64 * 0.8), 6000).cumsum()
        jobs = [Job(n, at, each, one, one) for n, (at, one) in enumerate(zip(arrivals, lengths, strict=True), 1)]
        waits.append(simulate(jobs, 64, "fcfs").metrics().mean_wait)
    assert np.mean(waits) == pytest.approx(multi_node_wait(64, each, 0.8, 1000), rel=0.15)


def test_multi_node_wait_refuses_a_job_larger_than_the_machine():
    with pytest.raises(ValueError, match="nodes_per_job must be at most the 8 nodes, got 16"):
        multi_node_wait(8, 16, 0.5, 1.0)
