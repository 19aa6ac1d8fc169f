"""Two matrices sharded for tensor parallelism: the first by columns, the second by rows, one lane for each rank."""

from .. import style
from ..heading import ROOM, heading
from ..palette import BLUE, FAINT, GREY, INK, MUTED, ORANGE, PAPER, PLUM
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text, arrow
from .warp_timeline import Boxes

COLOURS = (BLUE, ORANGE, PLUM, GREY)
MOST = len(COLOURS)
# px: one width h of the model, and the gap between two arrays
SIZES = {style.WIDTH: (26, 48), style.NARROW: (18, 29)}
START = {style.WIDTH: 76.0, style.NARROW: 12.0}  # px: a narrow picture has the ranks' names above their lanes
PARTIAL = {style.WIDTH: "partial sum", style.NARROW: "partial"}
HIDDEN = 4  # the hidden vector is so many times as wide
HEAD, BETWEEN, FOOT = 26, 20, 34  # px: names above, between two lanes, the words below
TOKENS = 14  # px: the height of an array of tokens


@two_widths
def sharded_matrices(ranks: int, width: int = style.WIDTH) -> Picture:
    """Draw how a feed-forward block is shared: what each rank has of both matrices, and where the one message is.

    Parameters
    ----------
    ranks : int
        Devices that share it, 2 to 4.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For another number of ranks.

    Examples
    --------
    >>> sharded_matrices(2).title
    'Columns, then rows: two matrices, one all-reduce'
    """
    if ranks not in range(2, MOST + 1):
        raise ValueError(f"ranks must be 2 to {MOST}, got {ranks!r}")
    h, gap = SIZES[width]
    wide = HIDDEN * h
    lane = wide + BETWEEN
    height = ROOM[width] + HEAD + ranks * lane + FOOT
    title = "Columns, then rows: two matrices, one all-reduce"
    subtitle = f"{ranks} ranks share a feed-forward block; colored: a rank's own part"
    lefts, x = {}, START[width]
    for name, size in (("x", h), ("first", wide), ("hidden", wide), ("second", h), (PARTIAL[width], h)):
        lefts[name] = x, size
        x += size + gap
    names = height - ROOM[width] - HEAD / 2 + 4
    shapes = [Boxes(((0, 0, width, height),), PAPER), *heading(title, subtitle, width, height)]
    shapes += [Text(left + size / 2, names, name, align="center", color=MUTED) for name, (left, size) in lefts.items()]
    middles = [height - ROOM[width] - HEAD - lane * rank - wide / 2 for rank in range(ranks)]
    for rank, middle in enumerate(middles):
        above = 0 if width == style.WIDTH else wide / 2 - 8
        shapes.append(Text(8, middle + above, f"rank {rank}", bold=True))
        shapes += _lane(rank, ranks, middle, h, gap, lefts)
    shapes += _sum(middles, lefts[PARTIAL[width]], width)
    description = (
        f"{title}. Each of {ranks} ranks has the whole input x, its block of columns of the first matrix, so its part of the hidden "
        "numbers, and the rows of the second matrix that belong to them. It makes a partial sum of the whole output. Only these "
        f"{ranks} partial sums are sent: an all-reduce adds them."
    )
    return of_shapes(shapes, title, description, width, height)


def _lane(rank, ranks, middle, h, gap, lefts):
    """What one rank has, and what it does with it."""
    color, wide = COLOURS[rank], HIDDEN * h
    part = wide / ranks
    yield Boxes(((lefts["x"][0], middle - TOKENS / 2, h, TOKENS),), MUTED)  # whole on every rank, so no rank's color
    first, hidden, second = (lefts[name][0] for name in ("first", "hidden", "second"))
    *_, last = lefts.values()
    yield Boxes(((first, middle - h / 2, wide, h), (hidden, middle - TOKENS / 2, wide, TOKENS)), FAINT)
    yield Boxes(((second, middle - wide / 2, h, wide),), FAINT)
    mine = rank * part
    yield Boxes(((first + mine, middle - h / 2, part, h), (hidden + mine, middle - TOKENS / 2, part, TOKENS)), color)
    yield Boxes(((second, middle + wide / 2 - mine - part, h, part),), color)
    yield Boxes(((last[0], middle - TOKENS / 2, h, TOKENS),), color)
    for before, sign in (("x", "×"), ("first", "→"), ("hidden", "×"), ("second", "=")):
        left, size = lefts[before]
        yield Text(left + size + gap / 2, middle, sign, align="center")


def _sum(middles, place, width):
    """The one message: from every partial sum into one rail that leads down, and its name."""
    left, size = place
    x = left + size + 9
    for middle in middles:
        yield Line(((left + size + 2, middle), (x, middle)), INK, 2)
    yield Line(((x, middles[0]), (x, middles[-1])), INK, 2)
    yield from arrow((x, middles[-1]), (x, 28), INK)
    yield Text(min(x + 40, width - 8), 15, "all-reduce: all partial sums added", align="right", bold=True)
