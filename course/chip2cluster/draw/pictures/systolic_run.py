"""One cycle of a systolic array beside the whole run: cells that work now, and when each worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Rectangle

from .. import style
from ..heading import heading
from ..motion import Arrival
from ..palette import HAIRLINE, KINDS, WORK
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text
from .systolic import WORDS, _description, _number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...systolic import ArrayState

LARGEST = 4  # cells a side
CELL_WIDTH, CELL_HEIGHT, GAP, WAITING = 70, 54, 4, 3  # the last: values that wait above


@dataclass(frozen=True)
class Layout:
    """Of a picture of some width, px, those upright counted from above.

    Left upper corner of the array and how many values wait at its left; left, top, right and bottom of the chart
    and left and top of the words beside it; top of the key and how many columns it has.
    """

    width: int
    height: int
    left: float
    top: float
    waiting: int
    chart: tuple
    words: tuple
    key: float
    columns: int


LAYOUTS = {
    style.WIDTH: Layout(style.WIDTH, 458, 108, 128, 3, (436, 128, 590, 304), (418, 346), 418, 3),
    style.NARROW: Layout(style.NARROW, 762, 42, 164, 1, (34, 484, 176, 590), (200, 500), 640, 1),
}


@dataclass(frozen=True)
class Box:
    """A rectangle by its left upper corner, in pixels counted downwards."""

    x: float
    y: float
    width: float
    height: float
    fill: str = style.PAPER
    edge: str = "none"
    line: float = 1.5
    page: float = 0  # height of the picture

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        edge = "" if self.edge == "none" else f' stroke="{self.edge}" stroke-width="{self.line:g}"'
        return (
            f'<rect x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}" height="{self.height:.1f}" '
            f'fill="{self.fill}"{edge}/>'
        )

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        corner = self.x, self.page - self.y - self.height
        look: dict[str, Any] = {"facecolor": self.fill, "edgecolor": self.edge, "linewidth": self.line}
        figure.add_artist(Rectangle(corner, self.width, self.height, transform=style.pixels(figure), **look))


@two_widths
def systolic_run(states: Sequence[ArrayState], cycle: int, subtitle: str = "", *, width: int = style.WIDTH) -> Picture:
    """Draw one cycle of a run, with the cells at work in every cycle beside it.

    Parameters
    ----------
    states : sequence of ArrayState
        The whole run, from the state before the first cycle to the last one.
    cycle : int
        Cycle that is shown.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Values of A (blue frames) move right, partial sums or values of B (orange
        frames) move down. A tinted cell does a useful multiply-accumulate.

    Raises
    ------
    ValueError
        For an array of more than 4 x 4 cells, or a cycle outside the run.

    Examples
    --------
    >>> from chip2cluster.systolic import WeightStationary
    >>> array = WeightStationary([[1, 2], [3, 4]], [[5, 6], [7, 8]], rows=2, cols=2)
    >>> start = array.state
    >>> _ = array.run()
    >>> systolic_run((start, *array.history), 4).title
    'Cycle 4 of 6: 3 of 4 cells at work'
    """
    states = tuple(states)
    if not 0 <= cycle < len(states):
        raise ValueError(f"cycle must lie in 0 to {len(states) - 1}, got {cycle}")
    state = states[cycle]
    rows, cols = state.busy.shape
    if max(rows, cols) > LARGEST:
        raise ValueError(f"this picture shows at most {LARGEST} x {LARGEST} cells, got {rows} x {cols}")
    busy = [int(np.count_nonzero(each.busy)) for each in states]
    title = f"Cycle {cycle} of {len(states) - 1}: {busy[cycle]} of {rows * cols} cells at work"
    at = LAYOUTS[width]
    drawn = _edges(state, at) + _cells(state, at) + _chart(busy, cycle, rows * cols, states, at) + _legend(state, at)
    drawn.sort(key=lambda shape: isinstance(shape, Arrival))  # what moves passes over what stands
    shapes = [*heading(title, subtitle, width, at.height), *(_lifted(shape, at.height) for shape in drawn)]

    description = (
        f"{title}. Over the whole run {_percent(states[-1])} of the cell cycles are useful. {_description(state)}"
    )
    chart_left, _, chart_right, foot = at.chart
    pitch = (chart_right - chart_left) / max(len(states) - 1, 1)

    def place(number, _=None):
        return chart_left + (number - 0.5) * pitch, at.height - foot

    return of_shapes(shapes, title, description, width, at.height, place)


def _text(x, y, content, **look):
    """A text, its place counted from above as that of a box; `_lifted` brings it where it belongs."""
    return Text(x, -y, content, **look)


def _lifted(shape, height):
    if isinstance(shape, Arrival):
        return replace(shape, shapes=tuple(_lifted(one, height) for one in shape.shapes))
    if isinstance(shape, Box):
        return replace(shape, page=height)
    if isinstance(shape, Line):
        return replace(shape, points=tuple((x, y + height) for x, y in shape.points))
    return replace(shape, y=shape.y + height)


def _percent(state):
    return f"{100 * state.utilization:.0f} %"


def _framed(x, y, width, content, edge, bold=False):
    """A value in a colored frame, centred at x and y."""
    return [Box(x - width / 2, y - 10, width, 20, edge=edge), _text(x, y, content, align="center", bold=bold)]


def _moving(origin, *framed, **look):
    """A value in its frame that came from ``origin`` px to the right and upwards of here."""
    return Arrival(tuple(_framed(*framed, **look)), origin)


def _corner(i, j, at):
    return at.left + j * (CELL_WIDTH + GAP), at.top + i * (CELL_HEIGHT + GAP)


def _shown(values, *place):
    value = values[place]
    return None if value is np.ma.masked else _number(value)


def _cells(state, at):
    shapes, moves_down = [], state.dataflow == "weight_stationary"
    for i, j in np.ndindex(*state.busy.shape):
        x, y = _corner(i, j, at)
        look = {"fill": HAIRLINE, "edge": WORK, "line": 3} if state.busy[i, j] else {"edge": style.GREY}
        shapes.append(Box(x, y, CELL_WIDTH, CELL_HEIGHT, **look))
        held, waiting, right, down = (
            _shown(getattr(state, name), i, j) for name in ("stationary", "shadow", "right", "down")
        )
        if right is not None:
            origin = (-38 if j == 0 else -CELL_WIDTH - GAP), 0
            shapes.append(_moving(origin, x + 18, y + 15, 28, "→" + right, KINDS[0]))
            shapes.append(_text(x + 37, y + 15, "×", align="center", color=style.MUTED))
        if moves_down:
            if held is not None:
                shapes.append(_text(x + 54, y + 15, held, align="center", bold=True))
            if down is not None:
                origin = (0, CELL_HEIGHT + GAP if i else 0)
                shapes.append(_moving(origin, x + 23, y + 39, 38, "↓" + down, KINDS[1]))
        else:
            if down is not None:
                origin = (0, CELL_HEIGHT + GAP) if i else (-19, 31)
                shapes.append(_moving(origin, x + 54, y + 15, 26, "↓" + down, KINDS[1]))
            if held is not None:
                shapes.append(_text(x + 6, y + 39, held, bold=True))
        if waiting is not None:
            shapes.append(_text(x + CELL_WIDTH - 3, y + 40, f"({waiting})", color=style.MUTED, align="right"))
    return shapes


def _edges(state, at):
    """What waits at the left and at the top, and what leaves at the bottom."""
    rows, cols = state.busy.shape
    shapes = []
    for i in range(rows):
        y = _corner(i, 0, at)[1] + 15
        for step in range(min(at.waiting, state.left_queue.shape[1])):
            shapes += _waiting(at.left - 20 - 34 * step, y, _shown(state.left_queue, i, step), KINDS[0], (-34, 0))
    top_color = style.GREY if state.dataflow == "weight_stationary" else KINDS[1]
    for j in range(cols):
        x = _corner(0, j, at)[0] + CELL_WIDTH / 2
        for step in range(min(WAITING, state.top_queue.shape[0])):
            shapes += _waiting(x, at.top - 16 - 24 * step, _shown(state.top_queue, step, j), top_color, (0, 24))
        left = _shown(state.leaving, j)
        if left is not None:
            low = _corner(rows, 0, at)[1] + 10
            shapes.append(_moving((-12, CELL_HEIGHT - 24), x, low, 44, "↓" + left, KINDS[1], bold=True))
    return shapes


def _waiting(x, y, value, color, origin):
    if value is None:
        return [_text(x, y, "·", align="center", color=style.GREY)]
    return [_moving(origin, x, y, 24, value, color)]


def _chart(busy, cycle, cells, states, at):
    (left, top, right, bottom), (beside, below) = at.chart, at.words
    last = len(busy) - 1
    wide = (right - left) / max(last, 1)
    shapes = [_text(left - 18, top - 38, "Cells at work", bold=True), _text(left - 18, top - 20, "in each cycle")]
    for number in range(1, last + 1):
        tall = (bottom - top) * busy[number] / cells
        color = style.HAND if number == cycle else style.GREY if number < cycle else style.HAIRLINE
        if tall or number == cycle:
            height = max(tall, 2)
            shapes.append(Box(left + (number - 1) * wide, bottom - height, max(wide - 1, 1), height, fill=color))
    shapes.append(Line(((left, -top), (left, -bottom), (right, -bottom)), color=style.GREY))
    for count, y in ((cells, top), (cells // 2, (top + bottom) / 2), (0, bottom)):
        if count or y == bottom:
            shapes.append(_text(left - 5, y, str(count), align="right"))
    shapes += [_text(left, bottom + 14, "1"), _text(right, bottom + 14, str(last), align="right")]
    shapes.append(_text((left + right) / 2, bottom + 14, "cycle", align="center", color=style.MUTED))
    shapes.append(_text(beside, below, "Useful cell cycles", bold=True))
    shapes.append(_text(beside, below + 20, f"so far: {_percent(states[cycle])}", color=style.HAND, bold=True))
    shapes.append(_text(beside, below + 40, f"whole run: {_percent(states[-1])}"))
    return shapes


def _legend(state, at):
    held, down, waiting = WORDS[state.dataflow]
    spots = (
        ((26, 0), (222, 0), (437, 0), (26, 24), (222, 24)) if at.columns == 3 else [(26, 24 * row) for row in range(5)]
    )
    (a, b, c, d, e), beside = [(x, at.key + y) for x, y in spots], 20
    return [
        *_framed(*a, 28, "→1", KINDS[0]), _text(a[0] + beside, a[1], "value of A, moves right"),
        *_framed(*b, 28, "↓1", KINDS[1]), _text(b[0] + beside, b[1], down),
        Box(c[0] - 13, c[1] - 9, 26, 18, fill=HAIRLINE, edge=WORK, line=3), _text(c[0] + beside, c[1], "at work"),
        _text(*d, "1", align="center", bold=True), _text(d[0] + beside, d[1], held),
        _text(*e, "(1)", align="center", color=style.MUTED), _text(e[0] + beside, e[1], waiting),
    ]  # fmt: skip
