"""Map of a cluster's nodes: small squares in blocks by switch, colored by state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Rectangle

from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BROKEN, GREY, OTHERS, WORK
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Shape, Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..._typing import ArrayLike, NDArray

BLOCK = 32  # nodes side by side in a block, where the machine names no groups
PITCHES = (18, 15, 13, 11, 9, 8, 7, 6, 5.5, 5, 4.5, 4, 3.5, 3)  # px from square to square
AREA = {style.WIDTH: 116, style.NARROW: 196}  # px: height of the squares
KEY = 20  # px: a line of the key
# What a node does: its color, its name, and the share of its place that its square fills: told apart by size, too.
LOOKS = {
    "working": (WORK, "working", 0.75), "idle": (GREY, "idle spare", 0.45), "lent": (OTHERS, "lent to others", 0.55),
    "broken": (BROKEN, "broken", 1.0),
}  # fmt: skip
WORST = ("working", "idle", "lent", "broken")  # of several nodes that share a square


@dataclass(frozen=True)
class Squares:
    """Rows of equal squares: ``runs`` are left, middle and number of each row, px."""

    runs: tuple
    side: float
    pitch: float
    color: str

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        # A dashed line a row: a square is a dash, and a machine of thousands is a few kilobytes.
        lead = (self.pitch - self.side) / 2
        path = "".join(
            f"M{x + lead:.1f} {height - y:.1f}h{self.pitch * (count - 1) + self.side:.1f}" for x, y, count in self.runs
        )
        return (
            f'<path d="{path}" fill="none" stroke="{self.color}" stroke-width="{self.side:.2f}" '
            f'stroke-dasharray="{self.side:.2f} {self.pitch - self.side:.2f}"/>'
        )

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        lead = (self.pitch - self.side) / 2
        place: dict[str, Any] = dict(facecolor=self.color, linewidth=0, transform=style.pixels(figure))
        for x, y, count in self.runs:
            for number in range(count):
                corner = (x + lead + self.pitch * number, y - self.side / 2)
                figure.add_artist(Rectangle(corner, self.side, self.side, **place))


@dataclass(frozen=True)
class Plan:
    """Where the squares stand: ``per`` nodes to a square, ``columns`` by ``rows`` squares to a block, ``across`` blocks."""

    per: int
    pitch: float
    columns: int
    rows: int
    across: int

    @property
    def gap(self) -> float:
        """Distance between two blocks, px."""
        return max(2.0, 0.5 * self.pitch)

    def place(self, square: int, left: float, top: float) -> tuple[float, float]:
        """Left edge and middle of a square, px."""
        block, inside = divmod(square, self.columns * self.rows)
        row, column = divmod(inside, self.columns)
        down, beside = divmod(block, self.across)
        x = left + beside * (self.columns * self.pitch + self.gap) + column * self.pitch
        return x, top - down * (self.rows * self.pitch + self.gap) - (row + 0.5) * self.pitch


def planned(nodes: int, group: int, wide: float, tall: float) -> Plan:
    """The largest squares with which so many nodes, so many of them to a block, have room."""
    for per in (1, 2, 4, 8, 16, 32, 64):
        block = max(1, ceil(group / per))
        columns = min(8, block)
        rows = ceil(block / columns)
        for pitch in PITCHES:
            plan = Plan(per, pitch, columns, rows, 0)
            across = int((wide + plan.gap) // (columns * pitch + plan.gap))
            blocks = ceil(ceil(nodes / per) / (columns * rows))
            if across and ceil(blocks / across) * (rows * pitch + plan.gap) - plan.gap <= tall:
                return Plan(per, pitch, columns, rows, across)
    raise ValueError(f"nodes must be at most some 100,000 to be seen, got {nodes:,}")


def squares(
    kinds: Sequence[str] | NDArray[Any],
    looks: Mapping[str, tuple[str, str, float]],
    plan: Plan,
    left: float,
    top: float,
) -> Iterator[Squares]:
    """The shapes of a machine; ``kinds`` is what each node is, by the names of ``looks``, the last of which wins a square."""
    order = {kind: place for place, kind in enumerate(looks)}
    codes = np.array([order[kind] for kind in kinds]) if not isinstance(kinds, np.ndarray) else kinds
    if plan.per > 1:
        padded = np.full(ceil(len(codes) / plan.per) * plan.per, -1)
        padded[: len(codes)] = codes
        codes = padded.reshape(-1, plan.per).max(axis=1)
    for code, (color, _, share) in enumerate(looks.values()):
        runs = tuple(_runs(np.flatnonzero(codes == code).tolist(), plan, left, top))
        if runs:
            yield Squares(runs, share * (plan.pitch - 0.6), plan.pitch, color)


def _runs(places, plan, left, top):
    """Squares that stand side by side in one row of a block, as one."""
    start = previous = None
    for square in [*places, None]:
        if previous is not None and (square != previous + 1 or square % plan.columns == 0):
            yield (*plan.place(start, left, top), previous - start + 1)
            start = None
        if start is None:
            start = square
        previous = square


def key(names: Sequence[str], looks: Mapping[str, tuple[str, str, float]], y: float, width: int) -> Iterator[Shape]:
    """What the squares are, in rows of words from ``y`` downwards."""
    words = [looks[name][1] for name in names]
    for name, (x, row) in zip(names, typesetting.flow(words, 8, width - 8), strict=True):
        color, word, share = looks[name]
        side = 12 * share
        yield Squares(((x + 6 - side / 2, y - KEY * row, 1),), side, side, color)
        yield Text(x + 18, y - KEY * row, word)


@two_widths
def node_map(
    states: NDArray[Any], *, group: int | None = None, title: str = "", subtitle: str = "", width: int = style.WIDTH
) -> Picture:
    """Draw what the nodes of a machine do at a moment.

    Parameters
    ----------
    states : array of int, shape (nodes,)
        Result of `reliability.NodeRun.states_at`.
    group : int, optional
        Nodes of a switch; 32 stand together where it is left out.
    title, subtitle : str
        The finding, and what it is about; without a title the counts.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no nodes, more than can be seen, and a state that there is not.

    Examples
    --------
    >>> node_map([0] * 62 + [2, 1]).title
    '62 working, 1 idle spare, 1 broken'
    """
    codes = coded(states)
    counts = counted(codes)
    title = title or ", ".join(f"{count:,} {LOOKS[name][1]}" for name, count in counts.items() if count)
    height = AREA[width] + KEY * (2 if width == style.NARROW else 1) + 20 + ROOM[width]
    top = height - ROOM[width]
    plan = planned(len(codes), group or BLOCK, width - 16, AREA[width])
    shapes = [
        *heading(title, subtitle, width, height),
        *squares(codes, LOOKS, plan, 8, top),
        *key(list(LOOKS), LOOKS, 8 + KEY * (height - top > ROOM[style.WIDTH]) + 4, width),
    ]
    told = ", ".join(f"{count:,} {LOOKS[name][1]}" for name, count in counts.items())
    return of_shapes(shapes, title, f"{title}. Of {len(codes):,} nodes: {told}.", width, height)


def coded(states: ArrayLike) -> NDArray[Any]:
    """States of `reliability` as places in `LOOKS`."""
    from ...reliability.nodes import STATES

    given = np.asarray(states)
    if given.ndim != 1 or not given.size or given.min() < 0 or given.max() >= len(STATES):
        raise ValueError(f"states must hold numbers from 0 to {len(STATES) - 1}, one for each node, got {states!r}")
    return np.array([list(LOOKS).index(name) for name in STATES])[given]


def counted(codes: NDArray[Any]) -> dict[str, int]:
    """How many nodes there are of each look."""
    counts = np.bincount(codes, minlength=len(LOOKS))
    return {name: int(counts[place]) for place, name in enumerate(LOOKS)}
