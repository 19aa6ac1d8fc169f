"""The fastest layout, found without working out each: the same as of all."""

from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import capstone
from chip2cluster.capstone import figures, search

CHIPS = ("H100 SXM", "A100 SXM 40GB", "MI300X", "B200", "H200 SXM")
PRICED = capstone.Prices(chips=dict.fromkeys(CHIPS, 1e4))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(("Llama 3 8B", "GPT-2 124M", "Mixtral 8x7B", "Megatron 175B", "Llama 3.1 405B", "DeepSeek-V3")),
    st.sampled_from(CHIPS),
    st.sampled_from((1, 3, 4, 16, 60, 256)),
    st.sampled_from((1, 7, 96, 512, 2048)),
    st.sampled_from((512, 2048, 8192)),
    st.sampled_from((1, 8, 72)),
    st.floats(0.2, 0.9),
    st.floats(1.0, 8.0),
)
def test_the_fastest_of_the_pruned_search_is_the_fastest_of_all(
    model, chip, nodes, batch, sequence, domain, share, oversubscription
):
    asked = capstone.Scenario(model=model, tokens=1e12, global_batch=batch, sequence=sequence, prices=PRICED)
    design = capstone.Design(chip=chip, nodes=nodes, domain=domain, oversubscription=oversubscription)
    machine = figures.machine(design, asked, share)
    found = search.find(machine, asked)
    fastest = search.fastest(machine, asked)
    assert fastest == found.fastest
    assert (fastest is None) == (not found.layouts)


def test_most_draws_have_many_layouts_to_choose_from():
    asked = capstone.Scenario(model="Llama 3.1 405B", tokens=1e12, global_batch=2048)
    found = search.find(figures.machine(capstone.Design(chip="H100 SXM", nodes=256), asked, 0.6), asked)
    assert len(found.layouts) > 100 and max(found.seconds) > 2 * min(found.seconds)
