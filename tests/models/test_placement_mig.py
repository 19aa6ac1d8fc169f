"""MIG: the placements of NVIDIA's guide, and partitions by brute force."""

from collections import Counter
from itertools import combinations_with_replacement, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster.placement import mig_partitions, mig_placement
from chip2cluster.placement.mig import MEMORY, PROFILES

NAMES = st.lists(st.sampled_from(sorted(PROFILES)), max_size=9)


@given(profiles=NAMES, gpus=st.integers(1, 3), first=st.sampled_from(["left", "right"]))
def test_mig_placement_uses_valid_disjoint_positions(profiles, gpus, first):
    slices = mig_placement(profiles, gpus, first=first)
    taken = set()
    for profile, place in zip(profiles, slices.places, strict=True):
        _, wide, starts = PROFILES[profile]
        if place is None:
            spots = product(range(gpus), starts)
            assert all(any((gpu, at + more) in taken for more in range(wide)) for gpu, at in spots)
            continue
        gpu, at = place
        mine = {(gpu, at + more) for more in range(wide)}
        assert at in starts and at + wide <= MEMORY and not mine & taken
        taken |= mine


def test_mig_partitions_match_enumeration():
    """All sets of instances that fit and to which no instance can be added."""

    def fits(cut):
        return any(mig_placement(order).placed == len(cut) for order in set(permutations(cut)))

    bags = [
        bag for count in range(1, 8) for bag in combinations_with_replacement(sorted(PROFILES, reverse=True), count)
    ]
    possible = {bag for bag in bags if len(bag) < 5 and fits(bag)}
    cuts = {cut for cut in mig_partitions() if len(cut) < 5}
    assert cuts <= possible and ("3g", "3g") in cuts and ("4g", "3g") in cuts and mig_partitions()[-1] == ("1g",) * 7
    assert all(any(Counter(bag) <= Counter(cut) for cut in mig_partitions()) for bag in possible)


def test_mig_placement_of_two_3g_leaves_one_slice_idle():
    assert mig_placement(["3g", "3g"]).idle_compute == 1
    assert mig_placement(["3g", "3g", "1g"]).placed == 2  # all memory is taken
    assert mig_placement(["4g", "3g"]).idle_compute == 0


def test_mig_placement_refuses_invalid_arguments():
    with pytest.raises(ValueError, match="5g"):
        mig_placement(["5g"])
    with pytest.raises(ValueError, match="middle"):
        mig_placement(["1g"], first="middle")
