"""Placement of pods: a column for each node, a cell for each GPU, and the switches above."""

from collections.abc import Iterable, Sequence

from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BLUE, FAINT, GREY, MUTED, ORANGE, PAPER, PLUM, TINT, VIOLET
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Line, Text
from .multiprocessor import Box

COLOURS = (BLUE, ORANGE, PLUM, VIOLET)
FLOOR, TREE = 58, 52  # px: below the cells (the node's number, the key), and for the switches above them
CELL = {4: 30, 8: 22}  # px: height of a cell, by how many a node has at most
MOST_NODES, MOST_GPUS = 12, 8
OTHERS = "."


@two_widths
def pod_placement(
    nodes: Sequence[Sequence[str]],
    leaves: Sequence[int],
    *,
    title: str,
    waiting: Iterable[str] = (),
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw who holds which GPU.

    Parameters
    ----------
    nodes : sequence of sequence of str
        GPUs of each node: ``""`` free, ``"."`` held by others, else a pod such as ``"A2"``, whose first letter is its
        job: A to D.
    leaves : sequence of int
        Number of nodes at each leaf switch, in order.
    title : str
        The finding.
    waiting : iterable of str
        Letters of jobs that hold GPUs and cannot begin.
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
    ValueError
        For no node or more than 12, more than 8 GPUs in one, leaves that don't add up to the nodes, and another job.

    Examples
    --------
    >>> pod_placement([["A1", "."], ["", ""]], [2], title="One GPU is enough").description
    'One GPU is enough. Node 1: A1, 1 by others. Node 2: 2 free.'
    """
    most = max(map(len, nodes), default=0)
    if not 1 <= len(nodes) <= MOST_NODES or not 1 <= most <= MOST_GPUS:
        raise ValueError(
            f"a picture has 1 to {MOST_NODES} nodes of 1 to {MOST_GPUS} GPUs, got {len(nodes)} of at most {most}"
        )
    if sum(leaves) != len(nodes) or min(leaves) < 1:
        raise ValueError(f"leaves must add up to the {len(nodes)} nodes, got {list(leaves)}")
    letters = sorted({pod[0] for gpus in nodes for pod in gpus if pod not in ("", OTHERS)})
    if wrong := [letter for letter in letters if letter not in "ABCD"]:
        raise ValueError(f"jobs must be A to D, got {wrong[0]!r}")
    cell = next(height for many, height in CELL.items() if most <= many)
    rows = _key_rows(letters, waiting, width)
    floor = FLOOR + 20 * max(row for _, (_, row) in rows)
    height = floor + cell * most + TREE + ROOM[width]
    wide = (width - 16) / len(nodes)
    waits = set(waiting)
    shapes = [*heading(title, subtitle, width, height), *_switches(leaves, wide, floor + cell * most)]
    for number, gpus in enumerate(nodes):
        x = 8 + wide * number
        shapes.append(Text(x + wide / 2, floor - 14, f"{number + 1}", align="center", color=MUTED))
        for place, pod in enumerate(gpus):
            shapes += _cell(x + 2, floor + cell * place + 1, wide - 4, cell - 2, pod, waits)
    shapes += _key(rows, waits)
    return of_shapes(shapes, title, f"{title}. {_described(nodes)}", width, height)


def _cell(x, y, wide, tall, pod, waits):
    if pod in ("", OTHERS):
        yield Box(x, y, wide, tall, FAINT if pod else PAPER, GREY, dashed=not pod)
        return
    color, holds = COLOURS["ABCD".index(pod[0])], pod[0] in waits
    yield Box(x, y, wide, tall, TINT if holds else color, color, line=2 if holds else 1, dashed=holds)
    if typesetting.text_size(pod, style.TEXT)[0] + 4 <= wide:
        yield (Text if holds else Inside)(x + wide / 2, y + tall / 2, pod, align="center")


def _switches(leaves, wide, top):
    """A bar above the nodes of each leaf, and one above all of them."""
    first, middles = 0, []
    for number, many in enumerate(leaves, 1):
        left, right = 13 + wide * first, 3 + wide * (first + many)
        first += many
        middles.append((left + right) / 2)
        yield Line(((left, top + 8), (right, top + 8)), GREY, 4)
        name = f"leaf {number}" if right - left > 40 else f"{number}"
        yield Text(middles[-1] + 4, top + 20, name, color=MUTED)
    if len(leaves) > 1:
        for x in middles:
            yield Line(((x, top + 10), (x, top + 36)), GREY)
        yield Line(((middles[0], top + 36), (middles[-1], top + 36)), GREY, 4)


def _key_rows(letters, waiting, width):
    kinds = ["", OTHERS, *letters]
    words = ["free", "others", *(f"job {one}{', waits' if one in waiting else ''}" for one in letters)]
    return list(zip(zip(kinds, words, strict=True), typesetting.flow(words, 8, width - 8, mark=24), strict=True))


def _key(rows, waits):
    lowest = max(row for _, (_, row) in rows)
    for (kind, word), (x, row) in rows:
        y = 8 + 20 * (lowest - row)
        yield from _cell(x, y, 18, 12, kind, waits)
        yield Text(x + 24, y + 6, word)


def _described(nodes):
    told = []
    for number, gpus in enumerate(nodes, 1):
        parts = list(dict.fromkeys(pod for pod in gpus if pod not in ("", OTHERS)))
        parts += [f"{gpus.count(kind)} {word}" for kind, word in ((OTHERS, "by others"), ("", "free")) if kind in gpus]
        told.append(f"Node {number}: {', '.join(parts)}.")
    return " ".join(told)
