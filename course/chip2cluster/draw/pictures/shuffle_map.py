"""Shuffle buffer as a map: probability of each output position for each input position."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ...loading import ShuffleBuffer, shuffle_probabilities, shuffle_shards
from ...loading.shuffle_probabilities import quality_of_probabilities
from ...units import significant
from .. import style
from ..heading import ROOM, heading, opening
from ..palette import GREY, INK, MUTED, SHADE
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEFT = 70  # px: of the map
SIDE, BOTTOM = {style.WIDTH: 330, style.NARROW: 254}, {style.WIDTH: 56, style.NARROW: 146}  # px: its sides, its floor
CELLS, LEVELS = 50, 16  # cells of a side at most, and shades that are told apart
MOST_DOTS = 100  # of one draw


@dataclass(frozen=True)
class Tiles:
    """Rectangles of one shade: left, lower edge, width and height of each, px; and how full the shade is."""

    boxes: tuple
    share: float

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        drawn = "".join(
            [f"M{x:.1f} {height - y:.1f}h{wide:.1f}v-{tall:.1f}h-{wide:.1f}z" for x, y, wide, tall in self.boxes]
        )
        return f'<path d="{drawn}" fill="{SHADE}" fill-opacity="{self.share:.3g}"/>'

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        from matplotlib.patches import Rectangle

        place: dict[str, Any] = dict(facecolor=SHADE, alpha=self.share, linewidth=0, transform=style.pixels(figure))
        for x, y, wide, tall in self.boxes:
            figure.add_artist(Rectangle((x, y), wide, tall, **place))


@two_widths
def shuffle_map(
    items: int,
    buffer: int,
    *,
    initial: int | None = None,
    shards: int = 1,
    seed: int | None = None,
    title: str = "",
    subtitle: str | None = None,
    width: int = style.WIDTH,
) -> Picture:
    """Draw the probabilities of a shuffle buffer, and one shuffle as dots.

    Parameters
    ----------
    items, buffer, initial, shards : int
        Arguments of `loading.shuffle_probabilities`.
    seed : int, optional
        Seed of the shuffle that is drawn as dots, with up to 100 items; no dots by default.
    title, subtitle : str
        The finding, and what it is about; left out, how far items move.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The input runs from the top down, the output from left to right; the darker, the likelier.
        Several of many items share a cell; lines separate the shards.

    Raises
    ------
    ValueError, TypeError
        Raised as by `loading.shuffle_probabilities`, and for dots of more than 100 items.

    Examples
    --------
    >>> shuffle_map(100, 10).title
    'Buffer of 10: items move 6.6 places; a full shuffle, 33'
    """
    probabilities = shuffle_probabilities(items, buffer, initial, shards=shards)
    found = quality_of_probabilities(probabilities)
    if seed is not None and items > MOST_DOTS:
        raise ValueError(f"seed: a shuffle is drawn for at most {MOST_DOTS} items, got {items}")
    moved, best = significant(found.mean_displacement, 2), significant(found.uniform_displacement, 2)
    behind = "" if shards == 1 else f" behind {shards} shards in random order"
    title = title or f"Buffer of {buffer:,}{behind}: items move {moved} places; a full shuffle, {best}"
    if subtitle is None:
        subtitle = f"{items:,} items; the stronger the color, the likelier an item comes out there"
    drawn = None if seed is None else _shuffle(items, buffer, initial, shards, seed)
    side, bottom = SIDE[width], BOTTOM[width]
    height = bottom + side + 16 + ROOM[width]
    scale = _scale_beside if width == style.WIDTH else _scale_below
    shapes = [
        *heading(title, subtitle, width, height),
        *_tiles(_cells(probabilities), side, bottom),
        *_frame(items, shards, side, bottom),
        *([] if drawn is None else _dots(drawn, side, bottom)),
        *scale(probabilities.max(), drawn is not None),
    ]
    description = (
        f"{opening(title, subtitle)} The first item comes out first with a chance of {found.first_stays_first:.3g} and "
        f"in place {found.output_of_first + 1:.3g} on average. No item comes out more than {found.most_forward} places "
        f"before its own; {'late ones tail off to the right' if shards == 1 else 'all shards look alike'}."
    )
    return of_shapes(shapes, title, description, width, height)


def _cells(probabilities):
    """Average the probabilities into at most ``CELLS`` cells a side, as fractions of the largest."""
    size = ceil(len(probabilities) / CELLS)
    edges = np.arange(0, len(probabilities), size)
    cells = np.add.reduceat(np.add.reduceat(probabilities, edges, axis=0), edges, axis=1)
    held = np.diff(np.append(edges, len(probabilities)))
    cells = cells / np.outer(held, held)
    return cells / cells.max()


def _tiles(cells, whole, bottom):
    """Neighbours of one shade in a row are one rectangle, and all rectangles of one shade one shape."""
    side = whole / len(cells)
    shades = np.ceil(cells * LEVELS).astype(int)
    shades[cells < 0.5 / LEVELS] = 0
    boxes: list[list[tuple[float, float, float, float]]] = [[] for _ in range(LEVELS + 1)]
    for row, line in enumerate(shades):
        ends = np.flatnonzero(np.diff(line, append=-1)) + 1
        start = 0
        for end in ends.tolist():
            boxes[line[start]].append(
                (LEFT + side * start, bottom + whole - side * (row + 1), side * (end - start), side)
            )
            start = end
    return [Tiles(tuple(those), shade / LEVELS) for shade, those in enumerate(boxes) if shade and those]


def _shuffle(items, buffer, initial, shards, seed):
    if shards == 1:
        return ShuffleBuffer(items, buffer, seed, initial).run()
    return shuffle_shards(shards, items // shards, buffer, seed, initial)


def _frame(items, shards, side, bottom):
    for shard in range(1, shards):
        y = bottom + side * shard / shards
        yield Line(((LEFT, y), (LEFT + side, y)), GREY, 0.7)
    corners = ((LEFT, bottom), (LEFT + side, bottom), (LEFT + side, bottom + side), (LEFT, bottom + side))
    yield Line((*corners, corners[0]), GREY)
    for share, number in ((0.0, 1), (1.0, items)):
        yield Text(LEFT + side * share, bottom - 14, f"{number:,}", align="center", color=MUTED)
        yield Text(
            LEFT - 8, bottom + side * (1 - share) - (7 if not share else -7), f"{number:,}", align="right", color=MUTED
        )
    yield Text(LEFT + side / 2, bottom - 34, "Place in the output", align="center", color=MUTED)
    yield Text(8, bottom + side / 2 + 9, "Place", color=MUTED)
    yield Text(8, bottom + side / 2 - 9, "in the", color=MUTED)
    yield Text(8, bottom + side / 2 - 27, "input", color=MUTED)


def _dots(drawn, whole, bottom):
    side = whole / len(drawn)
    size = max(4.0, min(9.0, 0.7 * side))
    for place, item in enumerate(drawn):
        yield Marker(LEFT + side * (place + 0.5), bottom + whole - side * (item + 0.5), "o", INK, size=size)


def _scale_beside(darkest, dots):
    x, y = LEFT + SIDE[style.WIDTH] + 34, BOTTOM[style.WIDTH] + SIDE[style.WIDTH] - 12
    yield Text(x, y, "Chance of a place", bold=True)
    for share in (1.0, 0.5, 0.25, 0.0):
        y -= 26
        yield from _shade(x, y, share, darkest)
    if dots:
        yield from _dot(x, y - 34)


def _scale_below(darkest, dots):
    y = BOTTOM[style.NARROW] - 64
    yield Text(8, y, "Chance of a place", bold=True)
    for place, share in enumerate((1.0, 0.5, 0.25)):
        yield from _shade(8 + 108 * place, y - 26, share, darkest)
    yield from _shade(8, y - 52, 0.0, darkest)
    if dots:
        yield from _dot(8 + 2 * 108, y - 52)


def _shade(x, y, share, darkest):
    if share:
        yield Tiles(((x, y - 8, 22, 16),), share)
    else:
        yield Line(((x, y - 8), (x + 22, y - 8), (x + 22, y + 8), (x, y + 8), (x, y - 8)), GREY)
    yield Text(x + 30, y, f"{100 * share * darkest:.2g} %" if share else "none, or almost")


def _dot(x, y):
    yield Marker(x + 11, y, "o", INK, size=8)
    yield Text(x + 30, y, "one shuffle")
