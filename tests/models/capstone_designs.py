"""Designs, scenarios and evaluated columns that the tests of the capstone share."""

from functools import cache

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from chip2cluster import capstone, parallelism, transformer

DAY = 86400.0
CHIPS = ("H100 SXM", "B200", "A100 SXM 80GB")
SCENARIO = capstone.Scenario(
    model="Llama 3 8B", tokens=1e12, global_batch=512, capital_dollars=12e6, watts=600e3, deadline_seconds=60 * DAY
)
NAMES = ("days", "dollars", "mfu", "goodput", "joules", "kg_by_location", "watts", "memory_bytes", "capital_dollars",
         "running_dollars", "step_seconds", "work_seconds", "mtbf", "checkpoint_interval")  # fmt: skip
SOME = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def all_outcomes():
    designs = capstone.grid(
        SCENARIO, chips=CHIPS, nodes=[1, 2, 8, 16, 64], nics=[25e9, 50e9], storages=[2e9, 100e9], spares=[0, 2, None],
        asynchronous=[True, False], zero_stages=[1, 3], oversubscriptions=[1, 4], leaf_nodes=[None, 4],
        checkpoint_intervals=[None, 300.0], tensor=[1, 8], pipeline=[1, 2],
    )  # fmt: skip
    return capstone.evaluate_many(designs, SCENARIO)


CONFIGS = ("Llama 3 8B", "GPT-3 175B", "Mixtral 8x7B", "Llama 2 13B")


@st.composite
def runs(draw):
    """A design with a valid layout, and a scenario."""
    name = draw(st.sampled_from(CONFIGS))
    config = transformer.model(name).config
    tensor, pipeline = draw(st.sampled_from((1, 2, 4, 8))), draw(st.sampled_from((1, 2, 4)))
    data, micro = draw(st.sampled_from((1, 2, 8, 32))), draw(st.sampled_from((1, 2)))
    batch = data * micro * pipeline * draw(st.sampled_from((1, 2, 6)))
    nodes = -(-tensor * pipeline * data // 8)
    each = tensor * pipeline * data // nodes
    expert = draw(st.sampled_from((1, 2))) if config.experts and data > 1 else 1
    layout = parallelism.Layout(
        tensor, pipeline, data, 1, expert, 1, draw(st.sampled_from((0, 1, 2, 3))), micro_batch=micro,
        recompute=draw(st.sampled_from(("none", "selective", "full"))),
    )  # fmt: skip
    failures = capstone.FailureRates(
        node_mtbf=draw(st.floats(1e5, 1e8)), repair_seconds=draw(st.floats(1e3, 1e6)), restart_seconds=draw(st.floats(10, 3600)),
        **draw(st.sampled_from(({}, {"group_nodes": 2, "group_mtbf": 1e7}))),
    )  # fmt: skip
    scenario = capstone.Scenario(
        model=name, tokens=draw(st.floats(1e9, 1e13)), global_batch=batch, failures=failures, sequence=2048,
        domain_share=draw(st.floats(0.3, 1)), network_share=draw(st.floats(0.3, 1)), storage_share=draw(st.floats(0.3, 1)),
    )  # fmt: skip
    design = capstone.Design(
        chip=draw(st.sampled_from(CHIPS)), nodes=nodes, chips_per_node=each, domain=draw(st.sampled_from((4, 8, 16))),
        nic_bytes_per_second_one_way=draw(st.floats(1e9, 1e11)), oversubscription=draw(st.floats(1, 8)),
        leaf_nodes=draw(st.sampled_from((None, 4))), storage_bytes_per_second=draw(st.floats(1e9, 1e12)), layout=layout,
        asynchronous=draw(st.booleans()), spares=draw(st.sampled_from((0, 1, 4, None))),
    )  # fmt: skip
    return design, scenario
