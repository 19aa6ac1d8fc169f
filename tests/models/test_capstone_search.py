"""Pruned layout search against an exhaustive one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import capstone
from chip2cluster.capstone import formulas, layout_candidates, layout_search

MODELS = ("Llama 3 8B", "GPT-2 124M", "Mixtral 8x7B", "Megatron 175B", "Llama 3.1 405B", "DeepSeek-V3")
CHIPS = ("H100 SXM", "A100 SXM 40GB", "MI300X", "B200", "H200 SXM")
PRICED = capstone.Prices(chips=dict.fromkeys(CHIPS, 1e4))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(MODELS),
    st.sampled_from(CHIPS),
    st.sampled_from((1, 3, 4, 16, 60, 256)),
    st.sampled_from((1, 7, 96, 512, 2048)),
    st.sampled_from((512, 2048, 8192)),
    st.sampled_from((1, 8, 72)),
    st.floats(0.2, 0.9),
    st.floats(1.0, 8.0),
)
def test_pruned_search_finds_the_fastest_layout(model, chip, nodes, batch, sequence, domain, share, oversubscription):
    scenario = capstone.Scenario(model=model, tokens=1e12, global_batch=batch, sequence=sequence, prices=PRICED)
    design = capstone.Design(chip=chip, nodes=nodes, domain=domain, oversubscription=oversubscription)
    machine = formulas.machine(design, scenario, share)
    found = layout_search.fitting_layouts(machine, scenario)
    fastest = layout_search.fastest(machine, scenario)
    assert fastest == found.fastest
    assert (fastest is None) == (not found.layouts)


def test_most_random_cases_have_many_layouts():
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=1e12, global_batch=2048)
    found = layout_search.fitting_layouts(
        formulas.machine(capstone.Design(chip="H100 SXM", nodes=256), scenario, 0.6), scenario
    )
    assert len(found.layouts) > 100 and max(found.seconds) > 2 * min(found.seconds)


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(MODELS), st.sampled_from((1, 3, 16, 60)), st.sampled_from((7, 96, 2048)), st.sampled_from((1, 8, 72))
)  # fmt: skip
def test_memory_bound_never_exceeds_memory(model, nodes, batch, domain):
    scenario = capstone.Scenario(model=model, tokens=1e12, global_batch=batch, sequence=2048, prices=PRICED)
    machine = formulas.machine(capstone.Design(chip="H100 SXM", nodes=nodes, domain=domain), scenario, 0.5)
    tried = layout_candidates.groups(machine.devices, domain, scenario)
    everyone = [one for group in tried for one in group.layouts]
    lines = formulas.lines(machine, layout_candidates.columns(everyone)) if everyone else None
    for group in tried:
        rows, bare = np.arange(len(group.layouts)), {}
        for kind, zero in group.rungs:
            held, gradients = layout_search._held(group, rows, (kind, zero), scenario)
            stage = group.columns.zero_stage if group.columns.zero_stage == 3 else zero
            assert (group.least[stage] <= held.max(axis=1) * (1 + layout_search.ROUNDING)).all()
            if zero == 1:
                bare[kind] = (held - gradients).max(axis=1)
            assert (bare[kind] <= held.max(axis=1) * (1 + layout_search.ROUNDING)).all()
        some, rung = rows[::2], group.rungs[-1]
        seconds = layout_search._seconds(machine, group, some, rung, scenario)
        assert (layout_search._seconds(machine, group, some, rung, scenario, lines) == seconds).all()
