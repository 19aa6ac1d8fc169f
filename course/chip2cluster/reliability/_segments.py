"""Common part of all expectations: segments of work and a checkpoint, repeated until each succeeds."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._validate import flag, holds, plain, positive, shortened
from ._exponential import safe_exp, safe_expm1


class CheckpointInputs(NamedTuple):
    """Checked arguments of the expectations, seconds."""

    interval: Any
    dump: Any
    restart: Any
    mean: Any
    persist: Any
    during: bool


def cycle(run: CheckpointInputs) -> Any:
    """Return the expected time until a failure and the end of the following restart."""
    return run.mean * safe_exp(run.restart / run.mean) if run.during else run.mean + run.restart


def attempts(run: CheckpointInputs, segments: Any) -> Any:
    """Return the expected time of the run in units of the MTBF, for restarts that take no time."""
    late = run.persist / run.mean
    return segments * safe_exp(late) * safe_expm1((run.interval + run.dump) / run.mean) + safe_expm1(late)


def checked_inputs(
    interval: Any, checkpoint_seconds: Any, restart_seconds: Any, mtbf: Any, persist_seconds: Any, during: Any
) -> CheckpointInputs:
    """Check the arguments."""
    run = CheckpointInputs(
        positive("interval", interval),
        positive("checkpoint_seconds", checkpoint_seconds, allow_zero=True),
        positive("restart_seconds", restart_seconds, allow_zero=True),
        positive("mtbf", mtbf),
        positive("persist_seconds", persist_seconds, allow_zero=True),
        flag("failures_during_restart", during),
    )
    if holds(run.persist > run.interval + run.dump):
        raise ValueError(
            "persist_seconds must be at most interval and checkpoint_seconds together, or two checkpoints are written "
            f"at once, got {shortened(persist_seconds)} and {shortened(plain(run.interval + run.dump))}"
        )
    return run
