"""Useful share against the size of a matrix: one line for each chip, with a cliff behind each of its tiles."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter

from .. import labels, style
from ..palette import ACCENT, BLUE, INK, MUTED, ORANGE, PAPER
from ..picture import Picture, compose, inner_svg, layers
from ..shapes import Line, Marker, Text

AXES = (56, 46, style.WIDTH - 16, style.HEIGHT - 104)  # px: left, bottom, right, top
LOOKS = ((BLUE, "s", 5), (ORANGE, "D", 2))  # colour, mark, width: where the lines are one, both are seen


@dataclass(frozen=True)
class Steps:
    """A chip: its name, ``share(sizes)`` from 0 to 1 for an array of sizes, and whether the share is only a bound."""

    name: str
    share: object
    bound: bool = False


def cliffs(chips, size, largest, *, axis, title, subtitle="", description=""):
    """Draw the useful share of one or two chips against the size of a matrix.

    Parameters
    ----------
    chips : sequence of Steps
        One or two; where ``bound`` is true the mark is hollow.
    size : int
        Where the reader stands.
    largest : int
        The last size shown.
    axis : str
        What the size is.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        For no chips, or more than two, or a size that is not shown.
    """
    chips = tuple(chips)
    if not 1 <= len(chips) <= len(LOOKS):
        raise ValueError(f"a picture of cliffs shows one or two chips, got {len(chips)}")
    if not 1 <= size <= largest:
        raise ValueError(f"size must lie in 1 to {largest}, got {size}")
    back = _back(largest, axis)
    x = AXES[0] + (AXES[2] - AXES[0]) * size / largest
    shapes = [
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=MUTED),
        Line(((x, AXES[1]), (x, AXES[3])), ACCENT, width=1.5, alpha=0.7),
        *_names(chips),
    ]
    sizes = np.arange(1, largest + 1)
    for chip, (colour, _, width) in zip(chips, LOOKS, strict=False):
        places = zip(*_pixel(sizes, chip.share(sizes), largest), strict=True)
        shapes.append(Line(tuple((float(a), float(b)) for a, b in places), colour, width=width))
    # Hollow marks are larger and lie behind the others, so that two at one place are both seen.
    for chip, (colour, marker, _) in sorted(zip(chips, LOOKS, strict=False), key=lambda pair: not pair[0].bound):
        _, y = _pixel(size, float(chip.share(np.array([size]))[0]), largest)
        shapes.append(_mark(x, float(y), marker, colour, chip.bound, 17 if chip.bound else 11))

    def figure():
        whole = _axes(largest, axis)
        for shape in shapes:
            shape.join(whole)
        return whole

    svg = compose(back, shapes, title, description)
    return Picture(svg, title, description or title, figure=figure, layers=layers(back, shapes))


def _pixel(size, share, largest):
    """Data to pixels from the lower left corner."""
    x = AXES[0] + (AXES[2] - AXES[0]) * np.asarray(size) / largest
    return x, AXES[1] + (AXES[3] - AXES[1]) * np.asarray(share)


def _names(chips):
    """A row of names above the axes, each behind its mark."""
    x, y = AXES[0] + 8.0, AXES[3] + 34
    for chip, (colour, marker, _) in zip(chips, LOOKS, strict=False):
        name = chip.name + (" (hollow: at most)" if chip.bound else "")
        yield _mark(x, y, marker, colour, chip.bound, 11)
        yield Text(x + 12, y, name, color=INK)
        x += labels.text_size(name, style.TEXT)[0] + 44


def _mark(x, y, marker, colour, hollow, size):
    return Marker(x, y, marker, PAPER if hollow else colour, edge=colour, size=size)


@lru_cache(maxsize=8)
def _back(largest, axis):
    with style.applied():
        return inner_svg(_axes(largest, axis))


def _axes(largest, axis):
    figure = style.figure()
    left, bottom, right, top = AXES
    box = left / style.WIDTH, bottom / style.HEIGHT, (right - left) / style.WIDTH, (top - bottom) / style.HEIGHT
    axes = figure.add_axes(box)
    axes.set(xlim=(0, largest), ylim=(0, 1), xlabel=axis)
    axes.xaxis.set_major_locator(FixedLocator(np.arange(0, largest + 1, 128)))
    axes.yaxis.set_major_locator(FixedLocator(np.arange(0, 1.01, 0.25)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.text(8, top + 14, "Useful", color=MUTED, transform=style.pixels(figure))
    return figure
