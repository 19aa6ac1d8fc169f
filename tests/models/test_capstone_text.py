"""capstone.to_text, from_text and worlds."""

import json
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import capstone, specs
from chip2cluster.capstone import Design, from_text, to_text, worlds
from chip2cluster.parallelism import Layout

SCENARIO = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)

layouts = st.builds(
    Layout, tensor=st.sampled_from((1, 2, 8)), pipeline=st.integers(1, 20), data=st.integers(1, 500),
    chunks=st.sampled_from((1, 2)), zero_stage=st.sampled_from((0, 1, 2, 3)), recompute=st.sampled_from(("none", "full")),
)  # fmt: skip
designs = st.builds(
    Design, chip=st.sampled_from(("H100 SXM", "a100 sxm 80gb", "GB200")), nodes=st.integers(1, 9999), domain=st.sampled_from((8, 72)),
    storage_bytes_per_second=st.floats(1e6, 1e13), layout=st.none() | layouts, spares=st.none() | st.integers(0, 99),
    checkpoint_interval=st.none() | st.floats(1, 1e6), asynchronous=st.booleans(), leaf_nodes=st.none() | st.integers(1, 64),
)  # fmt: skip


@given(designs, st.dictionaries(st.sampled_from(("mfu", "days")), st.floats(0, 1e300)))
def test_text_round_trip(design, promised):
    again, kept = from_text(to_text(design, **promised))
    assert kept == promised and again.accelerator == design.accelerator
    for field in fields(Design):
        if field.name != "chip":
            assert getattr(again, field.name) == getattr(design, field.name), field.name


@given(
    st.text(max_size=60)
    | st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), st.lists).map(json.dumps)
)
def test_from_text_rejects_other_text(text):
    with pytest.raises((ValueError, TypeError), match="must be|must hold|must have"):
        from_text(text)


@pytest.mark.parametrize(
    "typo, place", [(('"nodes":', '"nodes"'), 30), (('"H100 SXM"', "'H100 SXM'"), 10), (("}", ""), 46)], ids=str
)
def test_from_text_locates_syntax_error(typo, place):
    text = to_text(Design(chip="H100 SXM", nodes=16, spares=1)).replace(*typo)
    with pytest.raises(ValueError, match=f"at character {place} of {len(text)}, near "):
        from_text(text)


def test_to_text_rejects_custom_chip():
    h100 = specs.accelerator("H100 SXM")
    from dataclasses import replace

    with pytest.raises(ValueError, match="in the catalogue"):
        to_text(Design(chip=replace(h100, tdp_watts=1.0), nodes=2))


def test_worlds_are_uniform_within_their_factors():
    share = capstone.kernel_share(specs.accelerator("H100 SXM")).share
    some = worlds(SCENARIO, "H100 SXM", 400, seed=5, kernel_factor=1.2, mtbf_factor=3)
    kernels = np.log([world.kernel_share / share for world in some]) / np.log(1.2)
    nodes = np.log([world.failures.node_mtbf / SCENARIO.failures.node_mtbf for world in some]) / np.log(3)
    for drawn in (kernels, nodes):
        assert -1 <= drawn.min() < -0.95 and 0.95 < drawn.max() <= 1
        assert abs(drawn.mean()) < 0.1 and abs(drawn.std() - 3**-0.5) < 0.05  # uniform distribution
    assert abs(np.corrcoef(kernels, nodes)[0, 1]) < 0.15


def test_worlds_are_reproducible():
    one, same, other = (worlds(SCENARIO, "H100 SXM", 3, seed) for seed in (1, 1, 2))
    assert one == same != other
    sure = worlds(SCENARIO, "H100 SXM", 2, kernel_factor=1, mtbf_factor=1)
    out = capstone.evaluate(Design(chip="H100 SXM", nodes=16), SCENARIO)
    assert all(capstone.evaluate(out.design, world).days == pytest.approx(out.days) for world in sure)
    assert max(world.kernel_share for world in worlds(SCENARIO, "H100 SXM", 50, kernel_factor=5)) == 1


@pytest.mark.parametrize(
    "name, value", [("kernel_factor", 0.9), ("mtbf_factor", float("nan")), ("count", 0), ("seed", -1)]
)
def test_worlds_errors_name_the_argument(name, value):
    given = {"count": 3, "seed": 0} | {name: value}
    with pytest.raises(ValueError, match=name):
        worlds(SCENARIO, "H100 SXM", **given)
