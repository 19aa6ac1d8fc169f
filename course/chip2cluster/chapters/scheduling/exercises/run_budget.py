"""Exercise on the interval of runs that a budget of GPU-hours pays for."""

from math import floor

import numpy as np

from chip2cluster import scheduling
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE = 60.0


def runs(budget_gpu_hours, nodes, gpus_per_node, minutes, repeated):
    """Fewest and most whole runs."""
    longest_first = np.sort(np.asarray(minutes, dtype=float))[::-1] * MINUTE
    cost = scheduling.gpu_hours(nodes * longest_first * (1 + repeated), gpus_per_node)
    return np.floor(budget_gpu_hours / cost + 1e-9)


def _case(budget, nodes, gpus, least, most, repeated):
    return {
        "budget_gpu_hours": budget,
        "nodes": nodes,
        "gpus_per_node": gpus,
        "minutes": np.array([least, most], dtype=float),
        "repeated": repeated,
    }


def _clear(inputs):
    """Whether nobody's rounding decides: no bound lies near to a whole number of runs."""
    cost = inputs["nodes"] * inputs["gpus_per_node"] * inputs["minutes"] / 60 * (1 + inputs["repeated"])
    exact = inputs["budget_gpu_hours"] / cost
    return bool(np.all((exact % 1 > 0.55) & (exact % 1 < 0.97)) and exact.min() > 3)


def _draw(generator):
    def once():
        nodes, gpus = int(generator.integers(2, 9)), int(generator.choice([4, 8]))
        least = float(generator.integers(25, 150))
        most = round(least * float(generator.uniform(1.2, 2.2)))
        repeated = round(float(generator.uniform(0.1, 0.4)), 2)
        return _case(int(generator.integers(8, 90)) * nodes * gpus, nodes, gpus, least, most, repeated)

    return draw_until(_clear, once)


def _families(generator):
    # 16 GPUs, an hour or two, every fourth run twice: 20 or 40 GPU-hours. A student sees this one.
    hand = _case(335, 2, 8, 60, 120, 0.25)
    # 12.9 runs that never fail: a part of a run is lost once, not twice.
    once = _case(413, 2, 8, 60, 120, 0.25)
    return [hand, once, *(_draw(generator) for _ in range(5))]


def _edges(generator):
    return [_case(100, 1, 8, 60, 60, 0.0), _case(7, 1, 8, 45, 90, 0.2)]


def _like(parts=lambda n, g, m, r: n * g * m / 60 * (1 + r), ends=(1, 0), rule=floor):
    def wrong(budget_gpu_hours, nodes, gpus_per_node, minutes, repeated):
        return np.array(
            [rule(budget_gpu_hours / parts(nodes, gpus_per_node, minutes[e], repeated) + 1e-9) for e in ends]
        )

    return wrong


def _rounded_twice(budget_gpu_hours, nodes, gpus_per_node, minutes, repeated):
    good = _like(lambda n, g, m, r: n * g * m / 60)(budget_gpu_hours, nodes, gpus_per_node, minutes, repeated)
    return np.floor(good / (1 + repeated) + 1e-9)


BUDGET = Exercise(
    id="scheduling.runs",
    title="How many runs fit?",
    signature="runs(budget_gpu_hours, nodes, gpus_per_node, minutes, repeated)",
    unit="runs",
    points=3,
    reference=runs,
    shows=(runs, scheduling.gpu_hours),
    groups=(
        Group("families", 0.8, _families),
        Group(
            "edges",
            0.2,
            _edges,
            advice="Both ends may be equal, repeated may be 0, and a budget may be too small for one run.",
        ),
    ),
    hints=(
        "What does one run cost? Count GPUs, not nodes, and hours, not minutes.",
        "On average the fraction repeated of the runs is done twice, so a run costs 1 + repeated times its time. Which end of minutes gives the fewest runs?",
        "floor(budget / (nodes · gpus_per_node · minutes / 60 · (1 + repeated))), first with the longer time.",
    ),
    solution="""
from math import floor


def runs(budget_gpu_hours, nodes, gpus_per_node, minutes, repeated):
    found = []
    for each in (max(minutes), min(minutes)):
        cost = nodes * gpus_per_node * each / 60 * (1 + repeated)
        found.append(floor(budget_gpu_hours / cost))
    return found
""",
    explanation=(
        "You pay for the GPUs that you hold, whether they work or not; a run that fails at its end costs as much as a good one. "
        "Plan the grid for the smaller number of runs, and order it so that you can do without the last ones."
    ),
    meaning=lambda: (
        f"Four nodes of eight GPUs for six hours are {scheduling.gpu_hours(4 * 6 * 3600, 8):.0f} GPU-hours. A script that computes this "
        "before it submits, and asks for confirmation above a limit, protects a budget well."
    ),
    mistakes=(
        Mistake(
            "nodes for GPUs",
            _like(lambda n, g, m, r: n * m / 60 * (1 + r)),
            "You counted node-hours. A node is held whole: multiply by gpus_per_node.",
        ),
        Mistake(
            "the GPUs of one node",
            _like(lambda n, g, m, r: g * m / 60 * (1 + r)),
            "You counted the GPUs of one node. The run holds those of all its nodes.",
        ),
        Mistake(
            "minutes for hours",
            _like(lambda n, g, m, r: n * g * m * (1 + r)),
            "You multiplied by minutes. An hour has 60 of them.",
        ),
        Mistake(
            "nothing is repeated",
            _like(lambda n, g, m, r: n * g * m / 60),
            "You left out the runs that fail and are repeated. You pay for them twice.",
        ),
        Mistake(
            "until it succeeds",
            _like(lambda n, g, m, r: n * g * m / 60 / (1 - r)),
            "You divided by 1 − repeated, as if a run were tried until it succeeds. Here a failed run is repeated only once: 1 + repeated.",
        ),
        Mistake(
            "the good ones alone",
            _like(lambda n, g, m, r: n * g * m / 60 * (1 - r)),
            "You subtracted the failed runs from the cost. They held their GPUs, too: add them.",
        ),
        Mistake(
            "ends the other way round",
            _like(ends=(0, 1)),
            "Your ends are in the wrong order: the longer a run, the fewer runs fit. The smallest number comes first.",
        ),
        Mistake(
            "part of a run",
            _like(rule=lambda x: x - 1e-9),
            "You counted part of a run. Round down to whole runs.",
        ),
        Mistake(
            "rounded twice",
            _rounded_twice,
            "You rounded down twice. The failures are an average: divide by the cost of a run with its repeats, and round once, at the end.",
        ),
        Mistake(
            "rounded to the nearest",
            _like(rule=round),
            "You rounded to the nearest whole number. The last run doesn't fit the budget: round down.",
        ),
        Mistake(
            "rounded up",
            _like(rule=lambda x: floor(x) + 1),
            "The last run doesn't fit the budget. Round down.",
        ),
    ),
)
