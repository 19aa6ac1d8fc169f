"""Explorer of a footprint: GPU-hours, watts, PUE and grid of a training, multiplied one after the other."""

from typing import Any

from chip2cluster import draw, economics
from chip2cluster._validate import one_positive
from chip2cluster.draw.pictures.factor_chart import Printed, figure
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import Strip

HOUR, MWH = 3600.0, 3.6e9  # s, J
RUNS = {
    run.model: run
    for run in sorted(economics.published_runs(), key=lambda run: run.model.lower())
    if None not in (run.claim.device_seconds, run.claim.mean_watts_per_device, run.claim.carbon_kg)
}
PRINTED, YOURS = "as published", "yours"
COUNTRIES = (
    "Norway", "France", "Brazil", "Canada", "Ireland", "United States", "Germany", "Australia", "China", "Poland", "India"
)  # fmt: skip
PUES = (1.0, 1.1, 1.2, 1.5, 1.8)
WATTS = 245.0, 700.0  # W: the least of the printed means, its host included, and the limit of an H100 alone
ASSUMED = {"grid": "United States", "pue": 1.1}  # where nothing is printed
OWN = {"gpu_hours": 1e5, "watts": 500.0}


def _known(values):
    return RUNS[values["run"]].claim if values["run"] != YOURS else None


def _or(assumed):
    """How an option is written: what is printed has something in its place where nothing is."""
    return lambda value: f"{PRINTED}, or {assumed}" if value == PRINTED else str(value)


def _present(given):
    """Take the earlier word for what a run publishes, which cells of readers hold."""
    return PRINTED if given == "as printed" else given


def _controls(own):
    runs = (YOURS, *RUNS) if own else tuple(RUNS)
    return (
        Choice(name="run", label="Run", default=YOURS if own else "GPT-3 175B", options=runs),
        Choice(
            name="grid",
            label="Grid",
            default=PRINTED,
            options=(PRINTED, *COUNTRIES),
            text=_or(ASSUMED["grid"]),
            parse=_present,
        ),
        Choice(
            name="pue", label="PUE", default=PRINTED, options=(PRINTED, *PUES), text=_or(ASSUMED["pue"]), parse=_present
        ),
    )


class Footprint(Explorer):
    """Multiply the hours of a published training by its watts, its building and its grid, or by others.

    What a run does not publish is marked, and its value is an assumption that you can change.

    Parameters
    ----------
    run : str
        A published training, such as ``"GPT-3 175B"``.
    grid : str
        A country, or ``"as published"``, which stands for the United States where the run publishes none.
    pue : str or float
        1.0, 1.1, 1.2, 1.5, 1.8, or ``"as published"``, which stands for 1.1 where the run publishes none.
    gpu_hours, watts : float
        Training run of your own, shown as ``"yours"``: hours of all GPUs together, and the mean
        power of one with its share of the node.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and hours or watts that are not above zero.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.footprint().current.picture.title
    'GPT-3 175B: 553 t of CO2 equivalent'
    """

    title = "From GPU-hour to tonnes"
    positional = ("run", "grid", "pue")
    controls = _controls({})
    strip = Strip("grid", {"run": ("GPT-3 175B", "PaLM 540B", "BLOOM 176B, dynamic", "Llama 3.1 405B")})

    def __init__(self, *given, **values):
        own = {name: one_positive(name, values.pop(name)) for name in OWN if name in values}
        self.own = {**OWN, **own}
        self.controls = _controls(own)
        super().__init__(*given, **values)

    def frame(self, values: dict[str, Any]) -> Frame:
        claim = _known(values)
        hours = claim.device_seconds / HOUR if claim else self.own["gpu_hours"]
        watts = claim.mean_watts_per_device if claim else self.own["watts"]
        missing = {"PUE": bool(claim) and claim.pue is None, "grid": bool(claim) and claim.grams_per_kwh is None}
        pue, where, grams = _chosen(values, claim)
        ends = [economics.grid_intensity(country).grams_per_kwh for country in COUNTRIES]
        grid_ends, pue_ends = (min(*ends, grams), max(*ends, grams)), (PUES[0], PUES[-1])
        watt_ends = min(WATTS[0], watts), max(WATTS[1], watts)
        chosen = hours, watts, pue, grams
        drawn, facility, product = _chain(*chosen)
        names = ("GPU-hours", "power of a device", "PUE", f"grid ({where})")
        counted = RUNS[values["run"]].power_scope if claim else ""
        sources = (
            *(("published",) * 2 if claim else ("yours",) * 2),
            _source(values["pue"], claim, missing["PUE"]),
            _source(values["grid"], claim, missing["grid"]),
        )
        ranges = ((product, product), *(
            tuple(_chain(*(end if place == moved else value for place, value in enumerate(chosen)))[-1] for end in ends)
            for moved, ends in ((1, watt_ends), (2, pue_ends), (3, grid_ends))
        ))  # fmt: skip
        so_far = f"{hours:,.0f} h", f"{figure(drawn)} MWh", f"{figure(facility)} MWh", f"{figure(product)} t"
        written = f"{hours:,.0f} GPU-hours", f"× {watts:g} W", f"× PUE {pue:g}", f"× {figure(grams)} g/kWh, {where}"
        rows = tuple(
            draw.Factor(text, after, *ends, assumed, name)
            for text, after, ends, assumed, name in zip(
                written, so_far, ranges, (False, False, missing["PUE"], missing["grid"]), names, strict=True
            )
        )
        least = min(
            _chain(hours, watt_ends[0], pue_ends[0], grid_ends[0])[-1], claim.carbon_kg / 1e3 if claim else product
        )
        most = _chain(hours, watt_ends[1], pue_ends[1], grid_ends[1])[-1]
        picture = draw.factor_chart(
            rows, product, "tonnes of CO2 equivalent", (least, most),
            printed=Printed(claim.carbon_kg / 1e3) if claim and claim.carbon_kg else None,
            title=f"{values['run']}: {figure(product)} t of CO2 equivalent",
            subtitle="Each bar: the tonnes as one factor goes from its lowest to its highest value",
        )  # fmt: skip
        table = tuple(
            (name, number, unit, source, after, low, high)
            for name, number, unit, source, after, (low, high) in zip(
                names, chosen, ("h", "W", "", "g/kWh"), sources, so_far, ranges, strict=True
            )
        )
        spread = (
            f"Ranges: {_watts(watt_ends)}, a PUE of {pue_ends[0]:g} to {pue_ends[1]:g}, "
            f"grids of {grid_ends[0]:.0f} to {grid_ends[1]:.0f} g"
        )
        return Frame(
            picture, Table("", COLUMNS, table, marked=3, note=spread), _say(values, claim, product, missing, counted)
        )


