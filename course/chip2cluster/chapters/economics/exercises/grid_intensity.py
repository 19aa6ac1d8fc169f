"""Exercise on the interval of a grid's carbon intensity from printed hours and tonnes."""

import numpy as np

from chip2cluster import economics
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

HOUR, KWH = 3600.0, 3.6e6


def grid_range(gpu_hours, tonnes, watts, pues):
    """Lowest and highest intensity, g/kWh, that the tonnes can come from."""
    most = economics.facility_energy(economics.device_energy(1, HOUR * gpu_hours, max(watts)), max(pues))
    least = economics.facility_energy(economics.device_energy(1, HOUR * gpu_hours, min(watts)), min(pues))
    return 1e6 * tonnes * KWH / np.array([most, least])


def _case(hours, tonnes, watts, pues):
    return {"gpu_hours": hours, "tonnes": tonnes, "watts": np.array(watts, float), "pues": np.array(pues, float)}


def _cards(generator):
    # 1,000 MWh at the most and 400 at the least for 200 t. A student sees this one.
    drawn = [_case(1e6, 200.0, [400.0, 800.0], [1.0, 1.25])]
    for _ in range(4):
        hours = round(float(generator.uniform(5e4, 9e6)), -3)
        low = round(float(generator.uniform(250, 600)))
        best = round(float(generator.uniform(1.05, 1.2)), 2)
        drawn.append(
            _case(
                hours,
                round(hours * low * float(generator.uniform(80, 600)) * 1e-9, 1),
                [low, round(low * float(generator.uniform(1.35, 1.7)))],
                [best, round(best * float(generator.uniform(1.1, 1.3)), 2)],
            )
        )
    return drawn


def _known(generator):
    hours = round(float(generator.uniform(2e5, 2e6)), -3)
    return [
        _case(hours, round(hours * 1.3e-4, 1), [400.0, 400.0], [1.1, 1.1]),
        _case(hours, round(hours * 2e-4, 1), [500.0, 700.0], [1.1, 1.1]),
    ]


def _like(watts=(1, 0), pues=(1, 0), scale=1e9, energy=lambda w, pue: w * pue):
    """g/kWh where the ends pair other watts with other PUE's; g/kWh are ``scale`` tonnes a Wh."""

    def wrong(gpu_hours, tonnes, **ends):
        pairs = zip(watts, pues, strict=True)
        return scale * np.array([tonnes / (gpu_hours * energy(ends["watts"][i], ends["pues"][j])) for i, j in pairs])

    return wrong


def _middle(gpu_hours, tonnes, watts, pues):
    return np.repeat(1e9 * tonnes / (gpu_hours * np.mean(watts) * np.mean(pues)), 2)


GRID = Exercise(
    id="economics.grid",
    title="Between which grids?",
    signature="grid_range(gpu_hours, tonnes, watts, pues)",
    unit="g/kWh",
    points=4,
    reference=grid_range,
    shows=(grid_range, economics.device_energy, economics.facility_energy),
    groups=(
        Group("cards", 0.8, _cards),
        Group(
            "known",
            0.2,
            _known,
            v.VALUE,
            advice="If watts and PUE are both known, the two ends are equal; or only one may be known.",
        ),
    ),
    hints=(
        "The tonnes are fixed. Does a grid have to be clean or dirty if much energy was drawn for them?",
        "The cleanest grid goes with the most energy: the most watts and the highest PUE, together.",
        "low = 1e6 * tonnes / (gpu_hours * max(watts) / 1000 * max(pues)); high with the smallest of both.",
    ),
    solution="""
def grid_range(gpu_hours, tonnes, watts, pues):
    most = gpu_hours * max(watts) / 1000 * max(pues)  # kWh
    least = gpu_hours * min(watts) / 1000 * min(pues)
    return [1e6 * tonnes / most, 1e6 * tonnes / least]
""",
    explanation=(
        "Unknown factors multiply: a third of doubt in the watts and a third in the PUE leave a factor of nearly two for the "
        "grid. So a card without a PUE says little about the place, and a card without the place says little about the PUE."
    ),
    meaning=lambda: (
        "Llama 3.1 405B: 30.84 million hours and 8,930 t. With 490 to 700 W and a PUE of 1.08 to 1.3, the grid lay between "
        f"{_told()[0]:.0f} and {_told()[1]:.0f} g. The average of the USA was {economics.grid_intensity('USA').grams_per_kwh:.0f} in that "
        "table. The 414 g that people divide out would be the grid only with 700 W "
        "for each GPU and a PUE of 1."
    ),
    mistakes=(
        Mistake(
            "ends exchanged",
            _like((0, 1), (0, 1)),
            "Your ends are in the wrong order: return the lowest first. Much energy goes with a clean grid.",
        ),
        Mistake(
            "least with most",
            _like((1, 0), (0, 1)),
            "You paired the most watts with the lowest PUE. Both are unknown, so the ends take both at their extremes.",
        ),
        Mistake(
            "most with least",
            _like((0, 1), (1, 0)),
            "You paired the least watts with the highest PUE. Both are unknown, so the ends take both at their extremes.",
        ),
        Mistake("the middle", _middle, "You used the middle of each range. Return both ends."),
        Mistake(
            "no PUE",
            _like(energy=lambda w, pue: w),
            "You left out the PUE. What you found is the product of PUE and grid.",
        ),
        Mistake(
            "times the PUE",
            _like((1, 0), (0, 1), energy=lambda w, pue: w / pue),
            "You multiplied by the PUE. It makes the energy larger, so the grid that explains the tonnes smaller.",
        ),
        Mistake("watts alone at the ends", _like(pues=(0, 0)), "You took one PUE for both ends."),
        Mistake("PUE alone at the ends", _like(watts=(1, 1)), "You took one power for both ends."),
        Mistake("kilograms", _like(scale=1e6), "You returned kg a kWh. Return grams.", v.UNIT),
    ),
)


def _told():
    return grid_range(30.84e6, 8930.0, [490.0, 700.0], [1.08, 1.3])
