"""Explorer of the catalogue: every accelerator's peak against its bandwidth, power or year."""

from functools import cache, partial
from math import ceil, floor, log10
from typing import Any

from chip2cluster import draw, roofline, specs
from chip2cluster._validate import known
from chip2cluster.draw.format import tera
from chip2cluster.draw.machines.parts import machines
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.compare_roof import maker_of
from chip2cluster.explore.confidence_note import doubt
from chip2cluster.explore.controls import Choice, Slider, Toggle
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

PRECISIONS = specs.precisions(variants=False)
# Formats of 32 bits and more get their own axis: their peaks are fifty times lower and would crowd the others.
WIDE = tuple(name for name in PRECISIONS if specs.bytes_of(name) >= 4)
SOLD = [chip for chip in specs.accelerators() if not chip.announced]
LAST_YEAR = max(known("year", chip.year) for chip in SOLD)
VENDORS = ("NVIDIA", "AMD", "Google", "AWS", "Intel", "Huawei")
YOURS = "yours"
BANDWIDTH, POWER, YEAR = ACROSS = ("memory bandwidth", "power", "year")
DENSE, SPARSE, NONE = "dense", "with sparsity", "not printed"
FIRST, AROUND = 6, 2  # rows of the short table: the first ones, and those before and behind the chosen one


def _peak(chip, precision, count):
    """FLOP/s, or None where the chip has no such peak."""
    has = chip.precisions_sparse if count == SPARSE else chip.precisions_dense
    if precision not in has:
        return None
    return chip.peak_flops_sparse(precision) if count == SPARSE else chip.peak_flops_dense(precision)


def _chips(values, own=()):
    """The chips with such a peak and, where power or year is asked for, with that."""
    until, needed = values.get("until", float("inf")), {POWER: "tdp_watts", YEAR: "year"}.get(values["across"], "name")
    return _having(values["precision"], values["count"], until, needed, tuple(own))


@cache  # every frame asks a dozen times
def _having(precision, count, until, needed, own):
    return tuple(
        chip
        for chip in (*specs.accelerators(), *own)
        if _peak(chip, precision, count) is not None
        and (chip.year is None or chip.year <= until)
        and getattr(chip, needed) is not None
    )


def _counts(values, own=()):
    either = any(
        _peak(chip, values["precision"], DENSE) is not None for chip in _chips({**values, "count": SPARSE}, own)
    )
    return (DENSE, SPARSE) if either else (DENSE,)


def _years(values, own=()):
    first = min(chip.year for chip in _chips(values, own) if chip.year)
    return tuple(range(first, max(known("year", chip.year) for chip in specs.accelerators()) + 1))


def _names(values, own=()):
    return tuple(chip.name for chip in _chips(values, own))


def _why(name, values, own=()):
    """Why a chip is not among the others, as far as the values chosen so far say."""
    chip = next((chip for chip in (*specs.accelerators(), *own) if chip.name == name), None)
    if chip is None:
        return ""
    precision, count = values["precision"], values["count"]
    if _peak(chip, precision, count) is None:
        kind = f"{count} peak in {precision}" if count == DENSE else f"peak {count} in {precision}"
        has = ", ".join(other for other in PRECISIONS if _peak(chip, other, count) is not None)
        return f"it has no {kind}" + (f", but in {has}" if has else "")
    if chip.year is not None and chip.year > values["until"]:
        return f"it is of {chip.year}, later than {values['until']}"
    if values["across"] == POWER and chip.tdp_watts is None:
        return "it has no TDP" if chip in own else "its maker prints no TDP"
    return "it has no year" if values["across"] == YEAR and chip.year is None else ""


