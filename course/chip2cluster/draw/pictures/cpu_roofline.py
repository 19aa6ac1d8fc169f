"""A processor's own roofline: measured adds and matrix products below the roofs that they make."""

from math import ceil, floor, log10

from ...units import show
from .. import style
from ..chart import Chart
from ..palette import BLUE, GREY, INK, MUTED, ORANGE
from ..picture import Picture, compose
from ..shapes import Line, Marker, Text

HEIGHT = 400  # px
LEAST, MOST = -2, 3  # decades of FLOP/byte shown, more where a product lies beyond
BOX = (58, 112, style.WIDTH - 34, HEIGHT - 92)  # px: left, bottom, right, top


def cpu_roofline(run, *, subtitle=""):
    """Draw what was measured of a processor: adds over working sets, and products of square matrices.

    Parameters
    ----------
    run : measure.CpuRoofline
        Measured here or recorded.
    subtitle : str
        Whose processor it is, in a few words.

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
    adds = [(run.add_intensity, rate * run.add_intensity) for rate in run.bandwidth.tolist()]
    products = list(zip(run.gemm_intensity.tolist(), run.gemm_flops.tolist(), strict=True))
    low = floor(log10(min(rate for _, rate in adds + products)) - 0.1)
    high = max(ceil(log10(peak) + 0.1), low + 1)
    most = max(MOST, ceil(log10(max(intensity for intensity, _ in products))), ceil(log10(peak / memory)))
    chart = Chart(*BOX, most - LEAST, high - low)

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
        f"adds: {show(memory, 'B/s', 2)} with the largest working set, {show(cache, 'B/s', 2)} with the best",
        f"products of {sizes[0]:,} to {sizes[1]:,} rows, {run.dtype}, {run.threads} thread{'s' * (run.threads > 1)}",
    )
    shapes = [
        Text(8, HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, HEIGHT - 43, subtitle, color=MUTED),
        *_frame(chart, low, high, most),
        *([roof(cache, GREY, 1.2)] if cache > memory else []),
        roof(memory, INK, 2.2),
        *(Marker(*_pixel(chart, place(*point)), "s", BLUE) for point in adds),
        *(Marker(*_pixel(chart, place(*point)), "D", ORANGE) for point in products),
        Marker(chart.left, 50, "s", BLUE, size=9),
        Text(chart.left + 12, 50, names[0]),
        Marker(chart.left, 28, "D", ORANGE, size=9),
        Text(chart.left + 12, 28, names[1]),
    ]
    told = f"{title}. {subtitle}{'. ' * bool(subtitle)}Adds move {show(memory, 'B/s', 2)} with the largest working set"
    told += f" and {show(cache, 'B/s', 2)} with the best; products reach from "
    told += f"{show(float(run.gemm_flops.min()), 'FLOP/s', 2)} to {show(peak, 'FLOP/s', 2)}."

    def figure():
        drawn = style.figure(style.WIDTH, HEIGHT)
        for shape in shapes:
            shape.join(drawn)
        return drawn

    return Picture(compose("", shapes, title, told, style.WIDTH, HEIGHT), title, told, style.WIDTH, HEIGHT, figure)


def _pixel(chart, point):
    return chart.x(point[0]), chart.y(point[1])


def _frame(chart, low, high, most):
    """Decades, and the names of the axes."""
    for decade in range(low, high + 1):
        y = chart.y(decade - low)
        yield Line(((chart.left, y), (chart.right, y)), style.HAIRLINE if decade > low else style.GREY)
        yield Text(chart.left - 7, y, f"{10.0 ** (decade - 9):,g}", align="right", color=MUTED)
    for decade in range(LEAST, most + 1):
        x = chart.x(decade - LEAST)
        yield Line(((x, chart.bottom), (x, chart.bottom - 4)), style.GREY)
        yield Text(x, chart.bottom - 14, f"{10.0**decade:,g}", align="center", color=MUTED)
    middle = (chart.left + chart.right) / 2
    yield Text(middle, chart.bottom - 33, "FLOP for each byte that is moved", align="center", color=MUTED)
    yield Text(8, chart.top + 18, "GFLOP/s", bold=True)
