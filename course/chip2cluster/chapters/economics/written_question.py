"""Lab 14: what a printed footprint leaves out."""

from chip2cluster import economics
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question

SHORT_TON = 0.90718474  # tonnes in a ton of two thousand pounds
WATT_HOURS = 3.6e3  # joules


def draw(generator):
    def row(pue):
        return {
            "gpu_hours": float(generator.integers(20, 200)) * 1e4,
            "watts": float(generator.integers(30, 75)) * 10,
            "pue": pue,
            "grams": float(generator.integers(10, 60)) * 10,
        }

    rows = [
        row(pue) for pue in (1.1, float(generator.integers(135, 155)) / 100, float(generator.integers(160, 190)) / 100)
    ]
    return Draw(
        {}, [rows[int(place)] for place in generator.permutation(3)], row(float(generator.integers(130, 190)) / 100)
    )


def tonnes(gpu_hours, watts, pue, grams):
    joules = economics.facility_energy(gpu_hours * watts * WATT_HOURS, pue)
    return economics.carbon_by_location(joules, grams) / 1e3


QUESTION = Question(
    scene="A report prints hours, watts, PUE and grams for three runs, and tonnes that don't follow from them as they should.",
    columns=(
        Column("gpu_hours", "GPU-hours"),
        Column("watts", "W a GPU"),
        Column("pue", "PUE", lambda value: f"{value:.2f}"),
        Column("grams", "g a kWh"),
    ),
    result=Column("tonnes", "printed footprint", lambda value: f"{value:.4g} t"),
    explanations=(
        Explanation(
            "the PUE was left out: the tonnes are those of the GPUs alone.",
            "The gap between the product and the print is a factor that changes from run to run as the PUE does, so it is the PUE. Where that is "
            "one and a tenth the gap looks like a short ton.",
            "If the meter of the building showed the energy of the GPUs alone, I would be wrong.",
            lambda gpu_hours, watts, pue, grams: tonnes(gpu_hours, watts, 1.0, grams),
        ),
        Explanation(
            "the whole product was taken for short tons (of 2000 pounds) and turned into tonnes.",
            "The gap between the product and the print is the same factor in all runs, whatever the PUE, so it is one of units. Where the PUE is "
            "one and a tenth the gap looks like a PUE that was left out.",
            "If a run with a much larger PUE missed by a larger factor, I would be wrong.",
            lambda gpu_hours, watts, pue, grams: SHORT_TON * tonnes(gpu_hours, watts, pue, grams),
        ),
    ),
    coming="what you expect them to print for {gpu_hours} GPU-hours of {watts} W at a PUE of {pue} and {grams} g a kWh",
    draw=draw,
    noise=0.005,
)
