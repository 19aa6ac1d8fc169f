"""One cluster wired by rail and by rack, with the path between two GPUs of the same number."""

from itertools import pairwise
from typing import Any, Literal

from ...topology import gpu_cluster, shortest_path
from .. import style
from ..heading import heading
from ..palette import BLUE, COMMUNICATION, GREY, HAIRLINE, INK, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Text
from .waterfall import Bar

NODES = GPUS = 4
SPINES, LEAVES, CHIPS = 194, 128, 62  # px from the bottom of a panel: the three rows
PANEL, TALL = 292, 260  # px
HEIGHTS = {style.WIDTH: TALL + 36, style.NARROW: 2 * TALL + 70}  # px: panels side by side, or one below the other
WIRINGS: tuple[Literal["rail", "rack"], ...] = ("rail", "rack")
RATES: dict[str, Any] = {"nvlink_bandwidth_one_way": 450e9, "nic_bandwidth_one_way": 50e9}  # no rate is drawn
SPOTS = {style.WIDTH: ((4, 0), (PANEL + 16, 0)), style.NARROW: ((24, TALL), (24, 0))}  # px: the corners of the panels
NUMBER = 2  # of the two GPUs that talk


@two_widths
def rails(width: int = style.WIDTH) -> Picture:
    """Draw four nodes of four GPUs, wired both ways, and how two GPUs of one number reach each other.

    Parameters
    ----------
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title says how many links the way has by rail and by rack.

    Examples
    --------
    >>> rails().title
    'Between GPU 2 of two nodes: 2 links by rail, 4 by rack'
    """
    panels = [
        (gpu_cluster(NODES, GPUS, wiring=wiring, **RATES), f"by {wiring}", spot)
        for wiring, spot in zip(WIRINGS, SPOTS[width], strict=True)
    ]
    ways = [shortest_path(cluster, ("gpu", 0, NUMBER), ("gpu", NODES - 1, NUMBER)) for cluster, *_ in panels]
    lengths = [len(way) - 1 for way in ways]
    title = f"Between GPU {NUMBER} of two nodes: {lengths[0]} links by rail, {lengths[1]} by rack"
    shapes = heading(title, "", width, HEIGHTS[width])
    for (cluster, name, corner), way in zip(panels, ways, strict=True):
        shapes += _panel(cluster, name, *corner, way)
    description = (
        f"{title}. Four nodes of four GPUs, four leaf switches, four spine switches, twice. By rail, GPU 0 of every node hangs "
        f"at the first leaf, GPU 1 at the second, and so on: from GPU {NUMBER} of node 0 to GPU {NUMBER} of node {NODES - 1} the way "
        f"leads up to one leaf and down again. By rack all GPUs of a node hang at one leaf, and the same way leads over a spine."
    )
    return of_shapes(shapes, title, description, width, HEIGHTS[width])


def _panel(cluster, name, left, low, way):
    graph = cluster.graph
    spots = {}
    for kind, row in (("spine", low + SPINES), ("leaf", low + LEAVES)):
        nodes = [node for node in graph if node[0] == kind]
        for place, node in enumerate(nodes):
            spots[node] = left + PANEL * (place + 0.5) / len(nodes), row
    for node in (node for node in graph if node[0] == "gpu"):
        spots[node] = left + PANEL * (node[1] + (node[2] + 1.05) / (GPUS + 1.1)) / NODES, low + CHIPS
    chosen = {frozenset(pair) for pair in pairwise(way)}
    edges = [edge for edge in graph.edges if all(node in spots for node in edge)]
    yield Text(left + 4, low + TALL - 14, name, bold=True)
    for node in range(NODES):
        yield Bar(left + PANEL * node / NODES + 3, low + CHIPS - 16, PANEL / NODES - 6, 32, HAIRLINE)
        yield Text(left + PANEL * (node + 0.5) / NODES, low + CHIPS - 30, f"node {node}", align="center", color=MUTED)
    for on_way in (False, True):  # the way above the others
        for edge in edges:
            if (frozenset(edge) in chosen) == on_way:
                look = (COMMUNICATION, 3) if on_way else (GREY, 1)
                yield Line(tuple(spots[node] for node in edge), *look)
    for node, (x, y) in spots.items():
        if node[0] == "gpu":
            yield Marker(x, y, "o", COMMUNICATION if node in way else BLUE, size=11)
        else:
            yield Marker(x, y, "s", style.PAPER, INK, size=17)
    yield Text(left + 4, low + SPINES + 22, "spine switches", color=MUTED)
    yield Text(left + 4, low + LEAVES + 22, "leaf", color=MUTED)
