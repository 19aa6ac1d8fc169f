"""Pictures that stand on a page and in no explorer: they can be read, and say in words what they show."""

import pytest

from chip2cluster import draw
from chip2cluster.draw import style
from tests.pictures import geometry

CACHE = [[0.0, 1.0], [0.0, 0.0], [0.69, 1.0]], [[4.0, 0.0], [0.0, 4.0], [2.0, 6.0]]
PICTURES = {
    "attention": lambda: draw.attention([1.0, 0.0], *CACHE),
    "attention, the largest": lambda: draw.attention([-9.25] * 2, [[8.88] * 2] * 6, [[-7.77] * 2] * 6),
}


@pytest.mark.parametrize("name", PICTURES)
def test_texts_are_large_enough_inside_and_apart(name):
    picture = PICTURES[name]()
    texts = geometry.texts(picture.svg)
    assert texts and not geometry.problems(texts, picture.width, picture.height, style.SMALLEST_WIDTH / picture.width)
    assert picture.png(1)[:4] == b"\x89PNG"


def test_the_attention_says_what_is_read_and_what_comes_out():
    picture = PICTURES["attention"]()
    assert picture.title == "One token reads the whole cache: 12 numbers, 2 FLOP with each"
    assert "share 0.50, value (2, 6). The result is (2, 4)." in picture.description


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="up to 6 tokens"):
        draw.attention([1.0], [[1.0]] * 7, [[1.0]] * 7)
