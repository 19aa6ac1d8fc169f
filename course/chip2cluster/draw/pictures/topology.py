"""A network with its bisection: terminals, switches, and the severed links."""

from html import escape
from math import hypot

from ...topology import Topology, bisection, cut
from ...units import show
from .. import typeface
from ..palette import BLUE, BROKEN, GREY, INK, MUTED, ON, OTHERS, PAPER
from ..svg import text
from ..topology_layout import around, places

_SIDES = {"A": BLUE, "B": OTHERS}
_MOST = 128
_NODE, _STUB = 11, 26  # radius of a node, length of a stub from its middle
_TOP, _BOTTOM, _EDGE = 70, 44, 38


def topology(network: Topology, *, time_limit: float = 10.0) -> str:
    """Draw a topology and the best cut known, as an SVG.

    Each node carries the letter of its half; circles are terminals, squares switches.
    Cut links are dark, thick and dashed. A link around a torus is drawn as two stubs.

    Parameters
    ----------
    network : Topology
        Network with at most 128 nodes, switches included.
    time_limit : float
        Seconds that a search for the cut may take, as in `bisection`.

    Returns
    -------
    str
        An ``<svg>`` element with a title that states the finding and a description.

    Raises
    ------
    ValueError, TypeError
        For anything but a topology, and one that is too large to read.

    Notes
    -----
    Parallel links are one line with their number beside it, while there is room.

    Examples
    --------
    >>> from chip2cluster.topology import torus
    >>> picture = topology(torus((4, 4)))
    >>> picture.startswith("<svg"), "8 of 32 links join the halves" in picture
    (True, True)
    """
    if not isinstance(network, Topology):
        raise TypeError(f"network must be a Topology such as torus((4, 4)), got {network!r}")
    nodes = network.terminals if network.terminals > _MOST else len(network.graph)
    if nodes > _MOST:
        raise ValueError(f"a picture shows up to {_MOST} nodes, got {nodes} in {network.name}")
    narrowest, halves = bisection(network, time_limit=time_limit), cut(network, time_limit=time_limit)
    headline, finding, description = _words(network, narrowest, halves)
    legend = _legend(network)
    lines = (headline, 16), (finding, 14), *((line, 12) for line in legend)
    spots = places(network, halves.side)
    bowed = [edge for edge in network.graph.edges if not around(network, *edge) and _blocked(spots, *edge)]
    reach = [*spots.values(), *(_bow(spots, a, b, 0.11) for a, b in bowed)]
    xs, ys = [x for x, _ in reach], [y for _, y in reach]
    margin = _STUB + 6 if any(around(network, *edge) for edge in network.graph.edges) else _NODE + 4
    drawn = max(xs) - min(xs) + 2 * _EDGE
    width = round(max(drawn, *(40 + 0.56 * size * len(line) for line, size in lines)))
    left, top = (width - drawn) / 2 + _EDGE - min(xs), _TOP + margin - min(ys)
    spots = {node: (x + left, y + top) for node, (x, y) in spots.items()}
    height = round(max(ys) + top + margin + _BOTTOM + 16 * (len(legend) - 1))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {typeface.LOOK}>',
        f"<title>{escape(f'{headline}: {finding}')}</title>",
        f"<desc>{escape(description)}</desc>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        text(20, 28, headline, anchor="start", size=16, weight="bold"),
        text(20, 50, finding, anchor="start", size=14),
    ]
    parts += _links(network, spots, halves)
    for node, (x, y) in spots.items():
        side = "A" if node in halves.side else "B"
        is_terminal = network.graph.nodes[node]["terminal"]
        if is_terminal:
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_NODE}" fill="{_SIDES[side]}" stroke="{INK}"/>')
        else:
            parts.append(
                f'<rect x="{x - _NODE:.1f}" y="{y - _NODE:.1f}" width="{2 * _NODE}" height="{2 * _NODE}" rx="3" '
                f'fill="{PAPER}" stroke="{_SIDES[side]}" stroke-width="3"/>'
            )
        parts.append(text(x, y + 4, side, size=12, weight="bold", color=ON if is_terminal else INK))
    for row, line in enumerate(legend):
        parts.append(text(20, height - 14 - 16 * (len(legend) - 1 - row), line, anchor="start", size=12, color=MUTED))
    return typeface.alone("".join(parts) + "</svg>")


