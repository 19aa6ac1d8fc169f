"""Attention of one decoded token over a KV cache: query, keys, scores, weights, values, output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ... import roofline
from ...units import with_minus
from .. import style, typesetting
from ..heading import ROOM, heading
from ..palette import BLUE, BLUES, GREY, INK, MUTED, ON, ORANGE
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Line, Text
from .warp_timeline import Boxes

if TYPE_CHECKING:
    from ..._typing import NDArray

MOST_TOKENS, MOST_WIDTH = 6, 2
ROW, TALL = 36, 28  # px: the distance of rows, a number's height


class _Columns(NamedTuple):
    """Where they begin, px from the left (the scores end there), how wide a number is, and how long a share of 1."""

    keys: int
    score: int
    share: int
    values: int
    cell: int
    longest: int


COLUMNS = {style.WIDTH: _Columns(106, 268, 300, 440, 46, 78), style.NARROW: _Columns(76, 186, 191, 260, 34, 32)}


@two_widths
def attention(query: NDArray[Any], keys: NDArray[Any], values: NDArray[Any], width: int = style.WIDTH) -> Picture:
    """Draw attention of one new token in one head over the tokens in its cache.

    Parameters
    ----------
    query : array of shape (width,)
        Query of the new token; up to 2 numbers.
    keys, values : array of shape (tokens, width)
        The cache; up to 6 tokens.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

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
    tokens, numbers = len(done.shares), len(done.result)
    if tokens > MOST_TOKENS or numbers > MOST_WIDTH:
        raise ValueError(f"up to {MOST_TOKENS} tokens of {MOST_WIDTH} numbers fit, got {tokens} of {numbers}")
    at = COLUMNS[width]
    height = ROOM[width] + 94 + ROW * (tokens + 1) + 10
    counted = roofline.attention_decode(tokens, heads=1, head_dim=numbers)
    cached = 2 * tokens * numbers
    title = f"One token reads the whole cache: {cached} numbers, {counted.flops / cached:g} FLOP with each"
    top = height - ROOM[width] - 32
    rows = [top - 62 - ROW * place for place in range(tokens)]
    foot, end = rows[-1] - ROW - 8, at.keys + at.cell * numbers + 10
    subtitle = f"one head; {tokens} tokens in the cache, {numbers} numbers in each key and value"
    drawn = [Boxes(((0, 0, width, height),), style.PAPER), *heading(title, subtitle, width, height)]
    drawn += _cells(query, at.keys, top, BLUES[1], at.cell)
    columns = (
        ("key", at.keys, "left"),
        ("score", at.score, "right"),
        ("share", at.share, "left"),
        ("value", at.values, "left"),
    )
    drawn += [Text(x, rows[0] + 27, words, color=MUTED, align=align) for words, x, align in columns]
    drawn += [Text(8, top, "new token", color=INK, bold=True), Text(8, rows[0] + 27, "the cache", bold=True)]
    what = typesetting.lines("its query meets every key: multiply, add up", width - 6 - end)
    drawn += [Text(end, top + 17 * ((len(what) - 1) / 2 - row), line, color=MUTED) for row, line in enumerate(what)]
    for place, y in enumerate(rows):
        long = at.longest * float(done.shares[place])
        drawn.append(Text(8, y, f"token {place + 1}"))
        drawn += _cells(keys[place], at.keys, y, BLUE, at.cell)
        drawn.append(Text(at.score, y, _written(done.scores[place]), align="right"))
        drawn.append(Boxes(((at.share, y - 9, long, 18),), GREY))
        drawn.append(Text(at.share + long + 5, y, f"{done.shares[place]:.2f}"))
        drawn += _cells(values[place], at.values, y, ORANGE, at.cell)
    drawn.append(Line(((at.values, foot + 22), (at.values + at.cell * numbers - 4, foot + 22)), INK))
    drawn.append(Text(at.values - 10, foot, "each value times its share, added up:", color=MUTED, align="right"))
    drawn += _cells(done.result, at.values, foot, BLUES[1], at.cell)
    description = _described(query, keys, values, done, title)
    return of_shapes(drawn, title, description, width, height)


def _written(number):
    return with_minus(f"{round(float(number), 2):g}")


def _cells(numbers, x, y, color, cell):
    places = tuple((x + cell * column, y - TALL / 2, cell - 4, TALL) for column in range(len(numbers)))
    return [
        Boxes(places, color),
        *(Inside(left + (cell - 4) / 2, y, _written(number), color=ON, align="center", bold=True) for (left, *_), number in zip(places, numbers, strict=True)),
    ]  # fmt: skip


def _described(query, keys, values, done, title):
    def row(numbers):
        return "(" + ", ".join(map(_written, numbers)) + ")"

    tokens = "; ".join(
        f"token {place + 1}: key {row(key)}, score {_written(score)}, share {share:.2f}, value {row(value)}"
        for place, (key, score, share, value) in enumerate(zip(keys, done.scores, done.shares, values, strict=True))
    )
    return f"{title}. The new token's query is {row(query)}. In the cache: {tokens}. The result is {row(done.result)}."
