"""Pictures that stand still: a step of the array, a queue pair, a node as a tree."""

import re

import numpy as np
import pytest

from chip2cluster import draw, links
from chip2cluster.chapters.links.exercises.topology_matrices import DGX_1V
from chip2cluster.chapters.systolic.exercises.array_step import step
from tests.pictures import geometry

STEP = {
    "weights": [[2, 1, 3], [4, 5, 2]],
    "a_values": [[6, 1, 2], [3, 7, 8]],
    "sums": [[10, 20, 30], [40, 50, 60]],
    "entering": [9, 4],
}


def words(picture):
    return [text.words for text in geometry.texts(picture.svg)]


@pytest.mark.parametrize("cell", [(0, 0), (0, 2), (1, 0), (1, 1), (1, 2)])
def test_the_sum_written_out_is_the_one_of_the_next_step(cell):
    said = next(line for line in words(draw.array_step(**STEP, cell=cell)) if line.startswith("New sum"))
    above, weight, value = map(float, re.search(r": (\S+) from above \+ (\S+) × (\S+) from the left", said).groups())
    assert above + weight * value == step(**{name: np.array(value, float) for name, value in STEP.items()})[cell]


@pytest.mark.parametrize(
    "change, says",
    [
        ({"entering": [1]}, "entering must have a value for each of the 2 rows, got 1"),
        ({"sums": [[1, 2, 3]]}, "one shape"),
        ({"cell": (2, 0)}, "a row and a column of the array"),
        ({"weights": [[1] * 4] * 2, "a_values": [[1] * 4] * 2, "sums": [[1] * 4] * 2}, "at most 3 x 3"),
    ],
)
def test_bad_arrays_are_named(change, says):
    with pytest.raises(ValueError, match=says):
        draw.array_step(**(STEP | change))


def test_a_tree_shows_every_device_and_says_who_shares_a_switch():
    node = links.node_matrix(DGX_1V)
    tree = draw.node_tree(node)
    assert set(node.gpus) <= set(words(tree)) and words(tree).count("PCIe switch") == 4
    assert "GPU0, GPU1 with mlx5_0" in tree.description and "2 NVLinks between GPU0 and GPU3" in tree.description
    assert tree.title == "8 GPUs and 4 adapters: 2 sockets, 16 pairs with NVLinks"


def test_a_node_that_is_too_large_is_refused():
    names = [f"GPU{n}" for n in range(13)]
    text = "\n".join([" ".join(["", *names]), *(" ".join([name, *["SYS"] * 13]) for name in names)])
    with pytest.raises(ValueError, match="at most 12 devices, got 13"):
        draw.node_tree(links.node_matrix(text))
