"""Explorer of traffic patterns: the same network under a stencil, a ring, an all-to-all and others."""

from functools import lru_cache, partial
from typing import Any

from chip2cluster import draw
from chip2cluster import topology as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

RATE = 50e9  # bytes/s one way of a link
# How to make each network of 64 terminals, and the grid that they stand in.
NETWORKS = {
    "leaf-spine 1:1": (partial(model.leaf_spine, 4, 16, 16, RATE), (8, 8)),
    "leaf-spine 4:1": (partial(model.leaf_spine, 4, 4, 16, RATE), (8, 8)),
    "torus 8 × 8": (partial(model.torus, (8, 8), RATE), (8, 8)),
    "torus 4 × 4 × 4": (partial(model.torus, (4, 4, 4), RATE), (4, 4, 4)),
    "mesh 8 × 8": (partial(model.mesh, (8, 8), RATE), (8, 8)),
    "ring of 64": (partial(model.ring, 64, RATE), (64,)),
}
PATTERNS = {
    "stencil": "stencil",
    "ring all-reduce": "ring_all_reduce",
    "all-to-all": "all_to_all",
    "random pairs": "permutation",
    "opposite pairs": "opposite",
    "tornado": "tornado",
}


class Traffic(Explorer):
    """Send a traffic pattern through a network and see which links are busy.

    The same 64 terminals under six kinds of traffic, and what it asks of the links.

    Parameters
    ----------
    pattern : str
        ``"stencil"``, ``"ring all-reduce"``, ``"all-to-all"``, ``"random pairs"``, ``"opposite pairs"`` or
        ``"tornado"``.
    **values
        Start values of the other controls: ``network`` (such as ``"torus 8 × 8"``), ``message`` (GB).

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.traffic("all-to-all", network="leaf-spine 4:1").table[2]["time (ms)"]
    60.0
    """

    title = "Traffic on the links"
    controls = (
        Choice(name="pattern", label="Traffic", options=tuple(PATTERNS), default="all-to-all"),
        Choice(name="network", label="Network", options=tuple(NETWORKS), default="leaf-spine 1:1"),
        Choice(name="message", label="Send buffer of each", options=(0.1, 1, 10), default=1, unit="GB", more=True),
    )
    strip = Strip("pattern", {"network": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        name, size = values["network"], 1e9 * values["message"]
        net = network(name)
        rows = tuple((pattern, *_row(name, key, size)) for pattern, key in PATTERNS.items())
        chosen = tuple(PATTERNS).index(values["pattern"])
        pattern, busiest, least, time, share = rows[chosen]
        loads = sent(name, PATTERNS[pattern])[0]
        title = f"{pattern.capitalize()}: {significant(time)} ms at least"
        subtitle = f"{net.terminals} terminals, links of {RATE / 1e9:g} GB/s one way; by shortest ways, evenly spread"
        idle = 2 * net.graph.number_of_edges() - len(loads.carried)
        description = (
            f"{title}. {subtitle}. The busiest link carries {significant(busiest)} times a buffer; "
            f"{idle} of {2 * net.graph.number_of_edges()} directions of links carry nothing."
        )
        picture = draw.traffic(net, loads, title=title, subtitle=subtitle, description=description)
        caption = f"{name}, buffers of {values['message']:g} GB"
        sentence = f"The busiest link carries {significant(busiest)} times a buffer, which takes at least {significant(time)} ms. "
        if share > 99.5:
            sentence += "A cut needs as much time, so no routing could be faster."
        else:
            sentence += f"The cuts allow {significant(least)} ms: shortest paths reach {significant(share)} % of what they allow, because {_why(net, loads, values['pattern'])}."
        return Frame(picture, Table(caption, COLUMNS, rows, marked=chosen), sentence)


def _why(net, loads, pattern):
    """What keeps shortest ways from what the cuts allow."""
    links = net.graph.number_of_edges()
    if _full(net, loads) == links and len(loads.carried) == links:
        return "they fill one direction of each link and leave the other empty"
    if pattern == "ring all-reduce" and len(loads.carried) < links:
        return "a single ring leaves most links empty, and libraries lay several side by side"
    return "they crowd some links and spare others"


def _full(net, loads):
    """Links that are as busy as the busiest in one of their directions."""
    least = 0.995 * loads.seconds_per_byte
    return len(
        {frozenset(way) for way, load in loads.carried.items() if load / net.graph.edges[way]["capacity"] >= least}
    )


@lru_cache(maxsize=16)
def network(name):
    """The network of that name."""
    return NETWORKS[name][0]()


@lru_cache(maxsize=64)
def sent(name, pattern):
    """What its links carry, and seconds a byte that its cuts ask for."""
    net = network(name)
    demand = model.demand(pattern, net.terminals, dims=NETWORKS[name][1])
    return model.link_loads(net, demand), model.cut_demand_time(net, demand, 1.0)


def _row(name, pattern, size):
    """Load of the busiest link, least time by cuts and time by routing in ms, their ratio in percent."""
    loads, least = sent(name, pattern)
    time = loads.seconds(size)
    return float(loads.carried[loads.busiest]), 1e3 * least * size, 1e3 * time, 100 * least * size / time


COLUMNS = (
    Column("traffic"),
    Column("busiest link", "× buffer", significant),
    Column("cuts ask for", "ms", significant),
    Column("time", "ms", significant),
    Column("reached", "%", significant),
)
