"""Pieces of hand-written SVG."""

from html import escape

from .palette import INK


def text(x, y, content, *, anchor="middle", size=13, weight="normal", colour=INK):
    """A text element; what it says is escaped."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}" fill="{colour}">{escape(str(content))}</text>'
    )
