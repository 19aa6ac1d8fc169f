"""The picture of a paged cache: legible, described, and true to what it is given."""

import pytest

from chip2cluster import draw
from tests.models.test_draw_storage import look_at, words

TABLES, TOKENS = {"A": [5, 0, 8], "B": [2], "C": [9, 3]}, {"A": 10, "B": 4, "C": 5}
PICTURES = {
    "three sequences": lambda: draw.block_tables(TABLES, TOKENS, 4, 10),
    "one block": lambda: draw.block_tables({"A": [0]}, {"A": 1}, 16, 1),
    "all of them": lambda: draw.block_tables({"A": range(12)}, {"A": 48}, 4, 12, subtitle="A long answer"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_it_can_be_read_and_described(name):
    wide = PICTURES[name]()
    for picture in (wide, wide.narrow):
        look_at(picture)


def test_it_says_whose_blocks_are_where_and_what_is_empty():
    picture = PICTURES["three sequences"]()
    assert picture.title == "6 of 10 blocks are in use, 5 of their 24 places are empty"
    assert "A, 10 tokens: blocks 5, 0, 8" in picture.description and "C, 5 tokens" in words(picture)


@pytest.mark.parametrize(
    ("tables", "tokens", "said"),
    [
        ({"A": [1], "B": [1]}, {"A": 1, "B": 1}, "once"),
        ({"A": [12]}, {"A": 1}, "once"),
        ({"A": [1, 2]}, {"A": 4}, "do not need"),
        ({}, {}, "one to 4"),
    ],
)
def test_what_cannot_be_is_refused(tables, tokens, said):
    with pytest.raises(ValueError, match=said):
        draw.block_tables(tables, tokens, 4, 12)
    with pytest.raises(ValueError, match="memory_blocks"):
        draw.block_tables({"A": [1]}, {"A": 1}, 4, 13)
