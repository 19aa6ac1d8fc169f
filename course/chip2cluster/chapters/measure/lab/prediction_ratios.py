"""Task on measured over predicted times of an all-reduce."""

from functools import partial

import numpy as np

from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .ring_time import ring_time
from .two_regime_fit import brute, jump, two_lines


def factors(sizes, ping_pong, measured, ranks):
    """Median of measured over predicted: for pieces below the boundary, and from it on."""
    return _factors(sizes, ping_pong, measured, ranks)


def _factors(sizes, ping_pong, measured, ranks, ratio=lambda m, t: m / t, middle=np.median, piece=lambda n, p: n / p,
             steps=1.0, fit=two_lines):  # fmt: skip
    lines = fit(sizes, ping_pong)
    times = steps * np.array([ring_time(size, ranks, *lines) for size in np.asarray(sizes).tolist()])
    ratios, small = ratio(np.asarray(measured), times), piece(np.asarray(sizes), ranks) < lines[0]
    return [float(middle(ratios[small])), float(middle(ratios[~small]))]


def _machine(generator, count, ranks):
    def draw():
        return jump(generator, count, int(generator.integers(5, count - 7)))

    def clear(case):
        try:
            lines = two_lines(**case)
        except ValueError:
            return False
        return min(lines) > 0 and np.allclose(brute(**case), lines, rtol=1e-6)

    case = draw_until(clear, draw)
    lines = two_lines(**case)
    ideal = np.array([ring_time(size, ranks, *lines) for size in case["sizes"].tolist()])
    small = case["sizes"] / ranks < lines[0]
    slow = np.where(small, generator.uniform(1.0, 2.0), generator.uniform(2.5, 5.0)) * generator.uniform(
        0.75, 1.4, count
    )
    slow[generator.integers(0, count, 2)] *= 6  # disturbed
    measured = np.array([float(f"{time:.4g}") for time in slow * ideal])
    return {"sizes": case["sizes"], "ping_pong": case["seconds"], "measured": measured, "ranks": ranks}


def _parts(sizes, ping_pong, measured, ranks):
    """Whether lines fitted to the all-reduce itself would leave sizes on both sides too, so that who does that has two factors."""
    try:
        small = sizes / ranks < two_lines(sizes, measured)[0]
    except ValueError:
        return False
    return small.any() and not small.all()


def _runs(generator):
    # Two ranks and six sizes. With the lines of the task before, the all-reduces took twice and five times what was predicted.
    sizes = 1000.0 * np.array([1, 2, 3, 10, 20, 40])
    pong = 1e-6 * np.array([2.0, 3, 4, 9, 14, 24])
    easy = {"sizes": sizes, "ping_pong": pong, "measured": 1e-6 * np.array([6.0, 8, 10, 24, 140, 240]), "ranks": 2}
    machines = [
        draw_until(lambda case: _parts(**case), partial(_machine, generator, count, ranks))
        for count, ranks in ((16, 2), (18, 4), (20, 3), (22, 8))
    ]
    return [easy, *machines]


def _like(**rules):
    return lambda sizes, ping_pong, measured, ranks: _factors(sizes, ping_pong, measured, ranks, **rules)


def _one_fit(sizes, ping_pong, measured, ranks):
    """The line is fitted to the all-reduce itself."""
    return _factors(sizes, measured, measured, ranks)


FACTORS = Exercise(
    id="lab.measure.factors",
    title="Measured over predicted",
    signature="factors(sizes, ping_pong, measured, ranks)",
    unit="",
    graded=True,
    points=4,
    tolerance=5e-3,
    allowed=("chip2cluster.specs", "chip2cluster.units", "chip2cluster.measure.own_machine"),
    reference=factors,
    groups=(Group("runs", 1.0, _runs),),
    hints=(
        "You need nothing new: your two lines from ping_pong, your ring_time for every size, and a division.",
        "Measured over predicted, for every size. Then two medians: of the sizes whose part n / p is below the boundary, and of the others.",
        "Group the sizes by what a rank sends at once: is the size over the ranks below the boundary of your first function or not? Take np.median of each group.",
    ),
    explanation="A factor that is the same for all large messages is not noise: something takes time that the model leaves out.",
    mistakes=(
        Mistake("inverted", _like(ratio=lambda m, t: t / m), "You divided predicted by measured. Return how many times as long the collective took."),
        Mistake("mean", _like(middle=np.mean), "You took means. One disturbed size moves them; take medians."),
        Mistake("grouped by the message", _like(piece=lambda n, p: n), "You grouped the sizes by the whole message. A size is small if its part n / p is."),
        Mistake("the largest factor", _like(middle=np.max), "You took the largest factor of each group. Return the median."),
        Mistake("half the steps", _like(steps=0.5), "Your prediction has half of the steps: there are 2 (p − 1) of them."),
        Mistake("fitted to the all-reduce", _one_fit, "You fitted the lines to the all-reduce. A prediction must not use what it predicts: fit them to ping_pong."),
        Mistake("large first", lambda **given: factors(**given)[::-1], "The factors are right, but in the wrong order: small messages first."),
        Mistake("percent", lambda **given: [100 * (factor - 1) for factor in factors(**given)], "You returned a percentage. Return the factor itself: 2 for twice as long."),
    ),
)  # fmt: skip
