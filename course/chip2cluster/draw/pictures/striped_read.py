"""Read of a striped file: one request to the metadata server, then bytes from several targets in parallel."""

from ...storage import StripeLayout
from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BLUE, BLUES, GREY, MUTED, ORANGE, PAPER
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Line, Text, arrow
from .waterfall import Bar

LAYOUT, FILE = StripeLayout(2**20, 4, first_ost=3, ost_count=8), 9 * 2**20
ROW, FLOOR, TALL = 34, 40, 96  # px: of a target, the lowest one, and of the metadata server
NODE = {style.WIDTH: 130, style.NARROW: 84}  # px: how wide the node is
COUNTS = ("no", "one", "two", "three", "four")
RIGHT = {style.WIDTH: 344, style.NARROW: 176}  # px: where servers begin


@two_widths
def striped_read(width: int = style.WIDTH) -> Picture:
    """Draw the opening and the reading of a file of nine stripes.

    Parameters
    ----------
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Examples
    --------
    >>> striped_read().title
    'A name is asked for once; the bytes come from four targets at once'
    """
    title = f"A name is asked for once; the bytes come from {COUNTS[LAYOUT.stripe_count]} targets at once"
    above = FLOOR + ROW * LAYOUT.stripe_count + 26  # px: where the metadata server begins
    top = above + TALL
    height = top + 10 + ROOM[width]
    left, right = 8 + NODE[width], RIGHT[width]
    shapes = [Bar(0, 0, width, height, PAPER), *heading(title, "A file of 9 MiB in stripes of 1 MiB", width, height)]
    shapes += [_frame(8, FLOOR - 8, NODE[width], top - FLOOR + 8, GREY)]
    shapes += [Text(18, top - 18, "your node", bold=True)]
    shapes += _names(left, right, above, width)
    shapes += _targets(left, right)
    kept = "the layout is kept here: the metadata server is not asked again"
    shapes += [Text(8, 14, line, color=MUTED) for line in typesetting.lines(kept, width - 14)[:1]] if width == style.WIDTH else []  # fmt: skip
    held = "; ".join(
        f"target {ost} has the stripes {', '.join(map(str, _stripes(number)))}"
        for number, ost in enumerate(LAYOUT.osts)
    )
    description = (
        f"{title}. The node asks the metadata server for a path and gets back its layout: {LAYOUT.stripe_count} targets from number "
        f"{LAYOUT.first_ost} on, stripes of 1 MiB. Then it reads from the targets: {held}."
    )
    return of_shapes(shapes, title, description, width, height)


def _names(left, right, above, width):
    words = ("metadata server", "/data/shard-7:", "target 3 and on, 4 of them", "stripes of 1 MiB")
    if width == style.NARROW:
        words = ("metadata server", "/data/shard-7:", "4 targets, from 3", "stripes: 1 MiB")
    yield _frame(right, above, width - 8 - right, TALL, ORANGE)
    for line, text in enumerate(words):
        yield Text(right + 10, above + TALL - 17 - 21 * line, text, bold=not line)
    for y, text, ends in ((above + 66, "1: open", (left, right)), (above + 24, "2: layout", (right, left))):
        yield from arrow((ends[0], y), (ends[1], y), ORANGE)
        yield Text((left + right) / 2, y + 13, text, align="center")


def _targets(left, right):
    count = LAYOUT.stripe_count
    yield Text((left + right) / 2, FLOOR + ROW * (count - 0.5) + 13, "3: bytes", align="center")
    for number, ost in enumerate(LAYOUT.osts):
        y = FLOOR + ROW * (count - 1 - number)
        middle = y + ROW / 2
        yield from arrow((right, middle), (left, middle), BLUE)
        yield Text(right + 6, middle, f"target {ost}")
        for place, stripe in enumerate(_stripes(number)):
            yield Bar(right + 64 + 30 * place, y + 5, 28, ROW - 10, BLUES[place % len(BLUES)])
            yield Inside(right + 78 + 30 * place, middle, f"{stripe}", align="center")


def _stripes(number):
    """Stripes of the file in an object, counted from 0."""
    return range(number, FILE // LAYOUT.stripe_size, LAYOUT.stripe_count)


def _frame(x, y, width, height, color):
    return Line(((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)), color, 1.5)
