"""Warp scheduler against hand-made timelines, conservation, Little's law and the closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import occupancy as occ
from tests.tables import every_row

WARPS, LATENCY, LOADS, COMPUTE = st.integers(1, 12), st.integers(1, 40), st.integers(1, 4), st.integers(0, 4)
SIGNS = {occ.WAITS: ".", occ.READY: "r", occ.LOADS: "L", occ.COMPUTES: "c"}


def drawn(run):
    return ["".join(SIGNS[state] for state in row) for row in run.states.tolist()]


def test_warp_timeline_of_one_warp():
    run = occ.warp_timeline(1, latency_cycles=5, loads_in_flight=2, compute_per_load=1, cycles=16)
    assert drawn(run) == ["LL....ccLL....cc"]  # the second load arrives at 1 + 5


def test_warp_timeline_of_three_warps():
    run = occ.warp_timeline(3, latency_cycles=4, compute_per_load=1, cycles=12)
    assert drawn(run) == ["L...cL...rcL", "rL...rcL...r", "rrL...rrcL.."]
    assert run.issued.tolist() == [[0, 1, 2, -1, 0, 0, 1, 1, 2, 2, 0, 0]]
    assert run.loads_in_flight_by_cycle.tolist() == [1, 2, 3, 3, 2, 2, 1, 2, 2, 2, 2, 2]


@given(WARPS, LATENCY, LOADS, COMPUTE, st.integers(1, 4))
def test_warp_timeline_states_are_valid(warps, latency, loads, compute, schedulers):
    run = occ.warp_timeline(warps, latency, loads, compute, cycles=150, schedulers=schedulers)
    for first in range(min(schedulers, warps)):
        mine = run.states[first::schedulers]
        assert ((mine >= occ.LOADS).sum(axis=0) <= 1).all()  # one instruction a cycle
        assert ((mine >= occ.LOADS).any(axis=0) == (mine != occ.WAITS).any(axis=0)).all()  # idle only if all wait
    for row in run.states.tolist():
        starts = [cycle for cycle, state in enumerate(row) if state == occ.LOADS]
        for last, cycle in zip(starts[loads - 1 :: loads], starts[loads::loads], strict=False):
            between = row[last + 1 : cycle]
            assert between[: latency - 1] == [occ.WAITS] * (latency - 1)  # nobody uses what has not arrived
            assert occ.WAITS not in between[latency - 1 :]
            assert between.count(occ.COMPUTES) == compute * loads


@given(WARPS, LATENCY, LOADS, COMPUTE)
def test_long_timeline_matches_issue_utilization(warps, latency, loads, compute):
    """The two are equal over a window of whole periods after the start."""
    instructions = loads * (1 + compute)
    period = max(latency + instructions - 1, warps * instructions)
    run = occ.warp_timeline(warps, latency, loads, compute, cycles=5 * period)
    window = run.issued[0, 2 * period :]
    assert (window >= 0).mean() == pytest.approx(occ.issue_utilization(warps, latency, loads, compute))


@given(WARPS, LATENCY, LOADS, COMPUTE)
def test_warp_timeline_loads_obey_littles_law(warps, latency, loads, compute):
    """Mean loads in flight = loads issued per cycle x latency, over whole periods."""
    instructions = loads * (1 + compute)
    period = max(latency + instructions - 1, warps * instructions)
    run = occ.warp_timeline(warps, latency, loads, compute, cycles=6 * period)
    window = slice(3 * period, 6 * period)
    rate = (run.states[:, window] == occ.LOADS).sum() / (3 * period)
    assert run.loads_in_flight_by_cycle[window].mean() == pytest.approx(rate * latency)


def test_warp_timeline_matches_the_programming_guide():
    """CUDA programming guide: dependent instructions of 4 cycles keep four schedulers busy from 16 warps on."""
    busy = [occ.warp_timeline(warps, 4, cycles=400, schedulers=4).utilization for warps in (8, 15, 16, 32)]
    assert busy[2:] == [1, 1] and busy[0] == 0.5 and busy[1] == pytest.approx(15 / 16)
    assert occ.warps_to_hide(4) == 16


@given(st.integers(1, 60), st.integers(1, 8))
def test_issue_utilization_is_one_from_warps_to_hide_on(latency, schedulers):
    needed = occ.warps_to_hide(latency, warp_instructions_per_cycle=1)
    assert occ.issue_utilization(needed, latency) == 1
    assert needed == 1 or occ.issue_utilization(needed - 1, latency) < 1
    assert occ.warp_timeline(needed * schedulers, latency, cycles=3 * latency, schedulers=schedulers).utilization == 1


@given(WARPS, LATENCY, COMPUTE)
def test_loads_in_flight_replace_warps(warps, latency, compute):
    """Four loads of one warp equal four warps, except for the cycles until the last load has been issued."""
    wide = occ.issue_utilization(warps, latency, 4, compute)
    many = occ.issue_utilization(4 * warps, latency, 1, compute)
    assert wide <= many <= wide * (latency + 4 * (1 + compute) - 1) / (latency + compute) * (1 + 1e-12)


def test_warps_are_bound_to_a_scheduler():
    run = occ.warp_timeline(5, latency_cycles=4, cycles=100, schedulers=4)
    assert (run.issued >= 0).sum(axis=1).tolist() == [50, 25, 25, 25]
    assert set(run.issued[0].tolist()) == {0, 4, -1}


def test_schedulers_without_warps_are_idle():
    run = occ.warp_timeline(2, latency_cycles=1, cycles=8, schedulers=4)
    assert run.utilization == 0.5 and run.issued.shape == (4, 8)


def test_issue_utilization_broadcasts():
    assert type(occ.issue_utilization(np.int64(3), 10)) is float
    grid = occ.issue_utilization([[1], [4], [40]], [10, 20], 1, 1)
    assert grid.shape == (3, 2) and (grid[2] == 1).all()
    assert grid[1].tolist() == [occ.issue_utilization(4, 10, 1, 1), occ.issue_utilization(4, 20, 1, 1)]


@every_row(
    ("arguments", "error", "message"),
    [
        ({"warps": 0}, ValueError, "warps must be at least 1, got 0"),
        ({"warps": [1, 2]}, TypeError, "warps must be a single whole number"),
        ({"latency_cycles": 2.5}, ValueError, "latency_cycles must be a whole number"),
        ({"loads_in_flight": 0}, ValueError, "loads_in_flight must be at least 1"),
        ({"compute_per_load": -1}, ValueError, "compute_per_load must be at least 0"),
        ({"cycles": True}, TypeError, "cycles must be a number"),
        ({"schedulers": 0}, ValueError, "schedulers must be at least 1"),
        ({"warps": 64, "cycles": 10**6}, ValueError, "warps x cycles must be at most 10000000, got 64 x 1000000"),
    ],
)
def test_invalid_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        occ.warp_timeline(**{"warps": 2, "latency_cycles": 4, "cycles": 10} | arguments)


@pytest.mark.parametrize("name", ["warps", "latency_cycles", "loads_in_flight"])
def test_issue_utilization_refuses_invalid_arguments(name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1"):
        occ.issue_utilization(**{"warps": 2, "latency_cycles": 4, "loads_in_flight": 1} | {name: 0})
