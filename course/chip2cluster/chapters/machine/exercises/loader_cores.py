"""Exercise on the CPU cores that keep the accelerators supplied with data."""

import math

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def cores_needed(samples_per_second, milliseconds_per_sample, gpus):
    """Whole cores that prepare samples as fast as all accelerators use them."""
    return math.ceil(_busy(samples_per_second, milliseconds_per_sample, gpus))


def _busy(samples_per_second, milliseconds_per_sample, gpus):
    return samples_per_second * milliseconds_per_sample * gpus / 1000


def _nodes(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows: list[dict[str, float]] = [{"samples_per_second": 400, "milliseconds_per_sample": 6, "gpus": 3}]
    for gpus in (2, 8, 4, 6, 8):
        while True:
            rate, work = int(generator.integers(150, 3500)), round(float(generator.uniform(1, 12)), 1)
            exact, one = _busy(rate, work, gpus), _busy(rate, work, 1)
            # Far from a whole number, and rounding GPU by GPU gives another one.
            if 0.1 < exact % 1 < 0.45 and one % 1 > 0.1 and gpus * math.ceil(one) != math.ceil(exact):
                break
        rows.append({"samples_per_second": rate, "milliseconds_per_sample": work, "gpus": gpus})
    return rows


def _ends(generator):
    return [
        {"samples_per_second": 1000, "milliseconds_per_sample": 2, "gpus": 4},
        {"samples_per_second": 2, "milliseconds_per_sample": 3, "gpus": 8},
    ]


def _meaning():
    installed = 2 * known("compute_units", specs.accelerator("Xeon 8480+").compute_units)
    slow, fast = (installed * 1000 / work / 8 for work in (6, 5))
    return (
        f"Conversely, the {installed} cores of a DGX H100 feed eight GPUs with at most {slow:,.0f} images a second each "
        f"at 6 ms an image, and with {fast:,.0f} at 5 ms. So a faster decoder is cheaper than a server with more cores."
    )


CORES = Exercise(
    id="machine.cores_needed",
    title="Cores to feed eight accelerators",
    signature="cores_needed(samples_per_second, milliseconds_per_sample, gpus)",
    unit="cores",
    points=2,
    reference=cores_needed,
    tolerance=1e-9,
    groups=(
        Group("nodes", 0.8, _nodes),
        Group(
            "edges",
            0.2,
            _ends,
            advice="If the work is a whole number of cores, add none; if there is hardly any work, one core does it.",
        ),
    ),
    hints=(
        "How many milliseconds of core time does the node need in every second?",
        "A core gives 1000 of them a second. Count all accelerators before you round.",
        "math.ceil(samples_per_second * milliseconds_per_sample * gpus / 1000)",
    ),
    solution="""
import math


def cores_needed(samples_per_second, milliseconds_per_sample, gpus):
    return math.ceil(samples_per_second * milliseconds_per_sample * gpus / 1000)
""",
    explanation=(
        "Samples a second times seconds a sample is the average number of cores at work: Little's law, which you will meet "
        "again wherever something is in flight. Real nodes need a few more, for the framework, the network and bad luck."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "not rounded up",
            _busy,
            "Right, but not a whole number. Half a core has to be a core: round up with math.ceil.",
        ),
        Mistake(
            "rounded down",
            lambda samples_per_second, milliseconds_per_sample, gpus: math.floor(
                _busy(samples_per_second, milliseconds_per_sample, gpus)
            ),
            "You rounded down, or to the nearest. With that many cores the accelerators wait for the rest: round up.",
        ),
        Mistake(
            "rounded for each GPU",
            lambda samples_per_second, milliseconds_per_sample, gpus: (
                gpus * math.ceil(_busy(samples_per_second, milliseconds_per_sample, 1))
            ),
            "You rounded up for each GPU and then multiplied. The cores work for all of them together: round once, at the end.",
        ),
        Mistake(
            "one GPU",
            lambda samples_per_second, milliseconds_per_sample, gpus: math.ceil(
                _busy(samples_per_second, milliseconds_per_sample, 1)
            ),
            "This feeds one GPU. Every one of the GPUs needs as much.",
        ),
        Mistake(
            "divided among the GPUs",
            lambda samples_per_second, milliseconds_per_sample, gpus: math.ceil(
                _busy(samples_per_second, milliseconds_per_sample, 1) / gpus
            ),
            "You divided by the number of GPUs. Each of them uses samples_per_second: multiply.",
        ),
        Mistake(
            "milliseconds as seconds",
            lambda samples_per_second, milliseconds_per_sample, gpus: math.ceil(
                samples_per_second * milliseconds_per_sample * gpus
            ),
            "A thousand times too many: the work of a sample is in milliseconds. Divide by 1000.",
            v.UNIT,
        ),
        Mistake(
            "divided by the work",
            lambda samples_per_second, milliseconds_per_sample, gpus: math.ceil(
                samples_per_second * gpus / milliseconds_per_sample
            ),
            "You divided by the work of a sample. More work for each sample takes more cores: multiply.",
        ),
        Mistake(
            "divided by the samples of a second",
            lambda samples_per_second, milliseconds_per_sample, gpus: 1000 / milliseconds_per_sample,
            "This is what one core prepares in a second. How many cores does the demand need?",
        ),
        Mistake(
            "one too many",
            lambda samples_per_second, milliseconds_per_sample, gpus: (
                math.floor(_busy(samples_per_second, milliseconds_per_sample, gpus)) + 1
            ),
            "If the work is a whole number of cores, you add one too many: math.ceil adds a core only for a remainder.",
            share=0.8,
        ),
    ),
)
