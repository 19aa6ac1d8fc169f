"""A student's personal training run: its model, its limits, and what is on offer."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from chip2cluster import capstone

DAY = 86400.0
# A model, and the batches that it is trained with; each has many divisors, so that many numbers of nodes will do.
MODELS = {
    "Llama 3 8B": (480, 576, 768), "MPT 30B": (1536, 1920), "Llama 2 70B": (960, 1152), "Llama 3 70B": (480, 576, 768),
    "Qwen2.5 72B": (960, 1152), "GPT-3 175B": (1536, 1920),
}  # fmt: skip
CHIPS = ("A100 SXM 80GB", "H100 SXM", "H200 SXM")  # whose kernels have been measured
NODES = (10, 12, 15, 16, 18, 20, 24, 30, 32, 36, 40, 45, 48, 60, 64)
SPARES = 2
STORAGES = 20e9, 100e9  # bytes/s
MOST_NODES, MOST_SPARES = 256, 16


def numbers(generator):
    """Draw one student's numbers; one design that is drawn first meets all limits with room to spare."""
    return _numbers(int(generator.integers(2**31)))


@lru_cache(maxsize=512)
def _numbers(seed):
    generator = np.random.default_rng(seed)
    model = str(generator.choice(list(MODELS)))
    fields: dict[str, Any] = {"model": model, "tokens": 1e12, "global_batch": int(generator.choice(MODELS[model]))}
    usual = capstone.chip_prices()
    prices: dict[str, Any] = {
        "chips": {chip: 500.0 * round(usual[chip] * generator.uniform(0.8, 1.25) / 500) for chip in CHIPS},
        "node": 1000.0 * int(generator.integers(40, 81)),
    }
    failures: dict[str, Any] = {
        "node_mtbf": DAY * int(generator.integers(60, 201)),
        "repair_seconds": 3600.0 * int(generator.integers(12, 73)),
        "restart_seconds": 60.0 * int(generator.integers(6, 21)),
    }
    kernel_factor, mtbf_factor = (
        float(np.round(generator.uniform(low, high), 2)) for low, high in ((1.04, 1.1), (1.4, 2))
    )
    design = capstone.Design(
        chip=str(generator.choice(CHIPS)), nodes=int(generator.choice(NODES)), spares=SPARES,
        storage_bytes_per_second=STORAGES[0],
    )  # fmt: skip
    days = float(generator.uniform(18, 50))
    room = [float(generator.uniform(1.15, low)) for low in (1.8, 1.8, 1.7)]
    sound: dict[str, Any] = dict(prices=capstone.Prices(**prices), failures=capstone.FailureRates(**failures))
    out = capstone.evaluate(design, capstone.Scenario(**fields, **sound), nearest=False)
    fields["tokens"] = float(f"{1e12 * days / out.days:.2g}")
    out = capstone.evaluate(out.design, capstone.Scenario(**fields, **sound), nearest=False)
    # Even on the fastest storage the best interval of a job alone on the file system is too short.
    usage = out.persist_seconds / out.checkpoint_interval * STORAGES[0] / STORAGES[-1]
    write_share = float(f"{usage / generator.uniform(3, 6):.1g}")
    shared = replace(out.design, checkpoint_interval=shortest_interval(out, write_share))
    out = capstone.evaluate(shared, capstone.Scenario(**fields, **sound), nearest=False)
    limits = {
        "capital_dollars": 1e5 * np.ceil(out.capital_dollars * room[0] / 1e5),
        "watts": 1e4 * np.ceil(out.watts * room[1] / 1e4),
        "deadline_seconds": DAY * np.ceil(out.days * kernel_factor * room[2]),
    }
    return {
        "scenario": fields | {name: float(value) for name, value in limits.items()},
        "prices": prices,
        "failures": failures,
        "offer": {"chips": list(CHIPS), "networks": [25e9, 50e9], "storages": [*STORAGES], "nodes": MOST_NODES,
                  "spares": MOST_SPARES},
        "kernel_factor": kernel_factor,
        "mtbf_factor": mtbf_factor,
        "write_share": write_share,
    }  # fmt: skip


def shortest_interval(outcome, write_share):
    """Seconds of work between checkpoints at which writing takes no more than the job's share of the file system."""
    return max(outcome.checkpoint_interval, written_seconds(outcome) / write_share * (1 + 1e-9))


def written_seconds(outcome):
    """Seconds in which one checkpoint occupies the file system."""
    return outcome.persist_seconds if outcome.design.asynchronous else outcome.checkpoint_seconds


def scenario_of(scenario, prices, failures):
    """The scenario of some numbers, as the page makes it."""
    return capstone.Scenario(**scenario, prices=capstone.Prices(**prices), failures=capstone.FailureRates(**failures))
