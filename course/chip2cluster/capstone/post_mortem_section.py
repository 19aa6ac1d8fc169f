"""Section of a design memo on the worst week of its simulated runs."""

from __future__ import annotations

from dataclasses import replace

from .evaluation import evaluate
from .interruption_log import run_log
from .memo_parts import MemoLog, MemoSection, MemoTable
from .outcome import DAY, Outcome
from .repeated_runs import WEEK, bad_week, play_many
from .run_simulation import play
from .scenario import Scenario


def post_mortem_section(out: Outcome, scenario: Scenario, runs_played: int) -> MemoSection:
    """Return the section: hours lost in the worst week of the simulated runs, its log, and a remedy."""
    title = "Post-mortem of the worst week"
    try:
        seed = bad_week(out.design, scenario, runs_played)
    except ValueError:
        runs = play_many(out.design, scenario, runs_played)
        finished = runs.seeds[runs.seconds < float("inf")]
        seed = int(finished[-1]) if len(finished) else 0
        title = "Post-mortem of one run"
    run = play(out.design, scenario, seed)
    lost = [day.lost_seconds + day.restart_seconds + day.waiting_seconds for day in run.days]
    span = round(WEEK / DAY)
    first = max(range(max(1, len(lost) - span + 1)), key=lambda start: sum(lost[start : start + span]))
    week = run.days[first : first + span]
    parts = {"waiting for nodes": "waiting_seconds", "lost work": "lost_seconds", "restarts": "restart_seconds"}
    hours = {name: sum(getattr(day, of) for day in week) / 3600 for name, of in parts.items()}
    worst = max(hours, key=hours.__getitem__)
    more = replace(out.design, spares=(out.design.spares or 0) + max(1, (out.design.spares or 0) // 4))
    remedy = evaluate(more, scenario, nearest=False)
    rows = [(name, f"{value:.1f} h") for name, value in hours.items()]
    lines = run_log(run, first + 1, first + span).splitlines()
    longest = sorted(lines, key=_hours, reverse=True)[:5]
    shown = "\n".join(line for line in lines if line in longest)
    says = (
        f"Days {first + 1} to {first + len(week)} of run {seed}: {worst} took most. {more.spares} spares would cost "
        f"{(remedy.capital_dollars - out.capital_dollars) / 1e6:.2f} M$ more and change the expected days from "
        f"{out.days:.1f} to {remedy.days:.1f}."
    )
    return MemoSection(title, (says, MemoTable(("cause", "hours"), tuple(rows)), MemoLog(shown)))


def _hours(line: str) -> float:
    """Return the hours that a line of `run_log` lists."""
    words = line.split()
    return sum(float(words[place - 1]) for place, word in enumerate(words) if word == "h")
