"""Graph of the chapters' prerequisites, drawn from their goals files."""

from itertools import pairwise

from chip2cluster.draw import style, typesetting
from chip2cluster.draw.heading import ROOM, heading
from chip2cluster.draw.palette import BLUE, FAINT, GREY, HAIRLINE, INK, PAPER
from chip2cluster.draw.picture import of_shapes, two_widths
from chip2cluster.draw.pictures.multiprocessor import Box
from chip2cluster.draw.shapes import Inside, Line, Text

from . import goals, sections

WIDE, TALL, LANE, GAP = 122, 46, 14, 14  # px: width and height of a box, height of a line that passes a column, gap
EDGE, FOOT = 8, 40  # px: margin at the sides, height of the key
ROW = 30  # px: a chapter on a phone
SWEEPS = 12
STEPS = 16


def edges(parts=None):
    """Return the arrows to draw, as ``{(earlier, later): needed}``, without those that follow from others."""
    parts = parts or goals.parts()
    needed = {(one, topic): True for topic, part in parts.items() for one in part.needs}
    helpful = {(one, topic): False for topic, part in parts.items() for one in part.helps}
    every = helpful | needed
    return {edge: kind for edge, kind in every.items() if not _is_implied(edge, needed if kind else every)}


def _is_implied(edge, others):
    start, end = edge
    reached, open_ = set(), [late for early, late in others if early == start and late != end]
    while open_:
        here = open_.pop()
        reached.add(here)
        open_ += [late for early, late in others if early == here and late not in reached]
    return end in reached


def levels(drawn, topics):
    """Return the column of each chapter: to the right of all chapters with an arrow to it."""
    level = dict.fromkeys(topics, 0)
    for topic in topics:  # earlier ones come first
        level[topic] = max((level[early] + 1 for early, late in drawn if late == topic), default=0)
    return level


@two_widths
def prerequisites(parts=None, *, width=style.WIDTH):
    """Draw which chapter needs which.

    Returns
    -------
    Picture
        Columns from the left to the right; on a phone a list with arcs.
    """
    parts = parts or goals.parts()
    drawn = edges(parts)
    title, subtitle = _title(parts), "Needs that follow from others are left out."
    made, height = (_columns if width == style.WIDTH else _list)(drawn, list(parts))
    top = [Box(0, 0, width, height, PAPER, PAPER), *heading(title, subtitle, width, height)]
    return of_shapes([*top, *made], title, f"{title}. {_words(parts)}", width, height)


def _title(parts):
    needs = {topic: sum(topic in goals.before(other, parts) for other in parts) for topic in parts}
    most = max(needs, key=needs.get)
    free = sum(not count for count in needs.values())
    return f"{needs[most]} chapters need chapter {_number(most)}; {free} are needed by no other"


def _words(parts):
    said = []
    for topic, part in parts.items():
        needs, helps = (", ".join(_number(name) for name in names) for names in (part.needs, part.helps))
        words = [f"needs {needs}"] * bool(needs) + [f"is easier after {helps}"] * bool(helps)
        said.append(f"Chapter {_number(topic)}, {_name(topic)}, {' and '.join(words) or 'needs none'}.")
    return " ".join(said)


def _columns(drawn, topics):
    level = levels(drawn, topics)
    rows = _order_columns(drawn, level)
    count = len(rows)
    tallest = max(_column_height(row) for row in rows)
    height = tallest + FOOT + ROOM[style.WIDTH] + GAP
    step = (style.WIDTH - 2 * EDGE - WIDE) / (count - 1)
    middle = {}
    for row in rows:
        y = FOOT + tallest - (tallest - _column_height(row)) / 2
        for node in row:
            tall = _node_height(node)
            middle[node] = y - tall / 2
            y -= tall + GAP
    left = {node: EDGE + step * place for place, row in enumerate(rows) for node in row}
    shapes = []
    for (early, late), needed in drawn.items():
        way = [early, *((early, late, at) for at in range(level[early] + 1, level[late])), late]
        for here, there in pairwise(way):
            end = left[there] - (7 if there == late else 0)
            shapes += _curve((left[here] + WIDE, middle[here]), (end, middle[there]), needed)
            if there != late:
                shapes.append(_line(((left[there], middle[there]), (left[there] + WIDE, middle[there])), needed))
        shapes += _arrowhead(left[late], middle[late], needed)
    for topic in topics:
        shapes += _box(topic, left[topic], middle[topic])
    return [*shapes, *_key(14, style.WIDTH)], height


