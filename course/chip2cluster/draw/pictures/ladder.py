"""The ladder of a machine: one rung a tier, bandwidth or time on a logarithmic axis.

Written as shapes alone, in two layers: the rungs depend on the system, what the reader's
bytes do to them is drawn for every state.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log10

from ...units import show
from .. import style
from ..palette import ACCENT, BLUE, HAIRLINE, INK, MUTED, ORANGE, PAPER, PLUM
from ..picture import Picture, compose, layers
from ..shapes import Line, Marker, Text
from ..words import amount, giga

LEFT, RIGHT, FLOOR, TOP = 236, 506, 46, style.HEIGHT - 84  # px: the axes; times stand to the right of them
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
    def time(self):
        """The time in words."""
        if not self.holds:
            return "does not fit"
        if self.seconds is None:
            return "unknown"
        return ("≥ " if self.at_least else "") + show(self.seconds, "s")


def ladder(rungs, message_bytes, *, home, axis="bandwidth", subtitle=""):
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
        What the length of a rung shows.
    subtitle : str
        What the title is about, in a few words.

    Returns
    -------
    Picture

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
    back = _back(tuple((rung.name, rung.scope, rung.bandwidth_one_way) for rung in rungs), axis)
    front = _front(rungs, message_bytes, home, axis, subtitle)
    title = finding(rungs[home], message_bytes)
    description = _describe(rungs, message_bytes, title)
    behind = "".join(shape.svg(style.HEIGHT) for shape in back)

    def figure():
        whole = style.figure()
        for shape in (*back, *front):
            shape.join(whole)
        return whole

    whole = compose(behind, front, title, description)
    return Picture(whole, title, description, figure=figure, layers=layers(behind, front))


def finding(rung, message_bytes):
    """State where the bytes live: ``"16 GB live in HBM: 4.78 ms a pass"``.

    >>> finding(Rung("HBM", "chip", 3.35e12, 4.7761e-3), 16e9), finding(Rung("L2", "chip", None, None), 50e6)
    ('16 GB live in HBM: 4.78 ms a pass', '50 MB live in L2: its rate is unknown')
    """
    verb = "lives" if message_bytes == 1 else "live"
    time = "its rate is unknown" if rung.seconds is None else f"{rung.time} a pass"
    return f"{count(message_bytes)} {verb} in {rung.name}: {time}"


def count(size):
    """A number of bytes in words.

    >>> count(1), count(500), count(16e9)
    ('1 byte', '500 bytes', '16 GB')
    """
    return "1 byte" if size == 1 else amount(size)


def height(number, total):
    """The middle of a rung, px from below."""
    return TOP - (number + 0.5) * (TOP - FLOOR) / total


def _x(value, axis):
    low, high = BANDWIDTHS if axis == "bandwidth" else SECONDS
    share = log10(value / low) / log10(high / low)
    return LEFT + (RIGHT - LEFT) * min(max(share, 0.0), 1.0)


def _colour(scope):
    return COLOURS.get(scope, BLUE)


@lru_cache(maxsize=32)
def _back(tiers, axis):
    """Axes, names and, where bandwidth is the axis, the rungs themselves."""
    shapes = []
    low, high = BANDWIDTHS if axis == "bandwidth" else SECONDS
    powers = range(round(log10(low)), round(log10(high)) + 1)
    for power in powers:
        x = _x(10.0**power, axis)
        shapes.append(Line(((x, FLOOR), (x, TOP)), HAIRLINE))
        if axis == "bandwidth" and (power - 9) % 2 == 0:
            shapes.append(Text(x, FLOOR - 14, f"{10 ** (power - 9):,}", align="center"))
        elif axis == "time" and power % 3 == 0:
            shapes.append(Text(x, FLOOR - 14, "1,000 s" if power == 3 else show(10.0**power, "s", 1), align="center"))
    name = "Bandwidth one way, GB/s" if axis == "bandwidth" else "Time for the bytes"
    shapes.append(Text((LEFT + RIGHT) / 2, 12, name, color=MUTED, align="center"))
    shapes.append(Line(((LEFT, FLOOR), (RIGHT, FLOOR)), MUTED))
    shapes.append(Text(style.WIDTH - 8, TOP + 12, "Time", color=MUTED, align="right"))
    for number, (name, scope, bandwidth) in enumerate(tiers):
        y = height(number, len(tiers))
        shapes.append(Text(LEFT - 10, y, name, align="right"))
        if axis == "bandwidth":
            shapes += _rung(_x(bandwidth, axis), y, scope) if bandwidth else [_unknown(y, "rate")]
    return (*shapes, *_key(tiers))


def _key(tiers):
    """What the colours mean, and what a hollow end means."""
    colours = dict.fromkeys(_colour(scope) for _, scope, _ in tiers)
    entries = [(colour, colour, REACHES[colour]) for colour in colours] + [(PAPER, MUTED, "too small")]
    y, shapes = TOP + 12, []
    for number, (face, edge, words) in enumerate(entries):
        x = 14 + KEY_STEP * number
        shapes += [Marker(x, y, "o", face, edge), Text(x + 9, y, words, color=MUTED)]
    return shapes


def _rung(x, y, scope):
    return [Line(((LEFT, y), (x, y)), _colour(scope), width=4, alpha=0.75)]


def _unknown(y, quantity):
    return Text(LEFT + 8, y, f"{quantity} unknown", color=MUTED)


def _front(rungs, message_bytes, home, axis, subtitle):
    shapes = [
        Text(8, style.HEIGHT - 20, finding(rungs[home], message_bytes), size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=MUTED),
    ]
    for number, rung in enumerate(rungs):
        y, here = height(number, len(rungs)), number == home
        value = rung.bandwidth_one_way if axis == "bandwidth" else rung.seconds if rung.holds else None
        if value is not None:
            x = _x(value, axis)
            shapes += _rung(x, y, rung.scope) if axis == "time" else []
            colour = ACCENT if here else _colour(rung.scope)
            shapes.append(
                Marker(x, y, "o", colour if rung.holds else PAPER, PAPER if rung.holds else colour, 13 if here else 10)
            )
        elif axis == "time" and rung.holds:
            shapes.append(_unknown(y, "rate" if rung.bandwidth_one_way is None else "latency"))
        ink = ACCENT if here else INK if rung.holds else MUTED
        shapes.append(Text(style.WIDTH - 8, y, rung.time, color=ink, align="right", bold=here))
    return shapes


def _describe(rungs, message_bytes, title):
    lines = [f"{title}. {len(rungs)} tiers, the fastest first."]
    for rung in rungs:
        rate = "rate unknown" if rung.bandwidth_one_way is None else f"{giga(rung.bandwidth_one_way)} GB/s"
        lines.append(f"{rung.name}: {rate}, {rung.time}.")
    return " ".join(lines)
