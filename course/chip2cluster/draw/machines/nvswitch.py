"""NVSwitch of a DGX H100: the ports of one of its four chips, and what the chip does with messages."""

from ... import topology
from ...collectives import ring_all_reduce_traffic, switch_all_reduce_traffic
from .. import style
from ..palette import BLUE, COMMUNICATION, INK, MUTED
from ..picture import Picture, two_widths
from .parts import machines
from .sheet import Sheet, lit_part

MODES = ("forward", "sum")
SOURCE, TARGET = 0, 5  # the GPUs of the message that is drawn
LAYOUTS = {style.WIDTH: (300, 150, 300), style.NARROW: (380, 64, 212)}  # px: height, left edge and width of the chip


@two_widths
def nvswitch(lit: str = "forward", width: int = style.WIDTH) -> Picture:
    """Draw one NVSwitch of a DGX H100 with every port that leads to a GPU.

    Parameters
    ----------
    lit : str
        ``"forward"``: one GPU sends to another. ``"sum"``: the switch adds what all GPUs send and returns the sum to all.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        If ``lit`` is neither.

    Examples
    --------
    >>> nvswitch().title
    'Any port reaches any other: one NVSwitch of the four in a DGX H100'
    """
    lit_part(lit, MODES)
    graph = topology.nvswitch_node("DGX H100").graph
    switch, links = max(
        ((other, data["links"]) for _, other, data in graph.edges(("gpu", 0), data=True)), key=lambda one: one[1]
    )
    gpus = sorted(node for node in graph.neighbors(switch) if node[0] == "gpu")
    ports = machines()["nvswitch_ports"]
    title = {
        "forward": "Any port reaches any other: one NVSwitch of the four in a DGX H100",
        "sum": f"The switch adds what {len(gpus)} GPUs send and returns one sum",
    }[lit]
    tall, left, wide = LAYOUTS[width]
    sheet = Sheet(
        title, f"{links} links to each of {len(gpus)} GPUs; the chip has {ports} ports.", width, tall + 46, None
    )
    y = sheet.top
    sheet.frame(left, y, wide, tall, 8)
    box, rows = 76 if width == style.WIDTH else 50, len(gpus) // 2
    room = (tall - 12) / rows
    spots = {}
    for place, gpu in enumerate(gpus):
        side, row = place // rows, place % rows
        middle = y + 6 + room * (row + 0.5)
        x = 8 if side == 0 else width - 8 - box
        name = f"GPU {gpu[1]}" if width == style.WIDTH else str(gpu[1])
        active = lit == "sum" or gpu[1] in (SOURCE, TARGET)
        sheet.part(
            x,
            middle - 24,
            box,
            48,
            "lit" if active else "compute",
            *(("GPU", name) if width != style.WIDTH else (name,)),
        )
        inner = left if side == 0 else left + wide
        edge = x + box if side == 0 else x
        for port in range(links):
            at = middle + 8 * (port - (links - 1) / 2)
            sheet.line((edge, at), (inner, at), color=BLUE if active else MUTED, width=1.6 if active else 0.9)
            sheet.part(inner - (0 if side == 0 else 14), at - 3, 14, 6, "switch", radius=1)
        spots[gpu[1]] = (inner + (14 if side == 0 else -14), middle, side)
    centre = left + wide / 2, y + tall / 2
    (_forward if lit == "forward" else _sum)(sheet, spots, centre, wide)
    added, ring = switch_all_reduce_traffic(1.0, len(gpus)), ring_all_reduce_traffic(1.0, len(gpus))
    note = {
        "forward": f"A message of one GPU is spread over its {links} ports here, and over the other three switches.",
        "sum": f"In-network reduction: each GPU sends {added:g} times its data; on a ring {ring:g} times.",
    }[lit]
    sheet.paragraph(8, y + tall + 20, note, width - 16)
    return sheet.picture(
        f"{len(gpus)} GPUs, four at each side of the switch, and each has {links} links to it, so {links * len(gpus)} of its {ports} ports "
        + (
            f"lead to GPUs. A message goes from GPU {SOURCE} straight through the chip to GPU {TARGET}."
            if lit == "forward"
            else "lead to GPUs. Lines from all of them meet in an adder in the middle of the chip, and its sum goes back to all."
        )
    )


def _forward(sheet, spots, centre, wide):
    """Draw the crossbar and one way through it."""
    for x, y, side in spots.values():
        for other_x, other_y, other_side in spots.values():
            if side < other_side:
                sheet.line((x, y), (other_x, other_y), width=0.7, alpha=0.35)
    (x, y, _), (end_x, end_y, _) = spots[SOURCE], spots[TARGET]
    sheet.line((x, y), (end_x, end_y), color=BLUE, width=3.2)
    sheet.dot(end_x, end_y, BLUE, 9)
    sheet.words(centre[0], centre[1] + 1, "crossbar", align="center", bold=True)


def _sum(sheet, spots, centre, wide):
    """Draw the adder: what comes in, and the sum that goes back."""
    for x, y, side in spots.values():
        toward = 1 if side == 0 else -1
        sheet.line((x, y - 5), (centre[0] - 24 * toward, centre[1] - 4), color=BLUE, width=1.8)
        sheet.line((x, y + 7), (centre[0] - 24 * toward, centre[1] + 6), color=COMMUNICATION, width=1.8)
        sheet.line((x + 6 * toward, y + 3), (x, y + 7), (x + 7 * toward, y + 10), color=COMMUNICATION, width=1.8)
    sheet.part(centre[0] - 24, centre[1] - 24, 48, 48, "switch", "sum", radius=24)
    sheet.words(centre[0], centre[1] - 62, "data in", align="center", color=INK)
    sheet.words(centre[0], centre[1] + 62, "sum out", align="center", color=INK)
