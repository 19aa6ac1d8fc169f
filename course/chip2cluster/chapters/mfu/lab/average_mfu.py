"""Task on the MFU of a whole training run, from its GPU-hours."""

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def average_mfu(parameters, tokens, gpu_hours, peak_tflops):
    """MFU over a whole run: 6 N D over all GPU-hours on the bill."""
    return utilization.average_mfu(6 * parameters * tokens, gpu_hours * 3600, peak_tflops * 1e12)


def _bills(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"parameters": 1e9, "tokens": 1e12, "gpu_hours": 10000.0, "peak_tflops": 500.0}
    drawn = []
    for n, d, used, peak in zip(
        generator.uniform(1e9, 400e9, 5),
        generator.uniform(0.3e12, 15e12, 5),
        generator.uniform(0.2, 0.55, 5),
        (312.0, 989.4, 275.0, 2250.0, 459.0),
        strict=True,
    ):
        n, d = round(float(n), -7), round(float(d), -9)
        hours = round(6 * n * d / (used * peak * 1e12 * 3600), -1)
        drawn.append({"parameters": n, "tokens": d, "gpu_hours": float(hours), "peak_tflops": peak})
    return [easy, *drawn]


def _scaled(factor):
    return lambda **bill: factor * average_mfu(**bill)


AVERAGE = Exercise(
    id="lab.mfu.average_mfu",
    title="The whole bill",
    signature="average_mfu(parameters, tokens, gpu_hours, peak_tflops)",
    unit="",
    graded=True,
    points=3,
    reference=average_mfu,
    groups=(Group("bills", 1.0, _bills),),
    hints=(
        "Divide useful arithmetic by possible arithmetic, both in FLOP.",
        "A GPU-hour is 3,600 s of one chip: at its peak, 3600 · peak FLOP.",
        "The useful work is 6 FLOP for each parameter and token; the possible work is all GPU-hours at the peak. Note the T in the peak.",
    ),
    explanation="GPU-hours already contain the number of chips. The result lies below that of a good step: restarts are billed too.",
    mistakes=(
        Mistake(
            "no brackets",
            lambda parameters, tokens, gpu_hours, peak_tflops: (
                6 * parameters * tokens / gpu_hours * 3600 * peak_tflops * 1e12
            ),
            "Python reads a / b * c as (a / b) * c. Put parentheses around the whole denominator.",
        ),
        Mistake(
            "hours for seconds",
            _scaled(3600),
            "The bill is in hours and the peak in FLOP/s. An hour has 3,600 s.",
            v.UNIT,
        ),
        Mistake("days", _scaled(1 / 24), "You converted to days. An hour has 3,600 s; a day has 86,400.", v.UNIT),
        Mistake("minutes", _scaled(60), "An hour has 3,600 s, not 60.", v.UNIT),
        Mistake(
            "forward pass alone",
            _scaled(1 / 3),
            "You counted 2 FLOP for each parameter and token. Training needs 6.",
            v.FACTOR,
        ),
        Mistake(
            "recomputation counted",
            _scaled(4 / 3),
            "You counted 8 FLOP for each parameter and token. That would be an HFU; the model needs 6.",
        ),
        Mistake("6 forgotten", _scaled(1 / 6), "Parameters times tokens is not FLOP yet: each pair costs 6.", v.FACTOR),
        Mistake(
            "TFLOP for FLOP", _scaled(1e12), "The peak is still in TFLOP/s: convert it to FLOP/s with 1e12.", v.UNIT
        ),
        Mistake("percent", _scaled(100), "You returned a percentage. Return a fraction.", v.UNIT),
        Mistake(
            "peak with sparsity", _scaled(1 / 2), "You doubled the peak. The one given is dense already.", v.FACTOR
        ),
        Mistake("upside down", lambda **bill: 1 / average_mfu(**bill), "That is inverted: divide useful by possible."),
    ),
)
