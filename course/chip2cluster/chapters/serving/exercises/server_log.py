"""Server log as numbers: a list for each quantity, with a value for every ten seconds."""

from typing import Any

CAUSES = ("cache", "sequences", "prefix", "prompts", "slow", "nothing")
LINES = 5
HEALTHY = {"reading": 24000.0, "hit_rate": 0.6, "max_sequences": 256}  # prompt tokens/s at most, share, sequences
OTHER = {"reading": 9500.0, "hit_rate": 0.35, "max_sequences": 64}
FEW_SHARE = {"reading": 15000.0, "hit_rate": 0.15, "max_sequences": 128}  # prompts that begin differently
MOST_SHARE = {"reading": 40000.0, "hit_rate": 0.9, "max_sequences": 512}  # one long text before nearly all
CROWD, PAUSE = "crowd", "pause"


def observed(cause, generator, *, healthy=HEALTHY, odd="", at=0, waiting=None, **shares):
    """The arguments of a server whose users wait for this ``cause``.

    In line ``at`` something ``odd`` may stand: a crowd that waits and fills all, or a pause in which nobody comes. ``waiting`` are the
    requests in line; ``cache``, ``sequences``, ``reading``, ``hits`` are shares of their most instead of what the cause draws.
    """
    usual = _state(cause, generator) | shares
    line = waiting if waiting is not None else 0 if cause == "nothing" else int(generator.integers(8, 120))
    log: dict[str, list[Any]] = {name: [] for name in ("waiting", "running", "reading", "cache", "hit_rate")}
    for number in range(LINES):
        sway = generator.uniform(0.98, 1.02, 4)
        pause, crowd = (number == at and odd == kind for kind in (PAUSE, CROWD))
        part = 0.04 if pause else 1.0
        state = usual | {"sequences": 1.0, "cache": 0.98, "reading": 0.98} if crowd else usual
        sequences = part * state["sequences"] * (1 if state["sequences"] == 1 else sway[0])
        queue = line + int(generator.integers(-2, 3)) if line > 5 else line
        log["waiting"].append(0 if pause else int(generator.integers(150, 400)) if crowd else queue)
        log["running"].append(max(1, round(healthy["max_sequences"] * sequences)))
        log["reading"].append(round(part * healthy["reading"] * min(0.995, state["reading"] * sway[1])))
        log["cache"].append(round(part * min(0.995, state["cache"] * sway[2]), 3))
        log["hit_rate"].append(round((0.0 if pause else 1.0) * healthy["hit_rate"] * state["hits"] * sway[3], 3))
    return {"log": log, "healthy": dict(healthy)}


def _state(cause, generator):
    """Shares of their most, when this cause makes users wait: clearly used up, or clearly not."""

    def between(low, high):
        return float(generator.uniform(low, high))

    return {
        "sequences": 1.0 if cause == "sequences" else between(0.2, 0.75),
        "cache": between(0.95, 0.99) if cause == "cache" else between(0.3, 0.75),
        "reading": between(0.95, 0.99) if cause in ("prompts", "prefix") else between(0.2, 0.75),
        "hits": between(0.03, 0.3) if cause == "prefix" else between(0.9, 1.05),
    }
