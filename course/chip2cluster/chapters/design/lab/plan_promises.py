"""Task on a plan's promises, rated against its simulated runs."""

from math import log

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group
from chip2cluster.exercise.scored_answers import Rating

from ..mutants import MUTANTS
from .example_plan import ALLOWED, good_plan
from .plan import ADVICE, percentile, read, tried
from .scenario import numbers as scenario_numbers

NAMES = {
    "mfu": "the MFU",
    "checkpoint_interval": "the checkpoint interval",
    "days_low": "the days",
    "days_high": "the days",
}
WORTH = {"mfu": 0.2, "checkpoint_interval": 0.2, "days": 0.6}
SIDE = 0.6  # fraction of the runs on one side of an interval from which it lies on the wrong side
ALPHA = 0.2  # of the worlds may lie outside the promised days
HONEST, WIDE = (
    1.3,
    3.0,
)  # times the best score there could be: what luck alone makes of honest days, and what earns nothing


def rate(answer, seed, **numbers):
    """Full marks for the MFU within 3 %, the interval within 25 %, and days that four of five worlds keep."""
    plan = read(answer, numbers)
    if isinstance(plan, Rating):
        return plan
    promised = plan.promised
    if missing := [name for name in NAMES if name not in promised]:
        return Rating(0.0, f"Your plan does not promise {', '.join(missing)}. {ADVICE}", "nothing promised")
    found = tried(plan, seed, numbers)
    low, high = promised["days_low"], promised["days_high"]
    shares = {
        "mfu": _near(promised["mfu"], plan.outcome.mfu, 1.03, 1.3),
        "checkpoint_interval": _near(promised["checkpoint_interval"], plan.outcome.checkpoint_interval, 1.25, 3.0),
        "days": _days(low, high, found),
    }
    share = round(sum(WORTH[name] * part for name, part in shares.items()), 6)
    if share == 1:
        return Rating(1.0, "The MFU, the interval and the days are as you promised.")
    worst = max(shares, key=lambda name: WORTH[name] * (1 - shares[name]))
    kept = f"MFU {shares['mfu']:.0%}, interval {shares['checkpoint_interval']:.0%}, days {shares['days']:.0%} of their points."
    if worst != "days":
        side = "high" if promised[worst] > getattr(plan.outcome, worst) else "low"
        unit = (
            " Promise it in seconds of work."
            if worst != "mfu"
            else " Promise it as a fraction, at most 1."
            if promised["mfu"] > 1
            else ""
        )
        return Rating(share, f"You promise {NAMES[worst]} too {side}.{unit} {kept}", f"{NAMES[worst]} too {side}")
    says, name = _wrong_days(low, high, found)
    return Rating(share, f"{says} {kept}", name)


def _near(promised, true, full, none):
    """1 within a factor, falling to 0 at another one, by logarithms."""
    if not promised > 0:
        return 0.0
    off = abs(log(promised / true))
    return float(np.clip((log(none) - off) / (log(none) - log(full)), 0, 1))


def _days(low, high, found):
    """1 where an interval scores nearly as well as the best that there is, 0 at three times it: wide and wrong both cost."""
    if not low <= high:
        return 0.0
    best = _score(percentile(found, 100 * ALPHA / 2), percentile(found, 100 - 100 * ALPHA / 2), found)
    ratio = _score(low, high, found) / best
    return float(np.clip((WIDE - ratio) / (WIDE - HONEST), 0, 1))


@np.errstate(over="ignore")  # whatever is promised
def _score(low, high, days):
    """The interval score of Gneiting and Raftery (2007): its width, and ten times by how much it misses."""
    return (high - low) + 2 / ALPHA * float(np.mean(np.maximum(low - days, 0) + np.maximum(days - high, 0)))


def _wrong_days(low, high, found):
    if not low <= high:
        return "days_low lies above days_high.", "an interval upside down"
    inside = float(np.mean((found >= low) & (found <= high)))
    if inside > 0.8:
        return f"Your interval holds {inside:.0%} of the worlds and is wider than it must be.", "an interval too wide"
    before, after = float(np.mean(found < low)), float(np.mean(found > high))
    honest = percentile(found, 100 - 100 * ALPHA / 2) - percentile(found, 100 * ALPHA / 2)
    holds = f"Your interval holds {inside:.0%} of the worlds"
    if before > SIDE and after < 1 - SIDE and high - low >= honest / 2:
        return f"{holds}: {before:.0%} of the runs end before it.", "days too many"
    if after > SIDE and before < 1 - SIDE and high - low >= honest / 2:
        return f"{holds}: {after:.0%} of the runs end after it.", "days too few"
    if before == 1 or after == 1:
        side, name = ("before", "days too many") if before else ("after", "days too few")
        return f"{holds}: all runs end {side} it.", name
    return (
        f"{holds}, and four of five were asked for: it is {high - low:.1f} days wide, and an honest one is {honest:.1f}.",
        "an interval too narrow",
    )


PROMISED = Exercise(
    id="lab.design.promised",
    title="What you promised",
    signature="my_plan()",
    unit="",
    graded=True,
    points=5,
    constants=scenario_numbers,
    numbers_of="lab.design.keeps",
    allowed=ALLOWED,
    reference=good_plan,
    groups=(Group("plan", 1.0, lambda generator: [{}], v.VALUE, advice=ADVICE),),
    rate=rate,
    guess_first="design.plan",
    hints=(
        "The MFU and the interval follow from the design alone. The days do not, because kernels, failures and luck are not known beforehand.",
        "Simulate your design once in each of a few hundred worlds, each with another seed, and sort the days.",
        "Leave out a tenth of these runs at either end. Too wide costs points as too narrow does.",
    ),
    explanation="An honest interval is as narrow as your knowledge allows, and no narrower.",
    mutants=MUTANTS["lab.design.promised"],
)  # fmt: skip
