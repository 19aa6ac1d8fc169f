"""Explorer of the narrowest cut: wire a network, see it halved, send an all-to-all through."""

import re
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from chip2cluster import draw
from chip2cluster import topology as model
from chip2cluster.draw.pictures.network_bisection import HALVES, TERMINAL, YOURS
from chip2cluster.draw.topology_layout import cut_places, reader_cut
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show, significant

SIZES = {
    "leaf-spine": (
        "2 leaves × 4 hosts", "4 leaves × 4 hosts", "4 leaves × 8 hosts", "8 leaves × 16 hosts", "32 leaves × 32 hosts",
    ),
    "fat-tree": ("4-port switches", "6-port switches", "8-port switches", "16-port switches"),
    "rail cluster": ("4 groups × 2 nodes", "4 groups × 8 nodes", "4 groups × 32 nodes"),
    "plain tree": ("8 hosts", "16 hosts", "32 hosts"),
    "path": ("4 nodes", "8 nodes", "9 nodes"),
    "ring": ("4 nodes", "6 nodes", "8 nodes", "9 nodes", "16 nodes", "24 nodes"),
    "mesh": tuple(f"{k} × {k}" for k in range(3, 9)),
    "torus": tuple(f"{k} × {k}" for k in range(3, 9)),
    "3-D torus": ("3 × 3 × 3", "4 × 4 × 4"),
    "hypercube": ("4 nodes", "8 nodes", "16 nodes", "32 nodes"),
    "full mesh": ("4 nodes", "6 nodes", "8 nodes", "9 nodes", "12 nodes"),
    "dragonfly": ("4 groups of 3 routers", "6 groups of 5 routers", "8 groups of 7 routers"),
}  # fmt: skip
USUAL = ("4 × 4", "8 nodes", "16 hosts", "4-port switches", "4 × 4 × 4", "4 groups of 3 routers")
TIERS = ("leaf-spine", "fat-tree", "rail cluster")  # where uplinks can be saved
NO_TIERS = NO_CUT = 0
DRAWN = 64  # terminals of the largest network whose every link is drawn
GPUS, NVLINK = 8, 450e9  # of a node of the rail cluster
OWN = "yours"


def _sizes(values):
    return SIZES[values["topology"]]


def _ratios(values):
    """Ratios that leave whole uplinks at a leaf; a fat-tree's links to the core get slower instead."""
    if values["topology"] not in TIERS:
        return (NO_TIERS,)
    hosts = _numbers(values["size"])[-1] if values["topology"] == "leaf-spine" else 8
    if values["topology"] == "fat-tree":
        hosts = 4
    return tuple(ratio for ratio in (1, 2, 4, 8) if hosts % ratio == 0)


def _ratio(ratio):
    return f"{ratio}:1" if ratio else "leaf-spine, fat-tree, rails only"


def _own_cuts(values):
    """Terminals that a cut of the reader's can have to its left."""
    return _places(network(*(values[name] for name in ("topology", "size", "oversubscription")), 50e9))


def _places(net):
    return (NO_CUT,) if _is_summary(net) else cut_places(net)


def _is_summary(net):
    """Whether the picture shows the tiers of a network rather than every link."""
    return net.terminals > DRAWN or net.family == "GPU cluster"


def _left(count):
    return f"{count} to its left" if count else "none"


def _numbers(size):
    return [int(number) for number in re.findall(r"\d+", size)]


