"""A product factor by factor with the range of each: from GPU-hours to tonnes.

Drawn with shapes alone, so a frame takes less than 1 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from .. import style
from ..heading import ROOM, heading
from ..palette import BLUE, GREY, HAIRLINE, HAND, INK, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Shape, Text
from .waterfall import Bar

EDGES = {style.WIDTH: (24, 566), style.NARROW: (24, 306)}  # px: left and right of the axis
FLOOR, BAR = 92, 12  # px: where the axis lies, height of a bar


@dataclass(frozen=True)
class Factor:
    """A factor in words, the product so far in words, the whole product at its lowest and highest, row in the table."""

    name: str
    so_far: str
    low: float
    high: float
    assumed: bool = False
    row: str = ""


@dataclass(frozen=True)
class Printed:
    """What somebody printed for the whole product, and its name in the key."""

    amount: float
    name: str = "printed"


@two_widths
def factor_chart(
    rows: Sequence[Factor],
    product: float,
    unit: str,
    span: tuple[float, float],
    *,
    printed: Printed | None = None,
    title: str = "",
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the factors of a product, one below the other, each with the range that it could give the product.

    Parameters
    ----------
    rows : sequence of Factor
        One to six; those that were assumed have another color and say so.
    product : float
        All of them together.
    unit : str
        Unit of the product.
    span : (float, float)
        Lowest and highest number that the axis, in powers of ten, must hold.
    printed : Printed, optional
        Published value; a mark on the axis.
    title, subtitle : str
        The finding, and what it is about; without a title the product.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no rows, more than six, and numbers that are not above zero.

    Examples
    --------
    >>> factor_chart([Factor("3 h", "3 h", 6, 6), Factor("× 2 kW", "6 kWh", 3, 12)], 6, "kWh", (3, 12)).title
    '6.00 kWh in all'
    """
    rows = tuple(rows)
    if not 1 <= len(rows) <= 6:
        raise ValueError(f"rows must be one to six factors, got {len(rows)}")
    if min(product, *span, *(row.low for row in rows)) <= 0:
        raise ValueError("product, span and the range of each factor must be above zero")
    title = title or f"{figure(product)} {unit} in all"
    left, right = EDGES[width]
    height = style.HEIGHTS[width]
    low, high = floor(log10(min(span))), ceil(log10(max(span)))
    high = max(high, low + 1)

    def x(amount):
        return left + (right - left) * min(max((log10(amount) - low) / (high - low), 0), 1)

    top = height - ROOM[width] - 6
    pitch = (top - FLOOR) / len(rows)
    shapes: list[Shape] = [*heading(title, subtitle, width)]
    for power in range(low, high + 1):
        shapes.append(Line(((x(10.0**power), FLOOR), (x(10.0**power), top)), HAIRLINE))
        shapes.append(
            Text(
                x(10.0**power),
                FLOOR - 13,
                f"{10.0**power:,g}" if power < 6 else f"{10 ** (power - 6)} M",
                align="center",
            )
        )
    shapes.append(Line(((left, FLOOR), (right, FLOOR)), GREY))
    for number, row in enumerate(rows):
        y = top - pitch * number
        words = f"{row.name}, not printed" if row.assumed else row.name
        parts: list[Shape] = [Text(8, y - 12, words, bold=row.assumed)]
        parts.append(Text(width - 8, y - 12, row.so_far, align="right"))
        if (bar := x(row.high) - x(row.low)) > 1:
            parts.append(Bar(x(row.low), y - 24 - BAR, bar, BAR, GREY if row.assumed else BLUE))
        parts.append(Marker(x(product), y - 24 - BAR / 2, "o", HAND, size=9))
        shapes.append(RowMark(row.row or row.name, tuple(parts)))
    shapes.append(Text((left + right) / 2, FLOOR - 33, unit[0].upper() + unit[1:], color=MUTED, align="center"))
    shapes += [Marker(14, 20, "o", HAND, size=9), Text(24, 20, "as chosen")]
    shapes += [Bar(106, 15, 18, 10, BLUE), Text(130, 20, "as the factor varies")]
    if printed is not None:
        shapes += [Marker(x(printed.amount), FLOOR, "^", INK, size=10)]
        place, y = (264, 20) if width == style.WIDTH else (14, 40)
        shapes += [
            Marker(place, y, "^", INK, size=10),
            Text(place + 10, y, f"{printed.name}: {figure(printed.amount)}"),
        ]
    told = "; ".join(
        f"{row.name}{' (not printed)' if row.assumed else ''}: {row.so_far}, from {figure(row.low)} to {figure(row.high)} {unit} in the end"
        for row in rows
    )
    return of_shapes(shapes, title, f"{title}. {told}.", width, height)


def figure(amount: float) -> str:
    """Three digits or more, as people write them.

    >>> figure(552.97), figure(24.693), figure(8930.4), figure(0.5)
    ('553', '24.7', '8,930', '0.500')
    """
    return f"{amount:,.{max(0, 2 - floor(log10(amount)))}f}" if amount else "0"
