"""Axes of the roofline picture: the roofs of one or two devices, their ridges and labels.

They depend on the devices alone, so matplotlib draws them once and they are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import roofline as model
from ..units import show, significant
from . import labels, style, typesetting
from .format import tera
from .palette import COMPUTE_BOUND, MEMORY_BOUND
from .picture import inner_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """Drawn axes as SVG, with their limits and the pixels that other labels avoid."""

    svg: str
    limits: Limits
    taken: np.ndarray  # boxes with the cost of covering them, for labels drawn later
    width: int

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
    """Draw the axes once for each set of devices."""
    with style.applied():
        figure, taken = draw_axes(roofs, limits, unit, width)
        return RooflineAxes(inner_svg(figure), limits, taken, width)


def draw_axes(roofs: tuple[Roof, ...], limits: Limits, unit: str, width: int) -> tuple[Figure, np.ndarray]:
    """Draw axes, roofs and ridges with matplotlib; return the figure and the boxes of its labels."""
    (x0, x1), (y0, _) = limits
    figure, first, place = style.figure(width), roofs[0], RooflineAxes("", limits, np.empty((0, 5)), width)
    axes = style.axes(figure, place.box)
    right_end, high_end = place.box[2:]
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
    axes.fill_between(left, y0, first.rate(left), color=MEMORY_BOUND, alpha=0.10, linewidth=0)
    axes.fill_between(right, y0, first.rate(right), color=COMPUTE_BOUND, alpha=0.12, linewidth=0)

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
        foot = np.array([[pixels[1, 0], place.box[1]], pixels[1]])
        taken += [labels.along(np.clip(pixels, place.box[:2], place.box[2:]), POINT), labels.along(foot, FAINT)]
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
    left, bottom, right, _ = place.box
    for y, side in product(heights, sides):
        x0 = x + 6 if side == "left" else x - 6 - width
        low, high = np.array([x0 - 3, bottom + y - 1]), np.array([x0 + width + 3, bottom + y + height])
        solid = np.vstack(taken)
        solid = solid[solid[:, 4] != FAINT]
        hit = (solid[:, :2] < high).all(axis=1) & (solid[:, 2:4] > low).all(axis=1)
        if low[0] > left and high[0] < right and not hit.any():
            taken.append(_write(axes, x + 6 if side == "left" else x - 6, bottom + y, text, side, "bottom", **look))
            return
