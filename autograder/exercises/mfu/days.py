"""How long a training takes."""

from chip2cluster import utilization

from ... import verdict as v
from ..model import Exercise, Group, Mistake

DAY = 86400


def days(parameters, tokens, devices, peak_tflops, mfu):
    """Days to train by 6 N D at a utilization."""
    return utilization.training_time_at(6 * parameters * tokens, devices, peak_tflops * 1e12, mfu) / DAY


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"parameters": 1e9, "tokens": 86.4e9, "devices": 10, "peak_tflops": 100.0, "mfu": 0.5}
    drawn = [
        {
            "parameters": round(float(n), -8),
            "tokens": round(float(d), -9),
            "devices": int(devices),
            "peak_tflops": peak,
            "mfu": round(float(m), 3),
        }
        for n, d, devices, peak, m in zip(
            generator.uniform(7e9, 500e9, 5),
            generator.uniform(0.3e12, 15e12, 5),
            generator.integers(200, 16000, 5),
            (312.0, 989.4, 275.0, 2250.0, 459.0),
            generator.uniform(0.25, 0.6, 5),
            strict=True,
        )
    ]
    return [easy, *drawn]


def _scaled(factor):
    return lambda **run: factor * days(**run)


DAYS = Exercise(
    id="mfu.days",
    title="Days to train",
    signature="days(parameters, tokens, devices, peak_tflops, mfu)",
    unit="days",
    points=3,
    reference=days,
    shows=(days, utilization.training_time_at),
    groups=(Group("runs", 1.0, _runs),),
    hints=(
        "Work over rate is time. What is the work of the whole training, and what the rate of the whole cluster?",
        "Work: 6 · parameters · tokens. Rate: devices · peak · mfu, in FLOP/s.",
        "A day has 86,400 s. 6 * parameters * tokens / (devices * peak_tflops * 1e12 * mfu) / 86400.",
    ),
    solution="""
def days(parameters, tokens, devices, peak_tflops, mfu):
    work = 6 * parameters * tokens
    rate = devices * peak_tflops * 1e12 * mfu
    return work / rate / 86400
""",
    explanation=(
        "Everything is a product, so one number off by two is a training off by two. The utilization stands in the "
        "denominator like the number of chips: from 0.3 to 0.4 saves as much as a third more chips."
    ),
    mistakes=(
        Mistake(
            "no brackets",
            lambda parameters, tokens, devices, peak_tflops, mfu: (
                6 * parameters * tokens / devices * peak_tflops * 1e12 * mfu / DAY
            ),
            "Python reads a / b * c as (a / b) * c. Put brackets round the whole denominator.",
        ),
        Mistake(
            "forward pass alone",
            _scaled(1 / 3),
            "You counted 2 FLOP for each parameter and token. That is the forward pass; training needs 6.",
            v.FACTOR,
        ),
        Mistake(
            "recomputation counted",
            _scaled(4 / 3),
            "You counted 8 FLOP for each parameter and token, recomputation included. That goes with HFU; for MFU it is 6.",
        ),
        Mistake("6 forgotten", _scaled(1 / 6), "Parameters times tokens is not FLOP yet: each pair costs 6.", v.FACTOR),
        Mistake("seconds", _scaled(DAY), "That is seconds. A day has 86,400 of them.", v.UNIT),
        Mistake("hours", _scaled(24), "That is hours. A day has 24 of them.", v.UNIT),
        Mistake(
            "device-days",
            lambda devices, **run: devices * days(devices=devices, **run),
            "You used one device. All of them work at the same time.",
        ),
        Mistake(
            "at full peak",
            lambda mfu, **run: days(mfu=1.0, **run),
            "You let the cluster run at its peak. It reaches mfu of that.",
        ),
        Mistake(
            "faster for being worse",
            lambda mfu, **run: mfu * days(mfu=1.0, **run),
            "You multiplied the time by mfu. A low utilization makes the training longer: divide.",
        ),
        Mistake(
            "TFLOP for FLOP", _scaled(1e12), "The peak is still in TFLOP/s: turn it into FLOP/s with 1e12.", v.UNIT
        ),
    ),
)
