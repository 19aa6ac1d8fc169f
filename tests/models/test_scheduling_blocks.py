"""Allocation in blocks: racks of NVLink domains and segments, against brute force."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster.scheduling import block_allocation


@pytest.mark.parametrize(
    "free, nodes, segment, taken",
    [
        ([18, 18, 18], 18, None, (18, 0, 0)),  # up to 18 nodes stay in one NVL72 (NVIDIA on GB200 NVL72 and Slurm)
        ([9, 9, 18], 10, None, (0, 0, 10)),
        ([9, 9], 10, None, (9, 1)),
        ([18, 18], 36, 18, (18, 18)),
        ([18, 17], 36, 18, None),
        ([18] * 4, 64, 16, (16, 16, 16, 16)),  # two nodes of each rack are left over
        ([18] * 4, 72, 16, "refused"),
        ([18] * 4, 72, 9, (18, 18, 18, 18)),
        ([18] * 3, 64, 16, None),
    ],
)
def test_segments_stay_inside_a_block(free, nodes, segment, taken):
    if taken == "refused":
        with pytest.raises(ValueError, match="segment must divide the 72 nodes"):
            block_allocation(free, nodes, segment)
    else:
        assert block_allocation(free, nodes, segment) == taken


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 5))
def test_fewest_blocks_are_those_of_brute_force(free, segment, segments):
    found = block_allocation(free, segment * segments, segment)
    choices = [one for one in product(*(range(room // segment + 1) for room in free)) if sum(one) == segments]
    assert (found is None) is (not choices)
    if found is not None:
        assert sum(found) == segment * segments
        assert all(many <= room and many % segment == 0 for many, room in zip(found, free, strict=True))
        assert sum(map(bool, found)) == min(sum(map(bool, one)) for one in choices)


@given(st.lists(st.integers(0, 18), min_size=1, max_size=5), st.integers(1, 40))
def test_job_without_segments_takes_the_best_fit(free, nodes):
    found = block_allocation(free, nodes)
    if max(free) >= nodes:
        (block,) = [place for place, many in enumerate(found) if many]
        assert found[block] == nodes and free[block] == min(room for room in free if room >= nodes)
    else:
        assert (found is None) is (sum(free) < nodes)
