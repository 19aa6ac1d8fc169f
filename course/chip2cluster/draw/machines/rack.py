"""Rack of 72 GPUs from the front, in rack units."""

from .. import style
from ..palette import INK, MUTED, ON
from ..picture import Picture, two_widths
from .parts import machines
from .sheet import Sheet, lit_part

PARTS = ("compute", "switch", "power")
UNIT = 10  # px: height of a rack unit


def units() -> list[str]:
    """Return the kind of each tray from the top: ``"power"``, ``"compute"`` or ``"switch"``.

    >>> units().count("compute"), len(units())
    (18, 35)
    """
    return [kind for kind, number in _groups() for _ in range(number)]


def _groups():
    """Return the kinds of trays from the top, and how many of each lie together."""
    parts = machines()["gb200_nvl72"]
    order = ("power_shelves_top", "compute_trays_top", "switch_trays", "compute_trays_bottom", "power_shelves_bottom")
    return [(name.partition("_")[0], parts[name]) for name in order]


@two_widths
def rack(lit: str | None = None, width: int = style.WIDTH) -> Picture:
    """Draw a GB200 NVL72: every tray is there once, one rack unit high.

    Parameters
    ----------
    lit : str, optional
        Trays that stand out: ``"compute"``, ``"switch"`` or ``"power"``.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        If there is no such tray.

    Notes
    -----
    Heights are to scale, one unit for each tray. Management switches and empty units are left out.

    Examples
    --------
    >>> rack().title
    'GB200 NVL72: 18 trays compute, 9 connect them'
    """
    lit_part(lit, PARTS)
    parts, trays = machines()["gb200_nvl72"], units()
    compute, switches, power = (trays.count(kind) for kind in PARTS)
    gpus, chips = compute * parts["gpus_per_compute_tray"], switches * parts["switches_per_switch_tray"]
    title = f"GB200 NVL72: {compute} trays compute, {switches} connect them"
    subtitle = "One rack from the front; each tray is one rack unit high."
    sheet = Sheet(title, subtitle, width, UNIT * len(trays) + 28, lit)
    x, y, wide = 14, sheet.top + 8, 300 if width == style.WIDTH else 140
    sheet.frame(x - 6, y - 6, wide + 12, UNIT * len(trays) + 12, 5)
    said = [
        ("power shelves", "33 kW each"),
        (f"{compute} compute trays", f"{parts['gpus_per_compute_tray']} GPUs each:", f"{gpus} in all"),
        (f"{switches} switch trays", f"{parts['switches_per_switch_tray']} NVSwitches each:", f"{chips} in all"),
        ("compute trays", "CPUs and NICs too"),
        ("power shelves",),
    ]
    top = y
    for (kind, number), lines in zip(_groups(), said, strict=True):
        for place in range(number):
            _tray(sheet, kind, parts, x, top + UNIT * place, wide)
        edge, low = x + wide + 12, top + UNIT * number
        sheet.line((edge, top + 3), (edge + 5, top + 3), (edge + 5, low - 3), (edge, low - 3))
        for place, line in enumerate(lines):
            middle = (top + low) / 2 + 17 * (place - (len(lines) - 1) / 2)
            sheet.words(edge + 14, middle, line, bold=not place, color=MUTED if place else INK)
        top = low
    return sheet.picture(
        f"From the top: {', '.join(f'{number} {kind}' for kind, number in _groups())}. A compute tray has "
        f"{parts['gpus_per_compute_tray']} GPUs and {parts['cpus_per_compute_tray']} CPUs, so there are {gpus} GPUs; a switch tray has "
        f"{parts['switches_per_switch_tray']} NVSwitches, {chips} in all; {power} power shelves feed them."
    )


def _tray(sheet, kind, parts, x, y, wide):
    """Draw the front of a tray, and a mark for each GPU or switch in it."""
    sheet.part(x, y + 0.75, wide, UNIT - 1.5, kind, name=kind, radius=1.5)
    number = {"compute": parts["gpus_per_compute_tray"], "switch": parts["switches_per_switch_tray"]}.get(kind, 0)
    for place in range(number):
        middle = x + wide * (place + 0.5) / number
        sheet.line((middle - 5, y + UNIT / 2), (middle + 5, y + UNIT / 2), color=ON, width=2.4)
