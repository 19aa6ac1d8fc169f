"""Exercise on the fewest days that any mix of chips allows under two limits."""

from itertools import combinations

import numpy as np

from chip2cluster import capstone, specs, transformer
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

DAY = 86400.0


def fewest_days(flop, peak_tflops, dollars_per_chip, watts_per_chip, dollars, watts):
    """Days at the peak of the best mix: one kind, or two that use up both limits."""
    return flop / _fastest(peak_tflops, dollars_per_chip, watts_per_chip, dollars, watts) / 1e12 / DAY


def _fastest(peak, price, power, dollars, watts):
    """TFLOP/s of the best mix: the optimum of a linear program with two limits has one kind or two."""
    best = _single(peak, price, power, dollars, watts)
    for one, other in combinations(range(len(peak)), 2):
        rows = np.array([[price[one], price[other]], [power[one], power[other]]], dtype=float)
        if abs(np.linalg.det(rows)) < 1e-9:
            continue
        counts = np.linalg.solve(rows, [dollars, watts])
        if (counts >= 0).all():
            best = max(best, float(counts[0] * peak[one] + counts[1] * peak[other]))
    return best


def _single(peak, price, power, dollars, watts):
    return max(p * min(dollars / c, watts / w) for p, c, w in zip(peak, price, power, strict=True))


def _case(flop, peak, price, power, dollars, watts):
    return {
        "flop": float(flop),
        "peak_tflops": [float(one) for one in peak],
        "dollars_per_chip": [float(one) for one in price],
        "watts_per_chip": [float(one) for one in power],
        "dollars": float(dollars),
        "watts": float(watts),
    }


def _draw(generator, kinds):
    def once():
        # Cheap chips draw much, expensive ones draw little: no kind is best under both limits.
        price = np.sort(generator.integers(80, 600, kinds)) * 100.0
        power = np.sort(generator.integers(50, 250, kinds))[::-1] * 10.0
        peak = np.round(generator.uniform(300, 2400, kinds))
        dollars = float(generator.integers(20, 400)) * 1e6
        watts = round(dollars * float(generator.uniform(power[-1] / price[-1], power[0] / price[0])), -3)
        return _case(float(f"{generator.uniform(1, 40):.3f}") * 1e24, peak, price, power, dollars, watts)

    return draw_until(_mixed, once)


def _mixed(inputs):
    """Return whether two kinds together beat each alone by more than 3 %."""
    of = {name: inputs[name] for name in inputs if name != "flop"}
    names = ("peak_tflops", "dollars_per_chip", "watts_per_chip", "dollars", "watts")
    values = [of[name] for name in names]
    return _fastest(*values) > 1.03 * _single(*values)


def _alone(inputs):
    names = ("peak_tflops", "dollars_per_chip", "watts_per_chip", "dollars", "watts")
    values = [inputs[name] for name in names]
    return _fastest(*values) < _single(*values) * (1 + 1e-9)


def _mixes(generator):
    # Ten of the first alone, or ten of the second; five and five use up both. A student sees this one.
    first = _case(864e18, [100, 100], [1000, 2000], [2000, 1000], 15_000, 15_000)
    return [first, *(_draw(generator, kinds) for kinds in (2, 3, 3, 4, 5))]


def _edges(generator):
    def once():
        kinds = 3
        return _case(
            1e24, np.round(generator.uniform(300, 2400, kinds)), generator.integers(80, 600, kinds) * 100.0,
            generator.integers(50, 250, kinds) * 10.0, float(generator.integers(20, 400)) * 1e6, float(generator.integers(2, 9)) * 1e6,
        )  # fmt: skip

    return [draw_until(_alone, once), _case(5e23, [989], [35_500], [1344], 1e8, 1e7)]


def _by(rate):
    def wrong(flop, peak_tflops, dollars_per_chip, watts_per_chip, dollars, watts):
        return flop / rate(np.array(peak_tflops), np.array(dollars_per_chip), np.array(watts_per_chip), dollars, watts) / 1e12 / DAY  # fmt: skip

    return wrong


def _in_turn(worth):
    """Buy as many as possible of the best kind by ``worth(peak, price, power)``, then of the next with what is left."""

    def rate(peak, price, power, dollars, watts):
        total = 0.0
        for kind in np.argsort(-worth(peak, price, power), kind="stable"):
            many = min(dollars / price[kind], watts / power[kind])
            total, dollars, watts = total + many * peak[kind], dollars - many * price[kind], watts - many * power[kind]
        return total

    return rate