def _watts(ends):
    """The range of the watts, and what its ends are where they are no one's own."""
    notes = zip(ends, WATTS, (" (a mean with its host)", " (a TDP)"), strict=True)
    return " to ".join(f"{watts:g} W{note if watts == usual else ''}" for watts, usual, note in notes)


def _chosen(values, claim):
    """The PUE, where the grid is, and its grams a kWh: as printed, as chosen, or assumed where neither is there."""
    pue, where = values["pue"], values["grid"]
    if pue == PRINTED:
        pue = claim.pue if claim and claim.pue is not None else ASSUMED["pue"]
    if where == PRINTED:
        if claim and claim.grams_per_kwh is not None:
            return pue, "published", claim.grams_per_kwh
        where = ASSUMED["grid"]
    return pue, where, economics.grid_intensity(where).grams_per_kwh


def _chain(hours, watts, pue, grams):
    """MWh of the devices, MWh of the facility, tonnes."""
    drawn = economics.device_energy(1, hours * HOUR, watts)
    facility = economics.facility_energy(drawn, pue)
    return drawn / MWH, facility / MWH, economics.carbon_by_location(facility, grams) / 1e3


def _source(chosen, claim, missing):
    if missing:
        return "not published, assumed"
    return "chosen" if chosen != PRINTED else "published" if claim else "assumed"


def _say(values, claim, product, missing, counted):
    said = f"These factors give {figure(product)} t"
    if claim is None:
        return f"{said}."
    printed = claim.carbon_kg / 1e3
    ratio = printed / product if product else 1.0
    said += f"; {figure(printed)} t are published{'' if 0.995 <= ratio < 1.005 else f', {ratio:.2f} times as much'}."
    said += f" Scope of its watts: {counted or 'not stated'}."
    lacking = [name for name, one in missing.items() if one]
    if not lacking:
        return said
    drawn = claim.device_joules / MWH
    if len(lacking) == 2:
        return f"{said} Neither PUE nor grid is published: only their product follows, {1e3 * printed / drawn:.0f} g for each kWh of the GPUs."
    known = "the published grid" if lacking == ["PUE"] else "the published PUE"
    return f"{said} Its {lacking[0]} is not published; the published tonnes follow with {known} and {_lacking(claim, lacking[0])}."


def _lacking(claim, name):
    """The one factor that would make what is printed follow."""
    _, _, whole = _chain(
        claim.device_seconds / HOUR, claim.mean_watts_per_device, claim.pue or 1.0, claim.grams_per_kwh or 1.0
    )
    needed = claim.carbon_kg / 1e3 / whole
    return f"a PUE of {needed:.2f}" if name == "PUE" else f"a grid of {needed:.0f} g"


COLUMNS = (
    Column("factor"),
    Column("value", "", figure),
    Column("unit"),
    Column("source"),
    Column("product so far"),
    Column("lowest", "t", figure),
    Column("highest", "t", figure),
)
