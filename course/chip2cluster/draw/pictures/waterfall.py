"""Waterfall of a training step: the share of each part.

Drawn with shapes alone, so a frame takes less than 1 ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Rectangle

from .. import style, typesetting
from ..heading import heading, opening
from ..palette import BLUES, GREY, HAIRLINE, INK, MUTED, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Inside, Line, Shape, Text, edge, edge_of_patch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ... import utilization

HEIGHTS = {style.WIDTH: 384, style.NARROW: 470}  # px
# px: left, right, floor and top of the bars; names stand left of them, of a narrow picture above each
FIELDS = {style.WIDTH: (186, 520, 50, 318), style.NARROW: (10, 318, 50, 374)}
BAR = 24  # px
NAMES = {
    "model_arithmetic": "model arithmetic",
    "recomputation": "recomputation",
    "slow_kernels": "kernels below peak",
    "pipeline_bubble": "pipeline bubble",
    "exposed_communication": "messages not hidden",
    "input_wait": "waiting for data",
}
COLOURS = {"model_arithmetic": WORK, "recomputation": BLUES[1]}  # the others are losses
USEFUL = tuple(COLOURS)


@dataclass(frozen=True)
class Bar:
    """A filled rectangle from its lower left corner, px."""

    x: float
    y: float
    width: float
    height: float
    color: str

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        top = height - self.y - self.height
        return f'<rect x="{self.x:.1f}" y="{top:.1f}" width="{self.width:.1f}" height="{self.height:g}" fill="{self.color}"{edge(self.color)}/>'

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        place: dict[str, Any] = dict(
            facecolor=self.color, zorder=2, **edge_of_patch(self.color), transform=style.pixels(figure)
        )
        figure.add_artist(Rectangle((self.x, self.y), self.width, self.height, **place))


@two_widths
def waterfall(step: utilization.Step, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw the parts of a training step as shares of it.

    Parameters
    ----------
    step : utilization.Step
        Step with plain numbers, not arrays.
    subtitle : str
        Name of the step, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title states both utilizations and the time; the first bar ends at the MFU,
        the second at the HFU.
    """
    title = f"MFU {100 * step.mfu:.1f} %, HFU {100 * step.hfu:.1f} %: a step of {seconds(step.seconds)}"
    shapes = [*_frame(title, subtitle, width), *_bars(step, width)]
    description = _describe(step, opening(title, subtitle))
    return of_shapes(shapes, title, description, width, HEIGHTS[width])


def largest_loss(step: utilization.Step) -> str:
    """Name of the part that takes most of the step besides arithmetic."""
    losses = {name: time for name, time in step.parts.items() if name not in USEFUL}
    return max(losses, key=losses.__getitem__)


def seconds(time: float) -> str:
    """A time for people, in seconds.

    >>> seconds(39.152), seconds(0.4151), seconds(1204.2), seconds(0.0)
    ('39.2 s', '0.42 s', '1,204 s', '0 s')
    """
    digits = 2 if time < 1 else 1 if time < 100 else 0
    return f"{time:,.{digits}f} s" if time else "0 s"


def _x(share, width):
    left, right, *_ = FIELDS[width]
    return left + (right - left) * share


def _frame(title, subtitle, width):
    drawn, (left, right, floor, top) = heading(title, subtitle, width, HEIGHTS[width]), FIELDS[width]
    for percent in range(0, 101, 20):
        x = _x(percent / 100, width)
        drawn.append(Line(((x, floor), (x, top)), HAIRLINE if percent else GREY))
        drawn.append(Text(x, floor - 13, f"{percent}", align="center"))
    return [*drawn, Text((left + right) / 2, 14, "Share of the step, %", color=MUTED, align="center")]


def _bars(step, page):
    total, start = step.seconds, 0.0
    drawn: list[Shape] = []
    *_, floor, top = FIELDS[page]
    pitch, worst = (top - floor) / len(NAMES), largest_loss(step)
    lower, higher = (11, 14) if page == style.NARROW else (0, 0)  # of a row's middle: its bar, its name
    for row, (name, time) in enumerate(step.parts.items()):
        middle, stop = top - pitch * (row + 0.5) - lower, start + time / total
        x0, x1 = _x(start, page), _x(stop, page)
        if row:
            drawn.append(Line(((x0, middle + BAR / 2), (x0, middle + pitch - BAR / 2)), GREY))
        bar = Bar(x0, middle - BAR / 2, max(x1 - x0, 1.5), BAR, COLOURS.get(name, WAITING))
        bold = name == worst and time > 0
        drawn.append(RowMark(NAMES[name], (bar, Text(8, middle + lower + higher, NAMES[name], bold=bold))))
        text = _figure(name, time / total, stop)
        width = typesetting.text_size(text, style.TEXT, "bold" if bold else "normal")[0]
        if x1 + 8 + width < page - 4:
            drawn.append(Text(x1 + 8, middle, text, bold=bold, color=INK))
        else:  # left of the bar, or in it where the name leaves no room
            name_ends = (
                0 if lower else 8 + typesetting.text_size(NAMES[name], style.TEXT, "bold" if bold else "normal")[0]
            )
            shape, right = (Text, x0 - 8) if x0 - 16 - width > name_ends else (Inside, x1 - 8)
            drawn.append(shape(right, middle, text, bold=bold, align="right"))
        start = stop
    return drawn


def _figure(name, share, stop):
    text = f"{100 * share:.1f} %"
    if name == "model_arithmetic":
        return f"{text} = MFU"
    return f"{text}, to {100 * stop:.1f} % = HFU" if name == "recomputation" else text


def _describe(step, start):
    parts = [f"{NAMES[name]} {seconds(time)} ({100 * time / step.seconds:.1f} %)" for name, time in step.parts.items()]
    return f"{start} In order: {'; '.join(parts)}."
