"""Two programs and their adapters: what a work request passes, from the send queue to the completion."""

from .. import style
from ..palette import ACCENT, BLUE, GREY, HAIRLINE, MUTED, ORANGE, PAPER
from ..picture import Picture, compose
from ..shapes import Line, Text
from .waterfall import Bar

HEIGHT = 440
# Place and width of each queue, px; the bytes pass between the pair and the completions.
QUEUES = ((8, 60, "send", ACCENT), (72, 64, "receive", ACCENT), (150, 84, "completion", GREY))
SIDES = (8, 352)  # px: the left edges of the two nodes
BREADTH = 240  # px of a node
ADAPTER, WIRE = 118, 92  # px: the upper edge of the adapters, and the wire


def queue_pairs():
    """Draw a queue pair at either end of a wire: memory, queues, doorbell, adapter, completion.

    Returns
    -------
    Picture
        The numbers are the steps of a send, in their order.

    Examples
    --------
    >>> queue_pairs().title
    'A queue pair at either end; the program never waits for the system'
    """
    title = "A queue pair at either end; the program never waits for the system"
    shapes = [
        Bar(0, 0, style.WIDTH, HEIGHT, PAPER),
        Text(8, HEIGHT - 20, "A queue pair at either end", size=style.TITLE, bold=True),
        Text(8, HEIGHT - 43, "One send, step by step; the operating system takes no part in it", color=MUTED),
    ]
    for place, name in zip(SIDES, ("near node", "far node"), strict=True):
        shapes += _node(place, name)
    shapes += _near(SIDES[0])
    shapes += _far(SIDES[1])
    shapes += _arrow((SIDES[0] + BREADTH, WIRE), (SIDES[1], WIRE), ACCENT)
    shapes.append(Text(300, WIRE + 14, "4: packets", align="center", bold=True))
    shapes.append(Text(300, WIRE - 16, "acknowledged", align="center", color=MUTED))
    for line, words in enumerate(
        (
            "1: both sides register memory and post: a receive at the far side, then a send at the near one",
            "2: the doorbell, one store into the adapter, says that there is work.  3: the adapter fetches the bytes",
            "5: the far adapter puts them into the buffer of the oldest receive.  6: both poll their completions",
        )
    ):
        shapes.append(Text(8, 50 - 19 * line, words))
    description = (
        f"{title}. In each node a program's registered memory, a send queue and a receive queue, which are the queue pair, a "
        "completion queue, and below them the adapter. At the near node a work request stands in the send queue; a doorbell "
        "tells the adapter, which fetches the bytes from memory and sends packets over the wire. At the far node the adapter "
        "takes the oldest receive from the receive queue and puts the bytes into its buffer. Each adapter then writes into "
        "its node's completion queue, which the program polls."
    )

    def figure():
        whole = style.figure(height=HEIGHT)
        for shape in shapes:
            shape.join(whole)
        return whole

    return Picture(
        compose("", shapes, title, description, height=HEIGHT), title, description, height=HEIGHT, figure=figure
    )


def _node(x, name):
    yield _frame(x, WIRE - 24, BREADTH, HEIGHT - 60 - (WIRE - 24), GREY)
    yield Text(x + 10, HEIGHT - 76, name, bold=True)
    yield Bar(x + 1, WIRE - 23, BREADTH - 2, ADAPTER - WIRE + 23, HAIRLINE)
    yield Text(x + BREADTH / 2, WIRE, "adapter", align="center", bold=True)


def _box(x, y, width, height, words, color=GREY):
    yield Bar(x, y, width, height, PAPER)
    yield _frame(x, y, width, height, color)
    for line, text in enumerate(words):
        middle = y + height / 2 + 8.5 * (len(words) - 1) - 17 * line
        yield Text(x + width / 2, middle, text, align="center")


def _queues(x, memory):
    yield from _box(x + 10, 290, 220, 50, memory, BLUE)
    for left, width, first, color in QUEUES:
        yield from _box(x + left, 180, width, 66, (first, "queue"), color)
    yield Text(x + 10, 259, "the queue pair", color=ACCENT)


def _near(x):
    yield from _queues(x, ("registered memory, L_Key", "“gradients”"))
    yield from _arrow((x + 30, 180), (x + 30, ADAPTER), ORANGE)
    yield Text(x + 36, 152, "2: doorbell")
    yield from _arrow((x + 143, 290), (x + 143, ADAPTER), BLUE)
    yield Text(x + 137, 134, "3: bytes", align="right")
    yield from _arrow((x + 215, ADAPTER), (x + 215, 180), ORANGE)
    yield Text(x + 208, 138, "6: done", align="right")
    yield Text(x + 90, HEIGHT - 76, "1: post a send", color=MUTED)


def _far(x):
    yield from _queues(x, ("registered memory, R_Key", "a buffer"))
    yield from _arrow((x + 104, ADAPTER), (x + 104, 180), BLUE)
    yield from _arrow((x + 104, 246), (x + 104, 290), BLUE)
    yield Text(x + 98, 152, "5: oldest first", align="right")
    yield from _arrow((x + 215, ADAPTER), (x + 215, 180), ORANGE)
    yield Text(x + 208, 138, "6: done", align="right")
    yield Text(x + 80, HEIGHT - 76, "1: post a receive", color=MUTED)


def _frame(x, y, width, height, color):
    return Line(((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)), color, 1.5)


def _arrow(start, end, color):
    (x1, y1), (x2, y2) = start, end
    dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
    yield Line((start, end), color, 2)
    yield Line(
        ((x2 - 6 * dx - 4 * dy, y2 - 6 * dy - 4 * dx), (x2, y2), (x2 - 6 * dx + 4 * dy, y2 - 6 * dy + 4 * dx)), color, 2
    )
