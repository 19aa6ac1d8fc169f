"""MIG: the placements of NVIDIA's guide, and cuts by trying all."""

from collections import Counter
from itertools import combinations_with_replacement, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster.placement import mig_cuts, mig_placement
from chip2cluster.placement.slices import MEMORY, PROFILES

NAMES = st.lists(st.sampled_from(sorted(PROFILES)), max_size=9)


@given(profiles=NAMES, gpus=st.integers(1, 3), first=st.sampled_from(["left", "right"]))
def test_instances_lie_where_they_may_and_share_nothing(profiles, gpus, first):
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


def test_cuts_are_those_that_some_order_makes_and_no_others():
    """Any set of instances that fits, and to which nothing can be added."""

    def fits(cut):
        return any(mig_placement(order).placed == len(cut) for order in set(permutations(cut)))

    bags = [
        bag for count in range(1, 8) for bag in combinations_with_replacement(sorted(PROFILES, reverse=True), count)
    ]
    possible = {bag for bag in bags if len(bag) < 5 and fits(bag)}
    cuts = {cut for cut in mig_cuts() if len(cut) < 5}
    assert cuts <= possible and ("3g", "3g") in cuts and ("4g", "3g") in cuts and mig_cuts()[-1] == ("1g",) * 7
    assert all(any(Counter(bag) <= Counter(cut) for cut in mig_cuts()) for bag in possible)


def test_what_two_threes_leave_idle():
    assert mig_placement(["3g", "3g"]).idle_compute == 1
    assert mig_placement(["3g", "3g", "1g"]).placed == 2  # all memory is taken
    assert mig_placement(["4g", "3g"]).idle_compute == 0


def test_what_is_no_slice():
    with pytest.raises(ValueError, match="5g"):
        mig_placement(["5g"])
    with pytest.raises(ValueError, match="middle"):
        mig_placement(["1g"], first="middle")
