"""Task on the number of chips that a training job needs."""

import math

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def chips_for_job(training_flops, days, peak_tflops, utilization, state_gb, memory_gb):
    """Fewest chips that finish in time and hold the state."""
    return max(_for_time(training_flops, days, peak_tflops, utilization), math.ceil(state_gb / memory_gb))


def _for_time(training_flops, days, peak_tflops, utilization, rounding=math.ceil, day=86400, tera=1e12):
    return rounding(training_flops / (days * day * peak_tflops * tera * utilization))


def _jobs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    names = ("training_flops", "days", "peak_tflops", "utilization", "state_gb", "memory_gb")
    rows = [(4.2e22, 10.0, 1000.0, 0.5, 1120.0, 80.0)]
    # The state is small here, so that the time decides whatever is drawn; the edges are for the memory.
    # Whole chips and a part of one, smaller and larger than a half by turns.
    for part, share in ((0.2, 0.38), (0.7, 0.45), (0.3, 0.52), (0.8, 0.31)):
        peak, days = float(generator.integers(200, 2300)), float(generator.integers(9, 60))
        one_chip = days * 86400 * peak * 1e12 * share
        size = (generator.uniform(2e22, 4e23) // one_chip + part) * one_chip
        rows.append((float(f"{size:.6g}"), days, peak, share, 111.0, float(generator.choice([80, 141, 192, 96]))))
    return [dict(zip(names, row, strict=True)) for row in rows]


def _memory(generator):
    names = ("training_flops", "days", "peak_tflops", "utilization", "state_gb", "memory_gb")
    rows = [
        (1.7e21, 90.0, 989.4, 0.4, 6500.0, 80.0),
        (1e20, 30.0, 989.4, 0.4, 640.0, 80.0),
        (1e18, 30.0, 2250.0, 0.4, 20.0, 180.0),
    ]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _changed(day=86400, tera=1e12, utilization="over", rounding=math.ceil, combine=max):
    def wrong(training_flops, days, peak_tflops, utilization_value, state_gb, memory_gb):
        share = {"over": utilization_value, "never": 1.0, "times": 1 / utilization_value}[utilization]
        return combine(
            _for_time(training_flops, days, peak_tflops, share, rounding, day, tera), rounding(state_gb / memory_gb)
        )

    return lambda training_flops, days, peak_tflops, utilization, state_gb, memory_gb: wrong(
        training_flops, days, peak_tflops, utilization, state_gb, memory_gb
    )


JOB = Exercise(
    id="lab.accelerators.chips_for_job",
    title="How many chips does the job need?",
    signature="chips_for_job(training_flops, days, peak_tflops, utilization, state_gb, memory_gb)",
    unit="chips",
    graded=True,
    points=4,
    reference=chips_for_job,
    tolerance=1e-9,
    groups=(
        Group("jobs", 0.75, _jobs),
        Group(
            "edges",
            0.25,
            _memory,
            advice="For a short run the memory decides: together the chips must hold the state, and they may be full to the last byte.",
        ),
    ),
    hints=(
        "There are two requirements: enough FLOP/s to finish in time, and enough memory to hold the state. Compute the chips for each.",
        "A day has 86,400 seconds. One chip does peak × utilization FLOP in each second.",
        "Divide what the job needs by what one chip provides, once for the arithmetic and once for the memory. You can't buy half a chip, and both requirements must be met.",
    ),
    explanation="For large training runs arithmetic decides the number of chips, for small runs memory. Compute both numbers; the larger one counts.",
    mistakes=(
        Mistake(
            "utilization forgotten",
            _changed(utilization="never"),
            "You let every chip run at its peak. The program reaches only the fraction `utilization` of it.",
        ),
        Mistake(
            "utilization helps",
            _changed(utilization="times"),
            "A lower utilization needs more chips, not fewer: divide by it.",
        ),
        Mistake("hours", _changed(day=3600), "You took the days for hours: a day has 86,400 seconds.", v.UNIT),
        Mistake(
            "a day of 24",
            _changed(day=24),
            "You counted the time in hours. The peak is a rate in seconds, and a day has 86,400 of them.",
            v.UNIT,
        ),
        Mistake(
            "days for seconds",
            _changed(day=1),
            "You divided by days as if they were seconds. A day has 86,400 of them.",
            v.UNIT,
        ),
        Mistake(
            "TFLOP/s as printed",
            _changed(tera=1),
            "The peak is still in TFLOP/s, and the run in FLOP: T is 10^12.",
            v.UNIT,
        ),
        Mistake(
            "one too many",
            _changed(rounding=lambda number: math.floor(number) + 1),
            "If a whole number of chips is exactly enough, you add one too many. math.ceil rounds up only fractions.",
            share=0.75,
        ),
        Mistake(
            "rounded down",
            _changed(rounding=math.floor),
            "You rounded down: with one chip fewer the run ends too late.",
        ),
        Mistake(
            "rounded to the nearest", _changed(rounding=round), "You rounded to the nearest. Round up with math.ceil."
        ),
        Mistake("not rounded", _changed(rounding=lambda number: number), "Chips come whole: round up with math.ceil."),
        Mistake(
            "two fleets",
            _changed(combine=lambda a, b: a + b),
            "You added the two numbers. The same chips compute and hold the state, so the larger number counts.",
        ),
        Mistake(
            "memory forgotten",
            _changed(combine=lambda a, b: a),
            "You left out the memory: together the chips must hold the state.",
            share=0.75,
        ),
        Mistake(
            "time forgotten",
            _changed(combine=lambda a, b: b),
            "You left out the time, or took the smaller of the two numbers: with so few chips the run takes too long.",
        ),
    ),
)
