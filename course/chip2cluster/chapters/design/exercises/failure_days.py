"""Exercise on the days of a run from the failure rates of nodes and switches."""

from math import ceil

import numpy as np

from chip2cluster import reliability
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.exercise.verdict_codes import UNIT

DAY, MINUTE = 86400.0, 60.0


def days(work_days, nodes, node_days, group_nodes, group_days, stall_seconds, restart_minutes):
    """Hours between two interruptions, and days of the run with the best checkpoint interval."""
    return _like()(work_days, nodes, node_days, group_nodes, group_days, stall_seconds, restart_minutes)


def _rate(nodes, node_days, group_nodes, group_days):
    return nodes / node_days + ceil(nodes / group_nodes) / group_days


def _expected(work, mean, stall, restart):
    best = reliability.optimal_interval(stall, mean)
    return reliability.expected_time(work, best, stall, restart, mean)


def _like(rate=_rate, expected=_expected, hours=24):
    def answer(work_days, nodes, node_days, group_nodes, group_days, stall_seconds, restart_minutes):
        mean = DAY / rate(nodes, node_days, group_nodes, group_days)
        total = expected(work_days * DAY, mean, stall_seconds, restart_minutes * MINUTE)
        return np.array([mean / DAY * hours, total / DAY])

    return answer


def _case(work, nodes, node_days, group, group_days, stall, restart):
    return {
        "work_days": work, "nodes": nodes, "node_days": node_days, "group_nodes": group, "group_days": group_days,
        "stall_seconds": stall, "restart_minutes": restart,
    }  # fmt: skip


def _draw(generator):
    def once():
        group = int(generator.choice([16, 32, 64]))
        nodes = int(generator.integers(200, 3000))
        return _case(
            float(generator.integers(20, 90)), nodes, float(generator.integers(150, 500)), group,
            float(generator.integers(60, 400)), float(generator.integers(4, 60)), float(generator.integers(5, 25)),
        )  # fmt: skip

    # The switches matter, the last group is not full, and a first-order sum of the losses is wrong.
    return draw_until(
        lambda one: one["nodes"] % one["group_nodes"] > 1 and _matters(one) and 2 < days(**one)[0] < 12, once
    )


def _matters(one):
    most = one["nodes"] / one["node_days"]
    return 0.08 * most < ceil(one["nodes"] / one["group_nodes"]) / one["group_days"] < 0.8 * most


def _runs(generator):
    # Two interruptions a day by nodes and one by a switch. A student sees this one.
    return [_case(30.0, 500, 250.0, 64, 8.0, 30.0, 10.0), *(_draw(generator) for _ in range(6))]


def _linear(work, mean, stall, restart):
    best = reliability.optimal_interval(stall, mean)
    return work * (1 + stall / best + (best / 2 + stall + restart) / mean)


def _no_saves(work, mean, stall, restart):
    best = reliability.optimal_interval(stall, mean)
    return work * (1 + stall / best)


