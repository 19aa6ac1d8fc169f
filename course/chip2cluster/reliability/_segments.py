"""Segments of work and a dump, tried until each is through: what all expectations have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._validate import flag, holds, plain, positive, shortened
from ._exponential import grown, grown_by


class Pattern(NamedTuple):
    """What every question takes, checked; seconds."""

    interval: Any
    dump: Any
    restart: Any
    mean: Any
    persist: Any
    during: bool


def cycle(run: Pattern) -> Any:
    """Expected time until a failure and the end of the restart that follows."""
    return run.mean * grown(run.restart / run.mean) if run.during else run.mean + run.restart


def attempts(run: Pattern, segments: Any) -> Any:
    """Expected time of the run in means between failures, with restarts that take no time."""
    late = run.persist / run.mean
    return segments * grown(late) * grown_by((run.interval + run.dump) / run.mean) + grown_by(late)


def checked(
    interval: Any, checkpoint_seconds: Any, restart_seconds: Any, mtbf: Any, persist_seconds: Any, during: Any
) -> Pattern:
    run = Pattern(
        positive("interval", interval),
        positive("checkpoint_seconds", checkpoint_seconds, allow_zero=True),
        positive("restart_seconds", restart_seconds, allow_zero=True),
        positive("mtbf", mtbf),
        positive("persist_seconds", persist_seconds, allow_zero=True),
        flag("failures_during_restart", during),
    )
    if holds(run.persist > run.interval + run.dump):
        raise ValueError(
            "persist_seconds must be at most interval and checkpoint_seconds together, or two dumps are on their way "
            f"at once, got {shortened(persist_seconds)} and {shortened(plain(run.interval + run.dump))}"
        )
    return run
