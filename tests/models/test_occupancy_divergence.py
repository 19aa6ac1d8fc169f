"""Warp divergence, against enumeration of the threads."""

from itertools import product

import numpy as np
import pytest

from chip2cluster import occupancy
from tests.tables import every_row


def one_by_one(threads, cut, cycles_if, cycles_else):
    """Every warp executes each path that at least one of its threads takes."""
    paid = 0
    for first in range(0, threads, 32):
        ways = {thread < cut for thread in range(first, min(first + 32, threads))}
        paid += cycles_if * (True in ways) + cycles_else * (False in ways)
    return paid


SIZES = 1, 31, 32, 33, 40, 64, 80, 96, 100, 256


def test_branch_cycles_match_brute_force():
    for threads in SIZES:
        cuts = np.arange(threads + 1)
        wanted = [one_by_one(threads, cut, 7, 100) for cut in cuts]
        assert occupancy.branch_cycles(threads, cuts, 7, 100).tolist() == wanted


@every_row("threads, cut", [(size, cut) for size, cut in product(SIZES, (0, 1, 31, 32, 33, 40)) if cut <= size])
def test_branch_paths_count_each_thread_once(threads, cut):
    pairs = occupancy.branch_paths(threads, cut)
    assert sum(first for first, _ in pairs) == cut and sum(second for _, second in pairs) == threads - cut
    assert all(1 <= first + second <= 32 for first, second in pairs) and len(pairs) == -(-threads // 32)


def test_branch_cycles_with_a_cut_beyond_the_block():
    assert occupancy.branch_cycles(80, 300, 5, 9) == occupancy.branch_cycles(80, 80, 5, 9) == 15


@pytest.mark.parametrize("function, inputs, says", [
    (occupancy.branch_paths, (64, 65), "cut must be at most 64"), (occupancy.branch_paths, (0, 0), "threads"),
    (occupancy.branch_cycles, (64, 1.5, 1, 1), "cut"), (occupancy.branch_cycles, (64, 1, -1, 1), "cycles_if"),
])  # fmt: skip
def test_invalid_arguments_are_refused(function, inputs, says):
    with pytest.raises((ValueError, TypeError), match=says):
        function(*inputs)
