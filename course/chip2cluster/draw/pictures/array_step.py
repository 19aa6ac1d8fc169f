"""One step of a systolic array: content of each cell before it, values that enter, and the two operands of a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import GREY, HAIRLINE, INK, KINDS, MUTED, PAPER
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text, arrow
from .waterfall import Bar

if TYPE_CHECKING:
    from ..._typing import NDArray

LARGEST = (3, 3)
ALL_AT_ONCE = "All cells step at once, so every number is one from before the step."


class _Sizes(NamedTuple):
    """A cell and the way between two, and what is to the left of the cells, px."""

    cell: int
    tall: int
    gap: int
    left: int


SIZES = {style.WIDTH: _Sizes(112, 70, 26, 152), style.NARROW: _Sizes(78, 72, 18, 58)}


@two_widths
def array_step(
    weights: NDArray[Any],
    a_values: NDArray[Any],
    sums: NDArray[Any],
    entering: NDArray[Any],
    cell: tuple[int, int] = (1, 1),
    width: int = style.WIDTH,
) -> Picture:
    """Draw a weight-stationary array before a step, and the sum that one cell makes in it.

    Parameters
    ----------
    weights, a_values, sums : array of shape (rows, columns)
        Contents of the cells before the step; at most 3 x 3.
    entering : array of shape (rows,)
        The values that come in at the left, the topmost first.
    cell : tuple of int
        Row and column of the cell whose new sum is written out.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For arrays of different or too large shapes, and a cell that is not there.

    Examples
    --------
    >>> array_step([[1, 2], [3, 4]], [[5, 6], [7, 8]], [[10, 20], [30, 40]], [1, 2]).title
    'One step: A moves right, sums move down'
    """
    rows, columns = len(weights), len(weights[0])
    if rows > LARGEST[0] or columns > LARGEST[1]:
        raise ValueError(f"a picture shows at most 3 x 3 cells, got {rows} x {columns}")
    if not all(len(one) == rows and all(len(row) == columns for row in one) for one in (a_values, sums)):
        raise ValueError("weights, a_values and sums must have one shape")
    if len(entering) != rows:
        raise ValueError(f"entering must have a value for each of the {rows} rows, got {len(entering)}")
    if not (0 <= cell[0] < rows and 0 <= cell[1] < columns):
        raise ValueError(f"cell must be a row and a column of the array, got {cell!r}")

    above, left = _sources(a_values, sums, entering, cell)
    title = "One step: A moves right, sums move down"
    here = f"row {cell[0]}, column {cell[1]}"
    work = f"{above:g} from above + {weights[cell[0]][cell[1]]:g} × {left:g} from the left"
    feet = [
        *((line, True) for line in typesetting.lines(f"New sum in {here}: {work}.", width - 14, weight="bold")),
        *((line, False) for line in typesetting.lines(ALL_AT_ONCE, width - 14)),
    ]
    size = SIZES[width]
    head, foot = ROOM[width] + 64, 20 + 20 * len(feet)
    height = head + foot + rows * size.tall + (rows - 1) * size.gap
    corner = {
        (i, j): (size.left + j * (size.cell + size.gap), height - head - size.tall - i * (size.tall + size.gap))
        for i in range(rows)
        for j in range(columns)
    }
    subtitle = f"weights, a_values, sums: shape ({rows}, {columns}), row 0 on top. entering: shape ({rows},)"
    shapes = [Bar(0, 0, width, height, PAPER), *heading(title, subtitle, width, height)]
    if width == style.NARROW:
        shapes.append(Text(8, height - head + 12, "entering", color=MUTED))
    for i in range(rows):
        y = corner[i, 0][1] + size.tall / 2
        words = f"entering[{i}] = {entering[i]:g}" if width == style.WIDTH else f"{entering[i]:g}"
        shapes.append(Text(size.left - 38, y, words, align="right", bold=True))
        shapes += arrow((size.left - 32, y), (size.left - 4, y), KINDS[0])
    for j in range(columns):
        x = corner[0, j][0] + size.cell / 2
        shapes.append(Text(x, height - head + 33, "0", align="center", bold=True))
        shapes += arrow((x, height - head + 24), (x, height - head + 4), KINDS[1])
    for (i, j), (x, y) in corner.items():
        shapes += _cell(x, y, (i, j) == cell, weights[i][j], a_values[i][j], sums[i][j], size)
        if j + 1 < columns:
            middle = y + size.tall / 2
            shapes += arrow((x + size.cell + 3, middle), (x + size.cell + size.gap - 3, middle), KINDS[0])
        if i + 1 < rows:
            shapes += arrow((x + size.cell / 2, y - 3), (x + size.cell / 2, y - size.gap + 3), KINDS[1])
    for place, (line, bold) in enumerate(feet):
        shapes.append(Text(8, foot - 26 - 20 * place, line, bold=bold, color=INK if bold else MUTED))
    description = (
        f"{title}. An array of {rows} rows and {columns} columns, each cell with its weight w, its value a and its sum s. "
        f"Entering at the left, from the top: {', '.join(f'{value:g}' for value in entering)}; zeros come in above. "
        f"The new sum in {here} is {work}."
    )
    return of_shapes(shapes, title, description, width, height)


def _sources(a_values, sums, entering, cell):
    """The sum above a cell and the value to its left; at the rim, what enters."""
    i, j = cell
    return sums[i - 1][j] if i else 0, a_values[i][j - 1] if j else entering[i]


def _cell(x, y, marked, weight, value, total, size):
    yield Bar(x, y, size.cell, size.tall, HAIRLINE if marked else PAPER)
    frame = ((x, y), (x + size.cell, y), (x + size.cell, y + size.tall), (x, y + size.tall), (x, y))
    yield Line(frame, INK if marked else GREY, 2 if marked else 1)
    middle, top = x + size.cell / 2, y + size.tall - 16
    yield Text(middle, top, f"w = {weight:g}", align="center", bold=True)
    if size.cell > 100:
        yield Text(x + 10, y + 20, f"a = {value:g}")
        yield Text(x + size.cell - 10, y + 20, f"s = {total:g}", align="right")
    else:
        yield Text(middle, top - 20, f"a = {value:g}", align="center")
        yield Text(middle, top - 40, f"s = {total:g}", align="center")
