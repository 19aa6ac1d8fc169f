"""Package of an H100: the die with its SMs, L2 cache and links, and the memory stacks beside it."""

from ... import hierarchy, specs
from ..._validate import known
from ...units import show
from .. import style
from ..palette import MUTED
from ..picture import Picture, two_widths
from .parts import machines
from .sheet import FACES, Panel, Sheet, lit_part

PARTS = ("sm", "l2", "hbm", "nvlink", "pcie")
# Of each width, px: height of the package, left edge and width of the die, width of a memory site.
LAYOUTS = {style.WIDTH: (352, 108, 384, 82), style.NARROW: (312, 62, 216, 42)}


@two_widths
def die(lit: str | None = None, width: int = style.WIDTH) -> Picture:
    """Draw the package of an H100 SXM: every SM and every memory site is there once.

    Parameters
    ----------
    lit : str, optional
        Part that stands out: ``"sm"``, ``"l2"``, ``"hbm"``, ``"nvlink"`` or ``"pcie"``.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title says what the lit part is; without one, how much of the silicon is switched on.

    Raises
    ------
    ValueError
        If there is no such part.

    Notes
    -----
    Counts are exact. Positions and sizes are schematic; which SMs are switched off differs from chip to chip.

    Examples
    --------
    >>> die("hbm").title
    'Five stacks of HBM hold 80 GB and send 3.35 TB/s'
    """
    lit_part(lit, PARTS)
    chip, tiers, gh100 = specs.accelerator("H100 SXM"), hierarchy.system("DGX H100"), machines()["gh100"]
    made = gh100["clusters"] * gh100["multiprocessors_per_cluster"]
    cache = show(known("capacity_bytes", tiers.tier("L2").capacity_bytes), "B", 2)
    titles = {
        None: f"H100: {chip.compute_units} of {made} SMs and {gh100['memory_stacks']} of {gh100['memory_sites']} memory sites are in use",
        "sm": f"{chip.compute_units} SMs compute, and {made - chip.compute_units} are switched off",
        "l2": f"All SMs share one L2 cache of {cache}",
        "hbm": f"Five stacks of HBM hold {show(chip.memory_bytes, 'B', 2)} and send {show(chip.memory_bandwidth, 'B/s')}",
        "nvlink": f"18 NVLinks carry {show(known('rate', chip.scale_up_bandwidth_one_way), 'B/s')} each way",
        "pcie": "PCIe leads to the host",
    }
    tall, left, across, site = LAYOUTS[width]
    subtitle = "The package of an H100 SXM. Counts are exact, places schematic."
    sheet = Sheet(titles[lit], subtitle, width, tall + 40, lit)
    top, bottom = sheet.top, sheet.top + tall
    sheet.frame(8, top, width - 16, bottom - top, 8)
    gap = 10 if width == style.WIDTH else 6
    _memory(sheet, left - site - gap - 2, site, top, bottom, (True, True, True), chip, gh100)
    _memory(sheet, left + across + gap, site, top, bottom, (True, True, False), chip, gh100)
    _silicon(sheet, left, across, top + 12, bottom - 12, gh100, made - chip.compute_units, cache)
    sheet.paragraph(8, bottom + 20, "Dashed: on the die or in the package, and not in use.", width - 16)
    return sheet.picture(
        f"On the die lie {gh100['clusters']} clusters of {gh100['multiprocessors_per_cluster']} SMs, {made} in all, in two rows. "
        f"Between the rows lies the L2 cache, {cache}; PCIe is at the upper edge and the 18 NVLinks are at the lower. Left and "
        f"right of the die are {gh100['memory_sites']} sites for stacks of HBM, and one of them is empty. {made - chip.compute_units} SMs are switched off.",
        machine="die",
    )


def _memory(sheet, x, wide, top, bottom, used, chip, gh100):
    """Draw three sites of memory, one above the other."""
    stack = show(chip.memory_bytes / gh100["memory_stacks"], "B", 2)
    room = (bottom - top - 24 - 2 * 10) / 3
    for place, is_used in enumerate(used):
        y = top + 12 + place * (room + 10)
        # The layers of a stack, seen from above as steps.
        if is_used:
            face = FACES["lit" if sheet.lit == "hbm" else "memory"]
            for step in (4, 2):
                sheet.shapes.append(Panel(x + step, sheet.height - y - room - step, wide, room, face, MUTED, 1, 3))
        sheet.part(
            x, y, wide, room, "memory", *(("HBM", stack) if is_used else ("empty",)), name="hbm", off=not is_used
        )


def _silicon(sheet, x, wide, top, bottom, gh100, off, cache):
    """Draw the die: PCIe, two rows of clusters with the L2 cache between them, NVLink."""
    sheet.frame(x, top, wide, bottom - top, 4, FACES["ground"])
    inner, side = x + 6, wide - 12
    sheet.part(inner, top + 6, side, 22, "nic", "PCIe 5 × 16", name="pcie")
    links = 18
    room = (side + 2) / links
    for link in range(links):
        sheet.part(inner + link * room, bottom - 16, room - 2, 10, "switch", name="nvlink", radius=1)
    sheet.words(x + wide / 2, bottom - 27, "18 NVLinks")
    middle = (top + 34 + bottom - 38) / 2
    band = 30
    sheet.part(inner, middle - band / 2, side, band, "memory", f"L2 cache, {cache}", name="l2")
    rows = ((top + 34, middle - band / 2 - 6), (middle + band / 2 + 6, bottom - 38))
    per_row = gh100["clusters"] // 2
    columns, lines = 6, 3
    cluster = (side - 6 * (per_row - 1)) / per_row
    for row, (upper, lower) in enumerate(rows):
        for place in range(per_row):
            number = row * per_row + place
            left = inner + place * (cluster + 6)
            cell, tall = cluster / columns, (lower - upper) / lines
            # A pair of SMs is switched off in most clusters.
            missing = 2 if number < off // 2 else 0
            for unit in range(columns * lines):
                column, line = unit % columns, unit // columns
                is_off = unit >= columns * lines - missing
                sheet.part(
                    left + column * cell + 0.75, upper + line * tall + 0.75, cell - 1.5, tall - 1.5, "compute",
                    name="sm", radius=1, off=is_off,
                )  # fmt: skip