MIX = Exercise(
    id="design.fewest_days",
    title="What no mix of chips can beat",
    signature="fewest_days(flop, peak_tflops, dollars_per_chip, watts_per_chip, dollars, watts)",
    unit="days",
    points=5,
    reference=fewest_days,
    shows=(fewest_days, _fastest),
    groups=(
        Group("mixes", 0.8, _mixes),
        Group("edges", 0.2, _edges, advice="Sometimes one kind alone is best, and sometimes there is only one kind."),
    ),
    close=(
        "If you searched mixes in steps, the best one lies between two of your steps, at a corner that you can compute exactly."
    ),
    hints=(
        "With one kind of chip, one of the two limits is used up and the other is not. Another kind that needs little of the first limit could use the rest of the second.",
        "How many kinds are in the best mix? Suppose it has three. Then you can exchange them so that neither money nor power changes, "
        "and in one direction of this exchange the speed does not fall. Continue in that direction until one kind is gone.",
        "So the best mix has one kind, or two that use up both limits. Try each kind alone, min(dollars / price, watts / power) of them. For "
        "each pair solve two equations with two unknowns; the pair counts if neither number is negative.",
    ),
    solution="""
from itertools import combinations


def fewest_days(flop, peak_tflops, dollars_per_chip, watts_per_chip, dollars, watts):
    kinds = list(zip(peak_tflops, dollars_per_chip, watts_per_chip))
    best = max(peak * min(dollars / price, watts / power) for peak, price, power in kinds)
    for (s, c, w), (t, d, x) in combinations(kinds, 2):
        both = c * x - d * w
        if both:
            a, b = (dollars * x - d * watts) / both, (c * watts - w * dollars) / both
            if a >= 0 and b >= 0:
                best = max(best, a * s + b * t)
    return flop / (best * 1e12 * 86400)
""",
    explanation=(
        "Two limits mean at most two kinds: this is a linear program, and its optimum is a corner. The general rule is worth keeping: with "
        "k limits that bind, the best mix has at most k kinds of anything. The bound holds for every mix, so it holds for every design that "
        "anybody proposes."
    ),
    meaning=lambda: (
        f"With the chapter's prices and powers B200 alone nearly use up both limits, so a mix gains nothing: {_told():.0f} days at the 16-bit peak is a bound for every "
        "design. Few real machines mix kinds in one job, because a step is as slow as its slowest chip."
    ),
    mutants=MUTANTS["design.fewest_days"],
    mistakes=(
        Mistake("one kind alone", _by(_single), "You bought one kind alone. It uses up one limit and leaves a part of the other, which a second kind could use."),
        Mistake("money alone", _by(lambda p, c, w, d, e: max(p / c) * d), "You left out the power. That is a bound as well, but not the best one."),
        Mistake("power alone", _by(lambda p, c, w, d, e: max(p / w) * e), "You left out the money. That is a bound as well, but not the best one."),
        Mistake("the smaller of two bounds", _by(lambda p, c, w, d, e: min(max(p / c) * d, max(p / w) * e)), "You took the best kind for each limit separately. No mix may reach that, because the same chips must fit into both limits."),
        Mistake("all kinds in full", _by(lambda p, c, w, d, e: float(np.sum(p * np.minimum(d / c, e / w)))), "You spent all the money on each kind. It can be spent only once."),
        Mistake("each kind its share", _by(lambda p, c, w, d, e: float(np.mean(p * np.minimum(d / c, e / w)))), "You divided money and power evenly among the kinds. That is a mix, but not the best one."),
        Mistake("one kind after the other", _by(_in_turn(lambda p, c, w: p / c)), "You bought as many as possible of the kind with the most speed per dollar, then of the next. The first kind uses up one limit. Buy fewer of it, and a second kind can use what is left of the other limit."),
        Mistake("one after the other, by power", _by(_in_turn(lambda p, c, w: p / w)), "You bought as many as possible of the kind with the most speed per watt, then of the next. The first kind uses up one limit. Buy fewer of it, and a second kind can use what is left of the other limit."),
        Mistake("hours", lambda **given: fewest_days(**given) * 24, "You returned hours. Return days.", v.UNIT),
    ),
)  # fmt: skip


def _told():
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048)
    chips = [specs.accelerator(name) for name in ("A100 SXM 80GB", "H100 SXM", "MI300X", "B200")]
    return fewest_days(
        scenario.tokens * transformer.training_flops_per_token(scenario.config, scenario.sequence, "megatron"),
        [chip.peak_flops_dense("bf16") / 1e12 for chip in chips],
        [scenario.prices.of_chip(chip.name) + scenario.prices.node / 8 for chip in chips],
        [known("tdp_watts", chip.tdp_watts) * scenario.node_over_device * scenario.pue for chip in chips], 500e6, 20e6,
    )  # fmt: skip
