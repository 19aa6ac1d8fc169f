"""A grid of blocks as it is written, and where its blocks and warps live when it runs."""

from .. import style
from ..palette import BLUE, BLUES, FAINT, GREY, HAIRLINE, INK, MUTED, ON, ORANGE
from ..picture import Picture, compose
from ..shapes import Inside, Text
from .warp_timeline import Boxes

QUARTERS = 4
COLORS = (BLUE, ORANGE, BLUES[1], GREY)
MOST_BLOCKS, MOST_WARPS, MOST_SMS = 6, 4, 2
HEIGHT = 396  # px
BLOCK, TALL = 118, 62  # px: a block of the grid
RIGHT, SM, STRIP = 306, 286, 116  # px: where the multiprocessors begin, how wide and how high one is


def launch(blocks=6, threads_per_block=128, sms=2, blocks_per_sm=2):
    """Draw a grid on a chip of a few multiprocessors: who runs where, who waits, and one warp from near.

    Parameters
    ----------
    blocks : int
        Of the grid, up to 6.
    threads_per_block : int
        Up to 128, so that four warps stand side by side.
    sms, blocks_per_sm : int
        Up to two multiprocessors with up to two blocks on each.

    Returns
    -------
    Picture
        Its title states how many warps run, and how many blocks wait.

    Raises
    ------
    ValueError
        For more than fits into the picture, or less than one of anything.

    Examples
    --------
    >>> launch().title
    '6 blocks of 4 warps on 2 SMs: 4 blocks run, 2 wait'
    """
    warps = -(-threads_per_block // 32)
    for name, number, most in (
        ("blocks", blocks, MOST_BLOCKS), ("threads_per_block", warps, MOST_WARPS), ("sms", sms, MOST_SMS),
        ("blocks_per_sm", blocks_per_sm, 2),
    ):  # fmt: skip
        if not 1 <= number <= most:
            raise ValueError(f"{name} must be from 1 to {most * (32 if name == 'threads_per_block' else 1)} here")
    running = min(blocks, sms * blocks_per_sm)
    waiting = blocks - running
    wait = f", {waiting} wait{'s' if waiting == 1 else ''}" if waiting else ""
    title = f"{_many(blocks, 'block')} of {_many(warps, 'warp')} on {_many(sms, 'SM')}: {_many(running, 'block')} run{'s' * (running == 1)}{wait}"
    drawn = [
        Boxes(((0, 0, style.WIDTH, HEIGHT),), style.PAPER),
        Text(8, HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, HEIGHT - 50, "you write a grid of blocks", bold=True),
        Text(RIGHT, HEIGHT - 50, "the chip runs them on its SMs", bold=True),
    ]
    for block in range(blocks):
        drawn += _block(block, warps, *_place_in_grid(block), waits=block >= running)
    for number in range(sms):
        drawn += _sm(number, [block for block in range(running) if block % sms == number], warps)
    drawn += _near()

    def figure():
        whole = style.figure(style.WIDTH, HEIGHT)
        for shape in drawn:
            shape.join(whole)
        return whole

    homes = "; ".join(
        f"SM {number} holds blocks {', '.join(str(block) for block in range(running) if block % sms == number)}"
        for number in range(sms)
    )
    description = (
        f"{title}. {homes}. Warp 0 of a block lives in the first quarter of its SM, warp 1 in the second, and so on; no block is "
        "split over two SMs. A warp is 32 threads, numbered 0 to 31, in 32 lanes that get one instruction at a time."
    )
    return Picture(
        compose("", drawn, title, description, height=HEIGHT), title, description, height=HEIGHT, figure=figure
    )


def _many(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


def _place_in_grid(block):
    return 8 + (block % 2) * (BLOCK + 12), HEIGHT - 66 - TALL - (block // 2) * (TALL + 12)


def _block(block, warps, x, y, *, waits):
    """One block of the grid, with its warps."""
    words = f"block {block}" + (" waits" if waits else "")
    drawn = [Boxes(((x, y, BLOCK, TALL),), HAIRLINE), Inside(x + 8, y + TALL - 13, words, color=INK, bold=True)]
    return [*drawn, *_warps(block, warps, x + 8, y + 8, 24, 27, waits=waits)]


def _warps(block, warps, x, y, wide, step, *, waits=False):
    color = FAINT if waits else COLORS[block % len(COLORS)]
    ink = INK if waits else ON
    for warp in range(warps):
        yield Boxes(((x + step * warp, y, wide, 24),), color)
        yield Inside(x + step * warp + wide / 2, y + 12, f"w{warp}", color=ink, align="center")


def _sm(number, blocks, warps):
    """One multiprocessor: four quarters side by side, a row for each block that lives there."""
    y = HEIGHT - 66 - STRIP - number * (STRIP + 12)
    quarter = (SM - 16) / QUARTERS
    drawn = [
        Boxes(((RIGHT, y, SM, STRIP),), HAIRLINE),
        Inside(RIGHT + 8, y + STRIP - 13, f"SM {number}", color=INK, bold=True),
    ]
    drawn.append(
        Inside(RIGHT + SM - 8, y + STRIP - 13, "four quarters, a scheduler in each", color=MUTED, align="right")
    )
    places = tuple((RIGHT + 8 + quarter * place + 3, y + 8, quarter - 6, STRIP - 34) for place in range(QUARTERS))
    drawn.append(Boxes(places, style.PAPER))
    for row, block in enumerate(blocks):
        drawn += _warps(block, warps, RIGHT + 8 + (quarter - 30) / 2, y + STRIP - 58 - 30 * row, 30, quarter)
    return drawn


def _near():
    """One warp from near: its lanes."""
    y, wide = 20, 17
    lanes = tuple((8 + (wide + 1) * lane, y, wide, 18) for lane in range(32))
    return [
        Text(8, y + 36, "one warp from near: threads 0 to 31 of its block, one instruction at a time", color=MUTED),
        Boxes(lanes, BLUE),
        *(Inside(8 + (wide + 1) * lane + wide / 2, y + 9, f"{lane}", align="center") for lane in (0, 31)),
    ]
