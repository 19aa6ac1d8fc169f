"""Helpers for hand-written SVG."""

from html import escape

from .palette import INK


def text(
    x: float,
    y: float,
    content: object,
    *,
    anchor: str = "middle",
    size: float = 13,
    weight: str = "normal",
    color: str = INK,
) -> str:
    """A text element; what it says is escaped."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}" fill="{color}">{escape(str(content))}</text>'
    )
