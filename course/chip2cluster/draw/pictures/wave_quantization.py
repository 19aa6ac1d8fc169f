"""Waves of blocks: time and fraction of busy slots against the size of the grid."""

from ... import occupancy as model
from .. import style
from ..chart import Chart
from ..heading import heading, opening
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text
from .multiprocessor import Box

HEIGHTS = {style.WIDTH: 460, style.NARROW: 500}  # px
MOST = 1200  # blocks on the axis
EDGES, WAVES = {style.WIDTH: (48, 576), style.NARROW: (38, 322)}, 12  # px: left and right; and waves on the axis
TICKS = {style.WIDTH: 200, style.NARROW: 400}  # blocks
STEPS, SHARE = (254, 364), (92, 202)  # px from below: bottom and top of the two fields
BAR = 24, 18  # px: bottom and height of the last wave
# Rows of the table: the grid itself, and those that fill their last wave.
YOURS, BELOW, ABOVE = "yours", "the full grid below", "the full grid above"


@two_widths
def wave_quantization(
    blocks: int, compute_units: int, active_blocks: int = 1, *, subtitle: str = "", width: int = style.WIDTH
) -> Picture:
    """Draw the waves of a grid of equal blocks.

    Above the run time in times of one block, below the share of the block slots at work,
    both for grids of up to 1,200 blocks, with a mark for this one. A bar shows how full the
    last wave is.

    Parameters
    ----------
    blocks, compute_units, active_blocks : int
        Arguments of `occupancy.waves`; up to 1,200 blocks.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError, TypeError
        Raised as by `occupancy.waves`, and for more blocks than the axis has.

    Examples
    --------
    >>> wave_quantization(133, 132).title
    '2 waves, 50.4 % of the slots at work: the last holds 1 of 132 blocks'
    """
    if blocks > MOST:
        raise ValueError(f"this picture shows up to {MOST} blocks, got {blocks}")
    slots, rounds = compute_units * active_blocks, model.waves(blocks, compute_units, active_blocks)
    share = model.wave_efficiency(blocks, compute_units, active_blocks)
    last = blocks - (rounds - 1) * slots
    plural = "" if rounds == 1 else "s"
    title = (
        f"{rounds} wave{plural}, {100 * share:.1f} % of the slots at work: the last holds {last:,} of {slots:,} blocks"
    )
    ends = [min(end, MOST) for end in range(slots, MOST + slots, slots)]
    shapes = [
        *heading(title, subtitle, width, HEIGHTS[width]),
        *_steps(ends, blocks, rounds, width),
        *_shares(ends, slots, blocks, share, width),
        *_last(last, slots, EDGES[width][1]),
    ]
    stairs = (
        f"Steps of the staircase end at {', '.join(map(str, ends[:-1]))} blocks." if ends[1:] else "It is all one step."
    )
    description = f"{opening(title, subtitle)} {stairs}"
    lower = Chart(EDGES[width][0], SHARE[0], EDGES[width][1], SHARE[1], MOST, 100)
    return of_shapes(
        shapes, title, description, width, HEIGHTS[width], lambda count, percent: (lower.x(count), lower.y(percent))
    )


def _steps(ends, blocks, rounds, width):
    left, right = EDGES[width]
    chart = Chart(left, STEPS[0], right, STEPS[1], MOST, WAVES)
    yield from chart.frame((), range(0, WAVES + 1, 4), y_name="Time, in times of one block")
    points, start = [], 0
    for step, end in enumerate(ends, 1):
        points += [(start, step), (end, step)]
        start = end
    yield chart.line(points, style.BLUE)
    yield from _here(chart, blocks, rounds)


def _shares(ends, slots, blocks, share, width):
    left, right = EDGES[width]
    chart = Chart(left, SHARE[0], right, SHARE[1], MOST, 100)
    yield from chart.frame(
        range(0, MOST + 1, TICKS[width]),
        (0, 50, 100),
        x_name="blocks of the grid",
        y_name="Slots at work, % on average",
    )
    points, start = [], 0
    for step, end in enumerate(ends, 1):
        points += [(start + 1, 100 * (start + 1) / (step * slots)), (end, 100 * end / (step * slots))]
        start = end
    yield chart.line(points, style.BLUE)
    full = blocks // slots * slots
    for name, end in ((BELOW, full), (ABOVE, full + slots)):
        if 0 < end <= MOST:
            yield RowMark(name, (Marker(chart.x(end), chart.y(100), "D", style.BLUE, size=8),))
    yield from _here(chart, blocks, 100 * share)


def _here(chart, blocks, value):
    x = chart.x(blocks)
    line = Line(((x, chart.bottom), (x, chart.top)), style.HAND, 1.2, 0.6)
    yield RowMark(YOURS, (line, Marker(x, chart.y(value), "o", style.HAND, size=11)))


def _last(last, slots, right):
    (low, tall), left, wide = BAR, 128, right - 128
    yield Text(8, low + tall / 2, "The last wave:", bold=True)
    yield Box(left, low, max(wide * last / slots, 1.5), tall, style.BLUE)
    yield Box(left, low, wide, tall, edge=style.GREY)
