"""Timeline with one lane for each thing that works, sends or waits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import COMMUNICATION, GREY, HAIRLINE, HAND, MUTED, PAPER, WAITING, WORK
from ..picture import Picture, of_shapes
from ..shapes import Inside, Line, Text
from .multiprocessor import Box
from .waterfall import Bar

FIELD = {style.WIDTH: (100, 576), style.NARROW: (84, 322)}  # px: left and right of the axis of time
ROW, TALL, KEY = 40, 24, 19  # px: a row, a bar in it, a line of the key
# What a bar does, its color, and how high it is: told apart by height, too.
LOOKS = {
    "works": (WORK, TALL), "sends": (COMMUNICATION, TALL), "loads": (GREY, TALL), "waits": (WAITING, 8),
}  # fmt: skip


@dataclass(frozen=True)
class Span:
    """What a row does from ``start`` on, for so many seconds: one of `LOOKS`, with a word to stand on it."""

    kind: str
    start: float
    seconds: float
    word: str = ""


def timeline(
    rows: Mapping[str, Sequence[Span]],
    *,
    title: str,
    subtitle: str = "",
    legend: Mapping[str, str] | None = None,
    mark: tuple[float, str] | None = None,
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw who works, sends and waits, and when.

    Parameters
    ----------
    rows : dict of str to sequence of Span
        Rows from top to bottom.
    title, subtitle : str
        The finding, and what it is about.
    legend : dict of str to str, optional
        Meaning of each kind of `Span`.
    mark : tuple of float and str, optional
        A moment, seconds, and what happens there.
    description : str
        Alternative text of the picture.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

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
    keys = typesetting.flow((legend or {}).values(), 8, width - 6, mark=24, gap=20)
    top = ROOM[width] + 38 + KEY * max((row for _, row in keys), default=0)
    height = top + ROW * len(rows) + 50
    across = _Across(*FIELD[width], end)
    shapes = [
        *heading(title, subtitle, width, height),
        *_legend(legend or {}, keys, height - ROOM[width] - 18),
        *_axis(across, len(rows), height - top, width),
    ]
    for place, (name, spans) in enumerate(rows.items()):
        shapes += _row(across, name, spans, height - top - ROW * (place + 0.5))
    if mark:
        shapes += _mark(*mark, across, len(rows), height - top)
    return of_shapes(shapes, title, description or title, width, height)


@dataclass(frozen=True)
class _Across:
    """The axis of time: from ``left`` to ``right``, px, lie ``end`` seconds."""

    left: float
    right: float
    end: float

    def __call__(self, seconds):
        return self.left + (self.right - self.left) * seconds / self.end


def _bar(x, y, wide, tall, color):
    """Draw what is sent as a frame alone: neither dark nor light letters are read on violet by day and in the dark."""
    if color == COMMUNICATION:
        return Box(x + 1, y + 1, max(wide - 2, 0.5), tall - 2, PAPER, color, 2)
    return Bar(x, y, wide, tall, color)


def _row(across, name, spans, middle):
    yield Text(across.left - 10, middle, name, align="right")
    for span in spans:
        color, tall = LOOKS[span.kind]
        # A hairline of paper between two bars that touch.
        wide = across(span.start + span.seconds) - across(span.start) - 1
        if wide <= 0:
            continue
        yield _bar(across(span.start), middle - tall / 2, wide, tall, color)
        if span.word and tall >= TALL and typesetting.text_size(span.word, style.TEXT)[0] + 8 < wide:
            letters = Text if color == COMMUNICATION else Inside
            yield letters(across(span.start) + wide / 2, middle, span.word, align="center")


def _axis(across, rows, top, width):
    floor_, end = top - ROW * rows, across.end
    step = 10.0 ** floor(log10(end / 2))
    most = 6 if width == style.WIDTH else 4
    step *= next(factor for factor in (1, 2, 5, 10) if end / (factor * step) <= most)
    scale, unit = (1.0, "s") if end >= 1 else (1e3, "ms")
    for place in range(int(end / step * (1 + 1e-9)) + 1):
        x = across(place * step)
        yield Line(((x, top), (x, floor_ - 4)), HAIRLINE)
        yield Text(x, floor_ - 15, f"{place * step * scale:.3g}", align="center", color=MUTED)
    yield Text((across.left + across.right) / 2, floor_ - 36, f"Time ({unit})", align="center", color=MUTED)


def _legend(legend, places, y):
    for (kind, words), (x, row) in zip(legend.items(), places, strict=True):
        color, tall = LOOKS[kind]
        tall, at = min(tall, 14), y - KEY * row
        yield _bar(x, at - tall / 2, 18, tall, color)
        yield Text(x + 24, at, words)


def _mark(moment, words, across, rows, top):
    x = across(moment)
    room = typesetting.text_size(words, style.TEXT)[0] + 8
    right = x + room < across.right + 16
    return [
        Line(((x, top + 4), (x, top - ROW * rows - 2)), HAND, width=1.5),
        Text(x + (4 if right else -4), top - 1, words, color=HAND, align="left" if right else "right"),
    ]
