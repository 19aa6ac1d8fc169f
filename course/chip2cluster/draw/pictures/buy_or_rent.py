"""Cost of a used device-hour against utilization, bought and rented.

Drawn with shapes alone, so a frame takes about 1 ms.
"""

from collections.abc import Sequence
from math import ceil, floor, inf, log10

from .. import style, typesetting
from ..heading import heading, opening
from ..palette import BLUE, GREY, HAIRLINE, HAND, INK, MUTED, OTHERS
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text

BOXES = {style.WIDTH: (56, 92, 574, 318), style.NARROW: (48, 92, 322, 340)}  # px: left, bottom, right, top of the axes
ROOM = 2.5  # times the rent: bars of higher cost are cut off, so that the axis holds still
BUY, RENT, ENERGY = "buying, total", "renting", "energy"  # rows of the table that a line belongs to


@two_widths
def buy_or_rent(
    curve: Sequence[tuple[float, float]],
    rent: float,
    break_even: float,
    used: float,
    *,
    energy: float = 0.0,
    title: str = "",
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw dollars per used hour against utilization, for buying and for renting.

    Parameters
    ----------
    curve : sequence of (float, float)
        Share and dollars of an owner, by rising shares.
    rent : float
        Dollars of a tenant.
    break_even : float
        Utilization above which an owner pays less; above 1 for never.
    used : float
        The reader's share, one of the curve's.
    energy : float
        Dollars of an owner's energy in a used hour.
    title, subtitle : str
        The finding, and what it is about; without a title who pays less at the reader's share.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For a rent that is not above zero, and a share that the curve does not have.
    """
    known = dict(curve)
    if not 0 < rent < inf:
        raise ValueError(f"rent must be above 0, got {rent!r}")
    if used not in known:
        raise ValueError(f"used must be one of the curve's shares, got {used!r}")
    title = title or finding(known[used], rent, used)
    field = _Field(BOXES[width], rent)
    shapes = [*heading(title, subtitle, width), *field.frame(), *_lines(field, curve, rent, energy)]
    shapes += [*_break_even(field, break_even, rent), *_here(field, used, known[used])]
    shapes += _key(width, energy)
    description = (
        f"{opening(title, subtitle)} An owner pays {known[used]:.2f} dollars per used hour at "
        f"{100 * used:.0f} % and a tenant {rent:.2f}; the break-even is {share(break_even)}."
    )
    return of_shapes(shapes, title, description, width, style.HEIGHTS[width], field.at)


def finding(own: float, rent: float, used: float) -> str:
    """Who pays less, and by how much.

    >>> finding(1.23, 2.99, 1.0), finding(5.52, 2.99, 0.2)
    ('Used 100 % of the time: buying costs 1.23, renting 2.99 dollars', 'Used 20 % of the time: buying costs 5.52, renting 2.99 dollars')
    """
    return f"Used {100 * used:.0f} % of the time: buying costs {own:.2f}, renting {rent:.2f} dollars"


def share(break_even: float) -> str:
    """Where both are equal, in words.

    >>> share(0.3776), share(1.2), share(float("inf"))
    ('38 % of all hours', 'never: it would take 120 % of all hours', 'never, because energy alone costs as much as the rent')
    """
    if break_even == inf:
        return "never, because energy alone costs as much as the rent"
    return f"{'never: it would take ' if break_even > 1 else ''}{100 * break_even:.0f} % of all hours"


class _Field:
    """Axes: the used share across from zero to one, dollars up to some times the rent."""

    def __init__(self, box, rent):
        self.left, self.bottom, self.right, self.top = box
        raw = ROOM * rent / 5
        self.step = 10.0 ** floor(log10(raw))
        self.step *= next(factor for factor in (1, 2, 2.5, 5, 10) if factor * self.step >= raw * (1 - 1e-9))
        self.most = self.step * ceil(ROOM * rent / self.step)

    def at(self, used, dollars):
        up = min(dollars / self.most, 1.0)
        return self.left + (self.right - self.left) * used, self.bottom + (self.top - self.bottom) * up

    def frame(self):
        for number in range(round(self.most / self.step) + 1):
            _, y = self.at(0, number * self.step)
            yield Line(((self.left, y), (self.right, y)), HAIRLINE if number else GREY)
            yield Text(self.left - 7, y, f"{number * self.step:g}", align="right")
        for percent in (0, 25, 50, 75, 100):
            x, y = self.at(percent / 100, 0)
            yield Line(((x, y), (x, y - 4)), GREY)
            yield Text(x, y - 14, f"{percent} %", align="center")
        yield Text(8, self.top + 18, "Dollars per used hour", color=MUTED)
        yield Text(
            (self.left + self.right) / 2,
            self.bottom - 36,
            "Utilization: used share of all hours",
            color=MUTED,
            align="center",
        )


def _lines(field, curve, rent, energy):
    if energy:
        yield RowMark(ENERGY, (Line((field.at(0, energy), field.at(1, energy)), GREY, 2, dash=(2, 4)),))
    yield RowMark(RENT, (Line((field.at(0, rent), field.at(1, rent)), OTHERS, 2.4, dash=(7, 4)),))
    points = tuple(field.at(*pair) for pair in curve if pair[1] <= field.most)
    if len(points) > 1:
        yield RowMark(BUY, (Line(points, BLUE, 2.4),))


def _break_even(field, break_even, rent):
    if break_even <= 1:
        x, y = field.at(break_even, rent)
        yield Line(((x, field.bottom), (x, y)), INK, 1.2, dash=(3, 3))
        yield Marker(x, y, "D", INK, size=8)
        right = break_even > 0.6
        yield Text(
            x + (-8 if right else 8),
            y + 16,
            f"break-even {100 * break_even:.0f} %",
            bold=True,
            align="right" if right else "left",
        )


def _here(field, used, dollars):
    x, y = field.at(used, dollars)
    yield Line(((x, field.bottom), (x, y)), HAND, 1.2, 0.7)
    yield Marker(x, y, "^" if dollars > field.most else "o", HAND, size=11)


def _key(width, energy):
    looks = {"buy": (BLUE, None), "rent": (OTHERS, (7, 4))}
    if energy:
        looks["energy of an owner"] = (GREY, (2, 4))
    for (name, (color, dash)), (x, row) in zip(looks.items(), typesetting.flow(list(looks), 8, width - 8), strict=True):
        y = 28 - 19 * row
        line = Line(((x, y), (x + 16, y)), color, 2.4, dash=dash)
        yield RowMark({"buy": BUY, "rent": RENT}.get(name, ENERGY), (line, Text(x + 22, y, name)))
