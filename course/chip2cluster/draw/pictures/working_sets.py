"""Measured bandwidth of a processor against the working set, with the caches as steps, and the roof of one of them.

Drawn with shapes alone, so a frame takes a few ms.
"""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING

from ...units import show, significant
from .. import style, typesetting
from ..format import binary
from ..heading import heading, opening
from ..palette import BLUE, FAINT, GREY, HAIRLINE, HAND, INK, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Point, Shape, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import measure

HEIGHTS = {style.WIDTH: 480, style.NARROW: 560}  # px
EDGES = {style.WIDTH: (60, 574), style.NARROW: (56, 326)}  # px: left and right
STEPS = {style.WIDTH: (320, 396), style.NARROW: (372, 444)}  # px: floor and top of the bandwidths
ROOFS = {style.WIDTH: (80, 256), style.NARROW: (106, 304)}  # px: of the roofline
LEAST, MOST = -2, 3  # decades of FLOP/byte shown, more where a product lies beyond
ROW = 18  # px of the key


@two_widths
def working_sets(
    run: measure.CpuRoofline,
    chosen: int,
    intensity: float,
    reached: float,
    *,
    title: str,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw what adds reached in each working set, and below it the roof of the one that is chosen.

    Parameters
    ----------
    run : measure.CpuRoofline
        Measured here or recorded, with rising working sets.
    chosen : int
        Number of a working set, from 0.
    intensity, reached : float
        FLOP/byte of a kernel and its FLOP/s below that roof.
    title, subtitle : str
        The finding, and what it is about.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For a working set that is not there, and an intensity or rate that is not above zero.
    """
    sets = run.working_set_bytes.tolist()
    if not 0 <= chosen < len(sets):
        raise ValueError(f"chosen must be the number of one of {len(sets)} working sets, from 0, got {chosen!r}")
    if not (intensity > 0 and reached > 0):
        raise ValueError(f"intensity and reached must be above zero, got {intensity!r} and {reached!r}")
    rates = run.bandwidth.tolist()
    shapes = [
        *heading(title, subtitle, width, HEIGHTS[width]),
        *_steps(sets, rates, chosen, width),
        *_Roofs(run, intensity, reached, width).draw(chosen),
    ]
    told = "; ".join(f"{binary(size)} {show(rate, 'B/s', 2)}" for size, rate in zip(sets, rates, strict=True))
    left, right = EDGES[width]

    def place(number, _=None):
        return left + (right - left) / len(sets) * (number + 0.5), STEPS[width][0] + 14

    return of_shapes(shapes, title, f"{opening(title, subtitle)} Adds: {told}.", width, HEIGHTS[width], place)


def _steps(sets, rates, chosen, width):
    """A column for each working set, as wide as the sizes that it stands for."""
    (left, right), (floor_, top) = EDGES[width], STEPS[width]
    yield Text(8, top + 17, "GB/s of adds, by working set", bold=True)
    yield Line(((left, floor_), (right, floor_)), GREY)
    pitch = (right - left) / len(sets)
    names, values = [_short(size) for size in sets], [significant(rate / 1e9, 2) for rate in rates]
    named, valued = (_with_room(words, chosen, pitch) for words in (names, values))
    for place, rate in enumerate(rates):
        x, height = left + pitch * (place + 0.5), (top - 16 - floor_) * rate / max(rates)
        bar = Bar(x - 0.42 * pitch, floor_, 0.84 * pitch, max(height, 1), HAND if place == chosen else BLUE)
        parts: list[Shape] = [bar]
        if place in valued:
            parts.append(Text(x, floor_ + height + 9, values[place], align="center", bold=place == chosen))
        if place in named:
            half = typesetting.text_size(names[place], style.TEXT)[0] / 2 + 4
            at = min(max(x, half), width - half)
            look = INK if place == chosen else MUTED
            parts.append(Text(at, floor_ - 13, names[place], align="center", color=look))
        yield RowMark(binary(sets[place]), tuple(parts))


def _with_room(words, chosen, pitch):
    """Which columns have their word: all where these fit, else the one that is chosen, and the ends that are far from it."""
    widest = max(typesetting.text_size(word, style.TEXT, "bold")[0] for word in words) + 6
    last = len(words) - 1
    ends = {end for end in (0, last) if abs(end - chosen) * pitch >= 1.5 * widest}
    return range(len(words)) if widest < pitch else {chosen, *(ends if last * pitch >= 1.5 * widest else ())}


def _short(size):
    number, _, unit = binary(size).partition(" ")
    return f"{float(number):.3g} {unit.replace('bytes', 'B')}"


class _Roofs:
    """The lower panel: both axes in powers of ten."""

    def __init__(self, run, intensity, reached, width):
        self.run, self.kernel, self.width = run, (intensity, reached), width
        (self.left, self.right), (self.bottom, self.top) = EDGES[width], ROOFS[width]
        adds = run.add_intensity * run.bandwidth
        self.low = floor(log10(min(float(adds.min()), float(run.gemm_flops.min()), reached)) - 0.05)
        self.high = max(ceil(log10(run.peak_flops) + 0.1), self.low + 1)
        self.most = max(
            MOST, ceil(log10(max(float(run.gemm_intensity.max()), run.peak_flops / float(run.bandwidth.min()))))
        )

    def at(self, intensity: float, rate: float) -> Point:
        x = (min(max(log10(intensity), LEAST), self.most) - LEAST) / (self.most - LEAST)
        y = (min(max(log10(rate), self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + (self.right - self.left) * x, self.bottom + (self.top - self.bottom) * y

    def roof(self, bandwidth, color, wide):
        first = max(10.0**LEAST, 10.0**self.low / bandwidth)
        peak = self.run.peak_flops
        corners = (first, bandwidth * first), (peak / bandwidth, peak), (10.0**self.most, peak)
        return Line(tuple(self.at(*corner) for corner in corners), color, wide)

    def draw(self, chosen):
        run = self.run
        yield from self.frame()
        sets = [binary(size) for size in run.working_set_bytes.tolist()]
        for name, rate in zip(sets, run.bandwidth.tolist(), strict=True):
            yield RowMark(name, (self.roof(rate, FAINT, 1.2),))
        yield RowMark(sets[chosen], (self.roof(float(run.bandwidth[chosen]), HAND, 2.2),))
        for intensity, rate in zip(run.gemm_intensity.tolist(), run.gemm_flops.tolist(), strict=True):
            yield Marker(*self.at(intensity, rate), "D", KINDS[0], size=9)
        for name, rate in zip(sets, run.bandwidth.tolist(), strict=True):
            square = Marker(*self.at(run.add_intensity, rate * run.add_intensity), "s", BLUE, size=9)
            yield RowMark(name, (square,))
        x, y = self.at(*self.kernel)
        yield Line(((x, self.bottom), (x, y)), INK, 1.2, dash=(4, 4))
        yield Marker(x, y, "o", INK, size=12)
        yield from self.key()

    def key(self):
        names = (
            ("s", BLUE, "adds, one for each working set"),
            ("D", KINDS[0], "matrix products"),
            ("o", INK, "your kernel"),
        )
        left = 8
        for (shape, color, name), (x, row) in zip(
            names, typesetting.flow([name for *_, name in names], left, self.width - 8), strict=True
        ):
            y = self.bottom - 58 - ROW * row
            yield Marker(x + 6, y, shape, color, size=9)
            yield Text(x + 20, y, name)

    def frame(self):
        yield Text(8, self.top + 16, "GFLOP/s below the roof of that set", bold=True)
        for decade in range(self.low, self.high + 1):
            _, y = self.at(1, 10.0**decade)
            yield Line(((self.left, y), (self.right, y)), HAIRLINE if decade > self.low else GREY)
            yield Text(self.left - 7, y, f"{10.0 ** (decade - 9):,g}", align="right", color=MUTED)
        every = 1 if self.width == style.WIDTH else 2
        for decade in range(LEAST, self.most + 1, every):
            x, _ = self.at(10.0**decade, 10.0**self.low)
            yield Line(((x, self.bottom), (x, self.bottom - 4)), GREY)
            yield Text(x, self.bottom - 14, f"{10.0**decade:,g}", align="center", color=MUTED)
        middle = (self.left + self.right) / 2
        yield Text(middle, self.bottom - 33, "FLOP for each byte that is moved", align="center", color=MUTED)
