"""Common style of all pictures: sizes, fonts and lines.

A figure is measured in CSS pixels: one point is one pixel at 72 dots per inch,
so ``fontsize=13`` is 13 px as displayed at full width. Colors are those
of `palette`; things differ by markers and dashes, too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from . import typeface
from .palette import (  # noqa: F401
    BLUE,
    BROKEN,
    FAINT,
    GREY,
    HAIRLINE,
    HAND,
    INK,
    LIMIT,
    MUTED,
    ON,
    ORANGE,
    OTHERS,
    PALETTE,
    PAPER,
    WAITING,
    WORK,
)  # fmt: skip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

MARKERS = ("s", "D", "^", "v", "P", "X")
DASHES = ("solid", (0, (5, 2.5)), (0, (1.5, 1.8)), (0, (6, 2, 1.5, 2)))

TITLE, TEXT = 18, 13  # px
WIDTH, HEIGHT = 600, 420  # px
NARROW = 340  # px: the width of a picture on a phone; the same letters, laid out anew
HEIGHTS = {WIDTH: HEIGHT, NARROW: 460}  # px: of a picture that has no reason for another
SMALLEST = {WIDTH: 508, NARROW: 288}  # px: shown narrower, 13 px text would be below 11 px

RC: dict[str, Any] = {
    "font.family": [typeface.FAMILY, "sans-serif"],
    "font.sans-serif": list(typeface.FAMILIES[1:]),  # for letters that the face does not have
    "font.size": TEXT,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": MUTED,
    "axes.labelpad": 5,
    "axes.linewidth": 1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": TEXT,
    "ytick.labelsize": TEXT,
    "lines.linewidth": 2.2,
    "lines.solid_capstyle": "round",
    "text.hinting": "none",  # as wide as measured
    "svg.fonttype": "none",
    "svg.hashsalt": "chip2cluster",
}


def applied() -> AbstractContextManager[None]:
    """The look as a context: ``with style.applied(): ...``."""
    import matplotlib as mpl  # here, because a picture of shapes alone does not need it
    from cycler import cycler

    typeface.register()
    look: Any = {**RC, "axes.prop_cycle": cycler(color=PALETTE)}
    return mpl.rc_context(look)


def figure(width: int = WIDTH, height: float | None = None, *, paper: str = PAPER) -> Figure:
    """A figure of the given size in pixels; call it inside `applied`."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / 72, (height or HEIGHTS[width]) / 72), dpi=72, facecolor=paper)


def axes(figure: Figure, box: tuple[float, float, float, float]) -> Axes:
    """Axes in a figure, by their left, bottom, right and top in pixels."""
    left, bottom, right, top = box
    width, height = figure.get_size_inches() * 72
    return figure.add_axes((left / width, bottom / height, (right - left) / width, (top - bottom) / height))


def pixels(figure: Figure) -> Transform:
    """A transform from CSS pixels, counted from the lower left corner, at any resolution."""
    from matplotlib.transforms import Affine2D

    return Affine2D().scale(1 / 72) + figure.dpi_scale_trans
