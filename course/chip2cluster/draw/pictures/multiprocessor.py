"""One SM with its resident blocks, to scale, and occupancy as a function of each resource."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Rectangle

from ... import occupancy as model
from .. import style, typesetting
from ..heading import heading
from ..palette import BLUES
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Inside, Line, Marker, Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEFT, GAP = 8, 5  # px: where the bars begin, and how far quarters are apart
SHADES = BLUES  # blocks in turn
NAMES = {"blocks": "block slots", "warps": "warp slots", "registers": "registers", "shared_memory": "shared memory"}
PLOTS = ("threads a block", "registers a thread", "shared memory a block, KiB")


@dataclass(frozen=True)
class Layout:
    """Of a picture of some width, px, those upright counted from above.

    ``full`` is how long 256 KiB, 64 warps or 32 blocks are; ``rows`` where the words over slots, warps, registers and
    shared memory stand, ``under`` how far below them their bars end, ``note`` where the dashes are explained;
    ``plots`` holds left edge and floor of each of the plots.
    """

    width: int
    height: int
    full: float
    rows: tuple
    under: int
    note: tuple
    plots: tuple
    plot_width: int
    plot_height: int

    @property
    def kib(self) -> float:
        """Height of 1 KiB of registers, px."""
        return self.full / 256

    @property
    def warp(self) -> float:
        """Height of one of 64 warps, px."""
        return self.full / 64

    @property
    def slot(self) -> float:
        """Height of one of 32 block slots, px."""
        return self.full / 32


LAYOUTS = {
    style.WIDTH: Layout(
        style.WIDTH,
        506,
        480,
        (70, 122, 174, 234),
        32,
        ((508, 193), (508, 208)),
        ((40, 456), (234, 456), (428, 456)),
        156,
        138,
    ),
    style.NARROW: Layout(
        style.NARROW, 858, 300, (102, 172, 242, 338), 50, ((LEFT, 314),), ((40, 532), (40, 672), (40, 812)), 276, 88
    ),
}


@dataclass(frozen=True)
class Box:
    """A rectangle; ``y`` is its lower edge, in pixels from the lower left corner of the picture."""

    x: float
    y: float
    width: float
    height: float
    face: str = "none"
    edge: str = "none"
    line: float = 1
    dashed: bool = False

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        dash = ' stroke-dasharray="4 3"' if self.dashed else ""
        return (
            f'<rect x="{self.x:.1f}" y="{height - self.y - self.height:.1f}" width="{self.width:.1f}" '
            f'height="{self.height:.1f}" fill="{self.face}" stroke="{self.edge}" stroke-width="{self.line:g}"{dash}/>'
        )

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        figure.add_artist(
            Rectangle(
                (self.x, self.y), self.width, self.height, facecolor=self.face, edgecolor=self.edge,
                linewidth=self.line, linestyle=(0, (4, 3)) if self.dashed else "solid", transform=style.pixels(figure),
            )
        )  # fmt: skip


@two_widths
def multiprocessor(
    compute_capability: str,
    threads_per_block: int,
    registers_per_thread: int,
    shared_memory_per_block: int,
    *,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the blocks of a kernel on one NVIDIA multiprocessor.

    Four bars, each to scale: block slots, warp slots and registers (in quarters), shared
    memory. What one block takes has one shade; a dashed outline is the part of the next
    block that would still find room, or in shared memory all of it. Below, the occupancy
    against each of the three arguments, the others held.

    Parameters
    ----------
    compute_capability : str
        Such as ``"9.0"``.
    threads_per_block, registers_per_thread, shared_memory_per_block : int
        Arguments of `occupancy.occupancy`; bytes for the last.
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
        Raised as by `occupancy.occupancy`.
    """
    kernel = (threads_per_block, registers_per_thread, shared_memory_per_block)
    chip = model.limits(compute_capability)
    result = model.occupancy(compute_capability, *kernel, barriers=0)
    title = finding(result)
    at = LAYOUTS[width]
    shapes = [
        *heading(title, subtitle, width, at.height),
        RowMark(NAMES["blocks"], tuple(_slots(chip, result, at))),
        *_quarters(chip, result, kernel, at),
        RowMark(NAMES["shared_memory"], tuple(_shared(chip, result, at))),
        *_plots(compute_capability, kernel, chip, at),
    ]
    description = _describe(title, chip, result, kernel)
    return of_shapes(shapes, title, description, width, at.height)


