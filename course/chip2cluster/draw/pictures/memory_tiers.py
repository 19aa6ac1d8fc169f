"""Memory tiers of a machine as a ladder: one rung for each tier, bandwidth or time on a logarithmic axis.

Written as shapes alone, in two layers: the rungs depend on the system, what the reader's
bytes do to them is drawn for every state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log10

from ...units import show
from .. import style
from ..format import amount, giga
from ..heading import heading
from ..palette import BLUE, HAIRLINE, HAND, INK, MUTED, ORANGE, PAPER, PLUM
from ..picture import Picture, layered, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Shape, Text

# px: left, right, floor and top of the axes; names stand left of them and times right, of a narrow picture above each rung
FIELDS = {style.WIDTH: (236, 506, 46, 336), style.NARROW: (16, 324, 46, 428)}
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 560}
KEY_STEP = 104  # px; wider than the widest entry
BANDWIDTHS = (1e9, 1e15)  # bytes/s
SECONDS = (1e-9, 1e3)
COLOURS = {"node": ORANGE, "pod": ORANGE, "cluster": PLUM, "yours": INK}  # the others lie on the chip
REACHES = {BLUE: "accelerator", ORANGE: "node or pod", PLUM: "cluster", INK: "yours"}


@dataclass(frozen=True)
class Rung:
    """A tier and what the reader's bytes do there; unknown numbers are None.

    ``at_least`` says that ``seconds`` leaves out an unknown latency; ``holds`` whether
    all the bytes fit.
    """

    name: str
    scope: str
    bandwidth_one_way: float
    seconds: float
    at_least: bool = False
    holds: bool = True

    @property
    def time(self) -> str:
        """The time in words."""
        if not self.holds:
            return "does not fit"
        if self.seconds is None:
            return "unknown"
        return ("≥ " if self.at_least else "") + show(self.seconds, "s")


@two_widths
def memory_tiers(
    rungs: Sequence[Rung],
    message_bytes: float,
    *,
    home: int,
    axis: str = "bandwidth",
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the tiers of a machine and the time that some bytes take from each.

    Parameters
    ----------
    rungs : sequence of Rung
        The fastest first, at most twelve.
    message_bytes : float
        The bytes that the reader moves.
    home : int
        The rung that title and accent speak of: the first that holds the bytes.
    axis : {"bandwidth", "time"}
        Quantity that the length of a rung shows.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no rung or too many, another axis, or a home that is no rung.
    """
    rungs = tuple(rungs)
    if not 1 <= len(rungs) <= 12:
        raise ValueError(f"a ladder has one to 12 rungs, got {len(rungs)}")
    if axis not in ("bandwidth", "time"):
        raise ValueError(f"axis must be 'bandwidth' or 'time', got {axis!r}")
    if not 0 <= home < len(rungs):
        raise ValueError(f"home must be a number from 0 to {len(rungs) - 1}, got {home!r}")
    back = _back(tuple((rung.name, rung.scope, rung.bandwidth_one_way) for rung in rungs), axis, width)
    front = _front(rungs, message_bytes, home, axis, subtitle, width)
    title = finding(rungs[home], message_bytes)
    description = _describe(rungs, message_bytes, title)
    page = width, HEIGHTS[width]
    behind = "".join(shape.svg(page[1]) for shape in back)

    def figure():
        whole = style.figure(*page)
        for shape in (*back, *front):
            shape.join(whole)
        return whole

    return layered(behind, front, title, description, *page, figure=figure)


def finding(rung: Rung, message_bytes: float) -> str:
    """State where the bytes live: ``"16 GB live in HBM: 4.78 ms a pass"``.

    >>> finding(Rung("HBM", "chip", 3.35e12, 4.7761e-3), 16e9), finding(Rung("L2", "chip", None, None), 50e6)
    ('16 GB live in HBM: 4.78 ms a pass', '50 MB live in L2: its rate is unknown')
    """
    verb = "lives" if message_bytes == 1 else "live"
    time = "its rate is unknown" if rung.seconds is None else f"{rung.time} a pass"
    return f"{count(message_bytes)} {verb} in {rung.name}: {time}"


def count(size: float) -> str:
    """A number of bytes in words.

    >>> count(1), count(500), count(16e9)
    ('1 byte', '500 bytes', '16 GB')
    """
    return "1 byte" if size == 1 else amount(size)


def height(number: int, total: int, width: int = style.WIDTH) -> float:
    """The middle of a rung, px from below."""
    *_, floor, top = FIELDS[width]
    return top - (number + 0.5) * (top - floor) / total - (10 if width == style.NARROW else 0)


