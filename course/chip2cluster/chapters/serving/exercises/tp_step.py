"""Exercise on a decode step with tensor parallelism: the part that shrinks and the part that doesn't."""

import numpy as np

from chip2cluster import reality
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

FEWEST, MOST = 2, 64  # chips that the search tries: one chip has no all-reduces, few NVLink domains have more than 64


def tp_step(chips, step_ms, least_gain):
    """Shared and fixed ms of a step, and the chips to which doubling still pays."""
    shared, fixed = _parts(chips, step_ms)
    return np.array([shared, fixed, _last(shared, fixed, least_gain)])


def _parts(chips, step_ms):
    shared = (step_ms[0] - step_ms[1]) / (1 / chips[0] - 1 / chips[1])
    return shared, step_ms[0] - shared / chips[0]


def _gain(shared, fixed, count):
    return 1 - (shared / (2 * count) + fixed) / (shared / count + fixed)


def _last(shared, fixed, least_gain, gain=_gain):
    count = FEWEST
    while count < MOST and gain(shared, fixed, count) >= least_gain:
        count *= 2
    return count


def _case(generator):
    few = int(generator.choice([2, 4]))
    chips = [few, few * int(generator.choice([2, 4]))]
    fixed = float(generator.uniform(1.5, 8))
    shared = fixed * float(generator.uniform(2, 14))
    gain = int(generator.integers(12, 30)) / 100
    return {"chips": chips, "step_ms": [round(shared / n + fixed, 3) for n in chips], "least_gain": gain}


def _drawn(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    return [{"chips": [2, 4], "step_ms": [12.0, 8.0], "least_gain": 0.25}, *(_case(generator) for _ in range(5))]


def _servers(generator):
    """Steps that `reality.expected_seconds` gives for servers like those in the table."""
    users = int(generator.choice([2, 4, 8, 16]))
    rows = []
    for chip, precision in (("B200", "fp8"), ("B200", "fp4"), ("H100 SXM", "fp8")):
        given = {"chip": chip, "model": "Llama 3.1 70B", "precision": precision, "prompt_tokens": 1024}
        times = reality.expected_seconds("serving_step", given, chips=[2, 8], output_tokens=8192, users=users)
        rows.append(
            {"chips": [2, 8], "step_ms": [round(1e3 * float(t), 2) for t in np.ravel(times)], "least_gain": 0.2}
        )
    return rows


def _changed(shared=None, fixed=None, gain=_gain, last=None):
    """The calculation with one of its parts changed."""

    def wrong(chips, step_ms, least_gain):
        one, other = _parts(chips, step_ms)
        count = _last(one, other, least_gain, gain)
        return np.array(
            [
                shared(one, other, chips) if shared else one,
                fixed(one, other, chips) if fixed else other,
                last(count) if last else count,
            ]
        )

    return wrong


def _all_shared(chips, step_ms, least_gain):
    return np.array([step_ms[0] * chips[0], 0.0, MOST if least_gain <= 0.5 else FEWEST])


def _straight(chips, step_ms, least_gain):
    slope = (step_ms[0] - step_ms[1]) / (chips[1] - chips[0])
    return np.array([slope, step_ms[0] + slope * chips[0], tp_step(chips, step_ms, least_gain)[2]])


TP_STEP = Exercise(
    id="serving.tp_step",
    title="When do more chips stop helping?",
    signature="tp_step(chips, step_ms, least_gain)",
    unit="",
    points=4,
    reference=tp_step,
    shows=(tp_step,),
    groups=(Group("two measured steps", 0.7, _drawn), Group("servers with Llama 3.1 70B", 0.3, _servers)),
    hints=(
        "Two unknowns, two measurements: step = shared / t + fixed for both numbers of chips. Subtract one equation from the other.",
        "shared = (T1 − T2) / (1/t1 − 1/t2). The rest of either step is fixed.",
        "Begin with t = 2. Double t as long as 1 − T(2t) / T(t) is at least least_gain, and return the t at which you stop.",
    ),
    solution="""
def tp_step(chips, step_ms, least_gain):
    shared = (step_ms[0] - step_ms[1]) / (1 / chips[0] - 1 / chips[1])
    fixed = step_ms[0] - shared / chips[0]
    t = 2
    while t < 64 and 1 - (shared / (2 * t) + fixed) / (shared / t + fixed) >= least_gain:
        t *= 2
    return [shared, fixed, t]
""",
    explanation=(
        "Tensor parallelism divides what is read from memory. It does not divide kernel launches, the latency of two "
        "all-reduces a layer, or the scheduler. (One chip has no all-reduces, so its fixed part is shorter than yours.) Once the shared part is as long as the fixed one, doubling the chips "
        "saves only a quarter of the step and doubles the price."
    ),
    mistakes=(
        Mistake(
            "all of it divided",
            _all_shared,
            "You divided the whole step by the chips. A part of it is the same on any number of chips.",
        ),
        Mistake(
            "a straight line",
            _straight,
            "You drew a straight line through the two steps as a function of t. The shared part is proportional to 1/t, not to t.",
        ),
        Mistake(
            "shared part on chips[0]",
            _changed(shared=lambda one, other, chips: one / chips[0]),
            "Your first number is the shared part on chips[0] chips, or close to it. Return the shared part on one chip.",
        ),
        Mistake(
            "first two swapped",
            _changed(shared=lambda one, other, chips: other, fixed=lambda one, other, chips: one),
            "You returned the fixed part first. The shared part comes first.",
        ),
        Mistake(
            "one doubling too many",
            _changed(last=lambda count: 2 * count),
            "Your number of chips is too large by a factor of two: that last doubling gains less than least_gain. Return the count at which you stop.",
        ),
        Mistake(
            "saved time over the new step",
            _changed(gain=lambda shared, fixed, t: (shared / t + fixed) / (shared / (2 * t) + fixed) - 1),
            "You compared the saved time with the new step. The gain is the fraction of the old step that is saved.",
        ),
        Mistake(
            "seconds",
            _changed(shared=lambda one, other, chips: one / 1e3, fixed=lambda one, other, chips: other / 1e3),
            "Your first two numbers are in seconds. Return milliseconds.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["serving.tp_step"],
)
