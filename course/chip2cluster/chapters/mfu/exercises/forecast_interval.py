"""Exercise on the intervals of days and dollars from intervals of the inputs."""

import numpy as np

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

DAY, HOUR = 86400, 3600


def interval(parameters, tokens, devices, peak_tflops, mfu, dollars_per_hour):
    """Fewest and most days, least and most dollars of a training run by 6 N D."""
    work = 6 * parameters * tokens / 1e12  # over peak in TFLOP/s and utilization: seconds of one device
    low, high = zip(peak_tflops, mfu, dollars_per_hour, strict=True)
    days = utilization.product_interval(work / devices / DAY, low, high, (-1, -1, 0))
    return np.array([*days, *utilization.product_interval(work / HOUR, low, high, (-1, -1, 1))])


def _pair(generator, low, high, spread, digits):
    middle, width = generator.uniform(low, high), generator.uniform(1.1, spread)
    return np.round([middle, middle * width], digits)


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "parameters": 1e9,
        "tokens": 86.4e9,
        "devices": 10,
        "peak_tflops": np.array([100.0, 200.0]),
        "mfu": np.array([0.25, 0.5]),
        "dollars_per_hour": np.array([1.0, 3.0]),
    }
    drawn = [
        {
            "parameters": round(float(generator.uniform(7e9, 500e9)), -8),
            "tokens": round(float(generator.uniform(0.3e12, 15e12)), -9),
            "devices": int(generator.integers(200, 16000)),
            "peak_tflops": _pair(generator, 300, 2000, 1.4, 0),
            "mfu": _pair(generator, 0.25, 0.4, 1.5, 3),
            "dollars_per_hour": _pair(generator, 1, 4, 2.5, 2),
        }
        for _ in range(4)
    ]
    return [easy, *drawn]


def _known(generator):
    """Runs with some inputs known exactly."""
    rows = _runs(generator)[1:]
    for row, name in zip(rows, ("peak_tflops", "mfu", "dollars_per_hour"), strict=False):
        row[name] = np.repeat(row[name][:1], 2)
    return rows


def _ends(days, dollars):
    """A mistake from how it pairs bounds: indices of peak, utilization and price for the four answers."""

    def wrong(parameters, tokens, devices, peak_tflops, mfu, dollars_per_hour):
        work = 6 * parameters * tokens / 1e12
        seconds = [work / (peak_tflops[p] * mfu[u]) for p, u in days]
        bills = [work / (peak_tflops[p] * mfu[u]) * dollars_per_hour[d] / HOUR for p, u, d in dollars]
        return np.array([*(time / devices / DAY for time in seconds), *bills])

    return wrong


def _scaled(days=1.0, dollars=1.0):
    return lambda **run: interval(**run) * np.array([days, days, dollars, dollars])


def _middle(**run):
    ends = interval(**run)
    return np.array([ends[:2].mean()] * 2 + [ends[2:].mean()] * 2)


def _of_middles(peak_tflops, mfu, dollars_per_hour, **run):
    middles = [np.repeat(np.mean(pair), 2) for pair in (peak_tflops, mfu, dollars_per_hour)]
    return interval(peak_tflops=middles[0], mfu=middles[1], dollars_per_hour=middles[2], **run)[[0, 2]]


