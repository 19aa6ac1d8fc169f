"""A node as a tree: sockets, PCIe switches, GPUs and NICs, with the NVLinks below."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BLUE, COMMUNICATION, GREY, HAIRLINE, INK, KINDS, MUTED, PAPER
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ...links.topology_matrix import NodeMatrix

RIM = {style.WIDTH: 12, style.NARROW: 6}  # px at the left and at the right
SOCKET, SWITCH, DEVICE = 378, 310, 236  # px: lower edges of the three rows
TOP = 416  # px: the heading is above it
LARGEST = 12  # devices that fit side by side
ACROSS, BETWEEN = ("SYS",), ("SYS", "NODE", "PHB")  # labels beyond a socket, beyond a switch


@two_widths
def node_tree(node: NodeMatrix, width: int = style.WIDTH) -> Picture:
    r"""Draw what a matrix says: who shares a switch, who shares a socket, and how many NVLinks join two GPUs.

    Parameters
    ----------
    node : NodeMatrix
        Result of `chip2cluster.links.node_matrix`, with at most 12 devices.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For a node of more devices than the picture has room for.

    Examples
    --------
    >>> from chip2cluster.links import node_matrix
    >>> text = "     GPU0 GPU1 mlx5_0\nGPU0 X NV2 PIX\nGPU1 NV2 X SYS\nmlx5_0 PIX SYS X"
    >>> node_tree(node_matrix(text)).title
    '2 GPUs and 1 adapter: 2 sockets, 1 pair with NVLinks'
    """
    if len(node.devices) > LARGEST:
        raise ValueError(f"a picture shows at most {LARGEST} devices, got {len(node.devices)}")
    sockets = node.groups(ACROSS)
    order = [name for socket in sockets for group in node.groups(BETWEEN, socket) for name in group]
    pitch = (width - 2 * RIM[width]) / len(order)
    spot = {name: RIM[width] + pitch * (place + 0.5) for place, name in enumerate(order)}
    links = {pair: number for pair in combinations(node.gpus, 2) if (number := node.nvlinks(*pair))}

    title = (
        f"{_many(len(node.gpus), 'GPU')} and {_many(len(node.nics), 'adapter')}: {_many(len(sockets), 'socket')}, "
        f"{_many(len(links), 'pair')} with NVLinks"
    )
    height = TOP + ROOM[width]
    subtitle = "The same matrix as a tree. What is PIX meets at one PCIe switch, what is SYS crosses over."
    shapes = [
        Bar(0, 0, width, height, PAPER),
        *heading(title, subtitle, width, height),
        *_tree(node, sockets, spot, pitch, width == style.NARROW),
        *_arcs(links, spot),
        *_key(links, node.nics, width),
    ]
    description = f"{title}. {_words(node, sockets, links)}"
    return of_shapes(shapes, title, description, width, height)


def _tree(node, sockets, spot, pitch, narrow):
    middles = []
    for number, socket in enumerate(sockets):
        low, high = min(spot[name] for name in socket), max(spot[name] for name in socket)
        middle = (low + high) / 2
        middles.append(middle)
        yield from _box(middle, SOCKET, max(70, (high - low) * 0.6), 26, f"socket {number}", HAIRLINE)
        for group in node.groups(BETWEEN, socket):
            places = [spot[name] for name in group]
            centre = sum(places) / len(places)
            yield Line(
                ((centre, SWITCH + 24), (centre, SOCKET - 12), (middle, SOCKET - 12), (middle, SOCKET)), GREY, 1.5
            )
            if len(group) > 1:
                words, wide = ("PCIe switch", 96) if pitch > 40 or len(group) * pitch > 100 else ("switch", 52)
                yield from _box(centre, SWITCH, wide, 24, words, HAIRLINE)
            for place in places:
                top = SWITCH if len(group) > 1 else SWITCH + 24
                yield Line(
                    ((place, DEVICE + 30), (place, SWITCH - 14), (centre, SWITCH - 14), (centre, top)), GREY, 1.5
                )
    for start, end in pairwise(middles):
        yield Line(((start, SOCKET + 26), (start, SOCKET + 34), (end, SOCKET + 34), (end, SOCKET + 26)), KINDS[1], 2.5)
    for name, place in spot.items():
        gpu = name.startswith("GPU")
        x, half = place, pitch / 2 - 1.5
        frame = (
            (x - half, DEVICE),
            (x + half, DEVICE),
            (x + half, DEVICE + 30),
            (x - half, DEVICE + 30),
            (x - half, DEVICE),
        )
        yield Line(frame, BLUE if gpu else GREY, 2 if gpu else 1)
        words = _shortest(name) if narrow else _fitting(name, 2 * half - 2)
        yield Text(place, DEVICE + 15, words, align="center", bold=gpu)


def _arcs(links, spot):
    """One arc below the GPUs for each pair; a wide one hangs lower, and more links make it thicker."""
    widest = max((abs(spot[one] - spot[other]) for one, other in links), default=1)
    for (one, other), number in sorted(links.items(), key=lambda item: item[1]):
        x1, x2 = sorted((spot[one], spot[other]))
        depth = 26 + 150 * (x2 - x1) / widest
        points = tuple((x1 + (x2 - x1) * t / 24, DEVICE - 4 * depth * (t / 24) * (1 - t / 24)) for t in range(25))
        yield Line(points, *_look(number, links))


def _key(links, adapters, width):
    entries = [(f"NV{number}", *_look(number, links)) for number in sorted(set(links.values()), reverse=True)]
    said = f"{_shortest(adapters[0])} is {adapters[0]}" if adapters and width == style.NARROW else ""
    entries.append(("between the sockets (SYS)", KINDS[1], 2.5))
    *places, (_, last) = typesetting.flow([*(words for words, *_ in entries), said], 8, width - 6, mark=30, gap=20)
    for (words, color, wide), (x, row) in zip(entries, places, strict=True):
        y = 16 + 19 * row
        yield Line(((x, y), (x + 24, y)), color, wide)
        yield Text(x + 30, y, words, color=INK)
    if said:
        yield Text(width - RIM[width], 16 + 19 * last, said, color=MUTED, align="right")


def _look(number, links):
    """The color and the width of the lines of so many links: the most are thick."""
    return (COMMUNICATION, 3 if number == max(links.values()) else 1.3)


def _fitting(name, width):
    """A name as the matrix has it; one that does not fit into its box loses its beginning."""
    while typesetting.text_size(name, style.TEXT)[0] > width:
        name = "…" + name.lstrip("…")[1:]
    return name


def _shortest(name):
    """A name that fits into its box on a phone: the number alone, with an n before that of an adapter."""
    number = name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ").removeprefix("mlx5_")
    return number if name.startswith("GPU") else f"n{number}"


def _box(centre, y, width, height, words, fill):
    yield Bar(centre - width / 2, y, width, height, fill)
    yield Text(centre, y + height / 2, words, align="center")


def _words(node, sockets, links):
    parts = []
    for number, socket in enumerate(sockets):
        groups = node.groups(BETWEEN, socket)
        listed = "; ".join(
            " with ".join((", ".join(group[:-1]), group[-1])) if len(group) > 1 else group[0] for group in groups
        )
        parts.append(f"Socket {number}: {listed}.")
    for number in sorted(set(links.values()), reverse=True):
        pairs = ", ".join(f"{one} and {other}" for (one, other), count in links.items() if count == number)
        parts.append(f"{_many(number, 'NVLink')} between {pairs}.")
    return " ".join(parts)


def _many(number, name):
    return f"{number} {name}{'' if number == 1 else 's'}"
