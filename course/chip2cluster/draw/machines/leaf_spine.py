"""Racks below their leaf switches, and the spine switches above them."""

from fractions import Fraction

from ..._validate import one_bounded_whole
from .. import style
from ..palette import BLUE, MUTED
from ..picture import Picture, two_widths
from .sheet import Sheet, lit_part

PARTS = ("spine", "leaf", "node", "uplink")
MOST_RACKS, MOST_NODES = 6, 8
SWITCH, UPLINKS, NODE = 34, 108, 20  # px: height of a switch, of the room for the uplinks, of a node
NARROW_SPINE = 64  # px: a spine narrower than this has a number only


@two_widths
def leaf_spine(
    spines: int = 2, racks: int = 4, nodes: int = 8, *, lit: str | None = None, width: int = style.WIDTH
) -> Picture:
    """Draw racks of nodes with a leaf switch each, and every uplink to the spine switches.

    Parameters
    ----------
    spines : int
        Number of spine switches, 1 to 8; each leaf has an uplink to each.
    racks : int
        Number of racks, 2 to 6.
    nodes : int
        Number of nodes in a rack, 1 to 8, each with a link to its leaf as fast as an uplink.
    lit : str, optional
        Part that stands out: ``"spine"``, ``"leaf"``, ``"node"`` or ``"uplink"``.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError, TypeError
        If a number is out of its range, or there is no such part.

    Examples
    --------
    >>> leaf_spine().title
    'Oversubscribed 4:1: the 8 nodes of a rack share 2 uplinks'
    """
    spines = one_bounded_whole("spines", spines, 1, MOST_NODES)
    racks = one_bounded_whole("racks", racks, 2, MOST_RACKS)
    nodes = one_bounded_whole("nodes", nodes, 1, MOST_NODES)
    lit_part(lit, PARTS)
    ratio = Fraction(nodes, spines)
    up = f"{spines} uplink{'s' * (spines > 1)}"
    title = f"Oversubscribed {ratio.numerator}:{ratio.denominator}: the {nodes} nodes of a rack share {up}"
    if ratio <= 1:
        title = f"{ratio.numerator}:{ratio.denominator}: each of the {nodes} nodes has an uplink to itself"
    subtitle = f"{racks} racks, {racks} leaf switches, {spines} spine switch{'es' * (spines > 1)}; all links are alike."
    sheet = Sheet(title, subtitle, width, 2 * SWITCH + UPLINKS + NODE * nodes + 44, lit)
    y, floor = sheet.top + 4, sheet.top + SWITCH + UPLINKS
    slot, cabinet = (width - 16) / spines, (width - 16) / racks
    spots = [8 + slot * (place + 0.5) for place in range(spines)]
    doors = [8 + cabinet * (place + 0.5) for place in range(racks)]
    color, thick = (BLUE, 2.4) if lit == "uplink" else (MUTED, 1.4)
    box = min(slot - 10, 120)
    wide = min(cabinet - 14, 110)
    for spine, x in enumerate(spots):
        for door in doors:
            # Each uplink leaves its leaf at a place of its own.
            start = door + (spine - (spines - 1) / 2) * min(14, wide / spines)
            sheet.line((start, floor), (x, y + SWITCH), color=color, width=thick)
    for spine, x in enumerate(spots):
        name = f"spine {spine + 1}" if box >= NARROW_SPINE else str(spine + 1)
        sheet.part(x - box / 2, y, box, SWITCH, "switch", name, name="spine")
    for number, door in enumerate(doors):
        sheet.frame(door - wide / 2 - 5, floor - 5, wide + 10, SWITCH + NODE * nodes + 14, 5)
        leaf = f"leaf {number + 1}" if wide >= 50 else str(number + 1)
        sheet.part(door - wide / 2, floor, wide, SWITCH, "switch", leaf, name="leaf")
        for node in range(nodes):
            top = floor + SWITCH + 4 + NODE * node
            words = ("node",) if node == 0 else ()
            sheet.part(door - wide / 2, top + 1, wide, NODE - 2, "compute", *words, name="node", radius=2)
    way = "A node sends to another rack by way of its leaf, a spine and the other leaf."
    if width == style.NARROW:
        way = "To another rack: leaf, spine, leaf."
    sheet.words(8, sheet.height - 14, way, color=MUTED)
    return sheet.picture(
        f"{racks} racks stand side by side, each with {nodes} nodes and a leaf switch on top of them. Above are {spines} spine switches, "
        f"and each leaf has a link to each of them: {racks * spines} uplinks for {racks * nodes} nodes."
    )
