"""Compute tray of a GB200 NVL72 from above: GPUs, CPUs and NICs."""

from ... import specs
from ..._validate import known
from ...units import show
from .. import style
from ..palette import COMMUNICATION, KINDS, MUTED
from ..picture import Picture, two_widths
from .parts import machines
from .sheet import Sheet, lit_part

PARTS = ("gpu", "cpu", "nic", "dpu")
HEIGHT = 330  # px: of the tray
# Tops of the rows, px from the top of the tray.
GPUS, CPUS, NICS, DPUS = 50, 160, 242, 284
LEFT = {style.WIDTH: 18, style.NARROW: 14}  # px: from the edge of the picture to the parts
LINES = (("NVLink", COMMUNICATION, 4), ("NVLink-C2C", KINDS[1], 3), ("network", KINDS[0], 1.5))


@two_widths
def compute_tray(lit: str | None = None, width: int = style.WIDTH) -> Picture:
    """Draw one of the 18 compute trays of a GB200 NVL72.

    Parameters
    ----------
    lit : str, optional
        Part that stands out: ``"gpu"``, ``"cpu"``, ``"nic"`` or ``"dpu"``.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        If there is no such part.

    Notes
    -----
    Counts are exact; sizes and places are schematic. NVIDIA calls a CPU with its two GPUs a GB200 superchip.

    Examples
    --------
    >>> compute_tray().title
    'A compute tray: 4 GPUs, 2 CPUs, and a NIC for each GPU'
    """
    lit_part(lit, PARTS)
    parts, chip = machines()["gb200_nvl72"], specs.accelerator("GB200")
    cpus, gpus, nics, dpus = (parts[f"{name}_per_compute_tray"] for name in ("cpus", "gpus", "nics", "dpus"))
    title = f"A compute tray: {gpus} GPUs, {cpus} CPUs, and a NIC for each GPU"
    sheet = Sheet(title, "One of the 18 of a GB200 NVL72, from above; sizes schematic.", width, HEIGHT + 56, lit)
    y, is_wide, left = sheet.top, width == style.WIDTH, LEFT[width]
    sheet.frame(8, y, width - 16, HEIGHT, 8)
    rate = show(known("scale_up_bandwidth_one_way", chip.scale_up_bandwidth_one_way), "B/s")
    sheet.words(width / 2, y + 16, f"back: to the switch trays, {rate} a GPU", align="center", color=MUTED)
    room = (width - 2 * left) / gpus
    for place in range(gpus):
        _column(sheet, left + room * (place + 0.5), room - 12, place, show(chip.memory_bytes, "B", 3))
    half = (width - 2 * left) / cpus
    for place in range(cpus):
        x = left + half * place + 6
        sheet.part(
            x,
            y + CPUS,
            half - 12,
            48,
            "host",
            f"Grace CPU {place}",
            *(("its two GPUs share its memory",) if is_wide else ()),
            name="cpu",
        )
        sheet.part(x, y + DPUS, half - 12, 30, "nic", "DPU: storage, management" if is_wide else "DPU", name="dpu")
    middle = y + HEIGHT + 20
    for (name, color, thick), x in zip(LINES, (8, 110, 240) if is_wide else (8, 96, 216), strict=True):
        sheet.line((x, middle), (x + 20, middle), color=color, width=thick)
        sheet.words(x + 27, middle, name)
    sheet.words(8, middle + 20, "front: cables to other racks", color=MUTED)
    return sheet.picture(
        f"At the back {gpus} GPUs with {show(chip.memory_bytes, 'B', 3)} each, and from each of them NVLink to the switch trays, {rate} one way. "
        f"Below every two of them a Grace CPU, joined to both by NVLink-C2C. At the front {nics} NICs, one for each GPU, and {dpus} DPUs."
    )


def _column(sheet, x, wide, place, memory):
    """Draw a GPU, its link to the switch trays and to its CPU, and its NIC."""
    y = sheet.top
    sheet.line((x, y + 28), (x, y + GPUS), color=COMMUNICATION, width=4)
    sheet.line((x, y + GPUS + 76), (x, y + CPUS), color=KINDS[1], width=3)
    sheet.line((x, y + CPUS + 48), (x, y + NICS), color=KINDS[0], width=1.5)
    sheet.part(x - wide / 2, y + GPUS, wide, 76, "compute", f"GPU {place}", memory, name="gpu")
    sheet.part(x - wide / 2, y + NICS, wide, 30, "nic", "NIC", name="nic")
