"""What a server writes about itself every ten seconds, in vLLM's words."""

import re

import numpy as np

CAUSES = ("cache", "seats", "prefix", "prompts", "slow", "nothing")
LINES = 6
HEALTHY = {"reading": 24000.0, "hit_rate": 0.6, "max_sequences": 256}  # prompt tokens/s at most, share, sequences
OTHER = {"reading": 9500.0, "hit_rate": 0.35, "max_sequences": 64}
_NUMBERS = (
    r"prompt throughput: ([\d.]+) tokens/s, Avg generation throughput: ([\d.]+) tokens/s, Running: (\d+) reqs, "
    r"Waiting: (\d+) reqs, GPU KV cache usage: ([\d.]+)%, Prefix cache hit rate: ([\d.]+)%"
)


def lines(cause, generator, *, healthy=HEALTHY, burst=False, waiting=None, **shares):
    """The arguments of a server whose users wait for this ``cause``.

    ``burst`` lets a crowd wait in one of the lines; ``waiting`` are the requests in line, and ``cache``, ``seats``,
    ``reading``, ``hits`` are shares of their most, instead of what the cause draws.
    """
    state = _state(cause, generator) | shares
    line = waiting if waiting is not None else 0 if cause == "nothing" else int(generator.integers(8, 120))
    crowd = int(generator.integers(1, LINES)) if burst else -1
    start, written = 38 * 60 + int(generator.integers(60)), []
    for number in range(LINES):
        in_line = max(0, line + int(generator.integers(-2, 3))) if line > 5 else line
        in_line = int(generator.integers(150, 400)) if number == crowd else in_line
        # The first line holds what came before the users did.
        written.append(
            _line(start + 10 * number, state, 0 if not number else in_line, healthy, generator, quiet=not number)
        )
        if cause == "cache" and number and generator.random() < 0.6:
            written.append(_preempted(start + 10 * number + 3, generator))
    return {"log": "\n".join(written) + "\n", "healthy": dict(healthy)}


def _state(cause, generator):
    """Shares of their most, when this cause makes users wait."""

    def between(low, high):
        return float(generator.uniform(low, high))

    return {
        "seats": 1.0 if cause == "seats" else between(0.2, 0.75),
        "cache": between(0.93, 0.995) if cause == "cache" else between(0.3, 0.8),
        "reading": between(0.94, 0.99) if cause in ("prompts", "prefix") else between(0.2, 0.75),
        "hits": between(0.02, 0.3) if cause == "prefix" else between(0.85, 1.05),
    }


def _line(second, state, in_line, healthy, generator, quiet):
    """One line of the log; a quiet server does a tenth of it."""
    sway = generator.uniform(0.98, 1.02, 4)
    part = 0.1 if quiet else 1.0
    reading = part * healthy["reading"] * state["reading"] * min(sway[0], 1.0)
    seats = state["seats"] if state["seats"] == 1 else state["seats"] * sway[1]
    running = max(1, round(part * healthy["max_sequences"] * seats))
    cache = 100 * part * min(0.999, state["cache"] * sway[2])
    hits = 0.0 if quiet else 100 * min(0.99, healthy["hit_rate"] * state["hits"] * sway[3])
    return (
        f"INFO {_clock(second)} [loggers.py:259] Engine 000: Avg prompt throughput: {reading:.1f} tokens/s, "
        f"Avg generation throughput: {running * generator.uniform(8, 16):.1f} tokens/s, Running: {running} reqs, "
        f"Waiting: {in_line} reqs, GPU KV cache usage: {cache:.1f}%, Prefix cache hit rate: {hits:.1f}%"
    )


def _preempted(second, generator):
    return (
        f"WARNING {_clock(second)} [scheduler.py:1753] Sequence group {int(generator.integers(100, 9000))} is preempted by "
        "PreemptionMode.RECOMPUTE mode because there is not enough KV cache space."
    )


def _clock(second):
    return f"03-17 15:{second // 60:02d}:{second % 60:02d}"


def columns(log):
    """Prompt tokens/s, output tokens/s, running, waiting, share of the cache, share of hits: an array a quantity."""
    rows = np.array([[float(number) for number in found] for found in re.findall(_NUMBERS, log)])
    read, written, running, waiting, cache, hits = rows.T
    return read, written, running, waiting, cache / 100, hits / 100
