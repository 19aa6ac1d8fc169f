"""Layout of a striped file: its stripes, and the bytes on each target."""

from __future__ import annotations

from itertools import cycle
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from ...storage import ProgressiveLayout, StripeLayout
from .. import style, typesetting
from ..format import binary
from ..heading import ROOM, heading, opening
from ..palette import BLUES, GREY, HAIRLINE, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Line, Text
from .multiprocessor import Box
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import storage

FIELD = {style.WIDTH: (74, 584), style.NARROW: (70, 330)}  # px: left and right of file and bars
FILE = 282, 310  # px: lower and upper edge of the file
TARGETS = 62, 214  # px: floor and top of the bars
MOST_CUTS = {style.WIDTH: 24, style.NARROW: 8}  # stripes of a file that are drawn one by one
MOST_TARGETS = 256
_HUES = BLUES


@two_widths
def stripes(
    layout: storage.StripeLayout | storage.ProgressiveLayout,
    file_size: int,
    *,
    most: int | None = None,
    subtitle: str | None = None,
    width: int = style.WIDTH,
) -> Picture:
    """Draw a file on the targets of a file system.

    Parameters
    ----------
    layout : storage.StripeLayout or storage.ProgressiveLayout
        Layout of the file.
    file_size : int
        Bytes.
    most : int, optional
        Bytes where the axis of the targets ends; left out, what the fullest holds.
    subtitle : str
        Name of the file, a few words; by default how it is striped.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Above, the file: its first stripes with the numbers of their targets, or its components
        with the number of theirs. Below, the bytes on each target.

    Raises
    ------
    ValueError, TypeError
        For another layout, an empty file, more than 256 targets, and an axis that ends below
        what the fullest holds.

    Examples
    --------
    >>> stripes(StripeLayout(2**20, 4, first_ost=3, ost_count=8), 9 * 2**20).title
    '4 of 8 targets hold 9 MiB, the fullest 3 MiB'
    """
    if not isinstance(layout, (StripeLayout, ProgressiveLayout)):
        raise TypeError(f"layout must be a StripeLayout or a ProgressiveLayout, got {layout!r}")
    if file_size == 0:
        raise ValueError("file_size must be greater than zero, got 0")
    held = layout.bytes_per_target(file_size)
    if len(held) > MOST_TARGETS:
        raise ValueError(f"layout must have at most {MOST_TARGETS} targets, got {len(held)}")
    top = held.max() if most is None else most
    if top < held.max():
        raise ValueError(f"most must be at least the {held.max()} bytes of the fullest target, got {most}")
    used = int(np.count_nonzero(held))
    title = f"{used} of {len(held)} targets hold {binary(file_size)}, the fullest {binary(held.max())}"
    subtitle = _about(layout) if subtitle is None else subtitle
    height = FILE[1] + 36 + ROOM[width]
    one_by_one = _file_of_stripes if isinstance(layout, StripeLayout) else _file_of_parts
    shapes = [
        *heading(title, subtitle, width, height),
        *one_by_one(layout, file_size, width),
        *_bars(_parts(layout, file_size), held, top, FIELD[width]),
    ]
    held_bytes = ", ".join(f"target {number} {binary(held[number])}" for number in np.flatnonzero(held)[:12])
    description = f"{opening(title, subtitle)} {held_bytes}{', and so on' if used > 12 else ''}."
    return of_shapes(shapes, title, description, width, height)


def _parts(layout, size):
    """Color, or None for that of its target, and bytes on each target, of each part of the file."""
    if isinstance(layout, StripeLayout):
        return [(None, layout.bytes_per_target(size))]
    ends = [min(part.end or size, size) for part in layout.components]
    on = [layout.bytes_per_target(end) for end in (0, *ends)]
    return list(zip(cycle(_HUES), np.diff(on, axis=0)))


