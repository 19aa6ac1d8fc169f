"""Explorer of links: what a message of a given size gets of three wires."""

from ... import draw, hierarchy
from ... import links as model
from ...draw.words import amount, giga
from ...units import show
from ..base import Explorer
from ..controls import Choice, Slider
from ..frame import Column, Frame, Table
from ..strip import ALL, Strip

# The tiers of a system whose way leads over one of the three wires.
TIERS = {"NVLink": "node HBM over NVLink", "PCIe": "host memory", "InfiniBand": "cluster HBM over InfiniBand"}
NODES = ("DGX A100", "DGX H100", "DGX B200")
SIZES = (*(step * 10**power for power in range(2, 9) for step in (1, 2, 5)), 10**9)  # 100 bytes to 1 GB


def _times(factor):
    return "as it is" if factor == 1 else f"× {factor:g}"


class Links(Explorer):
    """Send a message over NVLink, PCIe and InfiniBand, and see what it gets of each.

    NVLink, PCIe and InfiniBand of one node: message size against effective bandwidth.

    Parameters
    ----------
    node : str
        ``"DGX A100"``, ``"DGX H100"`` or ``"DGX B200"``.
    **values
        Start values of the other controls: ``link``, ``message`` (bytes: 100, 200, 500, 1000 and so on to 10**9),
        ``bandwidth`` and ``latency`` (factors on the followed link).

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.links("DGX H100", link="NVLink", message=5000)
    >>> view.table[0]["share (%)"].__round__(2)
    1.82
    """

    title = "Link explorer"
    controls = (
        Choice(name="node", label="Node", options=NODES, default="DGX H100"),
        Choice(name="link", label="Follow", options=tuple(TIERS), default="NVLink"),
        Slider(name="message", label="Message", options=SIZES, default=5000, text=amount),
        Choice(
            name="bandwidth",
            label="Bandwidth of the followed link",
            options=(1, 2, 4),
            default=1,
            text=_times,
            more=True,
        ),
        Choice(name="latency", label="Its latency", options=(0.25, 0.5, 1, 2, 4), default=1, text=_times, more=True),
    )
    strip = Strip("message", {"node": ALL, "link": ALL, "bandwidth": (1, 2), "latency": (0.5, 1)})

    def frame(self, values):
        wires, message = [self._wire(kind, values) for kind in TIERS], values["message"]
        chosen = tuple(TIERS).index(values["link"])
        rows = []
        for wire in wires:
            seconds = model.transfer_time(message, wire.bandwidth_one_way, wire.latency)
            rate = model.effective_bandwidth(message, wire.bandwidth_one_way, wire.latency)
            rows.append(
                (
                    wire.name, wire.bandwidth_one_way / 1e9, wire.latency * 1e6, wire.half_size / 1e3, seconds * 1e6,
                    rate / 1e9, 100 * rate / wire.bandwidth_one_way,
                )
            )  # fmt: skip
        subject = f"{values['node']}, one message of {amount(message)} over {wires[chosen].name}"
        picture = draw.links(wires, message, chosen=chosen, subtitle=subject)
        table = Table(f"{values['node']}, {amount(message)}", _columns(), tuple(rows), marked=chosen)
        return Frame(picture, table, _say(wires, chosen, message))

    def _wire(self, kind, values):
        tier = hierarchy.system(values["node"]).tier(TIERS[kind])
        followed = kind == values["link"]
        faster, slower = (values["bandwidth"], values["latency"]) if followed else (1, 1)
        # A wire that was changed is not the one on the data sheet any more.
        name = kind if (faster, slower) == (1, 1) else f"your {kind}"
        return draw.Wire(name, faster * tier.bandwidth_one_way, slower * tier.latency_seconds)


def _columns():
    return (
        Column("link"),
        Column("one way", "GB/s", lambda value: giga(1e9 * value)),
        Column("latency", "µs", "{:.2f}".format),
        Column("half at", "kB", "{:,.1f}".format),
        Column("time", "µs", lambda value: f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"),
        Column("effective", "GB/s", lambda value: giga(1e9 * value)),
        Column("share", "%", "{:.1f}".format),
    )


def _say(wires, chosen, message):
    wire = wires[chosen]
    waiting = wire.latency / model.transfer_time(message, wire.bandwidth_one_way, wire.latency)
    share = wire.rate(message) / wire.bandwidth_one_way
    first = (
        f"Over {wire.name} {amount(message)} gets {giga(wire.rate(message))} of {giga(wire.bandwidth_one_way)} GB/s, "
        f"{100 * share:.1f} %: {100 * waiting:.1f} % of the time passes before the first byte arrives."
    )
    second = f"Half of the bandwidth takes a message of {show(wire.half_size, 'B')}."
    fastest = max(wires, key=lambda other: other.half_size)
    third = f"Of these links {fastest.name} needs the largest message to get going."
    return f"{first} {second} {third}"
