"""Designs that a student's plan is compared with, and their frontier."""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np

from chip2cluster import capstone, reliability, transformer

from .node_range import EACH
from .scenario import scenario_of

AXES = ("days", "capital_dollars")
COUNTS = np.array([2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 18, 20, 24, 30, 32, 36, 40, 45, 48, 60, 64, 72, 80, 90, 96, 120, 128, 160, 192, 240])  # fmt: skip


def front(numbers):
    """Days and dollars of the designs that meet a student's limits and that none beats, shape (designs, 2), the fastest first."""
    outcomes = menu(numbers)
    return np.array([[outcomes.days[one], outcomes.capital_dollars[one]] for one in capstone.frontier(outcomes, AXES)])


def menu(numbers):
    """Outcomes of all candidate designs for a student's numbers."""
    return _menu(json.dumps(numbers, sort_keys=True))


@lru_cache(maxsize=64)
def _menu(text):
    numbers = json.loads(text)
    scenario, offer = scenario_of(numbers["scenario"], numbers["prices"], numbers["failures"]), numbers["offer"]
    most = scenario.capital_dollars / (8 * min(numbers["prices"]["chips"].values()) + scenario.prices.node)
    counts = COUNTS[most >= COUNTS][-12:]
    designs = capstone.grid(
        scenario, chips=offer["chips"], nodes=counts.tolist(), nics=offer["networks"], storages=offer["storages"],
        spares=(0, 1, 2, 4), tensor=(1, 2, 4, 8), pipeline=(1, 2, 4, 8), recomputes=("none", "selective"), zero_stages=(1, 3),
    )  # fmt: skip
    return capstone.evaluate_many(_with_intervals(designs, scenario, numbers["write_share"]), scenario)


def _with_intervals(designs, scenario, write_share):
    """The designs with the shortest interval between checkpoints that the share of the file system's time allows."""
    best = np.nan_to_num(capstone.evaluate_many(designs, scenario).checkpoint_interval)
    each = {name: designs.columns[name] for name in ("nodes", "nic", "storage")}
    rows, place = np.unique(np.column_stack(list(each.values())), axis=0, return_inverse=True)
    seconds = np.array([_written(scenario, *row) for row in rows.tolist()])[place.ravel()]
    interval = np.maximum(best, seconds / write_share * (1 + 1e-9))
    return replace(designs, columns=designs.columns | {"interval": interval})


def _written(scenario, nodes, nic, storage):
    """Seconds in which one checkpoint occupies the file system."""
    size = reliability.checkpoint_bytes(transformer.parameters(scenario.config))
    return size / min(nodes * EACH * nic, storage)
