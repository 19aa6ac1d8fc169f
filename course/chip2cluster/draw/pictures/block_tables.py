"""Paged KV cache: blocks of memory, and the block table of each sequence."""

from collections.abc import Mapping, Sequence

from .. import style, typesetting
from ..heading import ROOM, heading, opening
from ..palette import BLUES, FAINT, GREY, MUTED, ORANGE, PLUM
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Text
from .multiprocessor import Box
from .waterfall import Bar

HUES = (BLUES[0], ORANGE, PLUM, BLUES[1])
ROW, TALL = 34, 30  # px between two rows, and the height of a block
MOST = 12  # blocks of the memory


@two_widths
def block_tables(
    tables: Mapping[str, Sequence[int]],
    tokens: Mapping[str, int],
    block_tokens: int,
    memory_blocks: int,
    *,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw which block of a paged cache belongs to which sequence, and how full each is.

    Parameters
    ----------
    tables : dict of str to sequence of int
        For each of at most four sequences the numbers of its blocks, in the order of its tokens.
    tokens : dict of str to int
        Tokens of each; they need exactly its blocks.
    block_tokens : int
        Tokens of a block.
    memory_blocks : int
        Blocks of the memory, at most 12.
    subtitle : str
        Subject of the picture, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For too many sequences or blocks, a block with two owners or outside the memory, and a table
        that does not fit the tokens.

    Examples
    --------
    >>> block_tables({"A": [3, 0]}, {"A": 6}, 4, 6).title
    '2 of 6 blocks are in use, 2 of their 8 places are empty'
    """
    _check(tables, tokens, block_tokens, memory_blocks)
    used = sum(map(len, tables.values()))
    places = used * block_tokens
    title = f"{used} of {memory_blocks} blocks are in use, {places - sum(tokens.values())} of their {places} places are empty"
    subtitle = subtitle or f"Blocks of {block_tokens} tokens"
    height = ROOM[width] + 96 + ROW * len(tables)
    left = 108 if width == style.WIDTH else 96
    wide = min(40.0, (width - 16) / memory_blocks)
    top = height - ROOM[width] - 22
    shapes = [*heading(title, subtitle, width, height), Text(8, top, "The memory, block by block", bold=True)]
    owners = {block: name for name, blocks in tables.items() for block in blocks}
    for block in range(memory_blocks):
        shapes += _block(
            8 + wide * block, top - 14 - TALL, wide - 3, block, *_filled(block, owners, tables, tokens, block_tokens)
        )
    low = top - 14 - TALL - 22
    for place, (name, blocks) in enumerate(tables.items()):
        y = low - ROW * place - TALL / 2
        count = tokens[name]
        shapes.append(Text(8, y, f"{name}, {count} token{'s' * (count != 1)}", color=MUTED))
        step = min(40.0, (width - 8 - left) / max(map(len, tables.values())))
        for order, block in enumerate(blocks):
            filled = _filled(block, owners, tables, tokens, block_tokens)
            shapes += _block(left + step * order, y - TALL / 2, step - 3, block, *filled)
    listed = "; ".join(
        f"{name}, {tokens[name]} tokens: blocks {', '.join(map(str, blocks))}" for name, blocks in tables.items()
    )
    return of_shapes(shapes, title, f"{opening(title, subtitle)} {listed}.", width, height)


def _filled(block, owners, tables, tokens, block_tokens):
    """Color of a block, and the share of it that holds tokens."""
    if block not in owners:
        return FAINT, 0.0
    name = owners[block]
    before = block_tokens * list(tables[name]).index(block)
    return HUES[list(tables).index(name)], min(1.0, (tokens[name] - before) / block_tokens)


def _block(x, y, wide, number, hue, share):
    """A block: its ground, the part that holds tokens, its number."""
    yield Box(x, y, wide, TALL, FAINT, GREY)
    if share:
        yield Bar(x, y, wide * share, TALL, hue)
    word = f"{number}"
    if share and typesetting.text_size(word, style.TEXT)[0] + 6 < wide * share:
        yield Inside(x + wide * share / 2, y + TALL / 2, word, align="center")
    else:
        yield Text(x + wide / 2, y + TALL / 2, word, align="center")


def _check(tables, tokens, block_tokens, memory_blocks):
    if not 1 <= len(tables) <= len(HUES):
        raise ValueError(f"tables must hold one to {len(HUES)} sequences, got {len(tables)}")
    if not 1 <= memory_blocks <= MOST:
        raise ValueError(f"memory_blocks must be 1 to {MOST}, got {memory_blocks!r}")
    taken = [block for blocks in tables.values() for block in blocks]
    if len(set(taken)) < len(taken) or not all(0 <= block < memory_blocks for block in taken):
        raise ValueError(f"tables must name each block of {memory_blocks} once at most, got {tables!r}")
    for name, blocks in tables.items():
        if len(blocks) != -(-tokens[name] // block_tokens):
            raise ValueError(f"tokens of {name!r}, {tokens[name]}, do not need {len(blocks)} blocks of {block_tokens}")
