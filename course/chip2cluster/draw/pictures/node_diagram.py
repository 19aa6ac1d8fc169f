"""Inside of a node: sockets, accelerators, NICs and switches, with the bandwidth between its two halves."""

from ... import hierarchy, links, specs, topology
from ..._validate import known
from ...units import show
from .. import node_diagram_narrow, style
from ..node_diagram_narrow import FACES, LETTERS
from ..palette import COMMUNICATION, GREY, INK, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Line, Marker, Text
from .multiprocessor import Box

WIDTH, HEIGHT = style.WIDTH, 498
EDGE, MIDDLE, GAP = 10, WIDTH / 2, 16  # px: the rim, the border between the halves, and from it to the next part
WIDE = 62  # px: a GPU, and its adapter
SWITCHES, GPUS, ADAPTERS, SOCKETS, DRIVES = (
    (384, 26),
    (284, 46),
    (198, 38),
    (88, 58),
    (14, 30),
)  # px: lower edge, height
DRIVE = 120  # px: the middle of the drives
# px: the middles of the labels on the border: PCIe, the border itself, the link between the sockets
BORDER_LABELS = (
    (GPUS[0] + ADAPTERS[0] + ADAPTERS[1]) / 2,
    SOCKETS[0] + SOCKETS[1] + 17,
    (SOCKETS[0] + DRIVES[0] + DRIVES[1]) / 2,
)


@two_widths
def node_diagram(system: str, width: int = style.WIDTH) -> Picture:
    """Draw what is inside a node, and which half of it each part belongs to.

    Parameters
    ----------
    system : str
        A system whose parts are stored (`hierarchy.node`): ``"DGX H100"``.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError, TypeError
        Raised as by `hierarchy.node`.

    Examples
    --------
    >>> node_diagram("DGX H100").title
    'DGX H100: each socket has half of the GPUs'
    """
    node, ladder = hierarchy.node(system), hierarchy.system(system)
    switches = topology.nvswitch_node(node.name).graph
    links_to = [wires["links"] for *_, wires in switches.edges(("gpu", 0), data=True)]
    host = specs.accelerator(node.processor)
    rates = {
        "own": ladder.tier("HBM").bandwidth_one_way,
        "NVLink": ladder.tier("node HBM over NVLink").bandwidth_one_way,
        "PCIe": links.pcie(5, node.lanes_per_accelerator).bandwidth_one_way,
        "network": ladder.tier("cluster HBM over InfiniBand").bandwidth_one_way,
    }
    said = {name: f"{known('bandwidth_one_way', rate) / 1e9:,.0f} GB/s" for name, rate in rates.items()}
    half = node.accelerators // node.sockets
    title = f"{node.name}: each socket has half of the GPUs"
    subtitle = "The switches join all GPUs; the rest of the box is two boxes. Rates one way, of the sheets."
    description = (
        f"{title}. {node.accelerators} GPUs stand in a row, {half} for each socket, and each has {sum(links_to)} links to "
        f"{len(links_to)} NVSwitches, {said['NVLink']} in all. Below each GPU hangs its adapter with a PCIe switch inside: "
        f"{said['network']} to other nodes, {said['PCIe']} up to the GPU and down to the socket. Each socket has {host.compute_units} "
        f"cores, {node.lanes_per_socket} lanes of PCIe and a memory of its own with {host.memory_bandwidth / 1e9:,.0f} GB/s. "
        f"A link joins the two sockets. {node.drives} drives lie below."
    )
    if width == style.NARROW:
        words = {
            "gpu": show(known("capacity_bytes", ladder.tier("HBM").capacity_bytes), "B", 2),
            "drive": f"{node.drives} NVMe drives, {_drive(node, ladder)} each",
            "socket": (
                f"{host.compute_units} cores",
                f"{node.lanes_per_socket} lanes",
                _memory(node, ladder),
                f"{host.memory_bandwidth / 1e9:,.0f} GB/s",
            ),
        }
        shapes, height = node_diagram_narrow.shapes(node, links_to, said, words, title, subtitle)
        return of_shapes(shapes, title, description, width, height)
    shapes = [
        Text(8, HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, HEIGHT - 43, subtitle, color=MUTED),
        *_border(),
        *_wires(half, links_to),
        *_parts(node, ladder, half, len(links_to)),
        *_sockets(node, ladder, host),
        *_labels(said, sum(links_to)),
    ]
    return of_shapes(shapes, title, description, WIDTH, HEIGHT)


def _x(place, half):
    """The middle of the column of a GPU and its adapter."""
    room = (MIDDLE - EDGE - GAP) / half
    side = EDGE if place < half else MIDDLE + GAP
    return side + room * (place % half + 0.5)


