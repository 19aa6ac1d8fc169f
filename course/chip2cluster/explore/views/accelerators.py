"""Explorer of the catalogue: every accelerator's peak against its bandwidth, power or year."""

from math import ceil, floor, log10

from ... import draw, roofline, specs
from ...draw.pictures.roofline import tera
from ...units import significant
from ..base import Explorer
from ..controls import Choice, Slider, Toggle
from ..frame import Column, Frame, Table
from ..strip import ALL, Strip

PRECISIONS = ("bf16", "fp16", "fp8", "fp6", "fp4", "int8", "tf32", "fp32", "fp64")
VENDORS = ("NVIDIA", "AMD", "Google", "AWS", "Intel", "Huawei")
BANDWIDTH, POWER, YEAR = ACROSS = ("memory bandwidth", "power", "year")
DENSE, SPARSE, NONE = "dense", "with sparsity", "not printed"
FIRST, AROUND = 6, 2  # rows of the short table: the first ones, and those before and behind the chosen one


def _peak(chip, precision, count):
    """FLOP/s, or None where the chip has no such peak."""
    has = chip.precisions_sparse if count == SPARSE else chip.precisions_dense
    if precision not in has:
        return None
    return chip.peak_flops_sparse(precision) if count == SPARSE else chip.peak_flops_dense(precision)


def _chips(values):
    """The chips with such a peak and, where power is asked for, a printed TDP."""
    until = values.get("until", float("inf"))
    return [
        chip
        for chip in specs.accelerators()
        if _peak(chip, values["precision"], values["count"]) is not None
        and chip.year <= until
        and not (values["across"] == POWER and chip.tdp_watts is None)
    ]


def _counts(values):
    either = any(_peak(chip, values["precision"], DENSE) is not None for chip in _chips({**values, "count": SPARSE}))
    return (DENSE, SPARSE) if either else (DENSE,)


def _years(values):
    return tuple(range(min(chip.year for chip in _chips(values)), max(chip.year for chip in specs.accelerators()) + 1))


def _names(values):
    return tuple(chip.name for chip in _chips(values))


class Accelerators(Explorer):
    """Compare every accelerator's peak with its memory bandwidth, its power or its year.

    Peak at a precision, dense or sparse, against memory bandwidth, power or year.

    Parameters
    ----------
    chip : str
        The one to follow: any unambiguous name of an accelerator in `chip2cluster.specs`.
    **values
        Start values of the other controls: ``precision``, ``across``, ``count``, ``until``, ``every``.

    Raises
    ------
    specs.UnknownAccelerator
        For a chip that is not in the catalogue.
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.accelerators("MI300X").table[7]["peak (TFLOP/s)"]
    1307.4
    """

    title = "Accelerator explorer"
    positional = ("chip",)
    controls = (
        Choice(name="precision", label="Precision", options=PRECISIONS, default="bf16"),
        Choice(name="across", label="Against", options=ACROSS, default=BANDWIDTH),
        Choice(name="count", label="Peak", options=_counts, default=DENSE, more=True),
        Slider(name="until", label="Launched until", options=_years, default=2025, text=str, more=True),
        Toggle(name="every", label="Every chip in the table", more=True),
        Choice(
            name="chip", label="Follow", options=_names, default="H100 SXM", prefer=("A100 SXM 80GB",),
            parse=lambda name: specs.accelerator(name).name,
        ),
    )  # fmt: skip
    strip = Strip("chip", {"precision": ("bf16", "fp8", "fp4", "int8", "fp64"), "across": ALL, "count": ALL})

    def frame(self, values):
        precision, count, across = values["precision"], values["count"], values["across"]
        unit = "OP" if precision.startswith("int") else "FLOP"
        worth = lambda chip: _peak(chip, precision, count) / (chip.tdp_watts if across == POWER else 1)
        chips = sorted(_chips(values), key=worth, reverse=True)
        peaks = [_peak(chip, precision, count) for chip in chips]
        chosen = [chip.name for chip in chips].index(values["chip"])
        rows = tuple(
            _row(place, chip, peak, values)
            for place, (chip, peak) in enumerate(zip(chips, peaks, strict=True), start=1)
        )
        shown = [row for row in range(len(rows)) if values["every"] or row < FIRST or abs(row - chosen) <= AROUND]
        subject = f"{precision}, {count}, launched until {values['until']}"
        words = _sentences(chips, rows, chosen, values, unit)
        # The best of each vendor deserves a name first.
        best = {chip.vendor: row for row, chip in reversed(list(enumerate(chips)))}.values()
        order = sorted(range(len(chips)), key=lambda row: (row not in best, row))
        picture = draw.scatter(
            [
                draw.Point(chips[row].name, chips[row].vendor, _across(chips[row], across), peaks[row] / 1e12,
                           _doubtful(chips[row], values))
                for row in order
            ],
            order.index(chosen),
            across=_axis(across), up=_up(precision, unit), groups=VENDORS, ratios=_ratios(across, unit),
            title=_title(rows[chosen], across, unit), subtitle=f"{len(chips)} chips: {subject}",
            description=_describe(rows, chosen, subject, across, unit),
        )  # fmt: skip
        caption = f"{subject}, by {_measure(across)}"
        table = Table(caption, _columns(unit), tuple(rows[row] for row in shown), marked=shown.index(chosen))
        return Frame(picture, table, words)