def _file_of_stripes(layout, size, width):
    """The first stripes, each with the number of its target."""
    (low, high), (left, right) = FILE, FIELD[width]
    number = ceil(size / layout.stripe_size)
    shown = min(number, MOST_CUTS[width])
    rest = f"{number - shown:,} more" if number > shown else ""
    wide = (right - left - (typesetting.text_size(rest, style.TEXT)[0] + 8 if rest else 0)) / max(shown, 4)
    yield Text(8, high + 20, "The file: the target of each stripe, in its shade", bold=True)
    pieces = layout.extents(0, min(size, shown * layout.stripe_size))
    for place, (_, length, stripe, ost, _) in enumerate(pieces):
        x, part = left + wide * place, max(wide * length / layout.stripe_size - 1, 1)
        yield Bar(x, low, part, high - low, _shade(ost))
        word = f"{ost}"
        if typesetting.text_size(word, style.TEXT)[0] + 2 < part:
            yield Inside(x + part / 2, (low + high) / 2, word, align="center")
        if stripe == layout.stripe_count - 1 and place + 1 < shown and number > layout.stripe_count > 1:
            yield Line(((x + wide - 0.5, low - 5), (x + wide - 0.5, high + 5)), GREY, 1.5)
    if rest:
        yield Text(right, (low + high) / 2, rest, align="right", color=MUTED)
    yield Text(left - 8, (low + high) / 2, "target", align="right", color=MUTED)


def _file_of_parts(layout, size, width):
    """The components that the file has reached, equally wide, with where they end."""
    (low, high), (left, right) = FILE, FIELD[width]
    reached = [use for use in layout.use(size) if use.instantiated]
    wide = (right - left) / len(reached)
    yield Text(8, high + 20, "The file: how many targets for each part", bold=True)
    for place, (hue, use) in enumerate(zip(cycle(_HUES), reached, strict=False)):
        x = left + wide * place
        yield Bar(x, low, wide - 2, high - low, hue)
        word = f"{use.stripe_count} target{'' if use.stripe_count == 1 else 's'}"
        if typesetting.text_size(word, style.TEXT)[0] + 6 > wide:
            word = f"{use.stripe_count}"
        yield Inside(x + wide / 2, (low + high) / 2, word, align="center")
        if place:
            yield Text(x, low - 14, binary(use.start), align="center", color=MUTED)
    yield Text(left, low - 14, "0", align="center", color=MUTED)
    yield Text(right, low - 14, binary(size), align="right", color=MUTED)


def _bars(parts, held, most, field):
    (low, high), (left, right) = TARGETS, field
    up = (high - low) / most
    wide = (right - left) / max(len(held), 6)
    yield Text(8, high + 24, "Bytes on each target", bold=True)
    for share in (0.5, 1):
        yield Line(((left, low + share * (high - low)), (right, low + share * (high - low))), HAIRLINE)
        yield Text(left - 8, low + share * (high - low), binary(share * most), align="right", color=MUTED)
    floors = np.zeros(len(held))
    gap = 0.1 * wide if wide > 12 else 0.0
    for hue, on in parts:
        for target in np.flatnonzero(on):
            x = left + wide * target
            yield Bar(x + gap / 2, low + up * floors[target], wide - gap, up * on[target], hue or _shade(target))
        floors = floors + on
    for target in np.flatnonzero(held == 0) if wide > 8 else ():
        yield Box(left + wide * target + gap / 2, low, wide - gap, 10, edge=GREY, dashed=True)
    yield Line(((left, low), (left + wide * len(held), low)), GREY)
    step = next(step for step in (1, 2, 4, 8, 16, 32) if wide * step >= 26)
    for number in range(0, len(held), step):
        yield Text(left + wide * (number + 0.5), low - 14, f"{number}", align="center", color=MUTED)
    yield Text((left + right) / 2, 18, "Target", align="center", color=MUTED)


def _shade(target):
    """Neighbours have other shades; a target has one, in the file and below."""
    return BLUES[target % len(BLUES)]


def _about(layout):
    if isinstance(layout, StripeLayout):
        count = layout.stripe_count
        return f"{binary(layout.stripe_size)} in turn on {count} target{'' if count == 1 else 's'}, from number {layout.first_ost} on"
    return "A progressive layout: more targets for what lies further back; nothing is ever moved"
