"""A large network in summary: its tiers as rows of boxes, and the line that halves it.

Written as shapes alone, so a frame takes well under a millisecond.
"""

from ...topology import bisection
from ...units import show
from .. import labels, style
from ..palette import ACCENT, BLUE, GREY, HAIRLINE, INK, MUTED, ORANGE
from ..picture import Picture, compose
from ..shapes import Line, Text
from .waterfall import Bar

LEFT, RIGHT = 138, 592  # px: where boxes may be
FLOOR, TOP = 66, 330  # px: of the rows
BOX, GAP = 22, 4  # px
MOST = 16  # boxes in a row; of more, the first and the last


def fabric(network, *, subtitle=""):
    """Draw a network that is too large to show every link.

    Each row is a tier, from the terminals up; a box is a part of it, coloured by its
    half (grey where it is split), and under a row stands what leads out of each part. The dashed line is the
    narrowest halving known.

    Parameters
    ----------
    network : Topology
        Of any size.
    subtitle : str
        What the title is about, in a few words.

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
    pitch = (TOP - FLOOR) / len(rows)
    shapes = [
        Bar(0, 0, style.WIDTH, style.HEIGHT, style.PAPER),
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=MUTED),
        *_drawn(rows, pitch, bool(network.tiers)),
        *_middle(),
        *(shape for place, row in enumerate(rows) for shape in _label(row[-1], FLOOR + pitch * (place + 0.5))),
        *_legend(any(number > MOST for _, number, _ in rows)),
    ]
    description = f"{title}. {subtitle}. {_words(network, rows)}"

    def figure():
        whole = style.figure()
        for shape in shapes:
            shape.join(whole)
        return whole

    return Picture(compose("", shapes, title, description), title, description, figure=figure)


def _rows(network):
    """Name, number and what leads out of each part, from the terminals up."""
    tiers = network.tiers
    if not tiers:
        rate = show(network.injection_bandwidth_one_way, "B/s")
        return [("terminal", network.terminals, f"each can send {rate}")]
    return [(tier.name, tier.number, f"out of each {tier.name}: {_out(tier)}") for tier in tiers]


def _out(tier):
    return f"{tier.links:,} link{'s' * (tier.links != 1)}, {show(tier.bandwidth_one_way, 'B/s')}"


def _drawn(rows, pitch, tiered):
    above = None
    for place, (name, number, _) in enumerate(rows):
        y = FLOOR + pitch * (place + 0.5) - BOX / 2
        boxes = _boxes(number)
        yield Text(8, y + BOX / 2, _many(number, name), bold=True)
        if above is not None:
            yield from _joins(above, (boxes, y))
        for x, width, color in boxes:
            yield Bar(x, y, width, BOX, color)
        if number > MOST:
            yield Text((LEFT + RIGHT) / 2 - 22, y + BOX / 2, "…", align="center", bold=True)
            yield Text((LEFT + RIGHT) / 2 + 22, y + BOX / 2, "…", align="center", bold=True)
        above = boxes, y + BOX
    boxes, y = above
    if not tiered:
        return
    yield Text(8, TOP + 4, "switches above", color=MUTED)
    for x, width, _ in boxes:
        yield Line(((x + width / 2, y), (x + width / 2, TOP + 4)), GREY, 1.2)
    yield Line(((boxes[0][0], TOP + 4), (boxes[-1][0] + boxes[-1][1], TOP + 4)), GREY, 5)


def _label(out, middle):
    """What leads out of each part, under its row; the dashed line stops where the words are."""
    y = middle - BOX / 2 - 13
    width, height = labels.text_size(out, style.TEXT)
    yield Bar(LEFT - 3, y - height / 2, width + 6, height, style.PAPER)
    yield Text(LEFT, y, out, color=MUTED)


def _boxes(number):
    """Place, width and colour of each box of a row; a wide gap in the middle stands for those left out."""
    shown, gap = min(number, MOST), 88 if number > MOST else GAP
    width = (RIGHT - LEFT - gap - GAP * (shown - 2)) / shown if shown > 1 else RIGHT - LEFT
    boxes, x = [], LEFT
    for place in range(shown):
        color = GREY if 2 * place == shown - 1 else BLUE if 2 * place < shown - 1 else ORANGE
        boxes.append((x, width, color))
        x += width + (gap if 2 * (place + 1) == shown else GAP)
    return boxes


def _joins(below, above):
    """Thin lines from each box up to the one that it belongs to."""
    (lower, start), (upper, end) = below, above
    for place, (x, width, _) in enumerate(lower):
        over, wide, _ = upper[place * len(upper) // len(lower)]
        yield Line(((x + width / 2, start), (over + wide / 2, end)), HAIRLINE, 1.5)


def _middle():
    x, y, dash = (LEFT + RIGHT) / 2, FLOOR - 18, 9
    while y < TOP + 22:
        yield Line(((x, y), (x, min(y + dash, TOP + 22))), ACCENT, 2.5)
        y += 1.7 * dash


def _legend(summed):
    yield Bar(8, 11, 14, 12, BLUE)
    yield Text(28, 17, "half A")
    yield Bar(84, 11, 14, 12, ORANGE)
    yield Text(104, 17, "half B")
    yield Line(((160, 17), (180, 17)), ACCENT, 2.5)
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
