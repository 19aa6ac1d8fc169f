"""Wait in a batch queue: replay of a job log under a policy, from time limits and run times only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ... import scheduling
from ..validation_model import Row


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the wait of a job, or the mean wait of the jobs of a size in a log, seconds."""
    given = row.given
    if "log" in given:
        replayed = _replayed(given["log"], given["policy"])
        waits = [wait for nodes, wait in replayed if given["least"] <= nodes <= given["most"]]
        return sum(waits) / len(waits)
    jobs = [
        scheduling.Job(number, 0, nodes, 60 * minutes, seconds)
        for number, (nodes, minutes, seconds) in enumerate(given["jobs"], 1)
    ]
    schedule = scheduling.simulate(jobs, given["nodes"], given["policy"], backfill_delay=given["backfill_delay"])
    return schedule.starts[given["job"]]


@lru_cache(maxsize=4)
def _replayed(log: str, policy: str) -> tuple[tuple[int, float], ...]:
    """Return the nodes and wait of each job of a log."""
    found = scheduling.trace(log)
    assert found.nodes is not None  # the header of each included log has it
    starts = scheduling.simulate(found.jobs, found.nodes, policy).starts
    return tuple((job.nodes, starts[job.id] - job.submit) for job in found.jobs)
