"""One step of a systolic array: what each cell holds before it, what enters, and where a cell takes its two numbers."""

from .. import style
from ..palette import ACCENT, BLUE, GREY, HAIRLINE, MUTED, ORANGE, PAPER
from ..picture import Picture, compose
from ..shapes import Line, Text
from .waterfall import Bar

CELL, TALL, GAP = 112, 70, 26  # px: a cell and the way between two
LEFT, FOOT, HEAD = 152, 66, 118  # px around the cells
LARGEST = (3, 3)


def array_step(weights, a_values, sums, entering, cell=(1, 1)):
    """Draw a weight-stationary array before a step, and the sum that one cell makes in it.

    Parameters
    ----------
    weights, a_values, sums : array of shape (rows, columns)
        What each cell holds before the step; at most 3 x 3.
    entering : array of shape (rows,)
        The values that come in at the left, the topmost first.
    cell : tuple of int
        Row and column of the cell whose new sum is written out.

    Returns
    -------
    Picture

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

    height = HEAD + FOOT + rows * TALL + (rows - 1) * GAP
    corner = {
        (i, j): (LEFT + j * (CELL + GAP), height - HEAD - TALL - i * (TALL + GAP))
        for i in range(rows)
        for j in range(columns)
    }
    shapes = [Bar(0, 0, style.WIDTH, height, PAPER)]
    for i in range(rows):
        y = corner[i, 0][1] + TALL / 2
        shapes.append(Text(LEFT - 38, y, f"entering[{i}] = {entering[i]:g}", align="right", bold=True))
        shapes += _arrow((LEFT - 32, y), (LEFT - 4, y), BLUE)
    for j in range(columns):
        x = LEFT + j * (CELL + GAP) + CELL / 2
        shapes.append(Text(x, height - HEAD + 33, "0", align="center", bold=True))
        shapes += _arrow((x, height - HEAD + 24), (x, height - HEAD + 4), ORANGE)
    for (i, j), (x, y) in corner.items():
        shapes += _cell(x, y, (i, j) == cell, weights[i][j], a_values[i][j], sums[i][j])
        if j + 1 < columns:
            shapes += _arrow((x + CELL + 3, y + TALL / 2), (x + CELL + GAP - 3, y + TALL / 2), BLUE)
        if i + 1 < rows:
            shapes += _arrow((x + CELL / 2, y - 3), (x + CELL / 2, y - GAP + 3), ORANGE)

    above, left = _sources(a_values, sums, entering, cell)
    title = "One step: A moves right, sums move down"
    here = f"row {cell[0]}, column {cell[1]}"
    work = f"{above:g} from above + {weights[cell[0]][cell[1]]:g} × {left:g} from the left"
    shapes += [
        Text(8, height - 20, title, size=style.TITLE, bold=True),
        Text(
            8,
            height - 43,
            f"weights, a_values, sums: shape ({rows}, {columns}), row 0 on top. entering: shape ({rows},)",
            color=MUTED,
        ),
        Text(8, 38, f"New sum in {here}: {work}.", bold=True),
        Text(8, 16, "All cells step at once, so every number is one from before the step.", color=MUTED),
    ]
    description = (
        f"{title}. An array of {rows} rows and {columns} columns, each cell with its weight w, its value a and its sum s. "
        f"Entering at the left, from the top: {', '.join(f'{value:g}' for value in entering)}; zeros come in above. "
        f"The new sum in {here} is {work}."
    )

    def figure():
        whole = style.figure(height=height)
        for shape in shapes:
            shape.join(whole)
        return whole

    return Picture(
        compose("", shapes, title, description, height=height), title, description, height=height, figure=figure
    )


def _sources(a_values, sums, entering, cell):
    """The sum above a cell and the value to its left; at the rim, what enters."""
    i, j = cell
    return sums[i - 1][j] if i else 0, a_values[i][j - 1] if j else entering[i]


def _cell(x, y, marked, weight, value, total):
    yield Bar(x, y, CELL, TALL, HAIRLINE if marked else PAPER)
    frame = ((x, y), (x + CELL, y), (x + CELL, y + TALL), (x, y + TALL), (x, y))
    yield Line(frame, ACCENT if marked else GREY, 2 if marked else 1)
    yield Text(x + CELL / 2, y + TALL - 16, f"w = {weight:g}", align="center", bold=True)
    yield Text(x + 10, y + 20, f"a = {value:g}")
    yield Text(x + CELL - 10, y + 20, f"s = {total:g}", align="right")


def _arrow(start, end, color):
    (x1, y1), (x2, y2) = start, end
    dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
    yield Line((start, end), color, 2)
    yield Line(
        ((x2 - 6 * dx - 4 * dy, y2 - 6 * dy - 4 * dx), (x2, y2), (x2 - 6 * dx + 4 * dy, y2 - 6 * dy + 4 * dx)), color, 2
    )
