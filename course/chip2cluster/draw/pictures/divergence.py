"""A divergent branch beside a uniform one: active lanes of the warp in each cycle."""

from ...occupancy import branch_cycles, branch_paths
from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BLUE, HAIRLINE, INK, ORANGE
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Text
from .warp_timeline import Boxes

LANES, LANE, GAP = 32, 3, 22  # threads of a warp, px of each, px between warps
PANEL, LEFT = 292, 62  # px: width of a panel, where its lanes begin in it
LONGEST = 178  # px of the most cycles
HEAD = 58  # px from the heading, or the panel above, to the first warp


@two_widths
def divergence(
    *cuts: int, threads: int = 64, cycles_if: int = 8, cycles_else: int = 4, width: int = style.WIDTH
) -> Picture:
    """Draw the lanes of a block, cycle by cycle, for a branch at each of two cuts.

    Parameters
    ----------
    *cuts : int
        Two cuts: threads with an index below a cut take the first path.
    threads : int
        Threads of the block, up to 96.
    cycles_if, cycles_else : int
        Cycles of the first and of the second path.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title states what all warps pay at each cut.

    Raises
    ------
    ValueError, TypeError
        For other than two cuts, more threads than fit, and as `occupancy.branch_cycles`.

    Examples
    --------
    >>> divergence(16, 32).title
    'Cut at 16: the warps pay 16 cycles; cut at 32: 12'
    """
    if len(cuts) != 2:
        raise ValueError(f"two cuts stand side by side, got {len(cuts)}")
    if threads > 3 * LANES:
        raise ValueError(f"up to {3 * LANES} threads fit, got threads={threads!r}")
    paid = [int(branch_cycles(threads, cut, cycles_if, cycles_else)) for cut in cuts]
    title = f"Cut at {cuts[0]}: the warps pay {paid[0]} cycles; cut at {cuts[1]}: {paid[1]}"
    warps = -(-threads // LANES)
    panel = HEAD + warps * (LANES * LANE + GAP)
    beside = width == style.WIDTH  # each other; on a phone the second cut is below the first
    words = f"first path, {cycles_if} cycles", f"second path, {cycles_else} cycles", "switched off"
    keys = typesetting.flow(words, 8, width - 6, gap=24)
    foot = 36 + 19 * max(row for _, row in keys)
    height = ROOM[width] + panel * (1 if beside else 2) + foot
    subtitle = f"{threads} threads in {warps} warps; a line is a lane, time runs to the right"
    drawn = [Boxes(((0, 0, width, height),), style.PAPER), *heading(title, subtitle, width, height)]
    said = []
    for place, cut in enumerate(cuts):
        left, high = 8 + place * PANEL * beside, height - ROOM[width] - place * panel * (not beside)
        drawn.append(Text(left, high - 24, f"if (threadIdx.x < {cut})", bold=True))
        for number, (first, second) in enumerate(branch_paths(threads, cut)):
            top = high - HEAD - number * (LANES * LANE + GAP)
            drawn.append(Text(left, top - LANES * LANE / 2, f"warp {number}"))
            cycles = cycles_if * bool(first) + cycles_else * bool(second)
            drawn += _warp(left + LEFT, top, first, second, cycles_if, cycles_else)
            x = left + LEFT + LONGEST * cycles / (cycles_if + cycles_else) + 7
            drawn.append(Text(x, top - LANES * LANE / 2, f"{cycles}"))
            said.append(
                f"cut {cut}, warp {number}: {first} threads take the first path, {second} the second, {cycles} cycles"
            )
    for color, word, (x, row) in zip((BLUE, ORANGE, HAIRLINE), words, keys, strict=True):
        y = foot - 19 - 19 * row
        drawn += [Boxes(((x, y - 6, 14, 12),), color), Text(x + 20, y, word, color=INK)]
    description = (
        f"{title}. "
        + "; ".join(said)
        + ". Where a warp's threads disagree, one half stands still while the other works."
    )
    return of_shapes(drawn, title, description, width, height)


def _warp(left, top, first, second, cycles_if, cycles_else):
    """The lanes of one warp: at work in a color, switched off in grey."""
    cycle = LONGEST / (cycles_if + cycles_else)
    spans = [(cycles_if, 0, first, BLUE)] * bool(first) + [(cycles_else, first, first + second, ORANGE)] * bool(second)
    for cycles, begin, end, color in spans:
        wide = cycle * cycles - 2
        at_work = tuple((left, top - (lane + 1) * LANE, wide, LANE - 1) for lane in range(begin, end))
        off = tuple(
            (left, top - (lane + 1) * LANE, wide, LANE - 1) for lane in range(first + second) if not begin <= lane < end
        )
        yield Boxes(at_work, color)
        if off:
            yield Boxes(off, HAIRLINE)
        left += cycle * cycles