def finding(result: model.Occupancy) -> str:
    """State how full the multiprocessor is and why not fuller.

    >>> finding(model.occupancy("9.0", 256, 72)), finding(model.occupancy("9.0", 1024, 72))
    ('24 of 64 warps: limited by registers', 'No block fits: limited by registers')
    """
    if result.active_warps == result.max_warps:
        return f"All {result.max_warps} warps: the multiprocessor is full"
    share = f"{result.active_warps} of {result.max_warps} warps" if result.active_blocks else "No block fits"
    return f"{share}: limited by {limited_by(result)}"


def limited_by(result: model.Occupancy) -> str:
    """The limiting resources in words.

    >>> limited_by(model.occupancy("9.0", 1024, 32))
    'warp slots and registers'
    """
    *most, last = [name for factor, name in NAMES.items() if factor in result.limiters]
    return f"{', '.join(most)} and {last}" if most else last


def _label(row, result, factor, text, at):
    limit = getattr(result.block_limits, factor)
    name = NAMES[factor]
    room = "no limit" if limit == model.UNLIMITED else f"room for {limit} block{'' if limit == 1 else 's'}"
    words = f"{name[0].upper()}{name[1:]}: {text}, {room}"
    stops = factor in result.limiters
    words += " – the limit" if stops else ""
    for line, part in enumerate(typesetting.lines(words, at.width - 16, weight="bold" if stops else "normal")):
        yield Text(LEFT, at.height - at.rows[row] - 17 * line, part, bold=stops)


def _frame(result, factor):
    return {"edge": style.INK, "line": 2.2} if factor in result.limiters else {"edge": style.GREY, "line": 1}


def _shade(block):
    return SHADES[block % len(SHADES)]


def _slots(chip, result, at):
    most, y, slot = chip.max_blocks_per_sm, at.height - at.rows[0] - at.under, at.slot
    yield from _label(0, result, "blocks", f"{result.active_blocks} of {most}", at)
    every = 1 if result.active_blocks < 10 else 2 if result.active_blocks <= 16 else 4  # two digits fill a slot
    for block in range(result.active_blocks):
        yield Box(LEFT + block * slot, y, slot, 20, _shade(block), style.PAPER)
        if (block + 1) % every == 0:
            yield Inside(LEFT + (block + 0.5) * slot, y + 10, str(block + 1), align="center")
    yield Box(LEFT, y, most * slot, 20, **_frame(result, "blocks"))