def _measure(across):
    return "FLOP for each joule" if across == POWER else "peak"


def _row(place, chip, peak, values):
    ratio = roofline.ridge_point(peak, chip.memory_bandwidth)
    watts = chip.tdp_watts
    joule = NONE if watts is None else peak / watts / 1e12
    doubts = ", ".join([*_weak(chip, values), *([f"TDP of {chip.tdp_covers}"] if chip.tdp_covers else [])])
    return chip.name, place, chip.year, peak / 1e12, chip.memory_bandwidth / 1e12, ratio, watts or NONE, joule, doubts


def _columns(unit):
    return (
        Column("chip"),
        Column("place"),
        Column("year"),
        Column("peak", f"T{unit}/s", lambda value: tera(1e12 * value)),
        Column("memory", "TB/s", "{:.2f}".format),
        Column("ratio", f"{unit}/byte", lambda value: f"{value:,.0f}" if value >= 10 else significant(value, 2)),
        Column("TDP", "W", lambda value: value if isinstance(value, str) else f"{value:,.0f}"),
        Column("for each joule", f"T{unit}", _joule),
        Column("in doubt"),
    )


def _joule(value):
    return value if isinstance(value, str) else f"{value:.2f}" if value >= 0.1 else significant(value, 2)


def _across(chip, across):
    return {BANDWIDTH: chip.memory_bandwidth / 1e12, POWER: chip.tdp_watts, YEAR: chip.year}[across]


def _axis(across):
    if across == BANDWIDTH:
        return draw.Axis("Memory bandwidth, TB/s", 0.2, 40, (0.2, 0.5, 1, 2, 5, 10, 20))
    if across == POWER:
        return draw.Axis("Thermal design power, W", 50, 2500, (50, 100, 200, 500, 1000, 2000))
    years = [chip.year for chip in specs.accelerators()]
    low, high = min(years), max(years)
    return draw.Axis("Year of launch", low - 0.6, high + 0.6, tuple(range(low, high + 1)), log=False)


def _up(precision, unit):
    """The same for dense and sparse and for all years, so that points move and the axis stays."""
    peaks = [_peak(chip, precision, count) for chip in specs.accelerators() for count in (DENSE, SPARSE)]
    known = [peak / 1e12 for peak in peaks if peak is not None]
    low, high = min(known) / 1.6, 1.6 * max(known)
    ticks = tuple(10.0**power for power in range(ceil(log10(low)), floor(log10(high)) + 1))
    if len(ticks) < 2:
        ticks = tuple(
            step * tick for tick in (ticks[0] / 10, ticks[0]) for step in (1, 2, 5) if low <= step * tick <= high
        )
    return draw.Axis(f"Peak, T{unit}/s", low, high, ticks)


