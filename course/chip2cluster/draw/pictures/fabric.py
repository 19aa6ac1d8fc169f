"""Summary of a large network: tiers as rows of boxes, and the bisection.

Drawn with shapes alone, so a frame takes less than 1 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...topology import bisection
from ...units import show
from .. import style, typesetting
from ..heading import heading, opening
from ..palette import BLUE, BROKEN, GREY, HAIRLINE, INK, MUTED, OTHERS
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Text
from .network_bisection import HALVES, TERMINAL
from .waterfall import Bar

if TYPE_CHECKING:
    from ...topology import Topology

# px: left, right, floor and top of the rows of boxes; their names stand left of them, of a narrow picture above
FIELDS = {style.WIDTH: (138, 592, 66, 330), style.NARROW: (8, 332, 66, 340)}
BOX, GAP = 22, 4  # px
MOST = 16  # boxes in a row; of more, the first and the last


@two_widths
def fabric(network: Topology, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw a network that is too large to show every link.

    Each row is a tier, from the terminals up; a box is a part of it, colored by its
    half (grey where it is split), and under a row stands what leads out of each part. The dashed line is the
    narrowest halving known.

    Parameters
    ----------
    network : Topology
        Network of any size.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title states how many links join the halves and what they carry.

    Examples
    --------
    >>> from chip2cluster.topology import torus
    >>> fabric(torus((16, 16, 16), 50e9)).title
    '512 links join the halves: 25.6 TB/s one way'
    """
    best = bisection(network)
    title = f"{best.links:,} link{'s' * (best.links != 1)} join{'s' * (best.links == 1)} the halves: "
    title += f"{show(best.bandwidth_one_way, 'B/s')} one way"
    rows = _rows(network)
    left, _, floor, top = field = FIELDS[width]
    pitch = (top - floor) / len(rows)
    shapes = [
        *heading(title, subtitle, width),
        *_drawn(rows, pitch, bool(network.tiers), field),
        RowMark(HALVES, tuple(_middle(field))),
        *(shape for place, row in enumerate(rows) for shape in _label(row, left, floor + pitch * (place + 0.5))),
        *_legend(any(number > MOST for _, number, _ in rows), width),
    ]
    description = f"{opening(title, subtitle)} {_words(network, rows)}"
    return of_shapes(shapes, title, description, width)


def _rows(network):
    """Name, number and what leads out of each part, from the terminals up."""
    tiers = network.tiers
    if not tiers:
        rate = show(network.injection_bandwidth_one_way, "B/s")
        return [("terminal", network.terminals, f"each can send {rate}")]
    return [(tier.name, tier.number, f"out of each {tier.name}: {_out(tier)}") for tier in tiers]


def _out(tier):
    return f"{tier.links:,} link{'s' * (tier.links != 1)}, {show(tier.bandwidth_one_way, 'B/s')}"


def _drawn(rows, pitch, tiered, field):
    above, (left, right, floor, top) = None, field
    for place, (name, number, _) in enumerate(rows):
        y = floor + pitch * (place + 0.5) - BOX / 2
        boxes = _boxes(number, left, right)
        if left > 8:
            yield Text(8, y + BOX / 2, _many(number, name), bold=True)
        if above is not None:
            yield from _joins(above, (boxes, y))
        yield RowMark(name if place else TERMINAL, tuple(Bar(x, y, width, BOX, color) for x, width, color in boxes))
        if number > MOST:
            yield Text((left + right) / 2 - 22, y + BOX / 2, "…", align="center", bold=True)
            yield Text((left + right) / 2 + 22, y + BOX / 2, "…", align="center", bold=True)
        above = boxes, y + BOX
    if above is None or not tiered:
        return
    boxes, y = above
    yield Text(8, top + (4 if left > 8 else 14), "switches above", color=MUTED)
    for x, width, _ in boxes:
        yield Line(((x + width / 2, y), (x + width / 2, top + 4)), GREY, 1.2)
    yield Line(((boxes[0][0], top + 4), (boxes[-1][0] + boxes[-1][1], top + 4)), GREY, 5)


def _label(row, left, middle):
    """What leads out of each part, under its row; the dashed line stops where the words are."""
    name, number, out = row
    lines: list[tuple[float, str, dict[str, Any]]] = [(middle - BOX / 2 - 13, out, {"color": MUTED})]
    if left == 8:
        lines.append((middle + BOX / 2 + 12, _many(number, name), {"bold": True}))
    for y, words, look in lines:
        width, height = typesetting.text_size(words, style.TEXT, "bold" if "bold" in look else "normal")
        yield Bar(left - 3, y - height / 2, width + 6, height, style.PAPER)
        yield Text(left, y, words, **look)


def _boxes(number, left, right):
    """Place, width and color of each box of a row; a wide gap in the middle stands for those left out."""
    shown, gap = min(number, MOST), 88 if number > MOST else GAP
    width = (right - left - gap - GAP * (shown - 2)) / shown if shown > 1 else right - left
    boxes, x = [], left
    for place in range(shown):
        color = GREY if 2 * place == shown - 1 else BLUE if 2 * place < shown - 1 else OTHERS
        boxes.append((x, width, color))
        x += width + (gap if 2 * (place + 1) == shown else GAP)
    return boxes


def _joins(below, above):
    """Thin lines from each box up to the one that it belongs to."""
    (lower, start), (upper, end) = below, above
    for place, (x, width, _) in enumerate(lower):
        over, wide, _ = upper[place * len(upper) // len(lower)]
        yield Line(((x + width / 2, start), (over + wide / 2, end)), HAIRLINE, 1.5)


def _middle(field):
    left, right, floor, top = field
    x, y, dash = (left + right) / 2, floor - 18, 9
    while y < top + 22:
        yield Line(((x, y), (x, min(y + dash, top + 22))), BROKEN, 2.5)
        y += 1.7 * dash


def _legend(summed, page):
    if page == style.NARROW:
        yield Bar(8, 29, 14, 12, BLUE)
        yield Text(28, 35, "half A")
        yield Bar(84, 29, 14, 12, OTHERS)
        yield Text(104, 35, "half B" + ("; … not all are drawn" if summed else ""))
        yield Line(((8, 15), (24, 15)), BROKEN, 2.5)
        yield Text(30, 15, "the narrowest halving")
        return
    yield Bar(8, 11, 14, 12, BLUE)
    yield Text(28, 17, "half A")
    yield Bar(84, 11, 14, 12, OTHERS)
    yield Text(104, 17, "half B")
    yield Line(((160, 17), (180, 17)), BROKEN, 2.5)
    yield Text(186, 17, "the narrowest halving" + ("; … not all are drawn" if summed else ""), color=INK)


def _words(network, rows):
    half = network.terminals // 2
    listed = "; ".join(f"{_many(number, name)}, {out}" for name, number, out in rows)
    return f"Half A holds {half:,} of {network.terminals:,} terminals, half B {network.terminals - half:,}. {listed}."


def _many(number, name):
    """A number of things.

    >>> _many(1, "leaf"), _many(64, "leaf"), _many(1024, "edge switch")
    ('1 leaf', '64 leaves', '1,024 edge switches')
    """
    plural = {"leaf": "leaves", "edge switch": "edge switches"}.get(name, f"{name}s")
    return f"{number:,} {name if number == 1 else plural}"