def _switch(place, count):
    return MIDDLE + 124 * (place - (count - 1) / 2)


def _border():
    """Dash the border from the drives to the switches, with a gap where a label stands in its way."""
    low, high = DRIVES[0] + DRIVES[1] + 12, GPUS[0] + GPUS[1] + 14
    free = [y for y in range(low, high, 10) if all(abs(y + 2.5 - label) > 22 for label in BORDER_LABELS)]
    return [Line(((MIDDLE, y), (MIDDLE, y + 5)), GREY, 1.2) for y in free]


def _wires(half, links_to):
    for place in range(2 * half):
        x = _x(place, half)
        for switch, number in enumerate(links_to):
            ends = (x, GPUS[0] + GPUS[1]), (_switch(switch, len(links_to)), SWITCHES[0])
            yield Line(ends, COMMUNICATION, number / 4, 0.55)
        yield Line(((x, ADAPTERS[0] + ADAPTERS[1]), (x, GPUS[0])), KINDS[1], 3)
        yield Line(((x, SOCKETS[0] + SOCKETS[1]), (x, ADAPTERS[0])), KINDS[1], 3)
        yield Line(((x + 22, ADAPTERS[0]), (x + 22, ADAPTERS[0] - 12)), COMMUNICATION, 2)
        yield Marker(x + 22, ADAPTERS[0] - 14, "o", COMMUNICATION, size=9)
    y = SOCKETS[0] + SOCKETS[1] / 2
    yield Line(((MIDDLE - GAP, y), (MIDDLE + GAP, y)), INK, 5)
    near, far, low = DRIVE + 60, MIDDLE + 60, DRIVES[0] + DRIVES[1] / 2
    yield Line(((near, SOCKETS[0]), (near, DRIVES[0] + DRIVES[1])), GREY, 2)
    yield Line(((far, SOCKETS[0]), (far, low), (DRIVE + 110, low)), GREY, 2)


def _part(x, row, wide, face, *lines):
    low, tall = row
    yield Box(x - wide / 2, low, wide, tall, face, MUTED)
    for place, line in enumerate(lines):
        y = low + tall / 2 + 17 * ((len(lines) - 1) / 2 - place)
        yield Inside(x, y, line, color=LETTERS[face], align="center", bold=not place and len(lines) > 1)


def _parts(node, ladder, half, switches):
    for switch in range(switches):
        yield from _part(_switch(switch, switches), SWITCHES, 92, FACES["switch"], "NVSwitch")
    room = show(ladder.tier("HBM").capacity_bytes, "B", 2)
    for place in range(node.accelerators):
        yield from _part(_x(place, half), GPUS, WIDE, FACES["gpu"], f"GPU {place}", room)
        yield from _part(_x(place, half), ADAPTERS, WIDE, FACES["adapter"], "adapter", "+ switch")
    yield from _part(DRIVE, DRIVES, 220, FACES["drive"], f"{node.drives} NVMe drives, {_drive(node, ladder)} each")


def _drive(node, ladder):
    return show(ladder.tier("local NVMe").capacity_bytes / node.drives, "B", 3)


def _memory(node, ladder):
    return show(ladder.tier("host memory").capacity_bytes / node.sockets, "B", 1)


def _sockets(node, ladder, host):
    memory = _memory(node, ladder)
    wide = MIDDLE - EDGE - GAP
    for place in range(node.sockets):
        x = EDGE + wide / 2 if not place else MIDDLE + GAP + wide / 2
        yield from _part(
            x, SOCKETS, wide, FACES["socket"],
            f"Socket {place}: {host.compute_units} cores, {node.lanes_per_socket} lanes",
            f"{memory} of its own memory, {host.memory_bandwidth / 1e9:,.0f} GB/s",
        )  # fmt: skip


def _labels(said, number):
    yield Text(
        EDGE,
        SWITCHES[0] + SWITCHES[1] + 16,
        f"{number} NVLinks from each GPU, over all switches: {said['NVLink']}",
        color=MUTED,
    )
    lines = ("PCIe 5 × 16", said["PCIe"]), ("border of", "NUMA nodes"), ("link between", "sockets")
    for y, words in zip(BORDER_LABELS, lines, strict=True):
        yield from _two(y, *words)
    x, y = WIDTH - 196, DRIVES[0] + DRIVES[1] / 2
    yield Marker(x + 10, y + 8, "o", COMMUNICATION, size=9)
    yield Text(x + 20, y + 8, "to other nodes:", color=MUTED)
    yield Text(x + 20, y - 8, f"{said['network']} an adapter", color=MUTED)


def _two(y, *lines):
    """Two short lines in a gap of the border."""
    for place, line in enumerate(lines):
        yield Text(MIDDLE, y + 8 - 16 * place, line, color=MUTED, align="center")
