"""Warps of one scheduler, cycle by cycle: issue, compute, wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...occupancy import COMPUTES, LOADS, READY, WAITS
from .. import style, typesetting
from ..heading import heading, opening
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text, edge, edge_of_patch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ... import occupancy

MOST_WARPS, MOST_CYCLES = 16, 96
ROW = 16  # px: the height of a warp's cycle
TALL = {LOADS: 13, COMPUTES: 8, READY: 5, WAITS: 2}  # px: told apart by height, too
FACE = {LOADS: style.WAITING, COMPUTES: style.WORK, READY: style.GREY, WAITS: style.HAIRLINE}
EDGE = {WAITS: style.FAINT}
LEGEND = ((LOADS, "starts a load", 112), (COMPUTES, "computes", 86), (WAITS, "waits for data", 122), (READY, "ready, another was picked", 0))  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """Of a picture of some width, px: its height, where the rows begin, and the width of a warp's cycle."""

    width: int
    height: int
    left: float
    top: float  # counted from above
    cell: float

    @property
    def slot(self) -> float:
        """The row of the issue slot, from above."""
        return self.top + MOST_WARPS * ROW + 12

    def x(self, cycle: int) -> float:
        """Return the left edge of a cycle, px."""
        return self.left + self.cell * cycle

    def box(self, state: int, first: int, last: int, top: float) -> tuple[float, float, float, float]:
        """A mark in the row that begins at ``top``, for the cycles from ``first`` to before ``last``."""
        gap = 0.13 * self.cell if state in (LOADS, COMPUTES) else 0
        tall = TALL[state]
        return self.x(first), self.height - top - (ROW + tall) / 2, self.cell * (last - first) - gap, tall


LAYOUTS = {
    style.WIDTH: Layout(style.WIDTH, 440, 68, 92, 5.4),
    style.NARROW: Layout(style.NARROW, 500, 56, 152, 2.84),
}


@dataclass(frozen=True)
class Boxes:
    """Rectangles of one look: ``(x, y, width, height)`` of each, from its lower left corner."""

    places: tuple
    face: str

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        path = "".join([f"M{x:.1f} {height - y:.1f}h{w:.1f}v{-h:.1f}h{-w:.1f}z" for x, y, w, h in self.places])
        return f'<path d="{path}" fill="{self.face}"{edge(self.face)}/>'

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        from matplotlib.patches import Rectangle

        for x, y, wide, tall in self.places:
            look: dict[str, Any] = {
                "facecolor": self.face,
                **edge_of_patch(self.face),
                "transform": style.pixels(figure),
            }
            figure.add_artist(Rectangle((x, y), wide, tall, **look))


@two_widths
def warp_timeline(timeline: occupancy.Timeline, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw a `Timeline` of one scheduler: a row for each warp, and one for the issue slot.

    A tall orange mark starts a load, a blue one computes; the thin line is a wait, the grey
    one a warp that was ready while another was picked. Empty places in the lowest row are
    cycles in which nothing was issued.

    Parameters
    ----------
    timeline : occupancy.Timeline
        Timeline of one scheduler, up to 16 warps and 96 cycles.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For more than one scheduler, or more warps or cycles than fit.

    Examples
    --------
    >>> from chip2cluster.occupancy import warp_timeline as run
    >>> warp_timeline(run(2, 8, cycles=16)).title
    'The scheduler issues in 4 of its first 16 cycles'
    """
    warps, cycles = timeline.states.shape
    if timeline.schedulers != 1 or warps > MOST_WARPS or cycles > MOST_CYCLES:
        raise ValueError(
            f"this picture shows one scheduler with up to {MOST_WARPS} warps and {MOST_CYCLES} cycles, "
            f"got {timeline.schedulers} with {warps} and {cycles}"
        )
    busy = timeline.issued[0] >= 0
    title = f"The scheduler issues in {busy.sum()} of its first {cycles} cycles"
    at = LAYOUTS[width]
    shapes = [
        *heading(title, subtitle, width, at.height),
        *_legend(at),
        *_axis(warps, cycles, at),
        *_rows(timeline.states, at),
        *_slots(timeline.states, at),
    ]
    description = _describe(title, subtitle, timeline)
    field = at.left, at.height - at.slot - ROW - 2, at.x(cycles), at.height - at.top + 1
    return replace(of_shapes(shapes, title, description, width, at.height), sweep=field)


def _runs(states):
    """The state, first cycle and end of each stretch of equal states; each instruction by itself."""
    turns = np.flatnonzero((states[1:] != states[:-1]) | (states[1:] >= LOADS)) + 1
    bounds = [0, *turns.tolist(), len(states)]
    return [(int(states[first]), first, last) for first, last in pairwise(bounds)]


def _rows(states, at):
    places: dict[int, list[tuple[float, float, float, float]]] = {
        state: [] for state in (WAITS, READY, COMPUTES, LOADS)
    }
    for warp, row in enumerate(states):
        for state, first, last in _runs(row):
            places[state].append(at.box(state, first, last, at.top + ROW * warp))
    return [Boxes(tuple(boxes), EDGE.get(state, FACE[state])) for state, boxes in places.items() if boxes]


def _slots(states, at):
    issued, y = states.max(axis=0), at.height - at.slot
    yield Line(((at.left, y + 4), (at.x(len(issued)), y + 4)), style.GREY)
    yield Text(at.left - 8, y - ROW / 2, "issued", align="right", bold=True)
    for state in (LOADS, COMPUTES):
        found = np.flatnonzero(issued == state).tolist()
        if found:
            yield Boxes(tuple(at.box(state, cycle, cycle + 1, at.slot) for cycle in found), FACE[state])


def _axis(warps, cycles, at):
    floor = at.height - at.slot - ROW - 4
    for cycle in range(0, cycles + 1, 16):
        yield Line(((at.x(cycle), at.height - at.top), (at.x(cycle), floor)), style.HAIRLINE)
        yield Text(at.x(cycle), floor - 12, str(cycle), align="center", color=style.MUTED)
    yield Text(at.x(cycles / 2), floor - 31, "cycle", align="center", color=style.MUTED)
    for warp in range(warps):
        name = "warp 0" if not warp else str(warp)
        yield Text(at.left - 8, at.height - at.top - ROW * (warp + 0.5), name, align="right", color=style.MUTED)


def _legend(at):
    x, y = 8.0, at.height - (70 if at.width == style.WIDTH else 104)
    mark: float
    for state, words, wide in LEGEND:
        tall = TALL[state]
        mark = 18 if state in (WAITS, READY) else 5.4
        if x + mark + 6 + typesetting.text_size(words, style.TEXT)[0] > at.width - 4:
            x, y = 8.0, y - 19
        yield Boxes(((x, y - tall / 2, mark, tall),), EDGE.get(state, FACE[state]))
        yield Text(x + mark + 6, y, words)
        x += wide + mark


def _describe(title, subtitle, timeline):
    told = []
    for warp, row in enumerate(timeline.states):
        loads, computes, waits = ((row == state).sum() for state in (LOADS, COMPUTES, WAITS))
        told.append(f"warp {warp} starts {loads} loads, computes in {computes} cycles and waits in {waits}")
    return f"{opening(title, subtitle)} {'; '.join(told)}."
