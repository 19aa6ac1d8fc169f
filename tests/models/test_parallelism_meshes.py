"""Products of sharded matrices: every named collective executed on real arrays, and no weaker one suffices."""

from itertools import product

import numpy as np
import pytest

from chip2cluster.parallelism import product_collective, single_collectives
from tests.tables import every_row

RANKS = 3
AXIS = {"left": {"i": 0, "j": 1}, "right": {"j": 0, "k": 1}, "result": {"i": 0, "k": 1}}
LEFT = np.arange(36.0).reshape(6, 6) - 7
RIGHT = np.arange(36.0).reshape(6, 6)[::-1] ** 2


def dealt(name, matrix, letter):
    """Shard of a matrix on each rank."""
    return np.split(matrix, RANKS, AXIS[name][letter]) if letter else [matrix] * RANKS


def gathered(name, parts, letter):
    return [np.concatenate(parts, AXIS[name][letter])] * RANKS if letter else parts


def ready(name, parts, held, needed):
    """Slice the shards as the work needs them, without communication; None if that is impossible."""
    if held == needed:
        return parts
    return None if held else [np.split(part, RANKS, AXIS[name][needed])[rank] for rank, part in enumerate(parts)]


def carried_out(cuts, collective):
    """Shards of the result after this one collective, with the work shared over any index that allows it."""
    kind, _, moved = collective.partition(" ")
    for over in "ijk":
        inputs = []
        for name, matrix, letter in (("left", LEFT, cuts[0]), ("right", RIGHT, cuts[1])):
            parts, held = dealt(name, matrix, letter), letter
            if kind == "all_gather" and moved == name:
                parts, held = gathered(name, parts, letter), ""
            inputs.append(ready(name, parts, held, over if over in AXIS[name] else ""))
        if any(parts is None for parts in inputs):
            continue
        made = [left @ right for left, right in zip(*inputs, strict=True)]
        if over == "j" and kind in ("all_reduce", "reduce_scatter"):
            return dealt("result", sum(made), cuts[2])
        if over != "j" and collective == "all_gather result":
            return gathered("result", made, over)
        if over != "j" and over == cuts[2] and moved != "result":
            return made
    return None


@every_row("cuts", single_collectives())
def test_named_collective_completes_the_product(cuts):
    found = carried_out(cuts, product_collective(*cuts))
    assert found is not None
    wanted = dealt("result", LEFT @ RIGHT, cuts[2])
    assert all(np.array_equal(part, right) for part, right in zip(found, wanted, strict=True))


@every_row("cuts", single_collectives())
def test_no_collective_only_if_none_is_needed(cuts):
    assert (carried_out(cuts, "none") is not None) == (product_collective(*cuts) == "none")


def test_megatron_and_the_four_cases_of_the_scaling_book():
    assert product_collective("", "k", "k") == "none"  # columns, then rows
    assert product_collective("j", "j", "") == "all_reduce result"
    assert product_collective("j", "j", "i") == "reduce_scatter result"  # sequence parallelism
    assert product_collective("i", "k", "i") == "all_gather right"  # full sharding: weights come to the data
    assert product_collective("i", "", "i") == "none"  # data parallelism, forward


def test_ambiguous_sharding_raises():
    every = {cuts for cuts in product(*({*letters, ""} for letters in AXIS.values()))}
    for cuts in every - set(single_collectives()):
        with pytest.raises(ValueError, match="more than one collective|sizes decide"):
            product_collective(*cuts)


@pytest.mark.parametrize(
    "cuts, name",
    [(("k", "", ""), "left"), (("", "i", ""), "right"), (("", "", "j"), "result"), ((None, "", ""), "left")],
)
def test_unknown_index_raises(cuts, name):
    with pytest.raises((ValueError, TypeError), match=name):
        product_collective(*cuts)
