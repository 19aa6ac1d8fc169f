"""The roofline picture: roofs of one or two devices and operations that sit on them.

Drawn in two layers. The back (axes, roofs, ridge) depends on the devices alone and
is kept; the front (operations, their labels, the title) is drawn for every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ... import roofline as model
from ...units import show, significant
from .. import labels, style, typesetting
from ..heading import heading
from ..picture import Picture, inner_svg, layered, two_widths
from ..shapes import Line, Marker, Text

if TYPE_CHECKING:
    from ..._typing import FloatOrArray

# px: left, bottom, right and top of the axes in a picture of each width.
AXES = {style.WIDTH: (56, 46, 588, 336), style.NARROW: (48, 46, 330, 342)}
INTENSITIES = (0.1, 3e5)  # FLOP/byte; at least this much is always shown,
RATES = (1e11, 3e15)  # FLOP/s; so that devices can be compared by eye
SOLID, POINT, FAINT = 6.0, 60.0, 20.0  # how bad it is to cover a pixel of a label, a dot of a roof, of a thin line


@dataclass(frozen=True)
class Roof:
    """A device in one precision: dense peak in FLOP/s, memory bandwidth in bytes/s.

    ``cache`` marks a second roof whose slope is that of a cache: an operation stands on
    it at its `Operation.cache_intensity`, or not at all.
    """

    name: str
    peak_flops: float
    memory_bandwidth: float
    cache: bool = False

    @property
    def ridge(self) -> float:
        """Ridge point of the roof, FLOP/byte."""
        return model.ridge_point(self.peak_flops, self.memory_bandwidth)

    def rate(self, intensity: FloatOrArray) -> FloatOrArray:
        """Return the attainable rate at an arithmetic intensity, FLOP/s."""
        return model.attainable(intensity, self.peak_flops, self.memory_bandwidth)


@dataclass(frozen=True)
class Operation:
    """A point on the roof.

    ``moved`` marks the one that the reader moves; ``start`` is the intensity at which its path begins,
    ``cache_intensity`` the intensity against a cache. With ``flops`` and ``floor_seconds``, the shortest time of a kernel, it
    is below the roof if it is too small to reach it.
    """

    name: str
    intensity: float
    moved: bool = False
    start: float | None = None
    cache_intensity: float | None = None
    flops: float | None = None
    floor_seconds: float = 0.0

    def rate(self, roof: Roof) -> float | None:
        """Return its attainable rate on a roof, FLOP/s; None where it does not stand."""
        intensity = self.on(roof)
        if intensity is None:
            return None
        rate: float = model.attainable(
            intensity, roof.peak_flops, roof.memory_bandwidth, flops=self.flops, floor_seconds=self.floor_seconds
        )
        return rate

    def on(self, roof: Roof) -> float | None:
        """Intensity at which it stands on a roof, None where it does not."""
        return self.cache_intensity if roof.cache else self.intensity


@two_widths
def roofline(
    roofs: Sequence[Roof],
    operations: Sequence[Operation],
    *,
    title: str = "",
    subtitle: str = "",
    unit: str = "FLOP",
    width: int = style.WIDTH,
) -> Picture:
    """Draw operations on the roofs of one or two devices.

    Parameters
    ----------
    roofs : sequence of Roof
        The first is the one that title and labels speak of.
    operations : sequence of Operation
        Up to six operations.
    title : str
        The finding. Left out, it is where the moved operation stands, or the first.
    subtitle : str
        Subject of the title, a few words.
    unit : {"FLOP", "OP"}
        "OP" for whole-number precisions.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no or more than two roofs, no operation, or more than six.
    """
    roofs, operations = tuple(roofs), tuple(operations)
    if not 1 <= len(roofs) <= 2:
        raise ValueError(f"a roofline picture shows one or two roofs, got {len(roofs)}")
    if not 1 <= len(operations) <= len(style.MARKERS):
        raise ValueError(f"a roofline picture shows one to six operations, got {len(operations)}")
    back = _back(roofs, _limits(roofs, operations), unit, width)
    subject = next((operation for operation in operations if operation.moved), operations[0])
    title = title or finding(roofs[0], subject.intensity, unit)
    description = _describe(roofs, operations, title, unit)

    front = _front(back, roofs, operations, title, subtitle)

    def figure():
        whole = _draw_back(roofs, back.limits, unit, width)[0]
        for shape in front:
            shape.join(whole)
        return whole

    return layered(back.svg, front, title, description, width, figure=figure)


def finding(roof: Roof, intensity: float, unit: str = "FLOP") -> str:
    """State where an operation stands: ``"Memory-bound: 2.0 of 312 TFLOP/s"``.

    >>> finding(Roof("A100", 312e12, 2.0e12), 1.0), finding(Roof("A100", 312e12, 2.0e12), 500.0)
    ('Memory-bound: 2.0 of 312 TFLOP/s', 'Compute-bound: all of 312 TFLOP/s')
    """
    if model.is_compute_bound(intensity, roof.peak_flops, roof.memory_bandwidth):
        return f"Compute-bound: all of {tera(roof.peak_flops)} T{unit}/s"
    rate, digits = roof.rate(intensity), 2
    while tera(rate, digits) == tera(roof.peak_flops, max(digits, 3)) and digits < 8:
        digits += 1
    return f"Memory-bound: {tera(rate, digits)} of {tera(roof.peak_flops, max(digits, 3))} T{unit}/s"


def tera(value: float, digits: int = 3) -> str:
    """A rate in units of 10**12, with thousands separators.

    >>> tera(4.5e15), tera(312e12), tera(2.039e12, 2)
    ('4,500', '312', '2.0')
    """
    text = significant(value / 1e12, digits)
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}"


@dataclass(frozen=True)
class _Back:
    svg: str
    limits: tuple
    taken: np.ndarray  # what front labels keep clear of
    width: int

    @property
    def axes(self):
        return AXES[self.width]

    def pixel(self, intensity: FloatOrArray, rate: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
        """Data to pixels from the lower left corner."""
        (x0, x1), (y0, y1) = self.limits
        left, bottom, right, top = self.axes
        x = left + (right - left) * np.log(intensity / x0) / np.log(x1 / x0)
        y = bottom + (top - bottom) * np.log(rate / y0) / np.log(y1 / y0)
        return x, y


def _limits(roofs, operations):
    """Fixed limits, wider by whole steps only where something would fall outside."""
    intensities = [roof.ridge for roof in roofs] + [operation.intensity for operation in operations]
    intensities += [operation.start for operation in operations if operation.start]
    x0 = min(INTENSITIES[0], 10.0 ** floor(log10(min(intensities) / 1.5)))
    x1 = max(INTENSITIES[1], 3 * 10.0 ** ceil(log10(max(intensities) / 1.5)))
    rates = [roof.rate(intensity) for roof in roofs for intensity in intensities]
    rates += [rate for roof in roofs for operation in operations if (rate := operation.rate(roof)) is not None]
    y0 = min(RATES[0], 10.0 ** floor(log10(min(rates))))
    y1 = max(RATES[1], 3 * 10.0 ** ceil(log10(max(roof.peak_flops for roof in roofs) / 1.5)))
    return (x0, x1), (y0, y1)


@lru_cache(maxsize=128)
def _back(roofs, limits, unit, width):
    with style.applied():
        figure, taken = _draw_back(roofs, limits, unit, width)
        return _Back(inner_svg(figure), limits, taken, width)


def _draw_back(roofs, limits, unit, width):
    (x0, x1), (y0, _) = limits
    figure, first, place = style.figure(width), roofs[0], _Back("", limits, np.empty((0, 5)), width)
    axes = style.axes(figure, place.axes)
    right_end, high_end = place.axes[2:]
    axes.set(xscale="log", yscale="log", xlim=limits[0], ylim=limits[1], xlabel=f"Arithmetic intensity, {unit}/byte")
    for axis, scale in ((axes.xaxis, 1.0), (axes.yaxis, 1e12)):
        low, high = axis.get_view_interval()
        decades = 10.0 ** np.arange(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)
        axis.set(major_locator=FixedLocator(decades.tolist()), minor_locator=NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _, scale=scale: f"{value / scale:,.6g}"))
    if width == style.NARROW:  # every decade has its tick, every other one its number
        odd = FuncFormatter(lambda value, _: f"{value:,.6g}" if round(log10(value)) % 2 else "")
        axes.xaxis.set_major_formatter(odd)
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.text(8, high_end + 12, f"Attainable, T{unit}/s", color=style.MUTED, transform=style.pixels(figure))

    # Tint the two regions of the first roof and name them.
    left, right = np.array([x0, min(max(first.ridge, x0), x1)]), np.array([min(max(first.ridge, x0), x1), x1])
    axes.fill_between(left, y0, first.rate(left), color=style.BLUE, alpha=0.10, linewidth=0)
    axes.fill_between(right, y0, first.rate(right), color=style.ORANGE, alpha=0.12, linewidth=0)

    taken = [np.array([[8, high_end + 6, 140, high_end + 28, SOLID]])]
    for number, roof in enumerate(roofs):
        corner = min(max(roof.ridge, x0), x1)
        line = np.array([x0, corner, x1])
        color, dash = (style.INK, "solid") if number == 0 else (style.MUTED, style.DASHES[1])
        axes.plot(line, roof.rate(line), color=color, linestyle=dash, zorder=3)
        axes.plot(
            [corner, corner], [y0, roof.peak_flops], color=color, linewidth=1.2, linestyle=style.DASHES[2], zorder=2
        )
        pixels = np.stack(place.pixel(line, roof.rate(line)), axis=1)
        foot = np.array([[pixels[1, 0], place.axes[1]], pixels[1]])
        taken += [labels.along(_inside(pixels, place.axes), POINT), labels.along(foot, FAINT)]
    for roof, over in zip(roofs, _upper(roofs, "peak_flops"), strict=True):
        if roof.cache:  # it has the peak of its chip
            continue
        y, peak = place.pixel(1.0, roof.peak_flops)[1], f"{tera(roof.peak_flops)} T{unit}/s"
        if over:
            text = peak if len(roofs) == 1 or roofs[-1].cache else f"{roof.name}: {peak}"
            taken.append(_write(axes, right_end, y + 7, text, "right", "bottom"))
        else:
            taken += [
                _write(axes, right_end, y - below, text, "right", "top") for below, text in ((6, roof.name), (21, peak))
            ]
    for roof, over in zip(roofs, _upper(roofs, "memory_bandwidth"), strict=True):
        taken.append(_write_slope(axes, place, roof, over))
    _write_ridges(axes, place, roofs, unit, taken)
    return figure, np.vstack(taken)


def _upper(roofs, quantity):
    """For each roof, whether its label goes above its line: the higher of two does."""
    values = [getattr(roof, quantity) for roof in roofs]
    return [True] if len(roofs) == 1 else [values[0] >= values[1], values[1] > values[0]]


def _write(axes, x, y, text, ha, va, color=style.INK, **more):
    """Write at a pixel; return the box taken."""
    axes.text(x, y, text, ha=ha, va=va, color=color, transform=style.pixels(axes.figure), zorder=5, **more)
    width, height = typesetting.text_size(text, style.TEXT)
    x0 = {"left": x, "center": x - width / 2, "right": x - width}[ha]
    y0 = {"bottom": y, "center": y - height / 2, "top": y - height}[va]
    return np.array([[x0, y0, x0 + width, y0 + height, SOLID]])


def _write_slope(axes, place, roof, over):
    """Write the bandwidth along the memory roof, near its visible start."""
    text = f"{roof.name}, {show(roof.memory_bandwidth, 'B/s')}" if roof.cache else show(roof.memory_bandwidth, "B/s")
    start = max(place.limits[0][0], place.limits[1][0] / roof.memory_bandwidth)
    stop = min(max(roof.ridge, start * 1.01), place.limits[0][1])
    x0, y0 = place.pixel(start, roof.rate(start))
    x1, y1 = place.pixel(stop, roof.rate(stop))
    direction = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
    normal = np.array([-direction[1], direction[0]]) * (11 if over else -11)
    width = typesetting.text_size(text, style.TEXT)[0]
    if place.width == style.NARROW and np.hypot(x1 - x0, y1 - y0) < width + 40:  # left to the table
        return np.empty((0, 5))
    middle = np.array([x0, y0]) + direction * (width / 2 + (18 if over else 22)) + normal
    angle = np.degrees(np.arctan2(direction[1], direction[0]))
    where = {"ha": "center", "va": "center", "transform": style.pixels(axes.figure), "zorder": 5}
    axes.text(*middle, text, rotation=angle, rotation_mode="anchor", **where)
    ends = np.array([middle - direction * width / 2, middle + direction * width / 2])
    return np.vstack([labels.along(ends + normal * shift, 200.0, 4.0) for shift in (-0.4, 0, 0.4)])


def _write_ridges(axes, place, roofs, unit, taken):
    """Name the ridge of each device, and the two regions of the first at the foot of its line."""
    foot = [place.pixel(min(max(roof.ridge, place.limits[0][0]), place.limits[0][1]), 1e12)[0] for roof in roofs]
    for side, text in (("right", "memory-bound"), ("left", "compute-bound")):
        # A second ridge that would run through the word pushes it to its far side.
        width, away = typesetting.text_size(text, style.TEXT)[0] + 12, -1 if side == "right" else 1
        near = [x for x in foot if 0 <= away * (x - foot[0]) < width]
        _write_free(axes, place, away * max(away * x for x in near), (8,), text, (side,), taken, color=style.MUTED)
    for roof, x in sorted(zip(roofs, foot, strict=True), key=lambda pair: pair[1]):
        sides = ("right", "left") if len(roofs) == 2 and x == min(foot) else ("left", "right")
        _write_free(axes, place, x, range(28, 200, 18), f"ridge {significant(roof.ridge)} {unit}/byte", sides, taken)


def _write_free(axes, place, x, heights, text, sides, taken, **look):
    """Write beside a vertical line, at the first height and side where nothing is covered."""
    width, height = typesetting.text_size(text, style.TEXT)
    left, bottom, right, _ = place.axes
    for y, side in product(heights, sides):
        x0 = x + 6 if side == "left" else x - 6 - width
        low, high = np.array([x0 - 3, bottom + y - 1]), np.array([x0 + width + 3, bottom + y + height])
        solid = np.vstack(taken)
        solid = solid[solid[:, 4] != FAINT]
        hit = (solid[:, :2] < high).all(axis=1) & (solid[:, 2:4] > low).all(axis=1)
        if low[0] > left and high[0] < right and not hit.any():
            taken.append(_write(axes, x + 6 if side == "left" else x - 6, bottom + y, text, side, "bottom", **look))
            return


def _inside(pixels, axes):
    return np.clip(pixels, axes[:2], axes[2:])


def _front(back, roofs, operations, title, subtitle):
    """Everything that follows the controls, as shapes from back to front."""
    drawn = heading(title, subtitle, back.width)
    others = iter(zip(style.PALETTE, style.MARKERS, strict=True))
    looks = [(style.ACCENT, "o") if operation.moved else next(others) for operation in operations]
    points = [back.pixel(operation.intensity, operation.rate(roofs[0])) for operation in operations]
    # What the reader moves comes last, on top of the others, and is labelled first.
    order = sorted(range(len(operations)), key=lambda index: operations[index].moved)
    for index in order:
        start, stop = operations[index].start, operations[index].intensity
        if start and start != stop:
            corner = min(max(roofs[0].ridge, min(start, stop)), max(start, stop))
            path = tuple(back.pixel(x, roofs[0].rate(x)) for x in (start, corner, stop))
            drawn.append(Line(path, looks[index][0], width=7, alpha=0.3))
    dots, inner = list(points), []
    for index in order:
        color, shape = looks[index]
        for roof in roofs[1:]:
            if (intensity := operations[index].on(roof)) is None:
                continue
            place = x, y = back.pixel(intensity, operations[index].rate(roof))
            drawn.append(Marker(x, y, shape, face=style.PAPER, edge=color, size=8))
            dots.append(place)
            if roof.cache:
                inner.append((f"{operations[index].name}, per {roof.name.split()[0]}", place, color))
    drawn += [
        Marker(
            points[index][0],
            points[index][1],
            looks[index][1],
            looks[index][0],
            size=13 if operations[index].moved else 10,
        )
        for index in order
    ]
    taken = np.vstack([back.taken, [[x - 7, y - 7, x + 7, y + 7, SOLID] for x, y in dots]])
    named = [
        (operations[index].name, points[index], looks[index][0], operations[index].moved) for index in reversed(order)
    ]
    for name, point, color, moved in [*named, *((*one, False) for one in inner)]:
        size = typesetting.text_size(name, style.TEXT, "bold" if moved else "normal")
        box, leader = labels.place(point, size, taken, back.axes)
        taken = np.vstack([taken, [[*box, SOLID]]])
        if leader:
            drawn.append(Line(leader, color))
            taken = np.vstack([taken, labels.along(leader, POINT)])
        ink = style.ACCENT if moved else style.INK
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        drawn.append(Text(x, y, name, color=ink, align="center", bold=moved))
    return drawn


def _describe(roofs, operations, title, unit):
    lines = [
        f"{roof.name}: the roof rises with {show(roof.memory_bandwidth, 'B/s')} to {tera(roof.peak_flops)} T{unit}/s; "
        f"ridge at {significant(roof.ridge)} {unit}/byte."
        for roof in roofs
    ]
    for operation in operations:
        bound = model.is_compute_bound(operation.intensity, roofs[0].peak_flops, roofs[0].memory_bandwidth)
        lines.append(
            f"{operation.name}: {significant(operation.intensity)} {unit}/byte, "
            f"{tera(operation.rate(roofs[0]))} T{unit}/s, {_bound(operation, roofs[0], bound)}."
        )
    for roof in roofs[1:]:
        lines += [
            f"{operation.name} against {roof.name}: {significant(operation.cache_intensity)} {unit}/byte, at most "
            f"{tera(roof.rate(operation.cache_intensity))} T{unit}/s."
            for operation in operations
            if roof.cache and operation.cache_intensity is not None
        ]
    return " ".join([title + ".", *lines])


def _bound(operation, roof, compute):
    """What holds an operation: a roof, or the shortest time of a kernel."""
    if operation.floor_seconds and operation.rate(roof) < roof.rate(operation.intensity):
        return "below the roof: too short a kernel"
    return "compute-bound" if compute else "memory-bound"