def _order_columns(drawn, level):
    """Order chapters, and placeholders where an arrow passes, within their columns so that few arrows cross."""
    rows = [[topic for topic, at in level.items() if at == place] for place in range(max(level.values()) + 1)]
    links = []
    for early, late in drawn:
        way = [early, *((early, late, at) for at in range(level[early] + 1, level[late])), late]
        for at, node in enumerate(way[1:-1], level[early] + 1):
            rows[at].append(node)
        links += pairwise(way)
    best = [list(row) for row in rows]
    for sweep in range(SWEEPS):
        order = range(1, len(rows)) if sweep % 2 == 0 else range(len(rows) - 2, -1, -1)
        for at in order:
            other = {node: place for place, node in enumerate(rows[at - 1 if sweep % 2 == 0 else at + 1])}
            rows[at] = sorted(rows[at], key=lambda node: _mean_position(node, links, other, rows[at].index(node)))
        if _crossings(rows, links) < _crossings(best, links):
            best = [list(row) for row in rows]
    return best


def _mean_position(node, links, places, now):
    near = [places[end] for link in links if node in link for end in link if end in places]
    return sum(near) / len(near) if near else now


def _crossings(rows, links):
    found = 0
    for row, behind in pairwise(rows):
        ends = [(row.index(one), behind.index(two)) for one, two in links if one in row and two in behind]
        found += sum((a - c) * (b - d) < 0 for place, (a, b) in enumerate(ends) for c, d in ends[:place])
    return found


def _node_height(node):
    return TALL if isinstance(node, str) else LANE


def _column_height(row):
    return sum(map(_node_height, row)) + GAP * (len(row) - 1)


def _list(drawn, topics):
    """Draw chapters in one column, with an arc at the left for each arrow."""
    height = ROW * len(topics) + FOOT + ROOM[style.NARROW]
    y = {topic: FOOT + ROW * (len(topics) - place - 0.5) for place, topic in enumerate(topics)}
    left, shapes = 118, []
    for (early, late), needed in sorted(drawn.items(), key=lambda item: y[item[0][0]] - y[item[0][1]]):
        reach = min(100, 14 + 0.27 * (y[early] - y[late]))
        low, high = y[late] + 3, y[early] - 3
        points = [(left - 7, high)]
        for step in range(1, STEPS):
            t = step / STEPS
            points.append((left - 7 - reach * 4 * t * (1 - t), high + (low - high) * (3 * t * t - 2 * t**3)))
        shapes.append(_line((*points, (left - 6, low)), needed))
        shapes += _arrowhead(left, low, needed)
    for topic in topics:
        shapes.append(Box(left, y[topic] - 12, style.NARROW - EDGE - left, 24, HAIRLINE, FAINT))
        shapes.append(Inside(left + 8, y[topic], f"{_number(topic)} · {_name(topic)}", color=INK))
    return [*shapes, *_key(14, style.NARROW)], height


def _box(topic, left, middle):
    lines = typesetting.lines(f"{_number(topic)} · {_name(topic)}", WIDE - 10)
    yield Box(left, middle - TALL / 2, WIDE, TALL, HAIRLINE, FAINT)
    for place, line in enumerate(lines):
        y = middle + 16 * ((len(lines) - 1) / 2 - place)
        yield Inside(left + WIDE / 2, y, line, color=INK, align="center")


def _curve(start, end, needed):
    (x1, y1), (x2, y2) = start, end
    points = []
    for step in range(STEPS + 1):
        t = step / STEPS
        points.append((x1 + (x2 - x1) * t, y1 + (y2 - y1) * (3 * t * t - 2 * t**3)))
    yield _line(tuple(points), needed)


def _line(points, needed):
    return Line(tuple(points), BLUE, 2) if needed else Line(tuple(points), GREY, 1.4, dash=(5, 4))


def _arrowhead(x, y, needed):
    yield Line(((x - 8, y + 4), (x - 2, y), (x - 8, y - 4)), BLUE if needed else GREY, 2 if needed else 1.4)


def _key(y, width):
    entries = (("needs", True), ("is easier after it", False))
    for (words, needed), (x, _) in zip(
        entries, typesetting.flow([words for words, _ in entries], EDGE, width, mark=36), strict=True
    ):
        yield _line(((x, y), (x + 24, y)), needed)
        yield from _arrowhead(x + 28, y, needed)
        yield Text(x + 34, y, words)


def _number(topic):
    return str(sections.chapter(topic).number)


def _name(topic):
    return sections.chapter(topic).name
