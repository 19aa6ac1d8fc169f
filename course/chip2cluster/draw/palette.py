"""The colours of every picture: matplotlib's petroff6, safe for colour-blind readers."""

BLUE, ORANGE, RED, PLUM, GREY, VIOLET = "#5790fc", "#f89c20", "#e42536", "#964a8b", "#9c9ca1", "#7a21dd"
PALETTE = (BLUE, ORANGE, PLUM, VIOLET, GREY, RED)
ACCENT = RED  # what the reader moved, and nothing else
INK, MUTED, HAIRLINE, PAPER = "#1f2430", "#5b6270", "#e4e7ec", "#ffffff"
