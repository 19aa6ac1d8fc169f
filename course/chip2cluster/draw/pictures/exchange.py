"""One step of a collective: ranks in a ring with its messages, and the chunks that each rank holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin

from .. import style, typesetting
from ..heading import heading
from ..motion import Arrival, Route, Traveller
from ..palette import COMMUNICATION, FAINT, INK, MUTED, PAPER, SHADE
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Area, Inside, Line, Marker, Shape, Text

HEIGHTS = {style.WIDTH: 372, style.NARROW: 640}  # px
CENTRES, RADIUS, NODE = {style.WIDTH: (124, 166), style.NARROW: (170, 424)}, 92, 18
INNER = RADIUS - NODE - 22  # px: of the circle on which a followed chunk lies
# px: left, right and middle of the grid
GRIDS, ROW = {style.WIDTH: (298, 594, 158), style.NARROW: (60, 334, 162)}, 38
LEGEND = "Color: how many ranks' data · bold: complete · violet frame: just arrived"
FULL = 0.75  # how strong the ground of a complete chunk is


@dataclass(frozen=True)
class Cell:
    """What a rank holds of one chunk: a text, the share of what it will be, whether it just arrived."""

    text: str
    share: float
    arrived: bool = False


@two_widths
def exchange(
    cells: Sequence[Sequence[Cell]],
    messages: Sequence[tuple[int, int, str]],
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    followed: tuple[int, str] | None = None,
    width: int = style.WIDTH,
) -> Picture:
    """Draw one step of a collective.

    Parameters
    ----------
    cells : sequence of sequences of Cell
        A row for each rank, an entry for each chunk; up to six of both.
    messages : sequence of (source, destination, label)
        Those of this step; the label of an arrow may be empty.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    followed : (rank, text), optional
        Rank that has the chunk which the reader follows, and the chunk's number; it lies inside the ring.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text; its axes are the ranks of the ring and nothing.

    Raises
    ------
    ValueError
        For no ranks, or more than six.
    """
    if not 1 <= len(cells) <= 6:
        raise ValueError(f"a picture shows one to six ranks, got {len(cells)}")
    height = HEIGHTS[width]
    words = f"{LEGEND} · violet disk: chunk {followed[1]}, drag it" if followed else LEGEND
    legend = typesetting.lines(words, width - 12)
    shapes = [
        *heading(title, subtitle, width, height),
        *(Text(8, 14 + 17 * row, line, color=MUTED) for row, line in enumerate(reversed(legend))),
        Route(tuple(_ring(len(cells), messages, CENTRES[width]))),
        *_grid(cells, *GRIDS[width]),
    ]

    def place(rank, _=0):
        return _place(rank, len(cells), CENTRES[width], INNER)

    if followed:
        x, y = place(followed[0])
        before = place(followed[0] - 1)
        chunk = (
            Marker(x, y, "o", COMMUNICATION, PAPER, size=20),
            Inside(x, y, f"c{followed[1]}", color=PAPER, align="center", bold=True),
        )
        shapes.append(Arrival(chunk, (before[0] - x, before[1] - y)))
    return of_shapes(shapes, title, description, width, height, place)


def _place(rank, ranks, centre, radius=RADIUS):
    angle = pi / 2 - 2 * pi * rank / ranks  # clockwise from the top
    return centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)


def _ring(ranks, messages, centre):
    shapes = []
    for source, destination, label in messages:
        shapes += _arrow(_place(source, ranks, centre), _place(destination, ranks, centre), label)
    for rank in range(ranks):
        x, y = _place(rank, ranks, centre)
        node = Marker(x, y, "o", PAPER, INK, size=2 * NODE), Text(x, y, str(rank), size=15, align="center", bold=True)
        shapes.append(RowMark(str(rank), node))
    return shapes


def _arrow(start, end, label):
    """A slightly bent arrow, so that the way back does not cover it; its label lies outside the bend."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
    out_x, out_y = -along_y, along_x  # left of the direction of travel: outwards when going round clockwise
    bend = 0.22 * length
    bow = (x0 + x1) / 2 + bend * out_x, (y0 + y1) / 2 + bend * out_y
    first, last = _towards(start, bow, NODE + 2), _towards(end, bow, NODE + 3)
    neck = _towards(last, bow, 11)
    half_x, half_y = -(neck[1] - last[1]) / 2, (neck[0] - last[0]) / 2
    head = last, (neck[0] + half_x, neck[1] + half_y), (neck[0] - half_x, neck[1] - half_y)
    curve = []
    for k in range(13):
        t = k / 12
        weights = (1 - t) ** 2, 2 * t * (1 - t), t**2
        corners = tuple(zip(weights, (first, bow, neck), strict=True))
        curve.append(tuple(sum(weight * point[axis] for weight, point in corners) for axis in (0, 1)))
    shapes = [Line(tuple(curve), COMMUNICATION, width=2.2), Area(head, COMMUNICATION)]
    shapes.append(Traveller((Marker(0, 0, "s", SHADE, COMMUNICATION, size=16),), (start, *curve[::3], end)))
    if label:
        x, y = curve[6]
        shapes.append(Text(x + 12 * out_x, y + 12 * out_y, label, align="center", bold=True))
    return shapes


def _towards(point, goal, distance):
    length = hypot(goal[0] - point[0], goal[1] - point[1])
    return tuple(p + distance * (g - p) / length for p, g in zip(point, goal, strict=True))


def _grid(cells, left, right, centre):
    ranks, chunks = len(cells), len(cells[0])
    width = min(60, (right - left) / chunks)
    top = centre + ranks * ROW / 2
    shapes: list[Shape] = [Text(left - 10, top + 13, "chunk", color=MUTED, align="right")]
    shapes += [
        Text(left + (chunk + 0.5) * width, top + 13, str(chunk), color=MUTED, align="center") for chunk in range(chunks)
    ]
    frames = []
    for rank, row in enumerate(cells):
        y = top - (rank + 1) * ROW
        cells_of_rank: list[Shape] = [Text(left - 10, y + ROW / 2, f"rank {rank}", align="right")]
        for chunk, cell in enumerate(row):
            x = left + chunk * width
            cells_of_rank.append(Area(_box(x, y, width, 1.5), SHADE, FAINT, alpha=FULL * cell.share))
            if cell.arrived:
                frames.append(Area(_box(x, y, width, 2.5), "none", COMMUNICATION, 2.5))
            middle = x + width / 2, y + ROW / 2
            cells_of_rank.append(Inside(*middle, cell.text, color=INK, align="center", bold=cell.share >= 1))
        shapes.append(RowMark(str(rank), tuple(cells_of_rank)))
    return shapes + frames


def _box(x, y, width, inset):
    left, right, low, high = x + inset, x + width - inset, y + inset, y + ROW - inset
    return (left, low), (right, low), (right, high), (left, high)
