"""Explorer of the comparison: every prediction beside its measurement, the worst first, with source and reason."""

from functools import cache
from typing import Any

from chip2cluster import draw, reality
from chip2cluster._validate import known
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

EVERY = "all"
AROUND, SHOWN = 3, 7  # rows of the short table before and behind the one that is followed, and all of them
KINDS = 10  # rows of the table of all kinds
FIRST, MORE = 20, 40  # places that the slider stops at: the worst, and as many of the others as fit


@cache
def _points(name):
    """The predictions that count, the worst first."""
    count = reality.errors(None if name == EVERY else name)["count"]
    return reality.worst(count, None if name == EVERY else name)


def _places(values):
    count = len(_points(values["kind"]))
    step = max(1, (count - FIRST) // MORE)
    return (*range(1, min(FIRST, count) + 1), *range(FIRST + step, count + 1, step))


def _kind(given):
    """The name of a kind that was called by it, or else by the short title that the reader sees."""
    kinds = reality.kinds()
    if given in (kind.name for kind in kinds):
        return given
    return next((kind.name for kind in kinds if given == kind.short), given)


def _named(name):
    return "all forecasts" if name == EVERY else reality.kind(name).short


class Reality(Explorer):
    """Follow one prediction of the course to its measurement, its source and the reason why it misses.

    Predicted against measured, all kinds or one, and the predictions one by one from the worst.

    Parameters
    ----------
    kind : str
        ``"all"`` forecasts, or a kind of `chip2cluster.reality` by its name or its short title.
    place : int
        Prediction to follow: 1 is the one that is farthest off.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.reality("mfu").table[0]["factor"] < 1.1
    True
    """

    title = "Predicted against measured"
    extent = Extent(letters=530, rows=10)
    controls = (
        Choice(
            name="kind", label="Kind", options=(EVERY, *(kind.name for kind in reality.kinds())), default=EVERY,
            text=_named, parse=_kind,
        ),
        Slider(name="place", label="Follow, from the worst", options=_places, default=1, prefer=(1,)),
    )  # fmt: skip
    strip = Strip("place", {"kind": ALL}, steps=tuple(range(1, 11)))

    def frame(self, values: dict[str, Any]) -> Frame:
        points = _points(values["kind"])
        point = points[values["place"] - 1]
        title = f"{point.kind.short.capitalize()}: {_off(point)}"
        words = _say(point, values["place"], len(points))
        picture = draw.parity(
            _marks(values["kind"]), values["place"] - 1, groups=_groups(), heads=("median", "band"),
            unit="" if values["kind"] == EVERY else point.kind.unit,
            title=title, subtitle=_what(point), description=f"{title}. {_describe(values['kind'])} {words}",
        )  # fmt: skip
        table = _kinds(point) if values["kind"] == EVERY else _rows(points, values["place"] - 1, point.kind)
        marks = _marks(values["kind"])
        offered = self._choices("place", values)
        handle = Handle("place", tuple((marks[one - 1].measured, marks[one - 1].predicted) for one in offered), "path")
        return Frame(picture, table, words, handles=(handle,))


@cache
def _marks(name):
    names = [kind.name for kind in reality.kinds()]
    return tuple(
        draw.Mark(names.index(one.kind.name), one.row.measured / one.kind.scale, one.predicted / one.kind.scale)
        for one in _points(name)
    )


@cache
def _groups():
    kinds = reality.kinds()
    families = list(dict.fromkeys(kind.family for kind in kinds))
    return tuple(
        draw.Group(
            kind.short,
            families.index(kind.family),
            (f"{reality.errors(kind.name)['median_factor']:.2f}", _band(kind)),
        )
        for kind in kinds
    )


def _band(kind):
    """Whether a kind of forecasts lies in its band; the books are no forecast."""
    return ("in" if kind.meets else "out") if kind.forecasts else "books"


def _what(point):
    """What was measured on what; once where both are the same."""
    return point.row.label if point.row.label == point.row.system else f"{point.row.system}: {point.row.label}"


def _off(point):
    """How far off a prediction is, in words.

    >>> from types import SimpleNamespace as One
    >>> _off(One(ratio=2.5, factor=2.5, way="high")), _off(One(ratio=0.98, factor=1 / 0.98, way="low"))
    ('2.5 times too high', '2.0 % too low')
    >>> _off(One(ratio=1.0001, factor=1.0001, way="high"))
    'as measured'
    """
    if point.factor >= 1.5:
        return f"{point.factor:.1f} times too {point.way}"
    off = 100 * abs(point.ratio - 1)
    return f"{off:.1f} % too {point.way}" if off >= 0.05 else "as measured"


def _amount(value, kind):
    number = value / kind.scale
    return significant(number) if number < 1000 else f"{number:,.0f}"


def _say(point, place, count):
    row, source = point.row, point.row.publication
    which = (
        f"The worst of {count:,} predictions"
        if place == 1
        else f"Of {count:,} predictions number {place:,} from the worst"
    )
    parts = [
        f"{which} is {_what(point)}. Measured: {_amount(row.measured, point.kind)} {point.kind.unit}; predicted: "
        f"{_amount(point.predicted, point.kind)}, {_off(point)}."
    ]
    if point.why and point.factor > 1.15:
        parts.append(point.why)
    parts.append(f"Source: {source.title}, {source.measured_by}, {source.date}.")
    return " ".join(parts)


@cache
def _describe(name):
    found = reality.errors(None if name == EVERY else name)
    return (
        f"{found['count']:,} predictions against measurements on logarithmic axes; half of them are within a factor of "
        f"{found['median_factor']:.2f}, {100 * found['share_within']:.0f} % within 1.5, nine in ten within "
        f"{found['nine_in_ten']:.2f}."
    )


def _forecasts():
    return [kind for kind in reality.kinds() if kind.forecasts]


@cache
def _summary():
    rows = []
    for kind in _forecasts():
        found = reality.errors(kind.name)
        rows.append(
            (kind.short, found["count"], found["median_factor"], kind.band.median_factor,
             known("constant", reality.constant(kind.name))["median_factor"], 100 * found["share_within"], 100 * kind.band.share,
             found["worst_factor"], _band(kind))
        )  # fmt: skip
    return tuple(rows)


def _kinds(point):
    columns = (
        Column("kind"),
        Column("forecasts", text="{:,}".format),
        Column("median factor", text="{:.2f}".format),
        Column("asked", text="{:.2f}".format),
        Column("a constant", text="{:.2f}".format),
        Column("within 1.5", "%", "{:.1f}".format),
        Column("asked", "%", "{:.0f}".format),
        Column("worst factor", text="{:.1f}".format),
        Column("band"),
    )
    rows, followed = _summary(), _forecasts().index(point.kind)
    first = max(0, min(followed - KINDS // 2, len(rows) - KINDS))  # all of them would push the sentence off the screen
    title = f"Forecasts that nothing was fitted to, {min(KINDS, len(rows))} of {len(rows)} kinds"
    return Table("", columns, rows[first : first + KINDS], marked=followed - first, note=title)


def _rows(points, chosen, kind):
    first = max(0, min(chosen - AROUND, len(points) - SHOWN))
    shown = points[first : first + SHOWN]
    amount = lambda value: _amount(kind.scale * value, kind)
    rows = tuple(
        (_what(point), first + at + 1, point.row.measured / kind.scale, point.predicted / kind.scale, point.factor)
        for at, point in enumerate(shown)
    )
    columns = (
        Column("what"),
        Column("place"),
        Column("measured", kind.unit, amount),
        Column("predicted", kind.unit, amount),
        Column("factor", text="{:.2f}".format),
    )
    return Table("", columns, rows, marked=chosen - first, note=kind.quantity.capitalize())