@lru_cache(maxsize=512)
def network(topology, size, ratio, rate):
    """The network of a state; links carry ``rate`` bytes/s one way."""
    numbers = _numbers(size)
    if topology == "leaf-spine":
        leaves, hosts = numbers
        return model.leaf_spine(leaves, hosts // ratio, hosts, rate)
    if topology == "rail cluster":
        groups, nodes = numbers
        return model.gpu_cluster(
            groups * nodes, GPUS, nodes_per_group=nodes, oversubscription=ratio, nvlink_bandwidth_one_way=NVLINK,
            nic_bandwidth_one_way=rate,
        )  # fmt: skip
    if topology == "fat-tree":
        return model.fat_tree(numbers[0], rate, oversubscription=ratio)
    if topology == "dragonfly":
        groups, routers = numbers
        return model.dragonfly(routers, 1, groups, link_bandwidth_one_way=rate)
    if topology in ("mesh", "torus", "3-D torus"):
        return (model.mesh if topology == "mesh" else model.torus)(numbers, rate)
    if topology == "hypercube":
        return model.hypercube(numbers[0].bit_length() - 1, rate)
    if topology == "plain tree":
        return model.tree(2, numbers[0].bit_length() - 1, rate)
    return {"path": model.path, "ring": model.ring, "full mesh": model.complete}[topology](numbers[0], rate)


def _giga(rate):
    return significant(rate, 3) if rate < 1000 else f"{rate:,.0f}"


class Bisection(Explorer):
    """Wire a network, see its narrowest halving, and time an all-to-all through its cuts.

    Where a network is narrowest, and how long an all-to-all takes to get through.

    Parameters
    ----------
    topology : str or Topology
        ``"leaf-spine"``, ``"fat-tree"``, ``"rail cluster"``, ``"plain tree"``, ``"path"``, ``"ring"``, ``"mesh"``,
        ``"torus"``, ``"3-D torus"``, ``"hypercube"``, ``"full mesh"`` or ``"dragonfly"``; or a network of your own,
        of any size, such as ``topology.leaf_spine(16, 8, 32, 50e9)``.
    **values
        Start values of the other controls: ``size`` (such as ``"5 × 5"``), ``oversubscription``,
        ``cut`` (of your own: terminals to its left, 0 for none), ``link`` (GB/s one way), ``message`` (GB).

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.bisection("torus", size="5 x 5").table[-1]["links"]
    12
    >>> from chip2cluster import topology
    >>> explore.bisection(topology.leaf_spine(16, 8, 32, 50e9)).table[-1]["links"]
    64
    """

    title = "Bisection explorer"
    extent = Extent(letters=270, rows=5)
    controls = (
        Choice(name="topology", label="Topology", options=tuple(SIZES), default="leaf-spine"),
        Slider(
            name="size", label="Size", options=_sizes, default="4 leaves × 8 hosts", prefer=USUAL, text=str,
            parse=lambda size: re.sub(r"\s*x\s*", " × ", size) if isinstance(size, str) else size,
        ),
        Slider(name="oversubscription", label="Oversubscription", options=_ratios, default=1, text=_ratio),
        Slider(name="cut", label="Your cut", options=_own_cuts, default=NO_CUT, text=_left),
        Choice(
            name="link", label="Link rate, unidirectional", options=(6.25, 12.5, 25, 50, 100, 450), default=50, unit="GB/s",
            more=True,
        ),
        Choice(name="message", label="Send buffer of each", options=(0.1, 1, 10), default=1, unit="GB", more=True),
    )  # fmt: skip
    strip = Strip("size", {"topology": ALL, "oversubscription": ALL, "cut": ALL})
    _own = None

    def __init__(self, *given, **values):
        asked = given[0] if given else values.get("topology", self.controls[0].default)
        if isinstance(asked, model.Topology):
            _require_rate(asked)
            if "topology" in values:
                values = {**values, "topology": OWN}
            else:
                given = (OWN, *given[1:])
            self.controls = tuple(map(partial(_with_own, asked), self.controls))
            self._own, self.strip = asked, Strip("message")
        elif asked not in tuple(SIZES):
            raise ValueError(
                f"topology must be one of {', '.join(map(repr, SIZES))}, or a network made by `topology`, such as "
                f"topology.leaf_spine(16, 8, 32, 50e9); got {asked!r}"
            )
        super().__init__(*given, **values)

    def _settled(self, asked, before):
        kind = asked.get("topology", before.get("topology", self.controls[0].default))
        if kind == OWN and self._own:
            for name in {"size", "oversubscription", "link"} & set(asked):
                control = self._by_name[name]
                if isinstance(control, Choice) and asked[name] not in control.choices({"topology": OWN}):
                    raise ValueError(f"{name}={asked[name]!r}: your network brings its own; leave {name} out")
        elif kind not in TIERS and asked.get("oversubscription"):
            raise ValueError(
                f"oversubscription={asked['oversubscription']!r}: only {', '.join(TIERS)} have uplinks to save; leave it out"
            )
        if {"topology", "size"} & set(asked) and before:
            before = {**before, "cut": NO_CUT}  # a cut belongs to its network
        values, note = super()._settled(asked, before)
        return values, "" if "topology" in asked else note  # a new topology has sizes of its own

    def frame(self, values: dict[str, Any]) -> Frame:
        rate, size = 1e9 * values["link"], 1e9 * values["message"]
        net = self._network(values, rate)
        narrowest = model.bisection(net)
        keys, cuts = zip(*self._cuts(values, net, narrowest, rate), strict=True)
        rows = [
            (
                name,
                links,
                bandwidth / 1e9,
                2 * bandwidth / 1e9,
                1e3 * model.cut_time(size, net.terminals, side, bandwidth),
            )
            for name, side, links, bandwidth in cuts
        ]
        slowest = max(range(len(rows)), key=lambda row: rows[row][-1])
        subject, members = self._subject(values, net), f"{net.terminals:,} {_member(values)}s"
        columns = (
            Column("cut"), Column("links", text="{:,}".format), Column("one way", "GB/s", _giga), Column("both ways", "GB/s", _giga),
            Column("all-to-all", "ms", significant),
        )  # fmt: skip
        shown = "" if members == values["size"] else members
        handles: tuple[Handle, ...] = ()
        if _is_summary(net):
            picture = draw.fabric(net, subtitle=shown)
        else:
            picture = draw.network_bisection(net, subtitle=shown, left=values["cut"])
            handles = (Handle("cut", tuple((count, None) for count in self._choices("cut", values))),)
        table = Table(
            subject, columns, tuple(rows), marked=slowest, keys=keys, note="▸ the narrowest for an all-to-all"
        )
        said = self._say(values, net, narrowest, rows, slowest)
        words = {row[0]: key for key, row in zip(keys, rows, strict=True) if row[0] in said}
        return Frame(picture, table, said, handles=handles, words=words)

    def _network(self, values, rate):
        if values["topology"] == OWN:
            return self._own
        return network(values["topology"], values["size"], values["oversubscription"], rate)

    def _cuts(self, values, net, narrowest, rate):
        """Cuts to compare: what they lie around in the picture, then name, terminals inside, links, bytes/s one way."""
        if values["topology"] in (OWN, "rail cluster"):
            yield from _named_cuts(net)
        else:
            lone = net.injection_bandwidth_one_way
            rim = {"mesh": "a corner", "path": "an end"}.get(values["topology"], f"one {_member(values)}")
            yield TERMINAL, (f"around {rim}", 1, round(lone / rate), lone)
        if values["topology"] == "leaf-spine":
            hosts, uplinks = (net.parameters[key] for key in ("hosts_per_leaf", "spines"))
            yield "leaf", ("around one leaf", hosts, uplinks, uplinks * rate)
        if values["topology"] == "fat-tree":
            pod = net.parameters["k"] ** 2 // 4
            yield "pod", ("around one pod", pod, pod, pod * rate / values["oversubscription"])
        yield HALVES, ("between the halves", net.terminals // 2, narrowest.links, narrowest.bandwidth_one_way)
        if values["cut"]:
            own = reader_cut(net, values["cut"])
            yield YOURS, ("through your cut", values["cut"], own.links, own.bandwidth_one_way)

    def _subject(self, values, net):
        if values["topology"] == OWN and self._own:
            return f"{self._own.name}"
        shape = f"{values['topology']}, {values['size']}"
        if values["topology"] in TIERS:
            shape += f", {_ratio(values['oversubscription'])}"
        shape += f", links of {values['link']:g} GB/s"
        if values["topology"] == "rail cluster":
            shape = f"rails, {values['size']} × {GPUS} GPUs, {_ratio(values['oversubscription'])}"
            return f"{shape}, adapters of {values['link']:g} GB/s"
        if values["topology"] == "fat-tree" and values["oversubscription"] > 1:
            shape += f", {values['link'] / values['oversubscription']:g} GB/s to the core"
        return shape

    def _say(self, values, net, narrowest, rows, slowest):
        one_way, both_ways = (
            show(rate, "B/s") for rate in (narrowest.bandwidth_one_way, narrowest.bandwidth_both_ways)
        )
        links = f"{narrowest.links:,} link{'s' * (narrowest.links != 1)}"
        if values["topology"] in ("mesh", "path") or net.terminals == 1:  # their nodes have different numbers of links
            share = ""
        else:
            percent = significant(100 * model.full_bisection_share(net))
            members = f"{_member(values)}s"
            over = "over all of their links"
            if net.family == "GPU cluster":
                inner = net.tiers[1].name if net.parameters["gpus_per_node"] > 1 else "node"
                over = f"out of their {inner}s"
            share = f" That is {percent} % of p/2 · β, what half of the {members} could send {over}."
        where = f"longest {rows[slowest][0]}"
        if min(row[-1] for row in rows) > (1 - 1e-9) * rows[slowest][-1]:
            where = "equally at all of these cuts"
        if values["cut"]:
            share = ""
            own = rows[-1]
            yours = (
                f"Your cut has {values['cut']} of {net.terminals} {_member(values)}s to its left and crosses {own[1]:,} "
                f"link{'s' * (own[1] != 1)}: {significant(own[-1])} ms. "
            )
        else:
            yours = ""
        return (
            f"{yours}The narrowest halving {'known ' * (not narrowest.exact)}cuts {links}: {one_way} one way, {both_ways} if you count both ways.{share} An all-to-all of "
            f"{values['message']:g} GB from each takes at least {significant(rows[slowest][-1])} ms; "
            f"it waits {where}."
        )


def _require_rate(own):
    """A network whose links carry a byte a second was made without a rate."""
    narrowest = model.bisection(own)
    if narrowest.links and narrowest.bandwidth_one_way <= narrowest.links:
        raise ValueError(
            f"{own.name} has no rate: give one in bytes/s for its links, such as "
            "topology.leaf_spine(16, 8, 32, link_bandwidth_one_way=50e9)"
        )


def _with_own(own, control):
    """A control that offers a network of the reader's own as well."""
    if control.name == "topology":
        return replace(control, options=(*control.options, OWN))
    if control.name == "size":
        sizes = control.options
        return replace(control, options=lambda values: (own.name,) if values["topology"] == OWN else sizes(values))
    if control.name == "oversubscription":
        return replace(control, text=_own_ratio)
    if control.name == "cut":
        cuts = control.options
        return replace(control, options=lambda values: _places(own) if values["topology"] == OWN else cuts(values))
    if control.name == "link":
        rates = control.options
        return replace(control, options=lambda values: (0,) if values["topology"] == OWN else rates, text=_own_rate)
    return control


def _own_ratio(ratio):
    return _ratio(ratio) if ratio else "as the network has it"


def _own_rate(rate):
    return rate or "as you gave them, in"


def _named_cuts(net):
    """Around one part of each tier, or around one terminal and what else its family knows."""
    if net.tiers:
        for place, tier in enumerate(net.tiers):
            key = tier.name if place else TERMINAL
            yield key, (f"around one {tier.name}", tier.terminals, tier.links, tier.bandwidth_one_way)
        return
    if net.terminals == 1:
        return
    node = min(net.terminal_nodes, key=lambda node: net.graph.degree(node, weight="capacity"))
    links = net.graph.degree(node, weight="links")
    yield TERMINAL, ("around one terminal", 1, links, net.injection_bandwidth_one_way)


def _member(values):
    if values["topology"] == OWN:
        return "terminal"
    if values["topology"] == "rail cluster":
        return "GPU"
    if values["topology"] == "dragonfly":
        return "router"
    return "host" if values["topology"] in (*TIERS, "plain tree") else "node"
