"""How many chips a job needs."""

import math

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


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
    for size, share in zip(generator.uniform(2e22, 4e23, 4), (0.38, 0.45, 0.52, 0.31), strict=True):
        peak, memory = generator.uniform(200, 2300), float(generator.choice([80, 141, 192, 96]))
        rows.append((float(size), float(generator.integers(9, 60)), float(round(peak)), share, 111.0, memory))
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
    prompt=(
        "A training run takes `training_flops` FLOP and must end within `days` days. A chip has a dense peak of `peak_tflops` "
        "TFLOP/s, of which the program reaches the share `utilization`, and `memory_gb` GB. The state of the model takes "
        "`state_gb` GB, spread over all chips. Return the fewest chips that do it, as a whole number."
    ),
    signature="chips_for_job(training_flops, days, peak_tflops, utilization, state_gb, memory_gb)",
    unit="chips",
    graded=True,
    points=4,
    minutes=9,
    difficulty=2,
    importance=5,
    reference=chips_for_job,
    tolerance=1e-9,
    groups=(
        Group("jobs", 0.75, _jobs),
        Group(
            "edges",
            0.25,
            _memory,
            advice="For a short run the state decides: the chips must hold it together, and may be full to the last byte.",
        ),
    ),
    hints=(
        "Two needs: enough FLOP/s to finish in time, enough memory to hold the state. Work out the chips for each.",
        "A day has 86,400 seconds. One chip does peak × utilization FLOP in each of them.",
        "max of math.ceil(training_flops / (seconds * peak * utilization)) and math.ceil(state_gb / memory_gb).",
    ),
    explanation="Long runs are held by arithmetic, short ones by memory. Both numbers belong in a purchase; the larger one counts.",
    mistakes=(
        Mistake(
            "utilization forgotten",
            _changed(utilization="never"),
            "You let every chip run at its peak. The program reaches the share `utilization` of it.",
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
            "Where a whole number of chips is just enough, you add one: math.ceil adds only where something is left.",
        ),
        Mistake(
            "rounded down", _changed(rounding=math.floor), "You rounded down: with one chip less the run ends too late."
        ),
        Mistake(
            "rounded to the nearest", _changed(rounding=round), "You rounded to the nearest. Round up with math.ceil."
        ),
        Mistake("not rounded", _changed(rounding=lambda number: number), "Chips come whole: round up with math.ceil."),
        Mistake(
            "two fleets",
            _changed(combine=lambda a, b: a + b),
            "You added the two needs. The same chips compute and hold the state: the larger need counts.",
        ),
        Mistake(
            "memory forgotten",
            _changed(combine=lambda a, b: a),
            "You left out the memory: together the chips must hold the state.",
        ),
        Mistake(
            "time forgotten",
            _changed(combine=lambda a, b: b),
            "You left out the time: that many chips would run too long.",
        ),
        Mistake("the smaller need", _changed(combine=min), "You took the smaller need. Both must be met."),
    ),
    mutants=(
        Mutant(
            "import math\ndef chips_for_job(f, d, p, u, s, m):\n"
            "    return max(math.ceil(f / (d * p * 1e12 * u)), math.ceil(s / m))",
            v.UNIT,
            "as if they were seconds",
        ),
        Mutant(
            "import math\ndef chips_for_job(f, d, p, u, s, m):\n"
            "    return max(math.ceil(f / (d * 24 * p * 1e12 * u)), math.ceil(s / m))",
            v.UNIT,
            "in hours",
        ),
        Mutant(
            "import math\ndef chips_for_job(f, d, p, u, s, m):\n"
            "    return max(math.ceil(f / (d * 86400 * p * u)), math.ceil(s / m))",
            v.UNIT,
            "still in TFLOP/s",
        ),
        Mutant(
            "def chips_for_job(f, d, p, u, s, m):\n    return max(int(f / (d * 86400 * p * 1e12 * u)), int(s / m)) + 1",
            v.EDGES,
            "just enough",
            0.75,
        ),
        Mutant(
            "import math\ndef chips_for_job(f, d, p, u, s, m):\n    return math.ceil(f / (d * 86400 * p * 1e12 * u))",
            v.EDGES,
            "left out the memory",
            0.75,
        ),
        Mutant(
            "import math\ndef chips_for_job(f, d, p, u, s, m):\n"
            "    return max(math.ceil(f / (d * 86400 * p * 1e12)), math.ceil(s / m))",
            v.MISCONCEPTION,
            "run at its peak",
        ),
        Mutant(
            "import math\ndef chips_for_job(f, d, p, u, s, m):\n"
            "    return max(math.ceil(f / (d * 3600 * p * 1e12 * u)), math.ceil(s / m))",
            v.UNIT,
            "86,400",
        ),
        Mutant(
            "def chips_for_job(f, d, p, u, s, m):\n    return max(f / (d * 86400 * p * 1e12 * u), s / m)",
            v.MISCONCEPTION,
            "Chips come whole",
        ),
    ),
)
