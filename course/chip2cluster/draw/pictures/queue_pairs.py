"""Two programs and their NICs: path of a work request from the send queue to the completion."""

from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BLUE, COMMUNICATION, GREY, HAIRLINE, MUTED, ORANGE, PAPER
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text, arrow
from .waterfall import Bar

# Place and width of each queue, px; the bytes pass between the pair and the completions.
QUEUES = ((8, 60, "send", COMMUNICATION), (72, 64, "receive", COMMUNICATION), (150, 84, "completion", GREY))
BREADTH, TALL = 240, 312  # px of a node
ADAPTER, WIRE = 50, 24  # px from the foot of a node: the upper edge of its adapter, and the wire
BELOW = 44  # px between two nodes, one below the other
STEPS = (
    "1: both sides register memory and post: a receive at the far side, then a send at the near one",
    "2: the doorbell, one store into the adapter, says that there is work.  3: the adapter fetches the bytes",
    "5: the far adapter puts them into the buffer of the oldest receive.  6: both poll their completions",
)


@two_widths
def queue_pairs(width: int = style.WIDTH) -> Picture:
    """Draw a queue pair at either end of a wire: memory, queues, doorbell, adapter, completion.

    Parameters
    ----------
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

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
    lines = [line for words in STEPS for line in typesetting.lines(words, width - 14)]
    beside = width == style.WIDTH
    foot = 18 + 19 * len(lines)
    height = ROOM[width] + TALL + (0 if beside else TALL + BELOW) + foot + 8
    near, far = ((8, foot), (352, foot)) if beside else ((8, foot + TALL + BELOW), (8, foot))
    subtitle = "One send, step by step; the operating system takes no part in it"
    shapes = [Bar(0, 0, width, height, PAPER), *heading("A queue pair at either end", subtitle, width, height)]
    shapes += [*_node(*near, "near node"), *_node(*far, "far node"), *_near(*near), *_far(*far)]
    shapes += _wire(near, far, beside)
    shapes += [Text(8, foot - 19 * (line + 1), words) for line, words in enumerate(lines)]
    description = (
        f"{title}. In each node a program's registered memory, a send queue and a receive queue, which are the queue pair, a "
        "completion queue, and below them the adapter. At the near node a work request stands in the send queue; a doorbell "
        "tells the adapter, which fetches the bytes from memory and sends packets over the wire. At the far node the adapter "
        "takes the oldest receive from the receive queue and puts the bytes into its buffer. Each adapter then writes into "
        "its node's completion queue, which the program polls."
    )
    return of_shapes(shapes, title, description, width, height)


def _wire(near, far, beside):
    """From the near adapter to the far one; on a phone the far node is below."""
    if beside:
        start, end = (near[0] + BREADTH, near[1] + WIRE), (far[0], far[1] + WIRE)
        yield from arrow(start, end, COMMUNICATION)
        middle = (start[0] + end[0]) / 2
        yield Text(middle, end[1] + 14, "4: packets", align="center", bold=True)
        yield Text(middle, end[1] - 16, "acknowledged", align="center", color=MUTED)
        return
    edge = near[0] + BREADTH
    yield Line(((edge, near[1] + WIRE), (edge + 14, near[1] + WIRE), (edge + 14, far[1] + WIRE)), COMMUNICATION, 2)
    yield from arrow((edge + 14, far[1] + WIRE), (edge, far[1] + WIRE), COMMUNICATION)
    yield Text(edge + 22, near[1] - 12, "4: packets", bold=True)
    yield Text(edge + 8, near[1] - 32, "acknowledged", color=MUTED, align="right")


def _node(x, y, name):
    yield _frame(x, y, BREADTH, TALL, GREY)
    yield Text(x + 10, y + TALL - 16, name, bold=True)
    yield Bar(x + 1, y + 1, BREADTH - 2, ADAPTER - 1, HAIRLINE)
    yield Text(x + BREADTH / 2, y + WIRE, "adapter", align="center", bold=True)


def _box(x, y, width, height, words, color=GREY):
    yield Bar(x, y, width, height, PAPER)
    yield _frame(x, y, width, height, color)
    for line, text in enumerate(words):
        middle = y + height / 2 + 8.5 * (len(words) - 1) - 17 * line
        yield Text(x + width / 2, middle, text, align="center")


def _queues(x, y, memory):
    yield from _box(x + 10, y + 222, 220, 50, memory, BLUE)
    for left, width, first, color in QUEUES:
        yield from _box(x + left, y + 112, width, 66, (first, "queue"), color)
    yield Text(x + 10, y + 191, "the queue pair", bold=True)


def _near(x, y):
    yield from _queues(x, y, ("registered memory, L_Key", "“gradients”"))
    yield from arrow((x + 30, y + 112), (x + 30, y + ADAPTER), ORANGE)
    yield Text(x + 36, y + 84, "2: doorbell")
    yield from arrow((x + 143, y + 222), (x + 143, y + ADAPTER), BLUE)
    yield Text(x + 137, y + 66, "3: bytes", align="right")
    yield from arrow((x + 215, y + ADAPTER), (x + 215, y + 112), ORANGE)
    yield Text(x + 208, y + 70, "6: done", align="right")
    yield Text(x + 90, y + TALL - 16, "1: post a send", color=MUTED)


def _far(x, y):
    yield from _queues(x, y, ("registered memory, R_Key", "a buffer"))
    yield from arrow((x + 104, y + ADAPTER), (x + 104, y + 112), BLUE)
    yield from arrow((x + 104, y + 178), (x + 104, y + 222), BLUE)
    yield Text(x + 98, y + 84, "5: oldest first", align="right")
    yield from arrow((x + 215, y + ADAPTER), (x + 215, y + 112), ORANGE)
    yield Text(x + 208, y + 70, "6: done", align="right")
    yield Text(x + 80, y + TALL - 16, "1: post a receive", color=MUTED)


def _frame(x, y, width, height, color):
    return Line(((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)), color, 1.5)
