"""Timings of `chip2cluster.capstone`: one design, many, and the search of a layout."""

from dataclasses import replace
from itertools import cycle

import numpy as np

from chip2cluster import capstone, explore, parallelism
from chip2cluster.capstone import formulas, layout_candidates, layout_search
from tests.bench.rows import call_row

CHIPS = "A100 SXM 80GB", "H100 SXM", "H200 SXM", "MI300X", "B200"
NODES = 256, 512, 640, 1024, 2048


def rows():
    """Return the rows of this module."""
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048)
    layout = parallelism.Layout(tensor=8, pipeline=16, data=128, chunks=7, zero_stage=2)
    design = capstone.Design(chip="H100 SXM", nodes=2048, layout=layout, spares=64)
    small = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, capital_dollars=12e6, watts=600e3)
    choices = {
        "chips": ["H100 SXM", "B200", "A100 SXM 80GB"], "nodes": [1, 2, 4, 8, 16, 32, 64], "nics": [25e9, 50e9],
        "storages": [20e9, 100e9], "spares": [0, 1, None], "zero_stages": [1, 3],
    }  # fmt: skip
    designs = capstone.grid(small, **choices)
    found = capstone.evaluate_many(designs, small)
    many = f"{len(designs):,} designs"

    def clear_caches():
        for known in (
            layout_search._fitting_layouts,
            layout_search._fastest,
            layout_search._with_room,
            layout_candidates.groups,
        ):
            known.cache_clear()

    def evaluate_with_search():
        clear_caches()
        return capstone.evaluate(replace(design, layout=None), scenario)

    machine = formulas.machine(design, scenario, 0.6)

    def evaluate_all_layouts():
        clear_caches()
        return layout_search.fitting_layouts(machine, scenario).fastest

    first = cycle(np.random.default_rng(1).permutation([(chip, nodes) for chip in CHIPS for nodes in NODES]).tolist())
    explorer = explore.cluster()

    def move_to_machine():
        clear_caches()
        chip, nodes = next(first)
        return explorer.frame(explorer.values | {"chip": chip, "nodes": int(nodes)})

    return [
        call_row("evaluate, with a layout", lambda: capstone.evaluate(design, scenario), budget=1e-3),
        call_row("evaluate, with the search of a layout on 16,384 chips", evaluate_with_search, budget=200e-3),
        call_row("search of the same layout that evaluates every one", evaluate_all_layouts),
        call_row("explore.cluster, first move to a machine", move_to_machine, budget=25e-3),
        call_row(
            f"grid and evaluate_many, {many}",
            lambda: capstone.evaluate_many(capstone.grid(small, **choices), small),
            budget=1,
        ),
        call_row(f"evaluate_many, {many}", lambda: capstone.evaluate_many(designs, small)),
        call_row(f"frontier of {many}", lambda: capstone.frontier(found)),
        call_row(f"distance of {many} to the frontier", lambda: capstone.distance(found, found)),
        call_row("sensitivity (two evaluations a parameter)", lambda: capstone.sensitivity(design, scenario)),
    ]
