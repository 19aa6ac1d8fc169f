"""Explorer of links: what a message of a given size gets of the wires of a node, or of one in three ways."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from chip2cluster import collectives, draw
from chip2cluster import links as model
from chip2cluster._validate import known
from chip2cluster.draw.format import amount, giga
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.links.measured_rates import ENGINES
from chip2cluster.units import show

# The wires of a node by the names that `links.rates` has, and as NCCL's constants know them.
NODES = {
    "DGX A100": ("NVLink 3", "PCIe 4 x16", "InfiniBand HDR 4x"),
    "DGX H100": ("NVLink 4", "PCIe 5 x16", "InfiniBand NDR 4x"),
    "DGX B200": ("NVLink 5", "PCIe 5 x16", "InfiniBand NDR 4x"),
}
KINDS = {"NVLink": "nvlink", "PCIe": "pcie", "InfiniBand": "network"}
PROTOCOLS, SIDE_BY_SIDE = ("Simple", "LL128", "LL"), "side by side"
SIZES = (*(step * 10**power for power in range(2, 9) for step in (1, 2, 5)), 10**9)  # 100 bytes to 1 GB


def _times(factor):
    return "as it is" if factor == 1 else f"× {factor:g}"


class Links(Explorer):
    """Send a message over NVLink, PCIe and InfiniBand, and see what it gets of each.

    NVLink, PCIe and InfiniBand of one node: message size against effective bandwidth, with
    the latency and the rate of one of NCCL's protocols, or its three protocols on one wire.

    Parameters
    ----------
    node : str
        ``"DGX A100"``, ``"DGX H100"`` or ``"DGX B200"``.
    own : OwnLink, optional
        A link of yours, to stand beside them: ``links.own("100 Gb/s", "20 µs")``.
    **values
        Start values of the other controls: ``link`` (with ``own`` also its name), ``protocol``
        (``"Simple"``, ``"LL128"``, ``"LL"`` or ``"side by side"``), ``message`` (bytes: 100, 200, 500, 1000 and so on
        to 10**9), ``bandwidth`` and ``latency`` (factors on the followed link), ``measured`` (``"hidden"``, ``"shown"``).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, or an ``own`` that is no link.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.links("DGX H100", link="NVLink", message=5000)
    >>> view.table[0]["of sheet (%)"].__round__(2)
    0.33
    """

    title = "Link explorer"
    positional = ("node",)
    controls = (
        Choice(name="link", label="Follow", options=tuple(KINDS), default="NVLink"),
        Choice(
            name="protocol",
            label="NCCL's protocol",
            options=lambda values: (*PROTOCOLS, SIDE_BY_SIDE) if values["link"] in KINDS else PROTOCOLS,
            default="Simple",
        ),
        Slider(name="message", label="Message", options=SIZES, default=5000, text=amount),
        Choice(name="node", label="Node", options=tuple(NODES), default="DGX H100", more=True),
        Choice(
            name="bandwidth",
            label="Bandwidth of the followed link",
            options=(1, 2, 4),
            default=1,
            text=_times,
            more=True,
        ),
        Choice(name="latency", label="Its latency", options=(0.25, 0.5, 1, 2, 4), default=1, text=_times, more=True),
        Choice(name="measured", label="Measured rates", options=("hidden", "shown"), default="hidden", more=True),
    )
    strip = Strip(
        "message", {"link": ALL, "protocol": ("Simple", SIDE_BY_SIDE), "bandwidth": (1, 2), "latency": (0.5, 1)}
    )

    def __init__(self, *given, own=None, **values):
        if own is not None:
            if not isinstance(own, model.OwnLink):
                raise TypeError(f"own must be a link such as links.own('100 Gb/s', '20 µs'), got {own!r}")
            if own.name in KINDS:
                raise ValueError(f"own must have another name than {', '.join(KINDS)}, got {own.name!r}")
            link = replace(self.controls[0], options=(*KINDS, own.name), default=own.name)
            self.controls = (link, *self.controls[1:])
        self._own = own
        super().__init__(*given, **values)

    def frame(self, values: dict[str, Any]) -> Frame:
        message = values["message"]
        wires, chosen = self._shown_wires(values)
        columns = [column for column in _columns() if column.name != "measured" or values["measured"] == "shown"]
        rows = [tuple(_row(wire, message)[column.name] for column in columns) for wire in wires]
        subject = f"{values['node']}, {_way(wires[chosen], values)}"
        picture = draw.links(wires, message, chosen=chosen)
        table = Table(subject, tuple(columns), tuple(rows), marked=chosen)
        sizes = self._choices("message", values)
        rates = np.asarray(wires[chosen].rate(np.array(sizes, float)))
        handle = Handle("message", tuple(zip(sizes, rates.tolist(), strict=True)))
        return Frame(picture, table, _say(wires, chosen, message, values), handles=(handle,))

    def _shown_wires(self, values):
        """The curves, and the number of the one that is followed."""
        if values["protocol"] == SIDE_BY_SIDE:
            wires = [self._wire(values["link"], name, values) for name in reversed(PROTOCOLS)]
            times = [model.transfer_time(values["message"], wire.bandwidth_one_way, wire.latency) for wire in wires]
            return wires, times.index(min(times))
        kinds = (*KINDS, *((self._own.name,) if self._own else ()))
        return [self._wire(kind, values["protocol"], values) for kind in kinds], kinds.index(values["link"])

    def _wire(self, kind, protocol, values):
        faster, slower = (values["bandwidth"], values["latency"]) if kind == values["link"] else (1, 1)
        as_it_is = (faster, slower) == (1, 1)
        if kind not in KINDS:
            name = kind if as_it_is else f"{kind}, changed"
            return draw.Wire(name, faster * self._own.bandwidth_one_way, slower * self._own.latency)
        rates = model.rates(NODES[values["node"]][tuple(KINDS).index(kind)])
        method = collectives.nccl_protocol(protocol, KINDS[kind])
        # A wire that was changed is not the one on the data sheet any more.
        name = kind if as_it_is else f"your {kind}"
        if values["protocol"] == SIDE_BY_SIDE:
            name = protocol
        # Nobody measured a wire of twice the rate.
        movers = (
            dict.fromkeys(rate.by for rate in rates.measured) if values["measured"] == "shown" and faster == 1 else ()
        )
        engines = tuple((ENGINES[one], *rates.measured_by(one)) for one in movers)
        payload = known("payload_one_way", rates.payload_one_way)
        rate = method.wire_share * faster * payload
        return draw.Wire(name, rate, slower * method.latency, faster * rates.sheet_one_way, engines)


def _row(wire, message):
    seconds = model.transfer_time(message, wire.bandwidth_one_way, wire.latency)
    rate = model.effective_bandwidth(message, wire.bandwidth_one_way, wire.latency)
    sheet = wire.sheet_one_way or None
    measured = "; ".join(f"{engine} {_span(low, high)}" for engine, low, high in wire.measured) or "–"
    return {
        "link": wire.name, "sheet": sheet and sheet / 1e9, "measured": measured, "at most": wire.bandwidth_one_way / 1e9,
        "latency": wire.latency * 1e6, "half at": wire.half_size / 1e3, "time": seconds * 1e6, "effective": rate / 1e9,
        "of sheet": sheet and 100 * rate / sheet,
    }  # fmt: skip


def _span(low, high):
    return giga(high) if giga(low) == giga(high) else f"{giga(low)} to {giga(high)}"


def _or_dash(text):
    return lambda value: "–" if value is None else text(value)


def _columns():
    return (
        Column("link"),
        Column("sheet", "GB/s", _or_dash(lambda value: giga(1e9 * value))),
        Column("measured", "GB/s"),
        Column("at most", "GB/s", lambda value: giga(1e9 * value)),
        Column("latency", "µs", "{:.2f}".format),
        Column("half at", "kB", "{:,.1f}".format),
        Column("time", "µs", lambda value: f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"),
        Column("effective", "GB/s", lambda value: giga(1e9 * value)),
        Column("of sheet", "%", _or_dash("{:.1f}".format)),
    )


def _way(wire, values):
    """What a message goes over, in words."""
    side_by_side, known = values["protocol"] == SIDE_BY_SIDE, values["link"] in KINDS
    if side_by_side:
        changed = (values["bandwidth"], values["latency"]) != (1, 1)
        return f"{'your ' * changed}{values['link']} with {wire.name}"
    return f"{wire.name} with {values['protocol']}" if known else wire.name


def _say(wires, chosen, message, values):
    wire = wires[chosen]
    seconds = model.transfer_time(message, wire.bandwidth_one_way, wire.latency)
    rate = wire.rate(message)
    first = (
        f"Over {_way(wire, values)} {amount(message)} gets {giga(rate)} of {giga(wire.bandwidth_one_way)} GB/s: "
        f"{100 * wire.latency / seconds:.1f} % of the time passes before the first byte arrives."
    )
    second = f"Half of its rate takes a message of {show(wire.half_size, 'B')}."
    if values["protocol"] == SIDE_BY_SIDE:
        return f"{first} {second} {_changes(wires)}"
    if (values["bandwidth"], values["latency"]) == (1, 1):
        return f"{first} {second}"  # which of the wires as they are needs the largest message is the reader's to find
    largest = max(wires, key=lambda other: other.half_size)
    return f"{first} {second} Of these links {largest.name} now needs the largest message to get going."


def _changes(wires):
    """Where the fastest of three protocols changes."""
    sizes = [
        model.break_even_size(one.latency, one.bandwidth_one_way, other.latency, other.bandwidth_one_way)
        for one, other in pairwise(wires)
    ]
    one, two, three = (wire.name for wire in wires)
    return f"{one} is the fastest up to {show(sizes[0], 'B')}, {two} up to {show(sizes[1], 'B')}, {three} beyond."
