"""A network with the load of its links: wider lines take longer."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import TYPE_CHECKING

from ...topology import Topology
from .. import style
from ..heading import heading
from ..palette import GREY, HAIRLINE, MUTED, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Text
from .network_bisection import place, ways

if TYPE_CHECKING:
    from ... import topology

WIDEST = {style.WIDTH: 5, style.NARROW: 3}  # px, the busiest link
FAN = 50  # px, of all links of a node together: more would run into one
FULL = 0.995  # of the busiest: as busy


@two_widths
def traffic(
    network: Topology,
    loads: topology.Loads,
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw a network whose links are as wide as they are busy.

    Parameters
    ----------
    network : Topology
        Network with at most about a hundred nodes.
    loads : topology.Loads
        Load of each link, from `topology.link_loads`; of the two directions
        of a link the busier is shown.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.
    """
    marks, paths = _wiring(network, width)
    busy = _busy(network, loads)
    widest = min(WIDEST[width], FAN / max(len(network.graph[node]) for node in network.graph))
    lines = []
    for edge, points in paths:
        share = busy.get(frozenset(edge), 0.0)
        color = WAITING if share >= FULL else WORK if share > 0 else HAIRLINE
        lines.append((share, Line(points, color, max(1.0, widest * share))))
    shapes = [
        *(line for _, line in sorted(lines, key=lambda entry: entry[0])),
        *marks,
        *heading(title, subtitle, width),
        *_legend(width, widest),
    ]
    return of_shapes(shapes, title, description, width)


def _busy(network: Topology, loads: topology.Loads) -> dict[frozenset[Hashable], float]:
    """Time of the busier direction of each link, as a share of the busiest."""
    busy: dict[frozenset[Hashable], float] = {}
    if not loads.seconds_per_byte:
        return busy
    for (start, end), load in loads.carried.items():
        seconds = load / network.graph.edges[start, end]["capacity"]
        edge = frozenset((start, end))
        busy[edge] = max(busy.get(edge, 0.0), seconds / loads.seconds_per_byte)
    return busy


@lru_cache(maxsize=64)
def _wiring(network, width):
    """The marks of the nodes, and the polylines of each link."""
    spots, scale = place(network, frozenset(), width)
    marks = []
    for node, (x, y) in spots.items():
        terminal = network.graph.nodes[node]["terminal"]
        size = max(6, min(14, 16 * scale))
        marks.append(Marker(x, y, "o" if terminal else "s", MUTED if terminal else style.PAPER, GREY, size))
    paths = [(edge, points) for edge in network.graph.edges for points in ways(network, spots, edge, scale)]
    return marks, paths


def _legend(width, widest):
    if width == style.NARROW:
        return [
            Line(((8, 54), (28, 54)), WAITING, widest),
            Text(34, 54, "busiest (in its fuller direction)"),
            Line(((8, 35), (28, 35)), WORK, max(1.0, widest / 2)),
            Text(34, 35, "half as busy"),
            Line(((126, 35), (146, 35)), HAIRLINE, 1.5),
            Text(152, 35, "idle"),
            Marker(18, 16, "o", MUTED, GREY, 10),
            Text(34, 16, "terminal"),
            Marker(136, 16, "s", style.PAPER, GREY, 12),
            Text(152, 16, "switch"),
        ]
    y = 16
    return [
        Line(((8, y), (28, y)), WAITING, widest),
        Text(34, y, "busiest (in its fuller direction)"),
        Line(((242, y), (262, y)), WORK, max(1.0, widest / 2)),
        Text(268, y, "half as busy"),
        Line(((356, y), (376, y)), HAIRLINE, 1.5),
        Text(382, y, "idle"),
        Marker(422, y, "o", MUTED, GREY, 10),
        Text(432, y, "terminal"),
        Marker(496, y, "s", style.PAPER, GREY, 12),
        Text(508, y, "switch"),
    ]
