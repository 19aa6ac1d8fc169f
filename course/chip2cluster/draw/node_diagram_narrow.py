"""Inside of a node for narrow screens: a row for each accelerator, switches at the left, sockets at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import style
from .heading import ROOM, heading
from .palette import BLUES, COMMUNICATION, FAINT, GREY, HAIRLINE, INK, KINDS, MUTED, ON, TINT
from .pictures.multiprocessor import Box
from .shapes import Inside, Line, Marker, Shape, Text

if TYPE_CHECKING:
    from ..hierarchy import Node

FACES = {"switch": BLUES[1], "gpu": BLUES[2], "adapter": FAINT, "socket": TINT, "drive": HAIRLINE}
LETTERS = {face: ON if face in BLUES else INK for face in FACES.values()}
# Left edge and width of each column, px.
COLUMNS = {"switch": (6, 66), "gpu": (108, 52), "adapter": (180, 56), "socket": (264, 66)}
ROW, TALL, BORDER = 42, 36, 22  # px: a row, a part in it, the room between the two halves
FOOT = 172  # px below the last row


def shapes(
    node: Node, links_to: Sequence[int], said: Mapping[str, str], words: Mapping[str, Any], title: str, subtitle: str
) -> tuple[list[Shape], int]:
    """All shapes, and the height of the picture.

    ``said`` has the rates and ``words`` what stands in the parts, in words.
    """
    half = node.accelerators // node.sockets
    height = ROOM[style.NARROW] + node.accelerators * ROW + BORDER * (node.sockets - 1) + FOOT
    top = height - ROOM[style.NARROW]
    middles = [top - ROW * (place + 0.5) - BORDER * (place // half) for place in range(node.accelerators)]
    spread = (middles[0] - middles[-1]) / (len(links_to) - 1) * 0.62
    centre = (middles[0] + middles[-1]) / 2
    switches = [centre + spread * ((len(links_to) - 1) / 2 - place) for place in range(len(links_to))]
    drawn = heading(title, subtitle, style.NARROW, height)
    border = (middles[half - 1] + middles[half]) / 2
    drawn += [Line(((x, border), (x + 5, border)), GREY, 1.2) for x in range(86, 330, 10)]
    for y in middles:
        for other, number in zip(switches, links_to, strict=True):
            drawn.append(Line(((_right("switch"), other), (_left("gpu"), y)), COMMUNICATION, number / 4, 0.55))
        drawn += [
            Line(((_right("gpu"), y), (_left("adapter"), y)), KINDS[1], 3),
            Line(((_right("adapter"), y), (_left("socket"), y)), KINDS[1], 3),
            Line(((_right("adapter"), y - 11), (_right("adapter") + 9, y - 11)), COMMUNICATION, 2),
            Marker(_right("adapter") + 11, y - 11, "o", COMMUNICATION, size=9),
        ]
    for y in switches:
        drawn += _part("switch", y, 26, "NVSwitch")
    for place, y in enumerate(middles):
        drawn += [
            *_part("gpu", y, TALL, f"GPU {place}", words["gpu"]),
            *_part("adapter", y, TALL, "adapter", "+ switch"),
        ]
    sockets = []
    for socket in range(node.sockets):
        rows = middles[socket * half : (socket + 1) * half]
        tall = rows[0] - rows[-1] + TALL
        drawn += _part("socket", (rows[0] + rows[-1]) / 2, tall, f"Socket {socket}", *words["socket"])
        sockets.append((rows[0] + TALL / 2, rows[-1] - TALL / 2))
    x = _left("socket") + 33
    drawn.append(Line(((x, sockets[0][1]), (x, sockets[-1][0])), INK, 5))
    return drawn + _foot(sockets[-1][1], said, sum(links_to), words["drive"]), height


def _foot(floor, said, number, drive):
    """The drives below the sockets, and what the lines are."""
    x, y = _left("socket") + 33, floor - 34
    drawn = [
        Line(((x, floor), (x, y + 15)), GREY, 2),
        Line(((_right("socket"), floor + 200), (336, floor + 200), (336, y), (_right("socket"), y)), GREY, 2),
        Box(110, y - 15, _right("socket") - 110, 30, FACES["drive"], MUTED),
        Inside((110 + _right("socket")) / 2, y, drive, color=LETTERS[FACES["drive"]], align="center"),
    ]
    entries = (
        (COMMUNICATION, 2, f"{number} NVLinks from each GPU: {said['NVLink']}"),
        (KINDS[1], 3, f"PCIe 5 × 16: {said['PCIe']}"),
        (COMMUNICATION, 0, f"to other nodes: {said['network']} an adapter"),
        (INK, 5, "link between the sockets"),
        (GREY, 1.2, "border of NUMA nodes (broken line)"),
    )
    for place, (color, wide, line) in enumerate(entries):
        at = y - 38 - 20 * place
        drawn.append(Line(((8, at), (26, at)), color, wide) if wide else Marker(17, at, "o", color, size=9))
        drawn.append(Text(34, at, line))
    return drawn


def _left(kind):
    return COLUMNS[kind][0]


def _right(kind):
    return sum(COLUMNS[kind])


def _part(kind, middle, tall, *lines):
    left, wide = COLUMNS[kind]
    yield Box(left, middle - tall / 2, wide, tall, FACES[kind], MUTED)
    for place, line in enumerate(lines):
        y = middle + 16 * ((len(lines) - 1) / 2 - place)
        yield Inside(
            left + wide / 2, y, line, color=LETTERS[FACES[kind]], align="center", bold=not place and len(lines) > 1
        )
