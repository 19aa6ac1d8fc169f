"""HTML and SVG of a design memo: a page, a table, a scatter plot and bars, without external files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

STYLE = """
@page { size: auto; margin: 14mm }
.memo { font: 10.5px/1.35 system-ui, sans-serif; color: #111; background: #fff; max-width: 182mm; margin: 0 auto; padding: 4px }
.memo .memo-title { font-size: 17px; margin: 0 0 4px } .memo h2 { font-size: 12px; margin: 9px 0 3px }
.memo p { margin: 3px 0 } .memo pre { font-size: 9px; margin: 3px 0; background: none; white-space: pre-wrap }
.memo table { border-collapse: collapse; width: 100%; font-size: 10px }
.memo th, .memo td { text-align: left; padding: 1.5px 6px 1.5px 0; border-bottom: 1px solid #ddd; vertical-align: top }
.memo svg { display: block; width: 100%; height: auto } .memo text { font: 10px system-ui, sans-serif; fill: #111 }
.memo section { break-after: page; break-inside: avoid } .memo section:last-child { break-after: auto }
"""
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 230, 46, 30  # pixels of the scatter plot, and its margins
ROW, NAME, SCALE = 24, 120, 260  # pixels of a bar's row, its name, and the range


def page(title: str, sections: Sequence[str]) -> str:
    """Return a complete document, one printed page per section."""
    body = "".join(f"<section>{section}</section>" for section in sections)
    head = f'<p class="memo-title">{escape(title)}</p>'
    body = body.replace("<section>", f"<section>{head}", 1)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
        f'</head><body><div class="memo">{body}</div></body></html>\n'
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    top = "".join(f"<th>{escape(name)}</th>" for name in header)
    lines = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def scatter(dots: Sequence[tuple[float, float, bool]], mine: tuple[float, float]) -> str:
    """Return designs by days and million dollars, those on the frontier filled, and one design as a ring."""
    days, dollars = ([dot[axis] for dot in dots] + [mine[axis]] for axis in (0, 1))
    (west, east), (south, north) = (_ends(values) for values in (days, dollars))

    def place(x: float, y: float) -> str:
        across = LEFT + (x - west) / (east - west) * (WIDTH - LEFT - 12)
        up = HEIGHT - BOTTOM - (y - south) / (north - south) * (HEIGHT - BOTTOM - 12)
        return f'cx="{across:.1f}" cy="{up:.1f}"'

    marks = "".join(
        f'<circle {place(x, y)} r="{3.5 if best else 2}" fill="{"#b02a2a" if best else "#b9c2cc"}"/>'
        for x, y, best in sorted(dots, key=lambda dot: dot[2])
    )
    marks += f'<circle {place(*mine)} r="7" fill="none" stroke="#111" stroke-width="2"/>'
    axis = (
        f'<path d="M{LEFT} 8V{HEIGHT - BOTTOM}H{WIDTH - 8}" fill="none" stroke="#666"/>'
        f'<text x="{LEFT}" y="{HEIGHT - 16}">{west:.0f}</text><text x="{WIDTH - 40}" y="{HEIGHT - 16}">{east:.0f}</text>'
        f'<text x="{WIDTH / 2 - 40}" y="{HEIGHT - 4}">days of the run</text>'
        f'<text x="4" y="{HEIGHT - BOTTOM}">{south:.1f}</text><text x="4" y="16">{north:.1f}</text><text x="4" y="30">M$</text>'
    )
    legend = (
        f'<circle cx="{WIDTH - 236}" cy="14" r="3.5" fill="#b02a2a"/><text x="{WIDTH - 228}" y="18">on the frontier</text>'
        f'<circle cx="{WIDTH - 130}" cy="14" r="6" fill="none" stroke="#111" stroke-width="2"/>'
        f'<text x="{WIDTH - 120}" y="18">this design</text>'
    )
    says = (
        f"Designs by days and cost of the run; this design takes {mine[0]:.1f} days and {mine[1]:.1f} million dollars."
    )
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(says)}">{axis}{marks}{legend}</svg>'


def bars(rows: Sequence[tuple[str, float, float, str]], now: float) -> str:
    """Return ranges of a result as bars, with the reason of each range, and a line at the expected result."""
    west, east = _ends([value for row in rows for value in row[1:3]] + [now])

    def along(value: float) -> float:
        return NAME + (value - west) / (east - west) * SCALE

    lines = []
    for number, (name, low, high, because) in enumerate(rows):
        top = 14 + ROW * number
        lines.append(
            f'<text x="0" y="{top + 11}">{escape(name)}</text>'
            f'<rect x="{along(low):.1f}" y="{top + 2}" width="{max(along(high) - along(low), 1):.1f}" height="11" fill="#5b7fa6"/>'
            f'<text x="{NAME + SCALE + 8}" y="{top + 11}">{low:.1f} to {high:.1f} days</text>'
            f'<text x="{NAME}" y="{top + 22}" style="font-size:8px;fill:#555">{escape(because)}</text>'
        )
    height = 18 + ROW * len(rows)
    line = f'<path d="M{along(now):.1f} 4V{height - 4}" stroke="#111" stroke-dasharray="3 2"/><text x="{along(now) + 4:.1f}" y="10">{now:.1f} days expected</text>'
    says = "; ".join(f"{name} {low:.1f} to {high:.1f} days" for name, low, high, _ in rows)
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(says)}">{"".join(lines)}{line}</svg>'


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis, 4 % beyond the values."""
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
    return low - room, high + room
