"""A network with what its links carry: the wider a line, the longer it takes."""

from functools import lru_cache

from ...topology import Topology
from .. import style
from ..palette import BLUE, GREY, HAIRLINE, MUTED, ORANGE
from ..picture import Picture, compose
from ..shapes import Line, Marker, Text
from .halves import place, ways

WIDEST = 5  # px, the busiest link
FULL = 0.995  # of the busiest: as busy


def traffic(network, loads, *, title, subtitle="", description=""):
    """Draw a network whose links are as wide as they are busy.

    Parameters
    ----------
    network : Topology
        Of up to about a hundred nodes.
    loads : topology.Loads
        What each link carries, as `topology.link_loads` gives it; of the two directions
        of a link the busier is shown.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.

    Returns
    -------
    Picture
    """
    marks, paths = _wiring(network)
    busy = _busy(network, loads)
    lines = []
    for edge, points in paths:
        share = busy.get(frozenset(edge), 0.0)
        color = ORANGE if share >= FULL else BLUE if share > 0 else HAIRLINE
        lines.append((share, Line(points, color, max(1.0, WIDEST * share))))
    shapes = [
        *(line for _, line in sorted(lines, key=lambda entry: entry[0])),
        *marks,
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=MUTED),
        *_legend(),
    ]

    def figure():
        whole = style.figure()
        for shape in shapes:
            shape.join(whole)
        return whole

    paper = f'<rect width="{style.WIDTH}" height="{style.HEIGHT}" fill="{style.PAPER}"/>'
    return Picture(compose(paper, shapes, title, description), title, description or title, figure=figure)


def _busy(network: Topology, loads):
    """Time of the busier direction of each link, as a share of the busiest."""
    busy = {}
    if not loads.seconds_per_byte:
        return busy
    for (start, end), load in loads.carried.items():
        seconds = load / network.graph.edges[start, end]["capacity"]
        edge = frozenset((start, end))
        busy[edge] = max(busy.get(edge, 0.0), seconds / loads.seconds_per_byte)
    return busy


@lru_cache(maxsize=64)
def _wiring(network):
    """The marks of the nodes, and the polylines of each link."""
    spots, scale = place(network, frozenset())
    marks = []
    for node, (x, y) in spots.items():
        terminal = network.graph.nodes[node]["terminal"]
        size = max(6, min(14, 16 * scale))
        marks.append(Marker(x, y, "o" if terminal else "s", MUTED if terminal else style.PAPER, GREY, size))
    paths = [(edge, points) for edge in network.graph.edges for points in ways(network, spots, edge, scale)]
    return marks, paths


def _legend():
    y = 16
    return [
        Line(((8, y), (28, y)), ORANGE, WIDEST),
        Text(34, y, "busiest (in its fuller direction)"),
        Line(((242, y), (262, y)), BLUE, WIDEST / 2),
        Text(268, y, "half as busy"),
        Line(((356, y), (376, y)), HAIRLINE, 1.5),
        Text(382, y, "idle"),
        Marker(422, y, "o", MUTED, GREY, 10),
        Text(432, y, "terminal"),
        Marker(496, y, "s", style.PAPER, GREY, 12),
        Text(508, y, "switch"),
    ]
