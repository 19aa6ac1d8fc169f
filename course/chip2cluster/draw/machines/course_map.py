"""Map of the course: a chip, a node, a rack and a cluster, each inside the next, with the chapters as doors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import style, typesetting
from ..palette import BLUE, INK, MUTED
from ..picture import Picture, two_widths
from ..shapes import Inside
from .sheet import Sheet

STAGES = ("chip", "node", "rack", "cluster")
WHOLE = "all"  # the place of a chapter that goes through all stages
Box = tuple[float, float, float, float]  # left, top, width, height, px
ROOM, DOOR, GAP = 128, 36, 6  # px: height of a stage's drawing with its name, height of a door, distance of two
COLUMN = {style.WIDTH: 140, style.NARROW: 112}  # px: width of a stage's drawing


@dataclass(frozen=True)
class Door:
    """A chapter on the map.

    Attributes
    ----------
    number : int
        Number of the chapter.
    name : str
        Its name, a few words.
    place : str
        One of `STAGES`, or ``"all"`` for a chapter that goes through all of them.
    done : float
        Fraction of its exercises that is solved, 0 to 1.
    """

    number: int
    name: str
    place: str
    done: float = 0.0


def places(doors: Sequence[Door], width: int = style.WIDTH) -> tuple[list[Box], list[float], float]:
    """Return the boxes of the doors, the tops of the stages, and the height of all, in px from the top of the drawing.

    Chapters of all stages lie across the whole width, those before the first stage's above and the others below.
    """
    first = min((door.number for door in doors if door.place != WHOLE), default=0)
    above = [door for door in doors if door.place == WHOLE and door.number < first]
    boxes: dict[int, Box] = {}
    is_wide = width == style.WIDTH
    y = float(ROOM if is_wide else 0)
    for door in above:
        boxes[door.number] = (8, y, width - 16, DOOR)
        y += DOOR + GAP
    tops, ends = [], [y]
    for place, stage in enumerate(STAGES):
        inside = [door for door in doors if door.place == stage]
        x, wide = (8 + place * 148, 140) if is_wide else (132, width - 140)
        start = y if is_wide else max(y, *ends) + (4 if is_wide or place == 0 else 12)
        tops.append(0.0 if is_wide else start)
        top = start
        for door in inside:
            boxes[door.number] = (x, top, wide, DOOR)
            top += DOOR + GAP
        ends.append(top if is_wide else max(top, start + ROOM))
    y = max(ends)
    for door in doors:
        if door.number not in boxes:
            boxes[door.number] = (8, y, width - 16, DOOR)
            y += DOOR + GAP
    return [boxes[door.number] for door in doors], tops, y


@two_widths
def course_map(doors: Sequence[Door], *, width: int = style.WIDTH) -> Picture:
    """Draw the map of the course.

    Parameters
    ----------
    doors : sequence of Door
        The chapters, in order.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text. `places` says where the doors are.

    Raises
    ------
    ValueError
        If a door is at no stage, its fraction is no fraction, or there is no door.

    Examples
    --------
    >>> course_map([Door(1, "Roofline", "chip"), Door(2, "Links", "node")]).title
    '2 chapters, from a chip to a cluster'
    """
    for door in doors:
        if door.place not in (*STAGES, WHOLE):
            raise ValueError(f"place must be one of {', '.join(map(repr, (*STAGES, WHOLE)))}, got {door.place!r}")
        if not 0 <= door.done <= 1:
            raise ValueError(f"done must be from 0 to 1, got {door.done!r}")
    if not doors:
        raise ValueError("the map needs a chapter")
    boxes, tops, height = places(doors, width)
    title = f"{len(doors)} chapters, from a chip to a cluster"
    begun = any(door.done for door in doors)
    subtitle = "Blue: the exercises that you have solved." if begun else "Each machine is a part of the next one."
    sheet = Sheet(title, subtitle, width, height + 4)
    _machines(sheet, tops)
    for door, box in zip(doors, boxes, strict=True):
        _door(sheet, door, box)
    listed = [
        f"{stage}: {', '.join(f'{door.number} {door.name}' for door in doors if door.place == stage)}"
        for stage in STAGES
        if any(door.place == stage for door in doors)
    ]
    across = [f"{door.number} {door.name}" for door in doors if door.place == WHOLE]
    done = [f"{door.number}: {100 * door.done:.0f} %" for door in doors if door.done]
    return sheet.picture(
        f"Four drawings: a chip, which is one GPU of a node, which is one tray of a rack, which is one rack of a cluster. {'. '.join(listed)}."
        + (f" Through all of them: {', '.join(across)}." if across else "")
        + (f" Exercises solved in {', '.join(done)}." if done else "")
    )


def _door(sheet, door, box):
    """Draw a chapter's box: its number, its name in one or two lines, and what is solved."""
    x, y, wide, tall = box
    y += sheet.top
    sheet.part(x, y, wide, tall, "ground", radius=5)
    if door.done:
        sheet.part(x + 1, y + tall - 6, (wide - 2) * door.done, 5, "lit", radius=2)
    middle = sheet.height - (y + tall / 2 - (2 if door.done else 0))
    lines = typesetting.lines(door.name, wide - 38)[:2]
    for place, line in enumerate(lines):
        sheet.shapes.append(Inside(x + 31, middle - 15 * (place - (len(lines) - 1) / 2), line, color=INK))
    sheet.shapes.append(Inside(x + 25, middle, str(door.number), color=INK, align="right", bold=True))