def _controls(own=()):
    known = {chip.name: chip for chip in own}
    return (
        Choice(name="precision", label="Precision", options=PRECISIONS, default="bf16"),
        Choice(name="across", label="Against", options=ACROSS, default=BANDWIDTH),
        Choice(name="count", label="Peak", options=partial(_counts, own=own), default=DENSE, more=True),
        Slider(
            name="until", label="Launched until", options=partial(_years, own=own), default=LAST_YEAR, text=str, more=True
        ),
        Toggle(name="every", label="Every chip in the table", more=True),
        Choice(
            name="chip", label="Follow", options=partial(_names, own=own), default="H100 SXM", prefer=("A100 SXM 80GB",), group=maker_of,
            why=partial(_why, own=own),
            parse=lambda name: specs.accelerator(known.get(name, name) if isinstance(name, str) else name).name,
        ),
    )  # fmt: skip


class Accelerators(Explorer):
    """Compare every accelerator's peak with its memory bandwidth, its power or its year.

    Peak at a precision, dense or sparse, against memory bandwidth, power or year.

    Parameters
    ----------
    chip : str or specs.Accelerator
        The one to follow: any unambiguous name of an accelerator in `chip2cluster.specs`,
        or a chip of your own, made with `specs.own`, which then stands among them.
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
    >>> explore.accelerators("MI300X").sentence[:46]
    'The MI300X (2023) has a peak of 1,307 TFLOP/s '
    """

    title = "Accelerator explorer"
    extent = Extent(letters=420, rows=11)
    positional = ("chip",)
    controls = _controls()
    strip = Strip("chip", {"precision": ("bf16", "fp8", "fp4", "int8", "fp64"), "across": ALL, "count": ALL})

    def __init__(self, *given, **values):
        values = self._named(given, values)
        chip = values.get("chip")
        self._own = (chip,) if isinstance(chip, specs.Accelerator) and chip not in specs.accelerators() else ()
        if self._own:
            self.controls = _controls(self._own)
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        precision, count, across = values["precision"], values["count"], values["across"]
        unit = "OP" if specs.precision(precision).is_integer else "FLOP"
        worth = lambda chip: _peak(chip, precision, count) / (chip.tdp_watts if across == POWER else 1)
        chips = sorted(_chips(values, self._own), key=worth, reverse=True)
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
                draw.Point(chips[row].name, _group(chips[row]), _across(chips[row], across), peaks[row] / 1e12,
                           _doubtful(chips[row], values))
                for row in order
            ],
            order.index(chosen),
            across=_axis(across, self._own), up=_up(precision, unit, self._own), groups=_groups(self._own), ratios=_ratios(across, unit),
            title=_title(rows[chosen], across, unit), subtitle=f"{len(chips)} chips",
            description=_describe(rows, chosen, across, unit),
        )  # fmt: skip
        table = Table(
            subject, _columns(unit), tuple(rows[row] for row in shown), marked=shown.index(chosen), note=f"Sorted by {_measure(across)}",
        )  # fmt: skip
        points = {chip.name: (_across(chip, across), peak / 1e12) for chip, peak in zip(chips, peaks, strict=True)}
        named = self._choices("chip", values)
        handle = Handle("chip", tuple(points.get(name) for name in named), "path")
        return Frame(picture, table, words, handles=(handle,), machine=_dies(chips[row].name for row in shown))


def _dies(names):
    """Dies of these chips in the drawing of the chapter, by chip."""
    drawn = {die["name"] for die in machines()["dies"]}
    return {name: f"dies {name.split()[0]}" for name in names if name.split()[0] in drawn}


def _group(chip):
    return chip.vendor if chip.vendor in VENDORS else YOURS


def _groups(own):
    return VENDORS if all(chip.vendor in VENDORS for chip in own) else (*VENDORS, YOURS)


def _measure(across):
    return "FLOP for each joule" if across == POWER else "peak"


def _row(place, chip, peak, values):
    ratio = roofline.ridge_point(peak, chip.memory_bandwidth)
    watts = chip.tdp_watts
    joule = NONE if watts is None else peak / watts / 1e12
    doubts = ", ".join([*_weak(chip, values), *([f"TDP of {chip.tdp_covers}"] if chip.tdp_covers else [])])
    return (
        chip.name,
        place,
        chip.year or "–",
        peak / 1e12,
        chip.memory_bandwidth / 1e12,
        ratio,
        watts or NONE,
        joule,
        doubts,
    )


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