def _x(value, axis, width):
    left, right, *_ = FIELDS[width]
    low, high = BANDWIDTHS if axis == "bandwidth" else SECONDS
    share = log10(value / low) / log10(high / low)
    return left + (right - left) * min(max(share, 0.0), 1.0)


def _color(scope):
    return COLOURS.get(scope, BLUE)


@lru_cache(maxsize=32)
def _back(tiers, axis, width):
    """Axes, names and, where bandwidth is the axis, the rungs themselves."""
    shapes: list[Shape] = []
    narrow = width == style.NARROW
    left, right, floor, top = FIELDS[width]
    low, high = BANDWIDTHS if axis == "bandwidth" else SECONDS
    powers = range(round(log10(low)), round(log10(high)) + 1)
    for power in powers:
        x = _x(10.0**power, axis, width)
        shapes.append(Line(((x, floor), (x, top)), HAIRLINE))
        if axis == "bandwidth" and (power - 9) % 2 == 0:
            shapes.append(Text(min(x, width - 36), floor - 14, f"{10 ** (power - 9):,}", align="center"))
        elif axis == "time" and power % 3 == 0:
            shapes.append(
                Text(
                    min(x, width - 26),
                    floor - 14,
                    "1,000 s" if power == 3 else show(10.0**power, "s", 1),
                    align="center",
                )
            )
    name = "Bandwidth one way, GB/s" if axis == "bandwidth" else "Time for the bytes"
    shapes.append(Text((left + right) / 2, 12, name, color=MUTED, align="center"))
    shapes.append(Line(((left, floor), (right, floor)), MUTED))
    shapes.append(Text(width - 8, top + 12, "Time", color=MUTED, align="right"))
    for number, (name, scope, bandwidth) in enumerate(tiers):
        y = height(number, len(tiers), width)
        shapes.append(Text(8, y + 17, name) if narrow else Text(left - 10, y, name, align="right"))
        if axis == "bandwidth":
            shapes += _rung(left, _x(bandwidth, axis, width), y, scope) if bandwidth else [_unknown(left, y, "rate")]
    return (*shapes, *_key(tiers, width))


def _key(tiers, width):
    """What the colors mean, and what a hollow end means."""
    colors = dict.fromkeys(_color(scope) for _, scope, _ in tiers)
    entries = [(color, color, REACHES[color]) for color in colors] + [(PAPER, MUTED, "too small")]
    y = FIELDS[width][3] + 12
    shapes: list[Shape] = []
    if width == style.NARROW:  # in two rows, above the word for the times
        y += 20
    for number, (face, edge, words) in enumerate(entries):
        x = 14 + KEY_STEP * number
        if x + KEY_STEP > width:
            x, y = 14, y - 20
        shapes += [Marker(x, y, "o", face, edge), Text(x + 9, y, words, color=MUTED)]
    return shapes


def _rung(left, x, y, scope):
    return [Line(((left, y), (x, y)), _color(scope), width=4, alpha=0.75)]


def _unknown(left, y, quantity):
    return Text(left + 8, y, f"{quantity} unknown", color=MUTED)


def _front(rungs, message_bytes, home, axis, subtitle, width):
    shapes = heading(finding(rungs[home], message_bytes), subtitle, width, HEIGHTS[width])
    left = FIELDS[width][0]
    for number, rung in enumerate(rungs):
        y, here = height(number, len(rungs), width), number == home
        value = rung.bandwidth_one_way if axis == "bandwidth" else rung.seconds if rung.holds else None
        if value is not None:
            x = _x(value, axis, width)
            shapes += _rung(left, x, y, rung.scope) if axis == "time" else []
            color = HAND if here else _color(rung.scope)
            face, edge = (color, PAPER) if rung.holds else (PAPER, color)
            shapes.append(RowMark(rung.name, (Marker(x, y, "o", face, edge, 13 if here else 10),)))
        elif axis == "time" and rung.holds:
            shapes.append(_unknown(left, y, "rate" if rung.bandwidth_one_way is None else "latency"))
        ink = HAND if here else INK if rung.holds else MUTED
        above = 17 if width == style.NARROW else 0
        shapes.append(RowMark(rung.name, (Text(width - 8, y + above, rung.time, color=ink, align="right", bold=here),)))
    return shapes


def _describe(rungs, message_bytes, title):
    lines = [f"{title}. {len(rungs)} tiers, the fastest first."]
    for rung in rungs:
        rate = "rate unknown" if rung.bandwidth_one_way is None else f"{giga(rung.bandwidth_one_way)} GB/s"
        lines.append(f"{rung.name}: {rate}, {rung.time}.")
    return " ".join(lines)