STOPS = Exercise(
    id="design.days",
    title="From parts that break to days",
    signature="days(work_days, nodes, node_days, group_nodes, group_days, stall_seconds, restart_minutes)",
    unit="",
    points=4,
    tolerance=5e-4,
    allowed=(
        "chip2cluster.specs", "chip2cluster.units", "chip2cluster.reliability.intervals",
        "chip2cluster.reliability.closed_form", "chip2cluster.reliability.failures",
    ),
    reference=days,
    shows=(days, reliability.expected_time, reliability.optimal_interval),
    groups=(Group("runs", 1.0, _runs),),
    hints=(
        "Rates add, times between failures do not. How many interruptions a day do the nodes cause, and how many the switches?",
        "A group that is not full has a switch as well. The sum of the rates gives one MTBF for the job; from there on it is chapter 12: the best interval, then the expected time.",
        "rate = nodes / node_days + ceil(nodes / group_nodes) / group_days; mean = 86400 / rate; "
        "reliability.expected_time(work, reliability.optimal_interval(stall, mean), stall, restart, mean).",
    ),
    solution="""
from math import ceil

from chip2cluster import reliability


def days(work_days, nodes, node_days, group_nodes, group_days, stall_seconds, restart_minutes):
    per_day = nodes / node_days + ceil(nodes / group_nodes) / group_days
    mean = 86400 / per_day
    interval = reliability.optimal_interval(stall_seconds, mean)
    seconds = reliability.expected_time(86400 * work_days, interval, stall_seconds, 60 * restart_minutes, mean)
    return [24 / per_day, seconds / 86400]
""",
    explanation=(
        "To the job a broken switch is one interruption, although it takes all its nodes, so it counts once in the rate. It differs in what comes after, "
        "because so many nodes must be replaced at once. No number in this exercise shows that; the simulated run will."
    ),
    meaning=lambda: (
        f"The chapter's machine has 1,024 nodes that fail every 288 days and 32 switches that fail every 500. That leaves {days(63, 1024, 288, 32, 500, 14, 10)[0]:.1f} hours between two "
        "interruptions, and one in 57 is a switch. That sounds negligible; the section *The run* shows that it is not."
    ),
    mistakes=(
        Mistake("switches forgotten", _like(lambda n, m, g, k: n / m), "You counted only the failures of nodes. Switches interrupt the job as well."),
        Mistake("nodes forgotten", _like(lambda n, m, g, k: ceil(n / g) / k), "You counted only the failures of switches. Nodes interrupt the job as well."),
        Mistake("a switch for each node", _like(lambda n, m, g, k: n / m + n / k), "You gave every node its own switch. group_nodes of them share one."),
        Mistake("the last switch missing", _like(lambda n, m, g, k: n / m + n // g / k), "You left out the switch of the last group, which is not full. Round up."),
        Mistake("a part of a switch", _like(lambda n, m, g, k: n / m + n / g / k), "You counted a fraction of a switch. The last group is not full but has a whole switch: round up."),
        Mistake("every node of a switch stops", _like(lambda n, m, g, k: n / m + ceil(n / g) * g / k), "You counted an interruption for each node of a broken switch. They fail together, as one interruption."),
        Mistake("times added", _like(lambda n, m, g, k: 1 / (m / n + k / ceil(n / g))), "You added times between failures. Rates add."),
        Mistake("the mean of two times", _like(lambda n, m, g, k: 2 / (m / n + k / ceil(n / g))), "You took the mean of two times between failures. Rates add, so the sum fails more often than either."),
        Mistake("losses added up", _like(expected=_linear), "You added first-order losses, which is only an approximation. One call gives the exact expectation: reliability.expected_time."),
        Mistake("saves alone", _like(expected=_no_saves), "You counted the checkpoints but no failures."),
        Mistake("restarts forgotten", _like(expected=lambda w, m, s, r: _expected(w, m, s, 0.0)), "You left out the restarts. Each interruption costs one."),
        Mistake("restarts in seconds", _like(expected=lambda w, m, s, r: _expected(w, m, s, r / MINUTE)), "You used the minutes of a restart as if they were seconds.", UNIT),
        Mistake("stall and restart exchanged", _like(expected=lambda w, m, s, r: reliability.expected_time(w, reliability.optimal_interval(s, m), r, s, m)), "You exchanged stall and restart in expected_time. Its order is work, interval, stall of a checkpoint, restart, MTBF."),
        Mistake("seconds of the run", _like(expected=lambda w, m, s, r: _expected(w, m, s, r) * DAY), "Your second number is in seconds. Return days.", UNIT),
        Mistake("no failure", _like(expected=lambda w, m, s, r: w), "Your second number is the work alone, as if nothing failed. Add checkpoints, lost work and restarts."),
        Mistake("days between stops", _like(hours=1), "Your first number is in days. Return hours.", UNIT),
    ),
)  # fmt: skip
