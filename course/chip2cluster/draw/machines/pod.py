"""Pod of 256 TPU chips: a torus that a straight cut halves."""

from ... import topology
from .. import style
from ..palette import BLUE, BROKEN, MUTED
from ..picture import Picture, two_widths
from .sheet import Sheet, lit_part

SIDE = 16  # chips in a row and in a column
PARTS = ("cut", "ring")
ROOM = {style.WIDTH: 336, style.NARROW: 304}  # px: width and height of the grid


@two_widths
def pod(lit: str | None = None, width: int = style.WIDTH) -> Picture:
    """Draw a pod of TPU v5e: 256 chips, each linked to four neighbors.

    Parameters
    ----------
    lit : str, optional
        ``"cut"``: the links that join an upper and a lower half; ``"ring"``: one row, which closes to a ring.
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

    Notes
    -----
    Every chip and every link is drawn; a link that closes a ring is drawn as two stubs.

    Examples
    --------
    >>> pod("cut").title
    '32 links join the halves of a TPU v5e pod'
    """
    lit_part(lit, PARTS)
    network = topology.torus((SIDE, SIDE))
    links = network.graph.number_of_edges()
    cut = topology.bisection(network).links
    title = {
        None: f"A TPU v5e pod: {SIDE * SIDE} chips, {links} links, no switch",
        "cut": f"{cut} links join the halves of a TPU v5e pod",
        "ring": f"Each row and each column is a ring of {SIDE} chips",
    }[lit]
    is_wide, room = width == style.WIDTH, ROOM[width]
    sheet = Sheet(title, "Every chip and every link.", width, room + (20 if is_wide else 130), lit)
    x, y, step = 8 + 10, sheet.top + 10, (room - 20) / SIDE
    _links(sheet, x, y, step, lit)
    for row in range(SIDE):
        for column in range(SIDE):
            kind = "switch" if lit == "cut" and row >= SIDE // 2 else "compute"
            name = "ring" if lit == "ring" and row == 4 else ""
            sheet.part(
                x + (column + 0.2) * step, y + (row + 0.2) * step, 0.6 * step, 0.6 * step, kind, name=name, radius=2
            )
    said: list[tuple[str, ...]] = [("A stub at an edge is a link", "to the chip at the other edge.")]
    if lit == "cut":
        sheet.line((x - 8, y + room / 2 - 10), (x + room - 12, y + room / 2 - 10), color=BROKEN, width=1.2)
        said.append((f"{SIDE} links cross the cut line,", f"and {SIDE} more join the top and", "bottom rows."))
    elif lit == "ring":
        said.append(("Along a ring the farthest chip is", f"{SIDE // 2} links away, not {SIDE - 1}."))
    else:
        said.append(("A message goes from chip to", "chip; each forwards what is not", "for it."))
    left, middle = (x + room + 14, sheet.top + 30) if is_wide else (8, sheet.top + room + 18)
    for lines in said:
        for line in lines:
            sheet.words(left, middle, line, color=MUTED)
            middle += 17
        middle += 12
    return sheet.picture(
        f"{SIDE} rows of {SIDE} chips. Each chip has a link to its neighbor above, below, left and right; the outermost are linked to "
        f"the opposite edge. A straight cut through the middle meets {SIDE} links, and {SIDE} more close the columns to rings: {cut}."
    )


def _links(sheet, x, y, step, lit):
    """Draw the links of a row and of a column between chips, and stubs where they close to rings."""
    for line in range(SIDE):
        at = (line + 0.5) * step
        ring = lit == "ring" and line == 4
        for place in range(SIDE + 1):
            start, end = (place - 0.2) * step, (place + 0.2) * step
            closes = place in (0, SIDE)
            if place == 0:
                start = -0.28 * step
            if closes and place:
                end = (SIDE + 0.28) * step
            sheet.line((x + start, y + at), (x + end, y + at), color=BLUE if ring else MUTED, width=2.4 if ring else 1)
            cut = lit == "cut" and place in (0, SIDE // 2, SIDE)
            sheet.line((x + at, y + start), (x + at, y + end), color=BROKEN if cut else MUTED, width=2.4 if cut else 1)