def _quarters(chip, result, kernel, at):
    """Warp slots over registers, a quarter of the multiprocessor beside the other."""
    warps = -(-kernel[0] // chip.warp_size)
    per_warp = result.registers_per_block // warps
    held = model.occupancy(chip.compute_capability, chip.warp_size, kernel[1], barriers=0).block_limits.registers
    used = result.active_blocks * result.registers_per_block
    total = chip.registers_per_sm
    above = [*_label(1, result, "warps", f"{result.active_warps} of {chip.max_warps_per_sm}", at)]
    below = [*_label(2, result, "registers", f"{used * 4 / 1024:g} of {total * 4 // 1024} KiB", at)]
    quarters = chip.sub_partitions_per_sm
    slots, wide = chip.max_warps_per_sm // quarters, at.full / quarters
    thick, low = per_warp * 4 / 1024 * at.kib, at.height - at.rows[2] - at.under - 8
    high = at.height - at.rows[1] - at.under
    drawn = min(result.active_warps + warps, chip.max_warps_per_sm, held)
    if drawn > result.active_warps:
        words = ("dashed: next", "block") if len(at.note) > 1 else ("dashed: next block",)
        for (x, y), line in zip(at.note, words, strict=True):
            yield Text(x, at.height - y, line, color=style.MUTED)
    for warp in range(drawn):
        x, place = LEFT + warp % quarters * (wide + GAP), warp // quarters
        block = warp // warps
        lives = block < result.active_blocks
        look = {"face": _shade(block), "edge": style.PAPER} if lives else {"edge": style.MUTED, "dashed": True}
        inset = 0 if lives else 1
        above.append(Box(x + place * at.warp + inset, high + inset, at.warp - 2 * inset, 20 - 2 * inset, **look))
        below.append(Box(x + place * thick + inset, low + inset, thick - 2 * inset, 28 - 2 * inset, **look))
    for quarter in range(quarters):
        x = LEFT + quarter * (wide + GAP)
        above.append(Box(x, high, slots * at.warp, 20, **_frame(result, "warps")))
        below.append(Box(x, low, wide, 28, **_frame(result, "registers")))
    yield RowMark(NAMES["warps"], tuple(above))
    yield RowMark(NAMES["registers"], tuple(below))


def _shared(chip, result, at):
    size = result.shared_memory_per_block
    used, total = result.active_blocks * size / 1024, chip.shared_memory_per_sm // 1024
    y, end = at.height - at.rows[3] - at.under, at.width - LEFT
    yield from _label(3, result, "shared_memory", f"{used:g} of {total} KiB", at)
    wide = size / 1024 * at.kib
    for block in range(result.active_blocks if size else 0):
        yield Box(LEFT + block * wide, y, wide, 20, _shade(block), style.PAPER, 1 if wide > 3 else 0.4)
    yield Box(LEFT, y, total * at.kib, 20, **_frame(result, "shared_memory"))
    if "shared_memory" in result.limiters and result.active_warps < result.max_warps:
        x = LEFT + result.active_blocks * wide
        yield Box(x + 1, y + 2, min(wide, end - x) - 2, 16, edge=style.MUTED, dashed=True)


@lru_cache(maxsize=256)
def _curves(compute_capability, kernel):
    """Percent of occupancy along each axis, the two other arguments held."""
    threads, registers, shared = kernel
    chip = model.limits(compute_capability)
    axes = (
        np.arange(32, chip.max_threads_per_block + 1, 32),
        np.arange(1, chip.max_registers_per_thread + 1),
        np.arange(chip.shared_memory_per_block_opt_in // 1024 + 1),
    )
    asked = ((axes[0], registers, shared), (threads, axes[1], shared), (threads, registers, 1024 * axes[2]))
    return [
        (x, 100 * model.occupancy(compute_capability, *a, barriers=0).occupancy)
        for x, a in zip(axes, asked, strict=True)
    ]


def _plots(compute_capability, kernel, chip, at):
    wide, tall = at.plot_width, at.plot_height
    ends = (chip.max_threads_per_block, 256, chip.shared_memory_per_sm // 1024)
    ticks = ((256, 512, 1024), (64, 128, 255), (0, ends[2] // 2, ends[2]))
    here = (kernel[0], kernel[1], kernel[2] / 1024)
    yield Text(
        LEFT, at.height - at.plots[0][1] + tall + 24, "Occupancy, %, when only one of the three moves", bold=True
    )
    for share in (0, 50, 100):
        for x, floor in at.plots:
            y = at.height - floor + tall * share / 100
            if x == at.plots[0][0]:  # those beside it share its axis
                yield Text(x - 8, y, str(share), align="right", color=style.MUTED)
            yield Line(((x, y), (x + wide, y)), style.GREY if share == 0 else style.HAIRLINE)
    curves = _curves(compute_capability, kernel)
    for name, (x0, floor), (values, shares), end, marks, chosen in zip(
        PLOTS, at.plots, curves, ends, ticks, here, strict=True
    ):
        base = at.height - floor
        across = lambda value, x0=x0, end=end: x0 + wide * value / end
        up = lambda share, base=base: base + tall * share / 100
        for mark in marks:
            yield Text(across(mark), base - 12, f"{mark:,}", align="center", color=style.MUTED)
        yield Text(x0 + wide / 2, base - 31, name, align="center")
        if end == ends[0] and name == PLOTS[0]:  # block sizes come one by one
            for value, share in zip(values, shares, strict=True):
                if share:
                    yield Line(((across(value), up(0)), (across(value), up(share))), style.BLUE, 2.4)
        else:
            yield Line(_steps(values, shares, across, up), style.BLUE, 2.2)
        share = shares[np.searchsorted(values, chosen)] if chosen <= values[-1] else 0
        yield Marker(across(min(chosen, end)), up(share), "o", style.HAND, size=11)


def _steps(values, shares, across, up):
    """The corners of a step curve; the other points are left out."""
    turns = np.flatnonzero(np.diff(shares)) + 1
    points = [(across(values[0]), up(shares[0]))]
    for turn in turns:
        points += [(across(values[turn]), up(shares[turn - 1])), (across(values[turn]), up(shares[turn]))]
    return (*points, (across(values[-1]), up(shares[-1])))


def _describe(title, chip, result, kernel):
    is_alone = result.active_blocks == 1
    used = result.registers_per_block * result.active_blocks * 4 / 1024
    shared = result.shared_memory_per_block * result.active_blocks / 1024
    limits = (
        f"{name} {limit}" for factor, name in NAMES.items()
        if (limit := getattr(result.block_limits, factor)) != model.UNLIMITED
    )  # fmt: skip
    return (
        f"{title}. {result.active_blocks} block{'' if is_alone else 's'} of {kernel[0]} threads {'lives' if is_alone else 'live'} on the "
        f"multiprocessor, occupancy {100 * result.occupancy:.1f} %. Blocks that each resource alone allows: {', '.join(limits)}. "
        f"In use: {used:g} of {chip.registers_per_sm * 4 // 1024} KiB of registers, {shared:g} of "
        f"{chip.shared_memory_per_sm // 1024} KiB of shared memory."
    )
