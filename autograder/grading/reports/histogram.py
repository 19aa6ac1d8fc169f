"""Draw the scores of a class as a small self-contained SVG picture."""

import math
from collections import Counter
from html import escape

from markupsafe import Markup

from chip2cluster.draw import svg

from ..gradebook.marks import format_points

WIDTH, HEIGHT, LEFT, FOOT, TOP = 640, 200, 10, 42, 24
BIN_WIDTHS = (1, 2, 5, 10, 20, 50, 100)  # points
MAX_BINS = 14


def histogram(scores: list[float], worth: float) -> Markup:
    """Draw the number of students in each range of points.

    Parameters
    ----------
    scores : list of float
    worth : float
        Points of the whole lab; the axis extends to them, or to the best score if that is higher.

    Returns
    -------
    markupsafe.Markup
        An ``<svg>`` element with a title and a description for screen readers.
    """
    best = max([worth, *scores, 1.0])
    step = next((step for step in BIN_WIDTHS if best / step <= MAX_BINS), best / MAX_BINS)
    bins = math.ceil(best / step)
    # The best score belongs to the last bin.
    counts = Counter(min(bins - 1, int(score / step + 1e-9)) for score in scores)
    most = max(counts.values(), default=1)
    wide, high = (WIDTH - 2 * LEFT) / bins, HEIGHT - FOOT - TOP
    bars, words = [], []
    for place in range(bins):
        count, x = counts[place], LEFT + place * wide
        tall = high * count / most
        y = HEIGHT - FOOT - tall
        if count:
            bars.append(
                f'<rect x="{x + 2:.1f}" y="{y:.1f}" width="{wide - 4:.1f}" height="{tall:.1f}" fill="var(--bar)"/>'
                f"{_text(x + wide / 2, y - 5, count)}"
            )
            words.append(
                f"{format_points(place * step)} to {format_points(min((place + 1) * step, best))} points: {count}"
            )
        bars.append(_tick(x, place * step))
    bars.append(_tick(WIDTH - LEFT, min(bins * step, best)))
    line = f'<line x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{HEIGHT - FOOT}" y2="{HEIGHT - FOOT}" stroke="var(--muted)"/>'
    name = _text(WIDTH / 2, HEIGHT - 6, "points")
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="scores-title scores-description">'
        f'<title id="scores-title">Number of students by points</title>'
        f'<desc id="scores-description">{escape("; ".join(words))}</desc>{"".join(bars)}{line}{name}</svg>'
    )


def _tick(x: float, value: float) -> str:
    # Centred, the outermost two would leave the picture.
    anchor = "start" if x <= LEFT else "end" if x >= WIDTH - LEFT else "middle"
    return _text(x, HEIGHT - FOOT + 16, format_points(value), anchor)


def _text(x: float, y: float, content: object, anchor: str = "middle") -> str:
    # The color of the page, which has a dark theme.
    return svg.text(x, y, content, anchor=anchor, size=12, color="var(--ink)")
