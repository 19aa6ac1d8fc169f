"""Exercise on emissions from GPU-hours: tonnes of CO2, location-based and market-based."""

import numpy as np

from chip2cluster import economics
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

HOUR = 3600.0


def tonnes(gpu_hours, watts, node_over_gpu, pue, grams_per_kwh, contracted_fraction):
    """Tonnes of CO2 equivalent by location and by market."""
    drawn = economics.device_energy(1, HOUR * gpu_hours, watts)
    energy = economics.facility_energy(economics.node_energy(drawn, node_over_gpu), pue)
    return 1e-3 * np.array(
        [
            economics.carbon_by_location(energy, grams_per_kwh),
            economics.carbon_by_market(energy, contracted_fraction, 0.0, grams_per_kwh),
        ]
    )


def _case(hours, watts, node, pue, grams, share):
    return {
        "gpu_hours": hours,
        "watts": watts,
        "node_over_gpu": node,
        "pue": pue,
        "grams_per_kwh": grams,
        "contracted_fraction": share,
    }


def _runs(generator):
    # A MWh at the GPUs, 2 at the nodes, 2.5 at the meter, and half a kg for each kWh. A student sees this one.
    drawn = [_case(2000.0, 500.0, 2.0, 1.25, 500.0, 0.2)]
    drawn += [
        _case(
            round(float(generator.uniform(2e4, 9e6)), -2),
            round(float(generator.uniform(210, 980))),
            round(float(generator.uniform(1.3, 1.9)), 2),
            round(float(generator.uniform(1.07, 1.6)), 2),
            round(float(generator.uniform(40, 760))),
            round(float(generator.uniform(0.1, 0.45)) + 0.5 * int(generator.integers(0, 2)), 2),
        )
        for _ in range(4)
    ]
    return drawn


def _edges(generator):
    hours = round(float(generator.uniform(1e5, 9e5)), -2)
    return [_case(hours, 400.0, 1.5, 1.1, 385.0, 1.0), _case(hours, 300.0, 1.0, 1.0, 57.0, 0.0)]


def _like(energy=lambda h, w, k, pue: h * w * k * pue, market=lambda s: 1 - s, scale=1e-9, back=1):
    """Tonnes of another energy, Wh; another share for the market; another unit; ``back`` is -1 for the books exchanged."""

    def wrong(gpu_hours, watts, node_over_gpu, pue, grams_per_kwh, contracted_fraction):
        grid = scale * energy(gpu_hours, watts, node_over_gpu, pue) * grams_per_kwh
        return np.array([grid, grid * market(contracted_fraction)])[::back]

    return wrong


TONNES = Exercise(
    id="economics.tonnes",
    title="From hours to tonnes",
    signature="tonnes(gpu_hours, watts, node_over_gpu, pue, grams_per_kwh, contracted_fraction)",
    unit="t",
    points=4,
    reference=tonnes,
    shows=(tonnes, economics.carbon_by_location, economics.carbon_by_market),
    groups=(
        Group("training runs", 0.8, _runs),
        Group("all or nothing", 0.2, _edges, v.VALUE, advice="Contracts may cover everything, or nothing at all."),
    ),
    hints=(
        "Hours times watts are watt-hours. How many kWh are they at the GPUs, then at the nodes, then at the meter?",
        "Multiply by node_over_gpu and by pue, once each; then grams, then tonnes: a tonne is a million grams. Market-based counts "
        "only what no contract covers.",
        "kwh = gpu_hours * watts / 1000 * node_over_gpu * pue; grid = kwh * grams_per_kwh / 1e6; [grid, grid * (1 − contracted_fraction)].",
    ),
    solution="""
def tonnes(gpu_hours, watts, node_over_gpu, pue, grams_per_kwh, contracted_fraction):
    kwh = gpu_hours * watts / 1000 * node_over_gpu * pue
    grid = kwh * grams_per_kwh / 1e6
    return [grid, grid * (1 - contracted_fraction)]
""",
    explanation=(
        "Each of the five factors can be off by two in good faith: mean power or TDP, GPUs or nodes, nodes or building, "
        "the grid of the country or of the hour, location-based or market-based. Publish them all, and a reader can change the one they doubt."
    ),
    meaning=lambda: (
        f"Llama 2 70B, 1,720,320 hours at 400 W, with a PUE of 1.1 and 385 g: {_told(385):.1f} t, to the digit what its paper gives. "
        f"In France it would have been {_told(economics.grid_intensity('France').grams_per_kwh):.0f} t, in Poland "
        f"{_told(economics.grid_intensity('Poland').grams_per_kwh):.0f}. The paper's 400 W are the TDP, and the nodes are not in it."
    ),
    mistakes=(
        Mistake(
            "no PUE",
            _like(lambda h, w, k, pue: h * w * k),
            "You left out the PUE. The building draws more than its nodes.",
        ),
        Mistake(
            "GPUs alone",
            _like(lambda h, w, k, pue: h * w * pue),
            "You counted the GPUs alone. The nodes draw node_over_gpu times as much.",
        ),
        Mistake(
            "GPUs alone, no PUE",
            _like(lambda h, w, k, pue: h * w),
            "You stopped at the GPUs: nodes and building come on top.",
        ),
        Mistake(
            "divided by the PUE",
            _like(lambda h, w, k, pue: h * w * k / pue),
            "You divided by the PUE. The meter of the building shows more, not less.",
        ),
        Mistake("the PUE twice", _like(lambda h, w, k, pue: h * w * k * pue**2), "You counted the PUE twice."),
        Mistake(
            "overheads added",
            _like(lambda h, w, k, pue: h * w * (k + pue - 1)),
            "You added the overheads. The building cools the whole node, so the two factors multiply.",
        ),
        Mistake(
            "the contracted share",
            _like(market=lambda s: s),
            "Your market-based number counts what the contracts cover. That is at 0 g; count the rest with the grid.",
        ),
        Mistake(
            "market as location",
            _like(market=lambda s: 1.0),
            "Your two numbers are the same. Market-based, what contracts cover counts 0 g.",
        ),
        Mistake(
            "location and market swapped",
            _like(back=-1),
            "You swapped the two. Location-based comes first: all of the energy, with the grid.",
        ),
        Mistake("kilograms", _like(scale=1e-6), "You returned kg, or used Wh as kWh. Return tonnes.", v.UNIT),
        Mistake(
            "days for hours",
            _like(lambda h, w, k, pue: 24 * h * w * k * pue),
            "You multiplied by 24. `gpu_hours` are hours already.",
            v.UNIT,
        ),
        Mistake("grams", _like(scale=1e-3), "You returned grams. A tonne is a million of them.", v.UNIT),
    ),
)


def _told(grams):
    return float(tonnes(1_720_320.0, 400.0, 1.0, 1.1, grams, 0.0)[0])
