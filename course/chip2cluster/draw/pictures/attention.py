"""One token that meets a KV cache: a query, keys, scores, shares, values, a result."""

from ... import roofline
from .. import style
from ..palette import BLUE, BLUES, GREY, INK, MUTED, ON, ORANGE
from ..picture import Picture, compose
from ..shapes import Inside, Line, Text
from .warp_timeline import Boxes

MOST_TOKENS, MOST_WIDTH = 6, 2
KEYS, SCORE, SHARE, VALUES = 106, 268, 300, 440  # px from the left: where the columns begin; a score ends there
CELL, ROW, TALL = 46, 36, 28  # px: a number's width, the distance of rows, a number's height
LONGEST = 78  # px: the bar of a share of 1
HEAD = 86  # px from the top: the middle of the query


def attention(query, keys, values):
    """Draw attention of one new token in one head over the tokens in its cache.

    Parameters
    ----------
    query : array of shape (width,)
        of the new token; up to 2 numbers.
    keys, values : array of shape (tokens, width)
        The cache; up to 6 tokens.

    Returns
    -------
    Picture
        Its title states how many numbers are read, and what is done with each.

    Raises
    ------
    ValueError
        For more tokens or numbers than fit, and as `roofline.attend`.

    Examples
    --------
    >>> attention([1, 0], [[0, 1], [0, 0]], [[4, 0], [0, 8]]).title
    'One token reads the whole cache: 8 numbers, 2 FLOP with each'
    """
    done = roofline.attend(query, keys, values)
    tokens, width = len(done.shares), len(done.result)
    if tokens > MOST_TOKENS or width > MOST_WIDTH:
        raise ValueError(f"up to {MOST_TOKENS} tokens of {MOST_WIDTH} numbers fit, got {tokens} of {width}")
    height = HEAD + 62 + ROW * (tokens + 1) + 10
    counted = roofline.attention_decode(tokens, heads=1, head_dim=width)
    cached = 2 * tokens * width
    title = f"One token reads the whole cache: {cached} numbers, {counted.flops / cached:g} FLOP with each"
    rows = [height - (HEAD + 62 + ROW * place) for place in range(tokens)]
    foot, top = rows[-1] - ROW - 8, height - HEAD
    drawn = [Boxes(((0, 0, style.WIDTH, height),), style.PAPER)]
    drawn += _cells(query, KEYS, top, BLUES[1])
    for words, x, align in (("key", KEYS, "left"), ("score", SCORE, "right"), ("share", SHARE, "left"), ("value", VALUES, "left")):  # fmt: skip
        drawn.append(Text(x, rows[0] + 27, words, color=MUTED, align=align))
    drawn += [
        Text(8, top, "new token", color=INK, bold=True),
        Text(KEYS + CELL * width + 10, top, "its query meets every key: multiply, add up", color=MUTED),
        Text(8, rows[0] + 27, "the cache", bold=True),
    ]
    for place, y in enumerate(rows):
        drawn.append(Text(8, y, f"token {place + 1}"))
        drawn += _cells(keys[place], KEYS, y, BLUE)
        drawn.append(Text(SCORE, y, _written(done.scores[place]), align="right"))
        drawn.append(Boxes(((SHARE, y - 9, LONGEST * float(done.shares[place]), 18),), GREY))
        drawn.append(Text(SHARE + LONGEST * float(done.shares[place]) + 5, y, f"{done.shares[place]:.2f}"))
        drawn += _cells(values[place], VALUES, y, ORANGE)
    drawn.append(Line(((VALUES, foot + 22), (VALUES + CELL * width - 4, foot + 22)), INK))
    drawn.append(Text(VALUES - 10, foot, "each value times its share, added up:", color=MUTED, align="right"))
    drawn += _cells(done.result, VALUES, foot, BLUES[1])
    drawn += [
        Text(8, height - 20, title, size=style.TITLE, bold=True),
        Text(
            8,
            height - 44,
            f"one head; {tokens} tokens in the cache, {width} numbers in each key and value",
            color=MUTED,
        ),
    ]

    def figure():
        whole = style.figure(style.WIDTH, height)
        for shape in drawn:
            shape.join(whole)
        return whole

    description = _described(query, keys, values, done, title)
    return Picture(
        compose("", drawn, title, description, height=height), title, description, height=height, figure=figure
    )


def _written(number):
    return f"{round(float(number), 2):g}"


def _cells(numbers, x, y, color):
    places = tuple((x + CELL * column, y - TALL / 2, CELL - 4, TALL) for column in range(len(numbers)))
    return [
        Boxes(places, color),
        *(Inside(left + (CELL - 4) / 2, y, _written(number), color=ON, align="center", bold=True) for (left, *_), number in zip(places, numbers, strict=True)),
    ]  # fmt: skip


def _described(query, keys, values, done, title):
    def row(numbers):
        return "(" + ", ".join(map(_written, numbers)) + ")"

    tokens = "; ".join(
        f"token {place + 1}: key {row(key)}, score {_written(score)}, share {share:.2f}, value {row(value)}"
        for place, (key, score, share, value) in enumerate(zip(keys, done.scores, done.shares, values, strict=True))
    )
    return f"{title}. The new token's query is {row(query)}. In the cache: {tokens}. The result is {row(done.result)}."