def _machines(sheet, tops):
    """Draw the four machines, and from each the lines to its place in the next one."""
    is_wide = sheet.width == style.WIDTH
    frames, inside = [], []
    for place, (draw, top) in enumerate(zip((_chip, _node, _rack, _cluster), tops, strict=True)):
        x = 8 + 148 * place if is_wide else 8
        frame, part = draw(sheet, x + COLUMN[sheet.width] / 2, sheet.top + top + 2)
        frames.append(frame)
        inside.append(part)
        sheet.words(x + COLUMN[sheet.width] / 2, sheet.top + top + ROOM - 14, STAGES[place], align="center", bold=True)
    for frame, part in zip(frames, inside[1:], strict=False):
        (x, y, wide, tall), (end_x, end_y, _, part_tall) = frame, part
        if is_wide:
            sheet.line((x + wide, y), (end_x, end_y), color=BLUE, width=1, alpha=0.7)
            sheet.line((x + wide, y + tall), (end_x, end_y + part_tall), color=BLUE, width=1, alpha=0.7)


def _chip(sheet, x, y):
    """Draw a die with SMs between memory stacks; return its frame twice."""
    frame = (x - 46, y + 8, 92, 92)
    sheet.frame(*frame, radius=5)
    for side in (x - 41, x + 27):
        for place in range(3):
            sheet.part(side, y + 14 + 28 * place, 14, 24, "memory", radius=2)
    sheet.part(x - 23, y + 13, 46, 82, "ground", radius=2)
    for row in range(8):
        for column in range(6):
            sheet.part(x - 20 + 6.9 * column, y + 16 + 9.6 * row, 5.6, 8, "compute", radius=1)
    return frame, frame


def _node(sheet, x, y):
    """Draw a node of eight GPUs below four switches; return its frame and the first GPU."""
    frame = (x - 55, y + 8, 110, 92)
    sheet.frame(*frame, radius=5)
    spots = [(x - 48 + 25 * (place % 4), y + 42 + 28 * (place // 4)) for place in range(8)]
    for left, top in spots[:4]:
        for other in range(4):
            sheet.line((left + 10, top), (x - 38 + 25 * other, y + 26), width=0.6, alpha=0.6)
    for place in range(4):
        sheet.part(x - 48 + 25 * place, y + 16, 20, 10, "switch", radius=2)
    for place, (left, top) in enumerate(spots):
        sheet.part(left, top, 20, 22, "lit" if place == 0 else "compute", radius=2)
    return frame, (*spots[0], 20, 22)


def _rack(sheet, x, y):
    """Draw a rack of 27 trays; return its frame and the first tray."""
    frame = (x - 32, y + 4, 64, 100)
    sheet.frame(*frame, radius=4)
    for place in range(27):
        kind = "switch" if 10 <= place < 19 else "lit" if place == 4 else "compute"
        sheet.part(x - 28, y + 8 + 3.45 * place, 56, 2.6, kind, radius=0.8)
    return frame, (x - 28, y + 8 + 3.45 * 4, 56, 2.6)


def _cluster(sheet, x, y):
    """Draw a row of racks below spine switches; return its frame and the first rack."""
    frame = (x - 57, y + 8, 114, 92)
    racks = [x - 55 + 18.8 * place for place in range(6)]
    for spine in range(3):
        for left in racks:
            sheet.line((left + 8, y + 50), (x - 36 + 36 * spine, y + 20), color=MUTED, width=0.6, alpha=0.7)
    for spine in range(3):
        sheet.part(x - 48 + 36 * spine, y + 10, 24, 11, "switch", radius=2)
    for place, left in enumerate(racks):
        sheet.part(left, y + 48, 16, 52, "lit" if place == 0 else "compute", radius=2)
        for tray in range(1, 9):
            at = y + 48 + 5.7 * tray
            sheet.line((left + 2, at), (left + 14, at), color=MUTED, width=0.7, alpha=0.7)
    return frame, (racks[0], y + 48, 16, 52)
