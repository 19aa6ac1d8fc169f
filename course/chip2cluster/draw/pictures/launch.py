"""A grid of blocks in the program, and the SMs on which its blocks and warps run."""

from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BLUE, BLUES, FAINT, GREY, HAIRLINE, INK, MUTED, ON, ORANGE
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Text
from .warp_timeline import Boxes

QUARTERS = 4
COLORS = (BLUE, ORANGE, BLUES[1], GREY)
MOST_BLOCKS, MOST_WARPS, MOST_SMS = 6, 4, 2
BLOCK, TALL = 118, 62  # px: a block of the grid
SM, STRIP = 286, 116  # px: how wide and how high a multiprocessor is
GRID, CHIP = 3 * (TALL + 12) + 30, 2 * (STRIP + 12) + 18  # px that each takes with its heading


@two_widths
def launch(
    blocks: int = 6, threads_per_block: int = 128, sms: int = 2, blocks_per_sm: int = 2, width: int = style.WIDTH
) -> Picture:
    """Draw a grid on a chip of a few multiprocessors: who runs where, who waits, and one warp from near.

    Parameters
    ----------
    blocks : int
        Blocks of the grid, up to 6.
    threads_per_block : int
        Up to 128, so that four warps stand side by side.
    sms, blocks_per_sm : int
        Up to two multiprocessors with up to two blocks on each.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

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
    near = typesetting.lines("one warp from near: threads 0 to 31 of its block, one instruction at a time", width - 14)
    beside, foot = width == style.WIDTH, 52 + 17 * len(near)
    top = foot + (max(GRID, CHIP) if beside else GRID + CHIP)
    height = top + ROOM[width] - (18 if beside else 0)
    left, high = (306, top) if beside else (8, top - GRID)  # of the chip
    drawn = [
        Boxes(((0, 0, width, height),), style.PAPER),
        *heading(title, "", width, height),
        Text(8, top - 14, "you write a grid of blocks", bold=True),
        Text(left, high - 14, "the chip runs them on its SMs", bold=True),
    ]
    for block in range(blocks):
        spot = 8 + (block % 2) * (BLOCK + 12), top - 30 - TALL - (block // 2) * (TALL + 12)
        drawn += _block(block, warps, *spot, waits=block >= running)
    for number in range(sms):
        there = [block for block in range(running) if block % sms == number]
        drawn += _sm(number, there, warps, left, high - 30 - STRIP - number * (STRIP + 12))
    drawn += _near(near, width)
    homes = "; ".join(
        f"SM {number} holds blocks {', '.join(str(block) for block in range(running) if block % sms == number)}"
        for number in range(sms)
    )
    description = (
        f"{title}. {homes}. Warp 0 of a block lives in the first quarter of its SM, warp 1 in the second, and so on; no block is "
        "split over two SMs. A warp is 32 threads, numbered 0 to 31, in 32 lanes that get one instruction at a time."
    )
    return of_shapes(drawn, title, description, width, height)


def _many(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


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


def _sm(number, blocks, warps, left, y):
    """One multiprocessor: four quarters side by side, a row for each block that lives there."""
    quarter = (SM - 16) / QUARTERS
    drawn = [
        Boxes(((left, y, SM, STRIP),), HAIRLINE),
        Inside(left + 8, y + STRIP - 13, f"SM {number}", color=INK, bold=True),
    ]
    drawn.append(
        Inside(left + SM - 8, y + STRIP - 13, "four quarters, a scheduler in each", color=MUTED, align="right")
    )
    places = tuple((left + 8 + quarter * place + 3, y + 8, quarter - 6, STRIP - 34) for place in range(QUARTERS))
    drawn.append(Boxes(places, style.PAPER))
    for row, block in enumerate(blocks):
        drawn += _warps(block, warps, left + 8 + (quarter - 30) / 2, y + STRIP - 58 - 30 * row, 30, quarter)
    return drawn


def _near(words, width):
    """One warp from near: its lanes."""
    y, wide = 20, (width - 24) / 32
    lanes = tuple((8 + wide * lane, y, wide - 1, 18) for lane in range(32))
    ends = ((0, 8, "left"), (31, 8 + 32 * wide - 1, "right")) if wide < 17 else ()
    return [
        *(Text(8, y + 36 + 17 * (len(words) - 1 - row), line, color=MUTED) for row, line in enumerate(words)),
        Boxes(lanes, BLUE),
        *(Text(x, y - 11, f"{lane}", align=align, color=MUTED) for lane, x, align in ends),
        *(Inside(8 + wide * (lane + 0.5), y + 9, f"{lane}", align="center") for lane in (0, 31) if not ends),
    ]