def _words(network, narrowest, halves):
    name = network.name[0].upper() + network.name[1:]
    links = sum(network.graph.edges[edge]["links"] for edge in network.graph.edges)
    finding = f"{halves.links} of {links} links {'joins' if halves.links == 1 else 'join'} the halves"
    if any(data["capacity"] != data["links"] for *_, data in network.graph.edges(data=True)):
        one_way, both_ways = (show(rate, "B/s") for rate in (halves.bandwidth_one_way, 2 * halves.bandwidth_one_way))
        finding += f": {one_way} one way, {both_ways} both ways"
    if not narrowest.exact:
        share = 100 * narrowest.lower_one_way / halves.bandwidth_one_way
        finding += f" in the best cut known; no cut has less than {share:.0f} % of that"
    size = sum(network.graph.nodes[node]["terminal"] for node in halves.side)
    named = [f"{_name(a)} to {_name(b)}" for a, b in halves.edges]
    listed = ", ".join(named[:40]) + (f" and {len(named) - 40} more" if len(named) > 40 else "")
    description = (
        f"Half A holds {size} terminals, half B {network.terminals - size}. "
        f"Cut: {listed or 'nothing'}. {'Proved' if narrowest.exact else 'Not proved'}: {narrowest.method}."
    )
    return f"{name}, {network.terminals} terminal{'' if network.terminals == 1 else 's'}", finding, description


def _name(node):
    return " ".join(map(str, node)) if isinstance(node, tuple) else str(node)


def _legend(network):
    marks = "A, B: the halves · circle: terminal"
    if network.terminals < len(network.graph):
        marks += " · square: switch"
    lines = [marks + " · dashed: links cut"]
    if any(around(network, *edge) for edge in network.graph.edges):
        lines.append("stubs at opposite rims: one link, around the torus")
    counts = sorted({data["links"] for *_, data in network.graph.edges(data=True)})
    if counts and counts[-1] > 1 and not _counted(network):
        lines.append(f"a line stands for {' or '.join(map(str, counts))} links")
    return lines


def _counted(network):
    return network.graph.number_of_edges() <= 24


def _links(network, spots, halves):
    severed = {frozenset(edge) for edge in halves.edges}
    under: list[str] = []
    over: list[str] = []
    for a, b, data in network.graph.edges(data=True):
        is_cut = frozenset((a, b)) in severed
        style = (
            f'stroke="{BROKEN}" stroke-width="3" stroke-dasharray="7 3"'
            if is_cut
            else f'stroke="{GREY}" stroke-width="1.5"'
        )
        (x1, y1), (x2, y2) = spots[a], spots[b]
        layer = over if is_cut else under
        if around(network, a, b):
            length = hypot(x2 - x1, y2 - y1)
            dx, dy = (x2 - x1) / length * _STUB, (y2 - y1) / length * _STUB
            path = f"M{x1:.1f} {y1:.1f}L{x1 - dx:.1f} {y1 - dy:.1f}M{x2:.1f} {y2:.1f}L{x2 + dx:.1f} {y2 + dy:.1f}"
        elif _blocked(spots, a, b):
            x, y = _bow(spots, a, b, 0.22)
            path = f"M{x1:.1f} {y1:.1f}Q{x:.1f} {y:.1f} {x2:.1f} {y2:.1f}"
        else:
            path = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
        layer.append(f'<path d="{path}" fill="none" {style}/>')
        if data["links"] > 1 and _counted(network):
            x, y = x1 + 0.36 * (x2 - x1), y1 + 0.36 * (y2 - y1)
            label = f"×{data['links']}"
            over.append(f'<rect x="{x - 11:.1f}" y="{y - 8:.1f}" width="22" height="16" rx="4" fill="{PAPER}"/>')
            over.append(text(x, y + 4, label, size=12, color=BROKEN if is_cut else INK))
    return under + over


def _bow(spots, a, b, bend):
    """The point beside the middle of a link, ``bend`` of its length away."""
    (x1, y1), (x2, y2) = spots[a], spots[b]
    return (x1 + x2) / 2 + bend * (y2 - y1), (y1 + y2) / 2 - bend * (x2 - x1)


def _blocked(spots, a, b):
    """Whether a straight line would run through another node."""
    (x1, y1), (x2, y2) = spots[a], spots[b]
    length = hypot(x2 - x1, y2 - y1)
    for x, y in spots.values():
        along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length
        off = abs((x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)) / length
        if _NODE < along < length - _NODE and off < _NODE - 2:
            return True
    return False
