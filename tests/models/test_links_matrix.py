"""Matrices of real nodes, read: what is known of those machines from elsewhere must come out."""

from itertools import combinations

import pytest

from chip2cluster import links
from chip2cluster.chapters.links.exercises.topology_matrices import DGX_1V, FOUR_H100, LEGEND, SUMMIT


def test_node_matrix_of_a_dgx1_has_six_nvlinks_per_gpu():
    node = links.node_matrix(DGX_1V)
    for gpu in node.gpus:
        assert sum(node.nvlinks(gpu, other) for other in node.gpus if other != gpu) == 6
    assert all(node.label[pair] == node.label[pair[::-1]] for pair in combinations(node.devices, 2))


def test_node_matrix_ignores_blanks_and_the_legend():
    text = FOUR_H100 + LEGEND
    tabs = "\n".join(
        "\t".join(line.split()) if line[:1] != " " else "\t" + "\t".join(line.split()) for line in text.splitlines()
    )
    assert links.node_matrix(text) == links.node_matrix(tabs) == links.node_matrix(FOUR_H100)
    assert links.node_matrix(text).nics == ("NIC0", "NIC1", "NIC2", "NIC3")


def test_node_matrix_groups_are_sockets_and_switches():
    node = links.node_matrix(DGX_1V)
    assert node.groups(("SYS", "PHB"))[0] == ("GPU0", "GPU1", "mlx5_0")
    assert [len(group) for group in node.groups(("SYS",))] == [6, 6]
    assert [len(group) for group in links.node_matrix(SUMMIT).groups(("SYS",))] == [5, 5]


@pytest.mark.parametrize("text", ["", "GPU0 GPU1\n", "     GPU0 GPU1\nGPU0 X\nGPU1 NV1 X", "nothing of the kind"])
def test_node_matrix_refuses_other_text(text):
    with pytest.raises(ValueError, match="topo -m"):
        links.node_matrix(text)
