"""Time from left to right, and a row for everything that works or waits meanwhile."""

from dataclasses import dataclass
from math import floor, log10

from .. import style, typesetting
from ..palette import ACCENT, BLUE, FAINT, GREY, HAIRLINE, MUTED, ORANGE
from ..picture import Picture, compose
from ..shapes import Inside, Line, Text
from .waterfall import Bar

LEFT, RIGHT, TOP, ROW = 100, 576, 92, 40  # px; rows are counted from the top
TALL = 24  # px
# What a bar does, its colour, and how high it is: told apart by height, too.
LOOKS = {
    "works": (BLUE, TALL), "sends": (ORANGE, TALL), "loads": (GREY, TALL), "waits": (FAINT, 8),
}  # fmt: skip


@dataclass(frozen=True)
class Span:
    """What a row does from ``start`` on, for so many seconds: one of `LOOKS`, with a word to stand on it."""

    kind: str
    start: float
    seconds: float
    word: str = ""


def lanes(rows, *, title, subtitle="", legend=None, mark=None, description=""):
    """Draw who works, sends and waits, and when.

    Parameters
    ----------
    rows : dict of str to sequence of Span
        From the uppermost row down.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    legend : dict of str to str, optional
        What the kinds of `Span` mean here.
    mark : tuple of float and str, optional
        A moment, seconds, and what happens there.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        For no rows, more than eight, or a kind that there is not.
    """
    if not 1 <= len(rows) <= 8:
        raise ValueError(f"a picture has one to eight rows, got {len(rows)}")
    unknown = {span.kind for spans in rows.values() for span in spans} - {*LOOKS}
    if unknown:
        raise ValueError(f"a span must be one of {', '.join(LOOKS)}, got {', '.join(sorted(unknown))}")
    end = max(span.start + span.seconds for spans in rows.values() for span in spans)
    height = TOP + ROW * len(rows) + 50
    shapes = [
        Text(8, height - 20, title, size=style.TITLE, bold=True),
        Text(8, height - 43, subtitle, color=MUTED),
        *_legend(legend or {}, height),
        *_axis(end, len(rows), height),
        *(shape for place, (name, spans) in enumerate(rows.items()) for shape in _row(place, name, spans, end, height)),
    ]
    if mark:
        shapes += _mark(*mark, end, len(rows), height)
    told = description or title

    def figure():
        whole = style.figure(style.WIDTH, height)
        for shape in shapes:
            shape.join(whole)
        return whole

    return Picture(compose("", shapes, title, told, style.WIDTH, height), title, told, style.WIDTH, height, figure)


def _x(seconds, end):
    return LEFT + (RIGHT - LEFT) * seconds / end


def _row(place, name, spans, end, height):
    middle = height - TOP - ROW * (place + 0.5)
    yield Text(LEFT - 10, middle, name, align="right")
    for span in spans:
        color, tall = LOOKS[span.kind]
        # A hairline of paper between two bars that touch.
        wide = _x(span.start + span.seconds, end) - _x(span.start, end) - 1
        if wide <= 0:
            continue
        yield Bar(_x(span.start, end), middle - tall / 2, wide, tall, color)
        if span.word and tall >= TALL and typesetting.text_size(span.word, style.TEXT)[0] + 8 < wide:
            yield Inside(_x(span.start, end) + wide / 2, middle, span.word, align="center")


def _axis(end, rows, height):
    floor_ = height - TOP - ROW * rows
    step = 10.0 ** floor(log10(end / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if end / (factor * step) <= 6)
    scale, unit = (1.0, "s") if end >= 1 else (1e3, "ms")
    for place in range(int(end / step * (1 + 1e-9)) + 1):
        x = _x(place * step, end)
        yield Line(((x, height - TOP), (x, floor_ - 4)), HAIRLINE)
        yield Text(x, floor_ - 15, f"{place * step * scale:.3g}", align="center", color=MUTED)
    yield Text((LEFT + RIGHT) / 2, floor_ - 36, f"Time ({unit})", align="center", color=MUTED)


def _legend(legend, height):
    x, y = 8, height - 72
    for kind, words in legend.items():
        color, tall = LOOKS[kind]
        tall = min(tall, 14)
        yield Bar(x, y - tall / 2, 18, tall, color)
        yield Text(x + 24, y, words)
        x += 44 + typesetting.text_size(words, style.TEXT)[0]


def _mark(moment, words, end, rows, height):
    x = _x(moment, end)
    floor_ = height - TOP - ROW * rows
    room = typesetting.text_size(words, style.TEXT)[0] + 8
    right = x + room < RIGHT + 16
    return [
        Line(((x, height - TOP + 4), (x, floor_ - 2)), ACCENT, width=1.5),
        Text(x + (4 if right else -4), height - TOP - 1, words, color=ACCENT, align="left" if right else "right"),
    ]
