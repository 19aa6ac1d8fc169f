"""Bandwidth against occupancy: measurements, and the line of Little's law."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...occupancy import bandwidth_from_concurrency
from .. import style, typesetting
from ..chart import Chart
from ..heading import heading, opening
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text

if TYPE_CHECKING:
    from ... import occupancy

FIELD = {style.WIDTH: (64, 54, 576, 324), style.NARROW: (52, 50, 326, 324)}  # px: left, bottom, right, top
TICKS = (100, 200, 250, 500, 1000)  # GB/s: steps of the vertical axis


@two_widths
def concurrency(curve: occupancy.Curve, latency: float, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw a measured curve and Little's law for one latency.

    Parameters
    ----------
    curve : occupancy.Curve
        Measured values.
    latency : float
        Seconds that the bytes of a thread are under way.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The title says how far the law is from the measurement at full occupancy.

    Raises
    ------
    ValueError, TypeError
        For a latency that is not above zero.

    Examples
    --------
    >>> from chip2cluster.occupancy import curve
    >>> concurrency(curve("GH200"), 550e-9).title
    'Every place taken: 2,775 of 4,000 GB/s; the law says 3,932'
    """
    under_way = curve.threads * curve.bytes_per_thread
    law = np.asarray(bandwidth_from_concurrency(under_way, latency, curve.sheet_bandwidth))
    found, sheet = curve.bandwidth[-1] / 1e9, curve.sheet_bandwidth / 1e9
    title = f"Every place taken: {found:,.0f} of {sheet:,.0f} GB/s; the law says {law[-1] / 1e9:,.0f}"
    chart = Chart(*FIELD[width], 100, 1.12 * sheet)
    shapes = [
        *heading(title, subtitle, width),
        *chart.frame(range(0, 101, 25), _ticks(sheet), "occupancy, %", "Bandwidth, GB/s"),
        Line(((chart.left, chart.y(sheet)), (chart.right, chart.y(sheet))), style.INK, 1.2),
        Text(chart.left + 8, chart.y(sheet) + 10, "data sheet"),
        *_law(chart, curve, latency),
        *(
            RowMark(f"{100 * x:.0f}", (Marker(chart.x(100 * x), chart.y(y / 1e9), "o", style.BLUE, size=7),))
            for x, y in zip(curve.occupancy, curve.bandwidth, strict=True)
        ),
        *_legend(chart, latency),
    ]
    description = f"{opening(title, subtitle)} {_describe(curve, law)}"
    return of_shapes(shapes, title, description, width)


def _ticks(sheet):
    step = next(step for step in TICKS if sheet / step <= 6)
    return range(0, int(sheet) + 1, step)


def _law(chart, curve, latency):
    places = curve.compute_units * curve.threads_per_unit
    corner = min(1.0, curve.sheet_bandwidth * latency / (places * curve.bytes_per_thread))
    shares = np.array([0, corner, 1])
    held = shares * places * curve.bytes_per_thread
    rate = np.asarray(bandwidth_from_concurrency(held, latency, curve.sheet_bandwidth))
    yield chart.line(zip(100 * shares, rate / 1e9, strict=True), style.LIMIT, 2.4)


def _legend(chart, latency):
    words = f"Little's law at {1e9 * latency:,.0f} ns"
    x, y = chart.right - typesetting.text_size(words, style.TEXT)[0], chart.bottom + 40
    yield Line(((x - 32, y), (x - 8, y)), style.LIMIT, 2.4)
    yield Text(x, y, words)
    yield Marker(x - 20, y - 20, "o", style.BLUE, size=7)
    yield Text(x, y - 20, "measured")


def _describe(curve, law):
    told = []
    for share in (0.25, 0.5, 1.0):
        place = int(np.abs(curve.occupancy - share).argmin())
        told.append(
            f"at {100 * curve.occupancy[place]:.0f} % measured {curve.bandwidth[place] / 1e9:,.0f} GB/s, "
            f"by the law {law[place] / 1e9:,.0f}"
        )
    return f"{'; '.join(told)}."
