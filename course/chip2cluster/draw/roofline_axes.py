"""Axes of the roofline picture: the roofs of one or two devices, their ridges and labels.

They depend on the devices alone, so they are made once and kept. They are shapes, because matplotlib takes a tenth of a
second for them, and a reader who goes through the list of devices waits for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np

from .. import roofline as model
from ..units import show, significant
from . import labels, style, typesetting
from .format import tera
from .palette import COMPUTE_BOUND, MEMORY_BOUND
from .shapes import Area, Line, Shape, Text, Turned

if TYPE_CHECKING:
    from .._typing import FloatOrArray

# px: left, bottom, right and top of the axes in a picture of each width.
AXES = {style.WIDTH: (56, 46, 588, 336), style.NARROW: (48, 46, 330, 342)}
# Cost of covering a pixel of a label, a dot of a roof, a dot of a thin line.
SOLID, POINT, FAINT = 6.0, 60.0, 20.0
Limits = tuple[tuple[float, float], tuple[float, float]]  # FLOP/byte, FLOP/s


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
class RooflineAxes:
    """Axes as shapes, with their limits and the pixels that other labels avoid."""

    shapes: tuple[Shape, ...]
    limits: Limits
    taken: np.ndarray  # boxes with the cost of covering them, for labels drawn later
    width: int

    @cached_property
    def svg(self) -> str:
        """The axes as SVG."""
        return "".join(shape.svg(style.HEIGHTS[self.width]) for shape in self.shapes)

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, bottom, right and top of the axes, px."""
        return AXES[self.width]

    def pixel(self, intensity: FloatOrArray, rate: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
        """Data to pixels from the lower left corner."""
        (x0, x1), (y0, y1) = self.limits
        left, bottom, right, top = self.box
        x = left + (right - left) * np.log(intensity / x0) / np.log(x1 / x0)
        y = bottom + (top - bottom) * np.log(rate / y0) / np.log(y1 / y0)
        return x, y


@lru_cache(maxsize=128)
def roofline_axes(roofs: tuple[Roof, ...], limits: Limits, unit: str, width: int) -> RooflineAxes:
    """Return axes, roofs and ridges with the boxes of their labels; they are made once for each set of devices."""
    place = RooflineAxes((), limits, np.empty((0, 5)), width)
    shapes: list[Shape] = [*_tinted(place, roofs[0]), *_grid(place, unit)]
    taken = [np.array([[8, place.box[3] + 6, 140, place.box[3] + 28, SOLID]])]
    for number, roof in enumerate(roofs):
        shapes += _roof(place, roof, number, taken)
    right_end = place.box[2]
    for roof, over in zip(roofs, _upper(roofs, "peak_flops"), strict=True):
        if roof.cache:  # it has the peak of its chip
            continue
        y, peak = place.pixel(1.0, roof.peak_flops)[1], f"{tera(roof.peak_flops)} T{unit}/s"
        if over:
            text = peak if len(roofs) == 1 or roofs[-1].cache else f"{roof.name}: {peak}"
            shapes.append(_write(right_end, y + 7, text, "right", 0.5, taken))
        else:
            shapes += [
                _write(right_end, y - below, text, "right", -0.5, taken) for below, text in ((6, roof.name), (21, peak))
            ]
    for roof, over in zip(roofs, _upper(roofs, "memory_bandwidth"), strict=True):
        shapes += _write_slope(place, roof, over, taken)
    shapes += _write_ridges(place, roofs, unit, taken)
    return RooflineAxes(tuple(shapes), limits, np.vstack(taken), width)


def _decades(low, high):
    return 10.0 ** np.arange(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)


def _grid(place, unit):
    """Grid, axes and their ticks; in a narrow picture every other decade across has its number."""
    (left, bottom, right, top), (across, up) = place.box, place.limits
    for value in _decades(*across).tolist():
        x = float(place.pixel(value, up[0])[0])
        yield Line(((x, bottom), (x, top)), style.HAIRLINE)
        yield Line(((x, bottom), (x, bottom - 4)), style.GREY)
        if place.width != style.NARROW or round(log10(value)) % 2:
            yield Text(x, bottom - 12, f"{value:,.6g}", align="center")
    for value in _decades(*up).tolist():
        y = float(place.pixel(across[0], value)[1])
        yield Line(((left, y), (right, y)), style.HAIRLINE)
        yield Line(((left, y), (left - 4, y)), style.GREY)
        yield Text(left - 8, y, f"{value / 1e12:,.6g}", align="right")
    yield Line(((left, top), (left, bottom), (right, bottom)), style.GREY)
    yield Text((left + right) / 2, bottom - 30, f"Arithmetic intensity, {unit}/byte", align="center", color=style.MUTED)
    yield Text(8, top + 16, f"Attainable, T{unit}/s", color=style.MUTED)


def _corners(place, roof):
    """Where a roof enters the picture, its ridge and its end, FLOP/byte."""
    (x0, x1), (y0, _) = place.limits
    corner = min(max(roof.ridge, x0), x1)
    return min(max(x0, y0 / roof.memory_bandwidth), corner), corner, x1


def _tinted(place, roof):
    """The two regions under the first roof."""
    start, corner, end = _corners(place, roof)
    floor_ = place.limits[1][0]
    for low, high, color, alpha in ((start, corner, MEMORY_BOUND, 0.10), (corner, end, COMPUTE_BOUND, 0.12)):
        if low < high:
            edges = (low, floor_), (low, roof.rate(low)), (high, roof.rate(high)), (high, floor_)
            yield Area(tuple(_point(place, *edge) for edge in edges), color, alpha=alpha)


def _roof(place, roof, number, taken):
    start, corner, end = _corners(place, roof)
    pixels = [_point(place, x, roof.rate(x)) for x in (start, corner, end)]
    foot = (pixels[1][0], float(place.box[1]))
    box = place.box
    taken.append(labels.along(np.clip(np.array(pixels), box[:2], box[2:]), POINT))
    taken.append(labels.along(np.array([foot, pixels[1]]), FAINT))
    color, dash = (style.INK, None) if number == 0 else (style.MUTED, (11, 5.5))
    yield Line((foot, pixels[1]), color, 1.2, dash=(1.8, 2.2))
    yield Line(tuple(pixels), color, 2.2, dash=dash)


def _point(place, intensity, rate):
    x, y = place.pixel(intensity, rate)
    return float(x), float(y)


def _upper(roofs, quantity):
    """For each roof, whether its label goes above its line: the higher of two does."""
    values = [getattr(roof, quantity) for roof in roofs]
    return [True] if len(roofs) == 1 else [values[0] >= values[1], values[1] > values[0]]


def _write(x, y, text, align, up, taken, color=style.INK):
    """Text at a pixel, above it by ``up`` heights of a letter; the box that it takes is added."""
    width, height = typesetting.text_size(text, style.TEXT)
    x0, middle = {"left": x, "center": x - width / 2, "right": x - width}[align], y + up * height
    taken.append(np.array([[x0, middle - height / 2, x0 + width, middle + height / 2, SOLID]]))
    return Text(float(x), float(middle), text, align=align, color=color)


def _write_slope(place, roof, over, taken):
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
        return
    middle = np.array([x0, y0]) + direction * (width / 2 + (18 if over else 22)) + normal
    angle = np.degrees(np.arctan2(direction[1], direction[0]))
    ends = np.array([middle - direction * width / 2, middle + direction * width / 2])
    taken += [labels.along(ends + normal * shift, 200.0, 4.0) for shift in (-0.4, 0, 0.4)]
    yield Turned(float(middle[0]), float(middle[1]), text, degrees=float(angle))


def _write_ridges(place, roofs, unit, taken):
    """Name the ridge of each device, and the two regions of the first at the foot of its line."""
    foot = [place.pixel(min(max(roof.ridge, place.limits[0][0]), place.limits[0][1]), 1e12)[0] for roof in roofs]
    for side, text in (("right", "memory-bound"), ("left", "compute-bound")):
        # A second ridge that would run through the word pushes it to its far side.
        width, away = typesetting.text_size(text, style.TEXT)[0] + 12, -1 if side == "right" else 1
        near = [x for x in foot if 0 <= away * (x - foot[0]) < width]
        yield from _write_free(place, away * max(away * x for x in near), (8,), text, (side,), taken, style.MUTED)
    for roof, x in sorted(zip(roofs, foot, strict=True), key=lambda pair: pair[1]):
        sides = ("right", "left") if len(roofs) == 2 and x == min(foot) else ("left", "right")
        yield from _write_free(
            place, x, range(28, 200, 18), f"ridge {significant(roof.ridge)} {unit}/byte", sides, taken
        )


def _write_free(place, x, heights, text, sides, taken, color=style.INK):
    """Write beside a vertical line, at the first height and side where nothing is covered."""
    width, height = typesetting.text_size(text, style.TEXT)
    left, bottom, right, _ = place.box
    for y, side in product(heights, sides):
        x0 = x + 6 if side == "left" else x - 6 - width
        low, high = np.array([x0 - 3, bottom + y - 1]), np.array([x0 + width + 3, bottom + y + height])
        solid = np.vstack(taken)
        solid = solid[solid[:, 4] != FAINT]
        hit = (solid[:, :2] < high).all(axis=1) & (solid[:, 2:4] > low).all(axis=1)
        if low[0] > left and high[0] < right and not hit.any():
            yield _write(x + 6 if side == "left" else x - 6, bottom + y, text, side, 0.5, taken, color)
            return
