"""Share of a step in which arithmetic runs, against the tokens between two exchanges.

Written as shapes alone, so a frame takes about a millisecond.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from .. import labels, style
from ..palette import ACCENT, BLUE, GREY, HAIRLINE, INK, MUTED, ORANGE, PLUM
from ..picture import Picture, compose
from ..shapes import Line, Marker, Text
from .waterfall import Bar

LEFT, RIGHT, FLOOR, TOP = 52, 580, 56, style.HEIGHT - 84  # px: where the curves may be
TOKENS = 64, 262_144  # shown
LOOKS = ((BLUE, "s"), (ORANGE, "D"), (PLUM, "^"))


@dataclass(frozen=True)
class Share:
    """A curve: its name, ``share(tokens)``, 0 to 1, for an array of tokens, and where it reaches 1 with a bend."""

    name: str
    share: object
    hidden_from: float | None = None


def hiding(curves, tokens, *, title, subtitle="", description=""):
    """Draw how busy the arithmetic units are, for every number of tokens.

    Parameters
    ----------
    curves : sequence of Share
        Up to three; the reader's point lies on the second, which says where it reaches 100 %.
    tokens : float
        Where the reader stands.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        For fewer than two curves, or more than three, and a second one without its bend.
    """
    curves = tuple(curves)
    if not 2 <= len(curves) <= len(LOOKS):
        raise ValueError(f"a picture shows two or three curves, got {len(curves)}")
    if curves[1].hidden_from is None:
        raise ValueError("the second curve must say from how many tokens on it is at 100 %, got hidden_from=None")
    shapes = [
        *_frame(title, subtitle), *_here(tokens), *_knee(curves[1].hidden_from), *_lines(curves),
        *_points(curves, tokens), *_legend(curves, curves[1].hidden_from),
    ]  # fmt: skip

    def figure():
        whole = style.figure()
        for shape in shapes:
            shape.join(whole)
        return whole

    return Picture(compose("", shapes, title, description), title, description or title, figure=figure)


def _x(tokens):
    return LEFT + (RIGHT - LEFT) * np.log(tokens / TOKENS[0]) / log(TOKENS[1] / TOKENS[0])


def _y(share):
    return FLOOR + (TOP - FLOOR) * share


def _frame(title, subtitle):
    drawn = [Bar(0, 0, style.WIDTH, style.HEIGHT, style.PAPER)]
    for percent in range(0, 101, 20):
        y = _y(percent / 100)
        drawn.append(Line(((LEFT, y), (RIGHT, y)), HAIRLINE if percent else GREY))
        drawn.append(Text(LEFT - 8, y, f"{percent}", align="right"))
    for tokens in (100, 1000, 10_000, 100_000):
        x = float(_x(tokens))
        drawn.append(Line(((x, FLOOR), (x, TOP)), HAIRLINE))
        drawn.append(Text(x, FLOOR - 14, f"{tokens:,}", align="center"))
    return [
        *drawn,
        Text((LEFT + RIGHT) / 2, 16, "Tokens of a replica in one pass", color=MUTED, align="center"),
        Text(8, TOP + 17, "Arithmetic runs, % of the step", color=MUTED),
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=MUTED),
    ]


def _here(tokens):
    x = float(_x(tokens))
    text = f"{tokens:,} tokens"
    half = labels.text_size(text, style.TEXT, "bold")[0] / 2
    # Right of the axis' name, which stands on the same line.
    clear = 16 + labels.text_size("Arithmetic runs, % of the step", style.TEXT)[0] + half
    return [
        Line(((x, FLOOR), (x, TOP + 4)), ACCENT, width=1.5, alpha=0.7),
        Text(min(max(x, clear), RIGHT - half), TOP + 17, text, color=ACCENT, align="center", bold=True),
    ]


def _knee(tokens):
    """Where the second curve reaches the top."""
    if not TOKENS[0] < tokens < TOKENS[1]:
        return []
    x = float(_x(tokens))
    return [Line(((x, FLOOR), (x, TOP)), INK, width=1.2, alpha=0.5), Marker(x, TOP, "v", style.PAPER, INK, size=9)]


def _lines(curves):
    drawn = []
    for curve, (colour, _) in zip(curves, LOOKS, strict=False):
        tokens = np.geomspace(*TOKENS, 120)
        if curve.hidden_from and TOKENS[0] < curve.hidden_from < TOKENS[1]:
            tokens = np.sort(np.append(tokens, curve.hidden_from))  # a straight line would cut the bend
        x = _x(tokens).tolist()
        y = _y(np.asarray(curve.share(tokens))).tolist()
        drawn.append(Line(tuple(zip(x, y, strict=True)), colour, width=2.4))
    return drawn


def _points(curves, tokens):
    x, drawn = float(_x(tokens)), []
    for number, (curve, (colour, shape)) in enumerate(zip(curves, LOOKS, strict=False)):
        y = float(_y(curve.share(tokens)))
        if number == 1:
            drawn.append(Marker(x, y, "o", ACCENT, size=18))
        drawn.append(Marker(x, y, shape, colour, size=9))
    return drawn


def _legend(curves, hidden_from):
    """Right of the curves at the bottom, or left of them at the top where they rise late."""
    width = max(labels.text_size(curve.name, style.TEXT)[0] for curve in curves)
    height = 20 * len(curves) + 8
    late = hidden_from > 12_000
    left, floor = (LEFT + 12, TOP - 10 - height) if late else (RIGHT - width - 44, FLOOR + 6)
    drawn = [Bar(left - 8, floor, width + 52, height, style.PAPER)]
    for place, (curve, (colour, shape)) in enumerate(zip(curves, LOOKS, strict=False)):
        y = floor + 20 * (len(curves) - place) - 6
        drawn += [
            Line(((left, y), (left + 28, y)), colour, width=2.4), Marker(left + 14, y, shape, colour, size=9),
            Text(left + 36, y, curve.name),
        ]  # fmt: skip
    return drawn
