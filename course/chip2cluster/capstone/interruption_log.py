"""Log of the interruptions of a simulated run: one line per interruption."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive
from .prices import DAY

if TYPE_CHECKING:
    from .run_simulation import Play

HOUR = 3600.0


def run_log(play: Play, first_day: float = 1, last_day: float | None = None) -> str:
    """Log the interruptions of a simulated run, with the time that each one cost.

    Parameters
    ----------
    play : Play
        Simulated run, from `play`.
    first_day, last_day : float
        First and last day of the log, counted from 1; None for the last day logs to the end.

    Returns
    -------
    str
        One line per interruption: day and time, failed nodes, hours of lost work, hours of waiting for nodes, hours
        of restart.

    Notes
    -----
    A failure during a restart has its own line; a wait is on the line of the failure that left too few nodes.
    Source: `Play.events`.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> run = capstone.play(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario, seed=3)
    >>> print(capstone.run_log(run))
    day 1 11:23 | node 5 down | lost 0.08 h | waited 0.00 h | restart 0.17 h
    day 11 21:56 | node 7 down | lost 0.01 h | waited 0.00 h | restart 0.17 h
    """
    begin = (one_positive("first_day", first_day) - 1) * DAY
    end = np.inf if last_day is None else one_positive("last_day", last_day) * DAY
    lines: list[list] = []
    for event in play.events:
        if event.kind in ("node", "switch"):
            lines.append([event.time, event.nodes, event.seconds, 0.0, play.outcome.restart_seconds])
        elif event.kind == "waits for nodes" and lines:
            lines[-1][3] = event.seconds
    return "\n".join(log_line(*row) for row in lines if begin <= row[0] < end)


def log_line(time: float, nodes: tuple[int, ...], lost: float, waited: float, restart: float) -> str:
    """Format one line of the log; all times in seconds."""
    day, rest = divmod(time, DAY)
    broken = f"node {nodes[0]}" if len(nodes) == 1 else f"nodes {min(nodes)}-{max(nodes)}"
    clock = f"{int(rest // HOUR):02d}:{int(rest % HOUR // 60):02d}"
    hours = f"lost {lost / HOUR:.2f} h | waited {waited / HOUR:.2f} h | restart {restart / HOUR:.2f} h"
    return f"day {int(day) + 1} {clock} | {broken} down | {hours}"