def _ratios(across, unit):
    # Peaks are drawn in tera: 1 TFLOP/s over 1 TB/s is 1 FLOP/byte.
    if across == BANDWIDTH:
        return tuple((ratio, f"{ratio:,} {unit}/byte") for ratio in (10, 100, 1000))
    if across == POWER:
        return tuple((ratio, f"{ratio:g} T{unit}/J") for ratio in (0.1, 1.0, 10.0))
    return ()


def _title(row, across, unit):
    name, _, year, peak, _, ratio, _, joule, _ = row
    if across == BANDWIDTH:
        return f"{name}: {_columns(unit)[5].text(ratio)} {unit} for each byte"
    if across == POWER:
        return f"{name}: {_joule(joule)} T{unit} for each joule"
    return f"{name}, {year}: {tera(1e12 * peak)} T{unit}/s"


def _weak(chip, values):
    """Which of the figures shown are of low confidence."""
    group = "peak_flops_sparse" if values["count"] == SPARSE else "peak_flops_dense"
    keys = {f"{values['precision']} peak": (group, values["precision"]), "memory bandwidth": ("memory_bandwidth",),
            "TDP": ("tdp_watts",)}  # fmt: skip
    if chip.tdp_watts is None:
        del keys["TDP"]
    return [name for name, key in keys.items() if chip.source(*key).confidence == "low"]


def _doubtful(chip, values):
    used = {BANDWIDTH: "memory bandwidth", POWER: "TDP", YEAR: ""}[values["across"]]
    return any(name in (used, f"{values['precision']} peak") for name in _weak(chip, values))


def _sentences(chips, rows, chosen, values, unit):
    chip, (_, _, _, peak, bandwidth, ratio, watts, joule, _) = chips[chosen], rows[chosen]
    columns = _columns(unit)
    parts = [
        f"The {chip.name} ({chip.year}) has a peak of {tera(1e12 * peak)} T{unit}/s {values['count']} in "
        f"{values['precision']} and {bandwidth:.2f} TB/s: {columns[5].text(ratio)} {unit} for each byte."
    ]
    if isinstance(watts, str):
        parts.append("Its vendor prints no TDP.")
    else:
        fed = f", which feed {chip.tdp_covers}," if chip.tdp_covers else ""
        parts.append(f"With {watts:,.0f} W{fed} that is {_joule(joule)} T{unit} for each joule.")
    measure = _measure(values["across"])
    if chosen:
        best = f"{_joule(rows[0][7])} T{unit}" if values["across"] == POWER else f"{tera(1e12 * rows[0][3])} T{unit}/s"
        parts.append(f"It is number {chosen + 1} of {len(chips)} by {measure}; the {chips[0].name} leads with {best}.")
    elif len(chips) > 1:
        parts.append(f"None of the {len(chips)} shown has a higher {measure}.".replace("a higher FLOP", "more FLOP"))
    if weak := _weak(chip, values):
        parts.append(f"Low confidence in its {' and '.join(weak)}: sources disagree, or it is only announced.")
    return " ".join(parts)


def _describe(rows, chosen, subject, across, unit):
    parts = [f"{_title(rows[chosen], across, unit)}.", f"{len(rows)} chips, {subject}, peak against {across}."]
    parts += [f"{row[0]}: {tera(1e12 * row[3])} T{unit}/s, {row[4]:.2f} TB/s, {row[2]}." for row in rows[:FIRST]]
    if len(rows) > FIRST:
        parts.append(f"The other {len(rows) - FIRST} follow by {_measure(across)}.")
    return " ".join(parts)
