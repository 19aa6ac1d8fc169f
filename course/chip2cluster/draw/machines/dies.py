"""Dies of accelerators, all to one scale."""

from math import sqrt

from .. import style, typesetting
from ..palette import MUTED, ON
from ..picture import Picture, two_widths
from .parts import machines
from .sheet import FACES, Panel, Sheet, lit_part

SIDE = {style.WIDTH: 352, style.NARROW: 324}  # px: side of the largest die


def scale(width: int = style.WIDTH) -> float:
    """Return how many pixels a millimeter has in the drawing of a width."""
    return SIDE[width] / sqrt(max(one["square_millimeters"] for one in machines()["dies"]))


@two_widths
def dies(lit: str | None = None, width: int = style.WIDTH) -> Picture:
    """Draw the dies of six accelerators as squares of their areas, and the field of a lithography scanner.

    Parameters
    ----------
    lit : str, optional
        Die that stands out, such as ``"H100"``.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        If there is no such die.

    Notes
    -----
    Areas are to scale. Each die is drawn as a square, which none of them quite is.

    Examples
    --------
    >>> dies().title
    'One wafer-scale die has the area of 57 H100'
    """
    chips = machines()["dies"]
    lit_part(lit, [chip["name"] for chip in chips])
    largest = max(chips, key=lambda chip: chip["square_millimeters"])
    h100 = next(chip for chip in chips if chip["name"] == "H100")
    times = largest["square_millimeters"] / h100["square_millimeters"]
    side, is_wide = SIDE[width], width == style.WIDTH
    title = f"One wafer-scale die has the area of {times:.0f} H100"
    sheet = Sheet(
        title, "Dies to one scale, each drawn as a square of its area.", width, side + (16 if is_wide else 218), lit
    )
    x, y = 8, sheet.top
    sheet.part(x, y, side, side, "compute", name=largest["name"], radius=2)
    _inside(sheet, x, y, side, largest)
    small = [chip for chip in chips if chip is not largest]
    unit, column = scale(width), 52
    # One column beside the large die, or two below it.
    spots = [(x + side + 30, y + 58 * (place + 0.5)) for place in range(6)]
    if not is_wide:
        spots = [(x + 168 * (place // 3), y + side + 22 + 62 * (place % 3 + 0.5)) for place in range(6)]
    for chip, (left, middle) in zip(small, spots, strict=False):
        edge = unit * sqrt(chip["square_millimeters"])
        sheet.part(left + (column - edge) / 2, middle - edge / 2, edge, edge, "compute", name=chip["name"], radius=1)
        sheet.words(left + column + 8, middle - 8, f"{chip['name']}, {chip['year']}", bold=True)
        bound = "at most " if chip.get("at_most") else ""
        sheet.words(left + column + 8, middle + 9, f"{bound}{chip['square_millimeters']} mm²", color=MUTED)
    _reticle(sheet, *spots[-1], column, unit)
    listed = ", ".join(f"{chip['name']} {chip['square_millimeters']:,} mm²" for chip in chips)
    across, along = machines()["reticle_millimeters"]
    return sheet.picture(
        f"Areas: {listed} (of the TPU v1 at most). A scanner exposes {across} mm × {along} mm at once, {across * along} mm²: four of "
        "the six nearly fill that field, and the largest is a whole wafer that was exposed field by field.",
        machine="dies",
    )


def _inside(sheet, x, y, side, chip):
    """Write the name of the largest die, and draw the fields that it was exposed in."""
    across, along = machines()["reticle_millimeters"]
    unit = scale(sheet.width)
    columns, rows = int(side / (across * unit)), int(side / (along * unit))
    for place in range(1, columns + 1):
        at = x + place * across * unit
        sheet.line((at, y), (at, y + side), color=ON, width=0.8, alpha=0.4)
    for place in range(1, rows + 1):
        at = y + place * along * unit
        sheet.line((x, at), (x + side, at), color=ON, width=0.8, alpha=0.4)
    lines = (f"Cerebras {chip['name']}, {chip['year']}", f"{chip['square_millimeters']:,} mm²")
    wide = max(typesetting.text_size(line, style.TEXT, "bold")[0] for line in lines) + 20
    sheet.part(x + (side - wide) / 2, y + side / 2 - 24, wide, 48, "compute", *lines, name=chip["name"])


def _reticle(sheet, left, middle, column, unit):
    """Draw the field that is exposed at once, dashed."""
    across, along = machines()["reticle_millimeters"]
    sheet.shapes.append(
        Panel(
            left + (column - across * unit) / 2, sheet.height - middle - along * unit / 2, across * unit, along * unit,
            FACES["off"], MUTED, 1.2, 0, True,
        )
    )  # fmt: skip
    sheet.words(left + column + 8, middle - 8, "exposed at once", bold=True)
    sheet.words(left + column + 8, middle + 9, f"{across} mm × {along} mm", color=MUTED)
