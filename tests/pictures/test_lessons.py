"""Pictures that stand on a page and in no explorer: they can be read, and say in words what they show."""

import pytest

from chip2cluster import draw
from chip2cluster.draw import style
from tests.pictures import geometry

CACHE = [[0.0, 1.0], [0.0, 0.0], [0.69, 1.0]], [[4.0, 0.0], [0.0, 4.0], [2.0, 6.0]]
PICTURES = {
    "attention": lambda: draw.attention([1.0, 0.0], *CACHE),
    "attention, the largest": lambda: draw.attention([-9.25] * 2, [[8.88] * 2] * 6, [[-7.77] * 2] * 6),
    "launch": draw.launch,
    "launch, the smallest": lambda: draw.launch(blocks=1, threads_per_block=33, sms=1, blocks_per_sm=1),
    "divergence": lambda: draw.divergence(16, 32),
    "divergence, a ragged tail": lambda: draw.divergence(0, 80, threads=80, cycles_if=30, cycles_else=1),
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


def test_a_launch_says_who_runs_where():
    picture = PICTURES["launch"]()
    assert picture.title == "6 blocks of 4 warps on 2 SMs: 4 blocks run, 2 wait"
    assert "SM 0 holds blocks 0, 2; SM 1 holds blocks 1, 3." in picture.description
    assert PICTURES["launch, the smallest"]().title == "1 block of 2 warps on 1 SM: 1 block runs"


def test_a_branch_says_what_each_warp_pays():
    said = PICTURES["divergence"]().description
    assert "cut 16, warp 0: 16 threads take the first path, 16 the second, 12 cycles" in said
    assert "cut 32, warp 0: 32 threads take the first path, 0 the second, 8 cycles" in said
    assert (
        "cut 80, warp 2: 16 threads take the first path, 0 the second"
        in PICTURES["divergence, a ragged tail"]().description
    )


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="up to 6 tokens"):
        draw.attention([1.0], [[1.0]] * 7, [[1.0]] * 7)
    with pytest.raises(ValueError, match="blocks must be from 1 to 6"):
        draw.launch(blocks=7)
    with pytest.raises(ValueError, match="two cuts"):
        draw.divergence(16)
    with pytest.raises(ValueError, match="up to 96 threads"):
        draw.divergence(16, 32, threads=128)