INTERVAL = Exercise(
    id="mfu.interval",
    title="Days and dollars as intervals",
    signature="interval(parameters, tokens, devices, peak_tflops, mfu, dollars_per_hour)",
    unit="",
    points=4,
    reference=interval,
    shows=(interval, utilization.product_interval),
    groups=(
        Group("three uncertain inputs", 0.8, _runs),
        Group(
            "some of them known",
            0.2,
            _known,
            advice="Where both bounds are equal the input is known; nothing else changes.",
        ),
    ),
    hints=(
        "Which end of each input makes the run short? It need not be the low one.",
        "Fewest days: the high peak and the high mfu. Least dollars: the same, at the low price.",
        "Dollars are hours of one device, times devices, times the price: the number of devices cancels.",
    ),
    solution="""
def interval(parameters, tokens, devices, peak_tflops, mfu, dollars_per_hour):
    work = 6 * parameters * tokens
    fewest = work / (peak_tflops[1] * 1e12 * mfu[1])      # seconds of one device
    most = work / (peak_tflops[0] * 1e12 * mfu[0])
    days = [fewest / devices / 86400, most / devices / 86400]
    return days + [fewest / 3600 * dollars_per_hour[0], most / 3600 * dollars_per_hour[1]]
""",
    explanation=(
        "An input in the denominator reverses its interval. The ends multiply, so three inputs that are each known to a "
        "factor of 1.4 leave a factor of 2.7 open. The two ends are bounds: not everything goes wrong on the same day."
    ),
    meaning=lambda: (
        "For 70 billion parameters and 15 trillion tokens on 1,024 H100 at 35 to 45 %, at 2 to 3.50 dollars an hour: "
        "{:.0f} to {:.0f} days, {:.1f} to {:.1f} million dollars. A single number hides a choice of ends.".format(
            *(interval(70e9, 15e12, 1024, (989.4, 989.4), (0.35, 0.45), (2.0, 3.5)) / (1, 1, 1e6, 1e6))
        )
    ),
    mistakes=(
        Mistake(
            "low with low",
            _ends([(0, 0), (1, 1)], [(0, 0, 0), (1, 1, 1)]),
            "You paired the low bounds with one another. A low peak and a low mfu make the run long, not short.",
        ),
        Mistake(
            "price the wrong way",
            _ends([(1, 1), (0, 0)], [(1, 1, 1), (0, 0, 0)]),
            "The days are right. For the least dollars take the low price with the fewest hours, not the high one.",
        ),
        Mistake(
            "peak the wrong way",
            _ends([(0, 1), (1, 0)], [(0, 1, 0), (1, 0, 1)]),
            "You took the low peak for the fewest days. A faster chip finishes sooner: use the high peak.",
        ),
        Mistake(
            "utilization the wrong way",
            _ends([(1, 0), (0, 1)], [(1, 0, 0), (0, 1, 1)]),
            "You took the low mfu for the fewest days. It is in the denominator: use the high one.",
        ),
        Mistake(
            "ends exchanged",
            lambda **run: interval(**run)[[1, 0, 3, 2]],
            "Your ends are right but swapped: fewest before most, least before most.",
        ),
        Mistake(
            "dollars first",
            lambda **run: interval(**run)[[2, 3, 0, 1]],
            "Days come first, then dollars.",
        ),
        Mistake(
            "ends first, then the others",
            lambda **run: interval(**run)[[0, 2, 1, 3]],
            "Your four numbers are right but in another order: fewest days, most days, least dollars, most dollars.",
        ),
        Mistake(
            "middles of the inputs",
            _of_middles,
            "You worked with the middle of each pair and returned one number of days and one of dollars. Return both ends of each: "
            "the interval is the answer.",
        ),
        Mistake(
            "middles of the inputs, twice",
            lambda **run: np.repeat(_of_middles(**run), 2),
            "You used the middle of each pair. Return both ends: the interval is the answer.",
        ),
        Mistake("the middle", _middle, "You returned the middle twice. Return both ends: the interval is the answer."),
        Mistake(
            "dollars of one chip",
            lambda devices, **run: interval(devices=devices, **run) / np.array([1, 1, devices, devices]),
            "Your dollars pay for one device. All of them are rented all the time.",
        ),
        Mistake(
            "devices counted twice",
            lambda devices, **run: interval(devices=devices, **run) * np.array([1, 1, devices, devices]),
            "You multiplied the dollars by the devices once too often: the hours of one device follow from the work of all.",
        ),
        Mistake(
            "days for hours", _scaled(dollars=1 / 24), "The price is per hour, and you multiplied it by days.", v.UNIT
        ),
        Mistake("hours for days", _scaled(days=24), "The first two are hours. A day has 24 of them.", v.UNIT),
        Mistake(
            "forward pass alone",
            _scaled(1 / 3, 1 / 3),
            "You counted 2 FLOP for each parameter and token. That is the forward pass; training needs 6.",
            v.FACTOR,
        ),
    ),
)
