"""Explorer of the generations: what grew from one to the next, and how much of it is narrower numbers."""

from typing import Any

from chip2cluster import draw, specs
from chip2cluster.draw.format import tera
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.confidence_note import doubt
from chip2cluster.explore.controls import Choice
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

NARROWEST = "narrowest format"
WIDTHS = {NARROWEST: None, "16 bits": 16, "32 bits": 32}
GROUPS = {32: "32 bits", 16: "16 bits", 8: "8 bits", 4: "4 bits"}
ACROSS = draw.Axis("Year of launch", 2009, 2027.5, tuple(range(2010, 2028, 2)), log=False)
UP = draw.Axis("Dense peak, TFLOP/s", 0.5, 200_000, (1, 10, 100, 1000, 10_000, 100_000))


def _bits(one, values):
    """The width whose peak is shown, or None where the generation has none of it."""
    widths = specs.by_bits(one.peaks)
    wanted = WIDTHS[values["width"]] or min(widths)
    return wanted if wanted in widths else None


def _shown(values):
    return [one for one in specs.generations() if _bits(one, values) is not None]


def _names(values):
    return tuple(one.name for one in _shown(values))


def _format(one, bits):
    """The fastest format of a width."""
    of_it = {name: peak for name, peak in one.peaks.items() if list(specs.by_bits({name: peak})) == [bits]}
    return max(of_it, key=of_it.__getitem__)


class Generations(Explorer):
    """Follow NVIDIA's generations from Fermi on: the peak in the narrowest format, or at one width.

    How much of what grew is silicon, and how much is fewer digits.

    Parameters
    ----------
    generation : str
        The one to follow: ``"Fermi"``, ``"Hopper"`` ...
    **values
        Start value of the other control: ``width``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.generations("Volta").table[-1]["generation"]
    'Rubin'
    """

    title = "Generations explorer"
    extent = Extent(letters=370, rows=10)
    positional = ("generation",)
    controls = (
        Choice(name="width", label="Peak in", options=tuple(WIDTHS), default=NARROWEST),
        Choice(name="generation", label="Follow", options=_names, default="Ampere", prefer=("Hopper",)),
    )
    strip = Strip("generation", {"width": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        shown = _shown(values)
        rows = tuple(_row(one, _bits(one, values)) for one in shown)
        chosen = [one.name for one in shown].index(values["generation"])
        points = [
            draw.Point(one.name, GROUPS[_bits(one, values)], one.year, row[3], _doubtful(one, row[4]))
            for one, row in zip(shown, rows, strict=True)
        ]
        _, year, _, peak, name, *_ = rows[chosen]
        title = f"{values['generation']}, {year}: {_tera(peak)} TFLOP/s in {name}"
        where = f"in the {NARROWEST}" if values["width"] == NARROWEST else f"at {values['width']}"
        subject = f"Peak {where}"
        picture = draw.scatter(
            points, chosen, across=ACROSS, up=UP, groups=tuple(GROUPS.values()), title=title, subtitle="NVIDIA's generations, dense",
            description=_describe(title, rows),
        )  # fmt: skip
        handle = Handle("generation", tuple((point.x, point.y) for point in points), "path")
        table, say = Table(subject, _COLUMNS, rows, marked=chosen), _say(shown, rows, chosen, values)
        return Frame(picture, table, say, handles=(handle,))


_COLUMNS = (
    Column("generation"),
    Column("year"),
    Column("chip"),
    Column("peak", "TFLOP/s", lambda value: tera(1e12 * value)),
    Column("format"),
    Column("memory", "TB/s", lambda value: significant(value, 2)),
    Column("ratio", "FLOP/byte", "{:,.0f}".format),
)


def _row(one, bits):
    name = _format(one, bits)
    peak, bandwidth = one.peaks[name], one.memory_bandwidth
    return one.name, one.year, one.chip, peak / 1e12, name, bandwidth / 1e12, peak / bandwidth


def _tera(value):
    return tera(1e12 * value)


def _doubtful(one, name):
    return one.sources[name].confidence == "low"


def _describe(title, rows):
    return " ".join([f"{title}.", *(f"{row[0]} {row[1]}: {_tera(row[3])} TFLOP/s in {row[4]}." for row in rows)])


def _times(factor):
    return f"{significant(factor, 2)} times"


def _say(shown, rows, chosen, values):
    one, row = shown[chosen], rows[chosen]
    known = str(one.year) if one.chip == one.name else f"{one.name}, {one.year}"
    parts = [f"The {one.chip} ({known}) has {_tera(row[3])} TFLOP/s in {row[4]}, dense. New: {one.first}."]
    if chosen:
        before, last = shown[chosen - 1], rows[chosen - 1]
        parts.append(f"That is {_times(row[3] / last[3])} the {_tera(last[3])} TFLOP/s of {before.name}.")
        if values["width"] == NARROWEST:
            old, new = specs.by_bits(before.peaks), specs.by_bits(one.peaks)
            narrower = specs.narrowing(old, new)
            if narrower > 1:
                same = row[3] / last[3] / narrower
                parts.append(f"At {before.name}'s {min(old)} bits it grew {_times(same)}; the other factor, "
                             f"{significant(narrower, 2)}, is narrower numbers.")  # fmt: skip
            else:
                parts.append(_as_wide(row[4], old, new))
        parts.append(f"Memory bandwidth grew {_times(one.memory_bandwidth / before.memory_bandwidth)}.")
    if _doubtful(one, row[4]):
        parts.append(f"Low confidence: {doubt(specs.accelerator(one.chip))}.")
    return " ".join(parts)


def _as_wide(name, old, new):
    """That nothing was narrowed; and of a format below 16 bits, what those grew by meanwhile."""
    same = "The narrowest format is as wide as before: all of it is hardware"
    if min(new) >= 16:
        return f"{same}."
    return f"{same}, but for {name} alone; at 16 bits it grew {_times(new[16] / old[16])}."
