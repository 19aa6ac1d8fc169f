"""A network and its bisection, in a frame of fixed size that an explorer can redraw."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from functools import lru_cache
from itertools import accumulate
from math import hypot
from typing import TYPE_CHECKING, Any

from ...topology import bisection
from ...topology import cut as narrowest
from ...units import show
from .. import style, typesetting
from ..heading import heading, opening
from ..palette import HAND
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Point, Shape, Text
from ..topology_layout import around, columns, places, reader_cut

if TYPE_CHECKING:
    from ...topology import Topology

# px around the network: left and right, below, above
AROUND = {style.WIDTH: (20, 44, 76), style.NARROW: (6, 70, 96)}
LARGEST = 1.25  # small networks are not blown up beyond this
HOST, SWITCH, SMALLEST = 19, 17, 8  # sizes of markers, px
COUNTED = 12  # cut lines of parallel links that have room for their number
# Names of the marks: a terminal, links that the narrowest halving and the reader's cut cross; and of switches by their kind.
TERMINAL, HALVES, YOURS = "terminal", "halves", "yours"
SWITCHES = {"leaf": "leaf", "edge": "pod", "aggregation": "pod"}
STUB = 17  # px of each end of a link that closes a ring
EDGE = 13, 20  # px: of the place without a cut, from the edge of the picture and from the first terminal


@two_widths
def network_bisection(network: Topology, *, subtitle: str = "", width: int = style.WIDTH, left: int = 0) -> Picture:
    """Draw a network and the best cut known, or one of the reader's.

    Circles are terminals of one half, diamonds those of the other; squares are switches
    and carry the letter of their half. Cut links are thick. A link that closes a ring of
    a torus is drawn as two stubs.

    Parameters
    ----------
    network : Topology
        Network with at most about a hundred nodes.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.
    left : int
        Terminals to the left of the reader's cut, one of `cut_places`; 0 for the best cut.

    Returns
    -------
    Picture
        Its title states how many links join the halves and what they carry. Its ``place`` is that of a cut with
        so many terminals to its left.

    Notes
    -----
    Where the nodes stand and which links are cut is worked out once for a network.

    Examples
    --------
    >>> from chip2cluster.topology import torus
    >>> network_bisection(torus((4, 4), 50e9)).title
    '8 links join the halves: 400 GB/s one way'
    """
    best = reader_cut(network, left) if left else bisection(network)
    one = best.links == 1
    if left:
        links = f"Your cut crosses {best.links} link{'s' * (not one)}"
    else:
        links = f"{best.links} link{'s' * (not one)} join{'s' * one} the halves"
    title = f"{links}: {show(best.bandwidth_one_way, 'B/s')} one way"
    wiring = _wiring(network, width, left)
    shapes = (*wiring.shapes, *heading(title, subtitle, width))
    description = f"{opening(title, subtitle)} {wiring.words}"
    return of_shapes(shapes, title, description, width, place=lambda count, _: wiring.grips[count])


class _Wiring:
    """The shapes of a network and the words for them."""

    def __init__(self, network, width, left):
        graph, best = network.graph, narrowest(network)
        cut = reader_cut(network, left) if left else best
        spots, scale = place(network, best.side, width)
        severed = {frozenset(edge) for edge in cut.edges}
        thin: list[Line] = []
        thick: list[Line] = []
        for edge in graph.edges:
            is_cut = frozenset(edge) in severed
            look: dict[str, Any] = (
                {"color": style.BROKEN, "width": 3} if is_cut else {"color": style.GREY, "width": 1.2}
            )
            for points in ways(network, spots, edge, scale):
                (thick if is_cut else thin).append(Line(points, **look))
        marks: list[Shape] = (
            [shape for edge in cut.edges for shape in _count(graph, spots, edge)] if len(cut.edges) <= COUNTED else []
        )
        for node, (x, y) in spots.items():
            mine = node in cut.side
            color = style.BLUE if mine else style.OTHERS
            if graph.nodes[node]["terminal"]:
                size = max(SMALLEST, min(HOST, HOST * scale))
                disc = Marker(x, y, "o" if mine else "D", color, size=size if mine else 0.8 * size)
                marks.append(RowMark(TERMINAL, (disc,)))
            else:
                square = Marker(x, y, "s", style.PAPER, color, size=SWITCH)
                letter = Text(x, y, "A" if mine else "B", align="center", bold=True)
                kind = SWITCHES.get(node[0]) if isinstance(node, tuple) and node else None
                marks += [RowMark(kind, (square, letter))] if kind else [square, letter]
        cut_links = (RowMark(YOURS if left else HALVES, tuple(thick)),) if thick else ()
        self.grips = _grips(network, best.side, spots, width)
        own = _own_line(self.grips[left][0], width) if left else ()
        self.shapes = (*thin, *cut_links, *own, *marks, *_legend(network, width, "part" if left else "half"))
        self.words = _describe(network, cut, "part" if left else "half")


def _grips(network, side, spots, width):
    """Where the hand takes a cut, by the number of terminals to its left."""
    each = columns(network, side)
    xs = [spots[column[0]][0] for column in each]
    y = style.HEIGHTS[width] - AROUND[width][2] + 6
    found = {0: (max(EDGE[0], xs[0] - EDGE[1]), y)}
    for number, count in enumerate(accumulate(map(len, each[:-1]))):
        found[count] = (xs[number] + xs[number + 1]) / 2, y
    return found


def _own_line(x, width):
    """The line that a hand draws through the network."""
    _, below, above = AROUND[width]
    yield Line(((x, style.HEIGHTS[width] - above + 6), (x, below - 4)), HAND, 1.5, dash=(6, 4))


def _count(graph, spots, edge):
    """How many parallel links a line stands for, at its middle."""
    links, (x1, y1), (x2, y2) = graph.edges[edge]["links"], *(spots[node] for node in edge)
    if links > 1:
        yield Text((x1 + x2) / 2 + 5, (y1 + y2) / 2, f"× {links}", color=style.BROKEN)


@lru_cache(maxsize=512)
def _wiring(network, width, left):
    return _Wiring(network, width, left)


def place(
    network: Topology, side: Collection[Hashable], page: int = style.WIDTH
) -> tuple[dict[Hashable, Point], float]:
    """Where the nodes stand, in pixels from the lower left corner, and by how much they were scaled."""
    spots = places(network, side)
    xs, ys = [x for x, _ in spots.values()], [y for _, y in spots.values()]
    rim = STUB + 4 if any(around(network, *edge) for edge in network.graph.edges) else HOST / 2 + 2
    sides, below, above = AROUND[page]
    width, height = page - 2 * sides - 2 * rim, style.HEIGHTS[page] - below - above - 2 * rim
    scale = min(LARGEST, width / max(max(xs) - min(xs), 1), height / max(max(ys) - min(ys), 1))
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    # A tree on a phone is drawn taller; a grid keeps its squares.
    tall = scale
    if page == style.NARROW and not any(network.link_path(*edge) in ("around", "over") for edge in network.graph.edges):
        tall = min(2.2 * scale, height / max(max(ys) - min(ys), 1))
    centre = page / 2, (below + style.HEIGHTS[page] - above) / 2
    return {
        node: (centre[0] + scale * (x - middle[0]), centre[1] - tall * (y - middle[1]))
        for node, (x, y) in spots.items()
    }, scale


def ways(
    network: Topology, spots: Mapping[Hashable, Point], edge: tuple[Hashable, Hashable], scale: float
) -> tuple[tuple[Point, ...], ...]:
    """The polylines of a link: one, or two stubs where it closes a ring."""
    (x1, y1), (x2, y2) = (spots[node] for node in edge)
    if around(network, *edge):
        length = hypot(x2 - x1, y2 - y1)
        reach = max(0.6, min(scale, 1)) * STUB / length
        dx, dy = reach * (x2 - x1), reach * (y2 - y1)
        return ((x1, y1), (x1 - dx, y1 - dy)), ((x2, y2), (x2 + dx, y2 + dy))
    if network.link_path(*edge) == "over":
        bow = 0.2  # aside, so that it does not run through the nodes between
        return (tuple(
            (x1 + t * (x2 - x1) + 2 * bow * t * (1 - t) * (y2 - y1), y1 + t * (y2 - y1) - 2 * bow * t * (1 - t) * (x2 - x1))
            for t in (0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1)
        ),)  # fmt: skip
    return (((x1, y1), (x2, y2)),)


def _legend(network, page, half):
    """Marks and words at the foot: in one line, of a narrow picture in two or three."""
    narrow = page == style.NARROW
    y, x, shapes = 54 if narrow else 16, 14, []
    entries: list[tuple[Line | Marker, str, int]] = [(Marker(x, y, "o", style.BLUE, size=12), f"{half} A", 66)]
    entries.append((Marker(0, y, "D", style.OTHERS, size=10), f"{half} B", 66))
    if network.terminals < len(network.graph):
        entries.append(
            (
                Marker(0, y, "s", style.PAPER, style.MUTED, size=13),
                f"switch, in the {half} where it cuts fewer links",
                300,
            )
        )
    entries.append((Line(((0, y), (20, y)), style.BROKEN, 3), "link cut", 96))
    if any(around(network, *edge) for edge in network.graph.edges):
        entries.append(
            (Line(((0, y), (10, y)), style.GREY, 1.2), "stubs at opposite rims: one link, around the torus", 0)
        )
    for mark, words, width in entries:
        if narrow and x + typesetting.text_size(words, style.TEXT)[0] + 20 > page - 4:
            x, y = 14, y - 19
        if isinstance(mark, Line):
            length = mark.points[1][0]
            shapes += [
                Line(((x - 6, y), (x - 6 + length, y)), mark.color, mark.width),
                Text(x + length, y, words),
            ]
        else:
            shapes += [Marker(x, y, mark.shape, mark.face, mark.edge, mark.size), Text(x + 11, y, words)]
        x += width
    return shapes


def _describe(network, cut, half):
    graph = network.graph
    first = sum(graph.nodes[node]["terminal"] for node in cut.side)
    named = [f"{_name(start)} to {_name(end)}" for start, end in cut.edges]
    listed = ", ".join(named[:24]) + (f" and {len(named) - 24} more" if len(named) > 24 else "")
    total = sum(links for *_, links in graph.edges(data="links"))
    return (
        f"{half.capitalize()} A holds {first} of {network.terminals} terminals, {half} B {network.terminals - first}. "
        f"Cut are {cut.links} of {total} links: {listed}."
    )


def _name(node):
    return " ".join(map(str, node)) if isinstance(node, tuple) else str(node)
