"""Draw the share of a class's guesses within a factor of the correct value, as a small SVG picture."""

import math
from html import escape

from markupsafe import Markup

from chip2cluster.draw import svg

from .guesses import FACTORS

WIDTH, HEIGHT, LEFT, RIGHT, FOOT, TOP = 640, 300, 56, 150, 48, 20
STYLES = (("var(--link)", ""), ("var(--muted)", "6 4"), ("var(--hand)", "2 4"))


def draw_curves(curves: dict[str, list[float]]) -> Markup:
    """Draw the share of guesses over their maximum error factor.

    Parameters
    ----------
    curves : dict
        Shares for each of `FACTORS`, by the name of the line.

    Returns
    -------
    markupsafe.Markup
        An ``<svg>`` element with a title and a description for screen readers.
    """
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - FOOT - TOP

    def x(factor: float) -> float:
        return LEFT + wide * math.log10(factor) / math.log10(FACTORS[-1])

    def y(share: float) -> float:
        return TOP + tall * (1 - share)

    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(
            f'<line x1="{LEFT}" x2="{LEFT + wide}" y1="{y(share):.1f}" y2="{y(share):.1f}" stroke="var(--line)"/>'
        )
        parts.append(_text(LEFT - 8, y(share) + 4, f"{100 * share:.0f} %", "end"))
    parts += [_text(x(factor), HEIGHT - FOOT + 18, f"×{factor:g}") for factor in (1, 2, 10, 100, 1000)]
    parts.append(_text(LEFT + wide / 2, HEIGHT - 8, "off by at most this factor"))
    for place, ((name, shares), (color, dash)) in enumerate(zip(curves.items(), STYLES, strict=False)):
        points = " ".join(f"{x(factor):.1f},{y(share):.1f}" for factor, share in zip(FACTORS, shares, strict=True))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2.5"{dashed}/>')
        line = TOP + 14 + 40 * place
        parts.append(
            f'<line x1="{LEFT + wide + 12}" x2="{LEFT + wide + 40}" y1="{line}" y2="{line}" stroke="{color}" '
            f'stroke-width="2.5"{dashed}/>'
        )
        for row, words in enumerate(_lines(name)):
            parts.append(_text(LEFT + wide + 46, line + 4 + 14 * row, words, "start"))
    at_two = min(range(len(FACTORS)), key=lambda place: abs(FACTORS[place] - 2))
    description = "; ".join(
        f"{name}: {100 * shares[at_two]:.0f} % within a factor of {FACTORS[at_two]:.1f}, {100 * shares[8]:.0f} % within 10"
        for name, shares in curves.items()
    )
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="guesses-title guesses-description">'
        f'<title id="guesses-title">Share of guesses within a factor of the correct value</title>'
        f'<desc id="guesses-description">{escape(description)}</desc>{"".join(parts)}</svg>'
    )


def _lines(name: str) -> list[str]:
    """Break a name into lines that fit next to the picture."""
    lines = [""]
    for word in name.split():
        if len(lines[-1]) + len(word) > 14:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _text(x: float, y: float, content: object, anchor: str = "middle") -> str:
    return svg.text(x, y, content, anchor=anchor, size=12, color="var(--ink)")