def _axis(across, own=()):
    if across == BANDWIDTH:
        ends = _ends(0.2, 40, [chip.memory_bandwidth / 1e12 for chip in own])
        return draw.Axis("Memory bandwidth, TB/s", *ends, (0.2, 0.5, 1, 2, 5, 10, 20))
    if across == POWER:
        ends = _ends(50, 2500, [chip.tdp_watts for chip in own if chip.tdp_watts])
        return draw.Axis("Thermal design power, W", *ends, (50, 100, 200, 500, 1000, 2000))
    years = [chip.year for chip in (*specs.accelerators(), *own) if chip.year]
    low, high = min(years), max(years)
    return draw.Axis("Year of launch", low - 0.6, high + 0.6, tuple(range(low, high + 1)), log=False)


def _ends(low, high, values):
    """The ends of a logarithmic axis, moved out where a chip of the reader's would lie on them or beyond."""
    return min([low, *(value / 1.3 for value in values)]), max([high, *(1.3 * value for value in values)])


def _up(precision, unit, own=()):
    """The same for all precisions of 16 bits and fewer, for dense and sparse and for all years: points move, the axis stays."""
    chips = (*specs.accelerators(), *own)
    beside = [name for name in PRECISIONS if (name in WIDE) == (precision in WIDE)]
    peaks = [_peak(chip, name, count) for chip in chips for name in beside for count in (DENSE, SPARSE)]
    known = [peak / 1e12 for peak in peaks if peak is not None]
    low, high = min(known) / 1.6, 1.6 * max(known)
    ticks = tuple(10.0**power for power in range(ceil(log10(low)), floor(log10(high)) + 1))
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
    """Which of the figures shown are of low confidence, by the name of their column."""
    group = "peak_flops_sparse" if values["count"] == SPARSE else "peak_flops_dense"
    keys = {"peak": (group, values["precision"]), "memory": ("memory_bandwidth",), "TDP": ("tdp_watts",)}
    if chip.tdp_watts is None:
        del keys["TDP"]
    return [name for name, key in keys.items() if chip.source(*key).confidence == "low"]


def _doubtful(chip, values):
    used = {BANDWIDTH: "memory", POWER: "TDP", YEAR: ""}[values["across"]]
    return any(name in (used, "peak") for name in _weak(chip, values))


def _sentences(chips, rows, chosen, values, unit):
    chip, (_, _, _, peak, bandwidth, ratio, watts, joule, _) = chips[chosen], rows[chosen]
    columns, the = _columns(unit), "The " if chip.vendor in VENDORS else ""
    parts = [
        f"{the}{chip.name}{f' ({chip.year})' if chip.year else ''} has a peak of {tera(1e12 * peak)} T{unit}/s {values['count']} in "
        f"{values['precision']} and {bandwidth:.2f} TB/s: {columns[5].text(ratio)} {unit} for each byte."
    ]
    if isinstance(watts, str):
        parts.append("It has no TDP here." if chip.vendor not in VENDORS else "Its vendor prints no TDP.")
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
        words = {"peak": f"{values['precision']} peak", "memory": "memory bandwidth", "TDP": "TDP"}
        *first, last = (words[name] for name in weak)
        which = f"{', '.join(first)} and {last}" if first else last
        parts.append(f"Low confidence in its {which}: {doubt(chip)}.")
    return " ".join(parts)


def _describe(rows, chosen, across, unit):
    parts = [f"{_title(rows[chosen], across, unit)}.", f"{len(rows)} chips, peak against {across}."]
    parts += [f"{row[0]}: {tera(1e12 * row[3])} T{unit}/s, {row[4]:.2f} TB/s, {row[2]}." for row in rows[:FIRST]]
    if len(rows) > FIRST:
        parts.append(f"The other {len(rows) - FIRST} follow by {_measure(across)}.")
    return " ".join(parts)
