"""Floor plan of the first TPU: which share of the die each part takes, and the wave in its matrix unit."""

from .. import style
from ..palette import MUTED
from ..picture import Picture, two_widths
from .parts import machines
from .sheet import Sheet, lit_part

KINDS = {
    "unified buffer": "memory", "matrix unit": "compute", "other buffers": "memory", "activation": "switch",
    "input and output": "nic", "control": "power",
}  # fmt: skip
REST = "wires and the rest"
CELLS, STEP, VECTORS = 8, 8, 3  # rows and columns drawn of the 256, the step, and the vectors on their way
SIDE = {style.WIDTH: 324, style.NARROW: 324}  # px: side of the die
LINES = {"unified buffer": ("unified buffer", "24 MiB", "29 %"), "matrix unit": ("matrix unit", "24 %"),
         "other buffers": ("other buffers, 8 %",), "activation": ("activation, 6 %",),
         "input and output": ("input and output, 10 %",), "control": (), REST: ("wires", "and the rest")}  # fmt: skip
CELL = 26  # px: side of a cell of the enlarged array


def areas(width: int = style.WIDTH) -> dict[str, tuple[float, float, float, float]]:
    """Return left, top, width and height in px of each part, from the corner of the die."""
    share = {name: percent / 100 for name, percent in machines()["tpu_v1_percent"].items()}
    side = SIDE[width]
    # Two large parts above, the others in two columns below, as high as their shares ask.
    upper = side * (share["unified buffer"] + share["matrix unit"])
    wide = side * share["unified buffer"] / (share["unified buffer"] + share["matrix unit"])
    found = {
        "unified buffer": (0.0, 0.0, wide, upper),
        "matrix unit": (wide, 0.0, side - wide, upper),
    }
    lower = side - upper
    left = share["other buffers"] + share["activation"] + share["input and output"] + share["control"]
    column = left * side / lower * side
    y = upper
    for name in ("input and output", "other buffers", "activation", "control"):
        tall = share[name] * side * side / column
        found[name] = (0.0, y, column, tall)
        y += tall
    found[REST] = (column, upper, side - column, lower)
    return found


@two_widths
def floor_plan(lit: str | None = None, width: int = style.WIDTH) -> Picture:
    """Draw the die of the first TPU with each part as large as its share of the area.

    Parameters
    ----------
    lit : str, optional
        Part that stands out: ``"matrix unit"``, ``"unified buffer"``, ``"other buffers"``, ``"activation"``,
        ``"input and output"`` or ``"control"``.
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
    Areas are to scale; where the parts are on the die is schematic. Source: Jouppi et al., ISCA 2017, figure 2.

    Examples
    --------
    >>> floor_plan().title
    'TPU v1: buffers take 37 % of the die, control 2 %'
    """
    lit_part(lit, KINDS)
    share = machines()["tpu_v1_percent"]
    title = f"TPU v1: buffers take {share['unified buffer'] + share['other buffers']} % of the die, control {share['control']} %"
    is_wide, side = width == style.WIDTH, SIDE[width]
    sheet = Sheet(title, "Areas to scale, places schematic.", width, side + (40 if is_wide else 330), lit)
    x, y = 8, sheet.top
    found = areas(width)
    for name, (left, top, wide, tall) in found.items():
        sheet.part(
            x + left,
            y + top,
            wide,
            tall,
            KINDS.get(name, "ground"),
            *LINES[name],
            name=name if name in KINDS else "",
            radius=1,
        )
    sheet.words(x, y + side + 16, f"control, {share['control']} %: the strip at the lower edge", color=MUTED)
    left, top, wide, tall = found["matrix unit"]
    corner = (x + side + 62, y + 66) if is_wide else (x + 70, y + side + 84)
    reach = CELLS * CELL
    if is_wide:
        sheet.line((x + left + wide, y + top), (corner[0], corner[1]), width=0.9)
        sheet.line((x + left + wide, y + top + tall), (corner[0], corner[1] + reach), width=0.9)
    _array(sheet, *corner)
    listed = ", ".join(f"{name} {percent} %" for name, percent in share.items())
    return sheet.picture(
        f"Shares of the area: {listed}; wires and the rest {100 - sum(share.values())} %. Beside it the "
        f"matrix unit, {CELLS} of its 256 rows and columns: the cells of one diagonal work on one vector, and {VECTORS} vectors follow "
        "each other from the upper left corner to the lower right. Values enter at the left, sums leave at the lower edge."
    )


def _array(sheet, x, y):
    """Draw cells of the matrix unit at one step: those of a diagonal work on the same vector."""
    reach = CELLS * CELL
    sheet.words(x, y - 34, "Its cells at work, one step", bold=True)
    sheet.words(x, y - 16, "number: the vector of the cell", color=MUTED)
    for row in range(CELLS):
        for column in range(CELLS):
            vector = STEP - row - column
            works = 1 <= vector <= VECTORS
            sheet.part(
                x + column * CELL + 1, y + row * CELL + 1, CELL - 2, CELL - 2, "lit" if works else "ground",
                *((str(vector),) if works else ()), radius=2,
            )  # fmt: skip
        middle = y + (row + 0.5) * CELL
        sheet.line((x - 16, middle), (x - 3, middle))
        sheet.line((x - 7, middle - 3), (x - 3, middle), (x - 7, middle + 3))
    for column in range(CELLS):
        middle = x + (column + 0.5) * CELL
        sheet.line((middle, y + reach + 3), (middle, y + reach + 16))
        sheet.line((middle - 3, y + reach + 12), (middle, y + reach + 16), (middle + 3, y + reach + 12))
    sheet.words(x - 20, y + reach / 2, "in", align="right", color=MUTED)
    sheet.words(x + reach / 2, y + reach + 28, "sums", align="center", color=MUTED)
