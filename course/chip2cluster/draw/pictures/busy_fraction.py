"""Fraction of a step with arithmetic, against the tokens between two gradient exchanges.

Drawn with shapes alone, so a frame takes about 1 ms.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from .. import style, typesetting
from ..heading import heading
from ..palette import GREY, HAIRLINE, HAND, INK, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Shape, Text
from .waterfall import Bar

FIELDS = {
    style.WIDTH: (52, 580, 56, 336),
    style.NARROW: (42, 330, 132, 338),
}  # px: left, right, floor, top of the curves
TOKENS = 64, 262_144  # shown
LOOKS = tuple(zip(KINDS, "sD^", strict=True))


@dataclass(frozen=True)
class Share:
    """A curve: its name, ``share(tokens)``, 0 to 1, for an array of tokens, and where it reaches 1 with a bend."""

    name: str
    share: Callable[[Any], Any]
    hidden_from: float | None = None


@two_widths
def busy_fraction(
    curves: Sequence[Share],
    tokens: float,
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw how busy the arithmetic units are, for every number of tokens.

    Parameters
    ----------
    curves : sequence of Share
        Up to three; the reader's point lies on the second, which says where it reaches 100 %.
    tokens : float
        Value that the reader has chosen.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

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
    field = _Field(width)
    shapes = [
        *heading(title, subtitle, width), *field.frame(), *field.here(tokens), *field.knee(curves[1].hidden_from),
        *field.lines(curves), *field.points(curves, tokens), *field.legend(curves, curves[1].hidden_from),
    ]  # fmt: skip
    return of_shapes(
        shapes, title, description, width, place=lambda tokens, share: (field.x(tokens), field.y(share or 0))
    )


class _Field:
    """Where the curves may be in a picture of some width."""

    def __init__(self, width):
        self.width, (self.left, self.right, self.floor, self.top) = width, FIELDS[width]

    def x(self, tokens):
        return self.left + (self.right - self.left) * np.log(tokens / TOKENS[0]) / log(TOKENS[1] / TOKENS[0])

    def y(self, share):
        return self.floor + (self.top - self.floor) * share

    def frame(self) -> list[Shape]:
        drawn: list[Shape] = []
        for percent in range(0, 101, 20):
            y = self.y(percent / 100)
            drawn.append(Line(((self.left, y), (self.right, y)), HAIRLINE if percent else GREY))
            drawn.append(Text(self.left - 8, y, f"{percent}", align="right"))
        for tokens in (100, 1000, 10_000, 100_000):
            x = float(self.x(tokens))
            drawn.append(Line(((x, self.floor), (x, self.top)), HAIRLINE))
            drawn.append(Text(x, self.floor - 14, f"{tokens:,}", align="center"))
        return [
            *drawn,
            Text(
                (self.left + self.right) / 2,
                self.floor - 40,
                "Tokens of a replica in one pass",
                color=MUTED,
                align="center",
            ),
            Text(8, self.top + 17, "Arithmetic runs, % of the step", color=MUTED),
        ]

    def here(self, tokens):
        x = float(self.x(tokens))
        text = f"{tokens:,} tokens"
        half = typesetting.text_size(text, style.TEXT, "bold")[0] / 2
        # Right of the axis' name, which stands on the same line.
        clear = 16 + typesetting.text_size("Arithmetic runs, % of the step", style.TEXT)[0] + half
        return [
            Line(((x, self.floor), (x, self.top + 4)), HAND, width=1.5, alpha=0.7),
            Text(min(max(x, clear), self.right - half), self.top + 17, text, color=HAND, align="center", bold=True),
        ]

    def knee(self, tokens):
        """Where the second curve reaches the top."""
        if not TOKENS[0] < tokens < TOKENS[1]:
            return []
        x = float(self.x(tokens))
        return [
            Line(((x, self.floor), (x, self.top)), INK, width=1.2, alpha=0.5),
            Marker(x, self.top, "v", style.PAPER, INK, size=9),
        ]

    def lines(self, curves):
        drawn = []
        for curve, (color, _) in zip(curves, LOOKS, strict=False):
            tokens = np.geomspace(*TOKENS, 120)
            if curve.hidden_from and TOKENS[0] < curve.hidden_from < TOKENS[1]:
                tokens = np.sort(np.append(tokens, curve.hidden_from))  # a straight line would cut the bend
            x = self.x(tokens).tolist()
            y = self.y(np.asarray(curve.share(tokens))).tolist()
            drawn.append(Line(tuple(zip(x, y, strict=True)), color, width=2.4))
        return drawn

    def points(self, curves, tokens):
        x, drawn = float(self.x(tokens)), []
        for number, (curve, (color, shape)) in enumerate(zip(curves, LOOKS, strict=False)):
            y = float(self.y(curve.share(tokens)))
            if number == 1:
                drawn.append(Marker(x, y, "o", HAND, size=18))
            drawn.append(Marker(x, y, shape, color, size=9))
        return drawn

    def legend(self, curves, hidden_from):
        """Right of the curves at the bottom, or left of them at the top where they rise late."""
        if self.width == style.NARROW:
            drawn = []
            for place, (curve, (color, shape)) in enumerate(zip(curves, LOOKS, strict=False)):
                y = 62 - 20 * place
                drawn += [
                    Line(((10, y), (38, y)), color, width=2.4),
                    Marker(24, y, shape, color, size=9),
                    Text(46, y, curve.name),
                ]
            return drawn
        width = max(typesetting.text_size(curve.name, style.TEXT)[0] for curve in curves)
        height = 20 * len(curves) + 8
        late = hidden_from > 12_000
        left, floor = (self.left + 12, self.top - 10 - height) if late else (self.right - width - 44, self.floor + 6)
        drawn = [Bar(left - 8, floor, width + 52, height, style.PAPER)]
        for place, (curve, (color, shape)) in enumerate(zip(curves, LOOKS, strict=False)):
            y = floor + 20 * (len(curves) - place) - 6
            drawn += [
                Line(((left, y), (left + 28, y)), color, width=2.4), Marker(left + 14, y, shape, color, size=9),
                Text(left + 36, y, curve.name),
            ]  # fmt: skip
        return drawn
