"""Timings of the runs of `chip2cluster.capstone`, which have no baseline."""

from chip2cluster import capstone
from tests.bench.rows import call_row


def rows():
    """Return the rows of this module."""
    failures = capstone.FailureRates(group_nodes=32, group_mtbf=400 * 86400)
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=11e12, global_batch=2048, failures=failures)
    design = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=2048, spares=64), scenario).design
    run = capstone.play(design, scenario, 1)
    return [
        call_row("200 runs of sixty days on 2,048 nodes", lambda: capstone.play_many(design, scenario, 200), budget=1),
        call_row("one run, with its nodes and events", lambda: capstone.play(design, scenario, 1).events, budget=25e-3),
        call_row("the state of its nodes at one time", lambda: run.states_at(2e6)),
    ]
