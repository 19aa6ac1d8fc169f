"""Measured roofline of a processor: additions and matrix products below their roofs."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING

from ...units import show
from .. import style, typesetting
from ..chart import Chart
from ..heading import heading, opening
from ..palette import GREY, HAIRLINE, INK, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Point, Text

if TYPE_CHECKING:
    from ... import measure

HEIGHT = {style.WIDTH: 400, style.NARROW: 440}  # px
LEAST, MOST = -2, 3  # decades of FLOP/byte shown, more where a product lies beyond
# px: left, bottom, right, top
BOX = {style.WIDTH: (58, 112, style.WIDTH - 34, 308), style.NARROW: (58, 146, style.NARROW - 20, 320)}
NAMES = {"add": "adds", "copy": "copies", "triad2pass": "triads in two passes"}
LINE = 17  # px of a line below the axis


@two_widths
def cpu_roofline(run: measure.CpuRoofline, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw what was measured of a processor: adds over working sets, and products of square matrices.

    Parameters
    ----------
    run : measure.CpuRoofline
        Measured here or recorded.
    subtitle : str
        Name of the processor, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title says from which intensity on the processor is worth its peak.

    Raises
    ------
    TypeError
        For something else than a run.

    Examples
    --------
    >>> from chip2cluster.measure import recorded_roofline
    >>> cpu_roofline(recorded_roofline("cpu roofline, quiet")).title
    '45 GFLOP/s over 24 GB/s: worth its peak from 1.9 FLOP/byte'
    """
    from ...measure import CpuRoofline

    if not isinstance(run, CpuRoofline):
        raise TypeError(f"run must be a measure.CpuRoofline, got {run!r}")
    peak, memory, cache = run.peak_flops, run.memory_bandwidth, float(run.bandwidth.max())
    # A copy has no arithmetic and no place on a logarithmic axis; its bandwidth is the roof.
    adds = [(run.add_intensity, rate * run.add_intensity) for rate in run.bandwidth.tolist() if run.add_intensity]
    products = list(zip(run.gemm_intensity.tolist(), run.gemm_flops.tolist(), strict=True))
    low = floor(log10(min(rate for _, rate in adds + products)) - 0.1)
    high = max(ceil(log10(peak) + 0.1), low + 1)
    most = max(MOST, ceil(log10(max(intensity for intensity, _ in products))), ceil(log10(peak / memory)))
    chart = Chart(*BOX[width], most - LEAST, high - low)

    def place(intensity, rate):
        return max(log10(intensity), LEAST) - LEAST, max(log10(rate), low) - low

    def roof(bandwidth, color, width):
        first = max(10.0**LEAST, 10.0**low / bandwidth)
        points = [(first, bandwidth * first), (peak / bandwidth, peak), (10.0**most, peak)]
        return chart.line([place(*point) for point in points], color, width)

    title = (
        f"{show(peak, 'FLOP/s', 2)} over {show(memory, 'B/s', 2)}: worth its peak from {peak / memory:.2g} FLOP/byte"
    )
    sizes = [int(size) for size in (run.gemm_sizes.min(), run.gemm_sizes.max())]
    names = (
        f"{NAMES[run.kernel]}: {show(memory, 'B/s', 2)} with the largest working set, {show(cache, 'B/s', 2)} with the best",
        f"products of {sizes[0]:,} to {sizes[1]:,} rows, {run.dtype}, {run.threads} thread{'s' * (run.threads > 1)}",
    )
    shapes = [
        *heading(title, subtitle, width, HEIGHT[width]),
        *_frame(chart, low, high, most, width),
        *([roof(cache, GREY, 1.2)] if cache > memory else []),
        roof(memory, INK, 2.2),
        *(Marker(*_pixel(chart, place(*point)), "s", KINDS[2]) for point in adds),
        *(Marker(*_pixel(chart, place(*point)), "D", KINDS[0]) for point in products),
        *_key(names, chart, width),
    ]
    told = f"{opening(title, subtitle)} {NAMES[run.kernel].capitalize()} move {show(memory, 'B/s', 2)} with the largest working set"
    told += f" and {show(cache, 'B/s', 2)} with the best; products reach from "
    told += f"{show(float(run.gemm_flops.min()), 'FLOP/s', 2)} to {show(peak, 'FLOP/s', 2)}."
    return of_shapes(shapes, title, told, width, HEIGHT[width])


def _pixel(chart: Chart, point: Point) -> Point:
    return chart.x(point[0]), chart.y(point[1])


def _key(names, chart, width):
    """What the two markers are, from below the axis down, each in as many lines as it needs."""
    left = chart.left if width == style.WIDTH else 14
    y = chart.bottom - (62 if width == style.WIDTH else 58)
    for name, shape, color in zip(names, "sD", (KINDS[2], KINDS[0]), strict=True):
        yield Marker(left, y, shape, color, size=9)
        for line in typesetting.lines(name, width - left - 20):
            yield Text(left + 12, y, line)
            y -= LINE
        y -= 5


def _frame(chart, low, high, most, width):
    """Decades, and the names of the axes."""
    for decade in range(low, high + 1):
        y = chart.y(decade - low)
        yield Line(((chart.left, y), (chart.right, y)), HAIRLINE if decade > low else GREY)
        yield Text(chart.left - 7, y, f"{10.0 ** (decade - 9):,g}", align="right", color=MUTED)
    wide = max(typesetting.text_size(f"{10.0**decade:,g}", style.TEXT)[0] for decade in range(LEAST, most + 1))
    every = 1 if (most - LEAST) * (wide + 8) < chart.right - chart.left else 2
    for decade in range(LEAST, most + 1):
        x = chart.x(decade - LEAST)
        yield Line(((x, chart.bottom), (x, chart.bottom - 4)), GREY)
        if (decade - LEAST) % every == 0:
            yield Text(x, chart.bottom - 14, f"{10.0**decade:,g}", align="center", color=MUTED)
    middle = (chart.left + chart.right) / 2
    yield Text(middle, chart.bottom - 33, "FLOP for each byte that is moved", align="center", color=MUTED)
    yield Text(8, chart.top + 18, "GFLOP/s", bold=True)
