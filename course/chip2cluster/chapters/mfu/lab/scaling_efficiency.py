"""Task on the scaling efficiency of a series of runs."""

import numpy as np

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def scaling(devices, tokens_per_second):
    """Speed of one device in each run over its speed in the run on the fewest devices."""
    small = int(np.argmin(devices))
    return utilization.scaling_efficiency(tokens_per_second, devices, tokens_per_second[small], devices[small])


def _series(generator, shuffled):
    devices = 8.0 * np.cumprod(generator.integers(2, 5, 5))
    lost = np.cumprod(generator.uniform(0.86, 0.98, 5))
    speed = np.round(generator.uniform(300, 9000) * devices * lost)
    order = np.array(shuffled) if shuffled else np.arange(5)
    return {"devices": devices[order], "tokens_per_second": speed[order]}


def _growing(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"devices": np.array([10.0, 20.0, 40.0]), "tokens_per_second": np.array([1000.0, 1800.0, 3000.0])}
    return [easy, *(_series(generator, ()) for _ in range(3))]


def _mixed(generator):
    # The smallest run is a poor one here: the others do better, as where it has to swap.
    poor = {"devices": np.array([32.0, 8.0, 64.0]), "tokens_per_second": np.array([3600.0, 700.0, 6800.0])}
    return [
        poor,
        _series(generator, (3, 1, 0, 4, 2)),
        _series(generator, (4, 3, 2, 1, 0)),
        _series(generator, (1, 0, 3, 2, 4)),
    ]


def _per_device(devices, tokens_per_second):
    return tokens_per_second / devices


SCALING = Exercise(
    id="lab.mfu.scaling",
    title="Scaling efficiency",
    signature="scaling(devices, tokens_per_second)",
    unit="",
    graded=True,
    points=4,
    reference=scaling,
    groups=(
        Group("growing runs", 0.7, _growing),
        Group(
            "any order",
            0.3,
            _mixed,
            v.VALUE,
            advice="The smallest run is not always the first: find it with np.argmin(devices).",
        ),
    ),
    hints=(
        "First the speed of one device in each run.",
        "Divide that array by one of its elements: the one of the smallest run.",
        "The smallest run is the one with the fewest devices, at any position: np.argmin gives its index.",
    ),
    explanation="It is also the ratio of the MFUs. It compares a run with itself, so a poor small run flatters the large one.",
    mistakes=(
        Mistake(
            "the slowest device",
            lambda devices, tokens_per_second: (
                _per_device(devices, tokens_per_second) / _per_device(devices, tokens_per_second).min()
            ),
            "You compared with the run whose devices are slowest. Compare with the one on the fewest devices.",
        ),
        Mistake(
            "the first run",
            lambda devices, tokens_per_second: (
                _per_device(devices, tokens_per_second) / _per_device(devices, tokens_per_second)[0]
            ),
            "You compared with the first run. Compare with the one on the fewest devices.",
            share=0.7,
        ),
        Mistake(
            "the fastest device",
            lambda devices, tokens_per_second: (
                _per_device(devices, tokens_per_second) / _per_device(devices, tokens_per_second).max()
            ),
            "You compared with the run whose devices are fastest. Compare with the one on the fewest devices.",
            share=0.7,
        ),
        Mistake(
            "speed-up",
            lambda devices, tokens_per_second: tokens_per_second / tokens_per_second[np.argmin(devices)],
            "That is the speed-up. Efficiency also divides by the ratio of the numbers of devices.",
        ),
        Mistake(
            "upside down",
            lambda devices, tokens_per_second: 1 / scaling(devices, tokens_per_second),
            "That is inverted: divide the speed of the large run's device by that of the small run's.",
        ),
        Mistake(
            "speed of one device",
            _per_device,
            "That is the speed of one device in tokens a second. Divide it by the same of the smallest run.",
        ),
        Mistake(
            "the small run is one device",
            lambda devices, tokens_per_second: tokens_per_second / (tokens_per_second[np.argmin(devices)] * devices),
            "You treated the smallest run as a single device. It may have several: divide its speed by their number.",
        ),
        Mistake("percent", lambda **runs: 100 * scaling(**runs), "You returned percentages. Return fractions.", v.UNIT),
    ),
    mutants=MUTANTS["lab.mfu.scaling"],
)
