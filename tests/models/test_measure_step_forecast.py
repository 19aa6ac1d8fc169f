"""Forecast of a step after one kind of kernel became faster, held against recorded steps and the exercises on traces."""

from math import inf

import numpy as np
import pytest

from autograder.exercises import exercise
from chip2cluster import measure
from chip2cluster.measure.trace import DeviceTrace, TraceKernel


def recorded(card, sequences):
    rows = measure.recorded_gpu("training", card).rows
    return next(row["median_seconds"] for row in rows if (row["series"], row["x"]) == ("355M", sequences))


@pytest.mark.parametrize("card", ["H100 SXM", "H200"])
def test_step_forecast_meets_a_step_timed_without_profiler(card):
    launch = measure.recorded_launch_seconds(card)
    step = measure.step_forecast(measure.recorded_trace(card), launch_seconds=launch)
    assert step.seconds == pytest.approx(recorded(card, 8), rel=0.02) and not step.launch_bound


def test_step_forecast_of_both_cards_differs_by_their_bytes():
    """An H200 moves 1.43 times the bytes a second and has the same products: conversions gain, products don't."""
    first, second = (measure.recorded_trace(card).by_kind() for card in ("H100 SXM", "H200"))
    assert first["conversions"][1] / second["conversions"][1] > 1.15
    assert first["matrix products"][1] / second["matrix products"][1] < 1.03


def test_step_forecast_agrees_with_amdahl_without_gaps():
    trace = measure.recorded_trace()
    for kind in trace.by_kind():
        gain = trace.kernel_seconds / measure.step_forecast(trace, kind, 3, gap_seconds=0).seconds
        assert gain == pytest.approx(measure.amdahl_speedup(trace.fraction(kind), 3))


def test_step_forecast_removes_launches_with_their_kernels():
    trace = DeviceTrace(tuple(TraceKernel(2.0 * i, 1.0, "k", "ab"[i % 2]) for i in range(6)))
    step = measure.step_forecast(trace, "a", inf, gap_seconds=0.5, launch_seconds=2.0)
    assert (step.kernel_seconds, step.gap_seconds, step.host_seconds, step.launch_bound) == (3.0, 1.0, 6.0, True)
    slower = measure.step_forecast(trace, "a", 2, gap_seconds=0.5, launch_seconds=0.1)
    assert slower.seconds == pytest.approx(1.5 + 3.0 + 2.5)


@pytest.mark.parametrize(
    "fraction, factor", [(-0.1, 2), (1.1, 2), (0.5, 0), (0.5, -inf), (1.0, inf), ("a", 2), (0.5, np.nan)]
)
def test_amdahl_speedup_refuses_impossible_parts(fraction, factor):
    with pytest.raises((ValueError, TypeError)):
        measure.amdahl_speedup(fraction, factor)


def test_step_forecast_names_the_kinds_of_the_trace():
    with pytest.raises(ValueError, match="kind must be one of 'matrix products'"):
        measure.step_forecast(measure.recorded_trace(), "sleep", 2)


def test_trace_costs_reference_agrees_with_the_reader():
    """The exercise's own sums of random traces against those of the package."""
    task = exercise("measure.trace_costs")
    for seed in range(10):
        for case in task.cases(seed):
            rows = case.inputs
            kinds = [
                next((kind for part, kind in rows["kinds"].items() if part in name), "other") for name in rows["names"]
            ]
            work = zip(rows["start"], rows["seconds"], rows["names"], kinds, strict=True)
            trace = DeviceTrace(tuple(sorted(TraceKernel(float(s), float(d), n, k) for s, d, n, k in work)))
            costs = {kind: seconds for kind, (_, seconds) in trace.by_kind().items()} | {"idle": trace.idle_seconds}
            assert task.expected(case) == sorted(costs, key=lambda kind: -costs[kind])


def test_step_gain_reference_agrees_with_the_forecast():
    task = exercise("measure.step_gain")
    for case in task.cases(3):
        rows = case.inputs
        trace = DeviceTrace(tuple(TraceKernel(0.0, seconds, kind, kind) for kind, seconds in rows["kernels"].items()))
        was = measure.step_forecast(trace, gap_seconds=0)
        now = measure.step_forecast(trace, rows["kind"], rows["factor"], gap_seconds=0)
        before, after = (max(one.seconds + rows["gaps"], rows["host"]) for one in (was, now))
        assert task.expected(case) == pytest.approx(before / after)


def test_triage_puts_the_cause_before_the_hang():
    triage = exercise("measure.triage").reference
    line = "[ 1.0] NVRM: Xid (PCI:0000:1b:00): {}, pid='<unknown>', name=<unknown>"
    waits = {"entered": [7, 6, 7], "completed": [6, 6, 6]}
    assert triage("", **waits) == "rank 1" and triage(line.format(45), **waits) == "rank 1"
    assert triage(line.format(79), **waits) == "replace" and triage(line.format(31), **waits) == "program"
    assert triage(f"{line.format(31)}\n{line.format(48)}", **waits) == "reset"
    assert triage("link 79", [7, 7], [7, 6]) == "network" and triage("", [7, 7], [7, 7]) == "nothing"
