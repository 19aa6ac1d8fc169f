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


def lines(
    cause, generator, *, healthy=HEALTHY, burst=False, cache=None, seats=None, reading=None, hits=None, waiting=None
):
    """The arguments of a server whose users wait for this ``cause``.

    ``burst`` lets a crowd wait in one of the lines; ``cache``, ``seats``, ``reading``, ``hits`` are shares of their most
    instead of those that the cause draws, ``waiting`` the requests in the line.
    """
    seated = {"seats": 1.0}.get(cause, float(generator.uniform(0.2, 0.75))) if seats is None else seats
    filled = (
        {"cache": float(generator.uniform(0.93, 0.995))}.get(cause, float(generator.uniform(0.3, 0.8)))
        if cache is None
        else cache
    )
    busy = cause in ("prompts", "prefix")
    read = (
        (float(generator.uniform(0.94, 0.99)) if busy else float(generator.uniform(0.2, 0.75)))
        if reading is None
        else reading
    )
    hit = (
        (float(generator.uniform(0.02, 0.3)) if cause == "prefix" else float(generator.uniform(0.85, 1.05)))
        if hits is None
        else hits
    )
    line = (0 if cause == "nothing" else int(generator.integers(8, 120))) if waiting is None else waiting
    second = int(generator.integers(60))
    crowd = int(generator.integers(1, LINES)) if burst else -1
    written = []
    for number in range(LINES):
        first = number == 0  # it holds what came before the users did
        sway = generator.uniform(0.98, 1.02, 4)
        written.append(
            f"INFO 03-17 15:{38 + (second + 10 * number) // 60:02d}:{(second + 10 * number) % 60:02d} [loggers.py:259] Engine 000: "
            f"Avg prompt throughput: {healthy['reading'] * read * min(sway[0], 1.0) * (0.1 if first else 1):.1f} tokens/s, "
            f"Avg generation throughput: {generator.uniform(8, 16) * healthy['max_sequences'] * seated * (0.1 if first else 1):.1f} tokens/s, "
            f"Running: {max(1, round(healthy['max_sequences'] * min(1.0, seated if seated in (0, 1) else seated * sway[1])) // (9 if first else 1))} reqs, "
            f"Waiting: {int(generator.integers(150, 400)) if number == crowd else 0 if first else max(0, line + int(generator.integers(-2, 3)) * (line > 5))} reqs, "
            f"GPU KV cache usage: {100 * min(0.999, filled * sway[2]) / (9 if first else 1):.1f}%, "
            f"Prefix cache hit rate: {0.0 if first else 100 * min(0.99, healthy['hit_rate'] * hit * sway[3]):.1f}%"
        )
        if cause == "cache" and not first and generator.random() < 0.6:
            written.append(
                f"WARNING 03-17 15:{38 + (second + 10 * number + 3) // 60:02d}:{(second + 10 * number + 3) % 60:02d} [scheduler.py:1753] "
                f"Sequence group {int(generator.integers(100, 9000))} is preempted by PreemptionMode.RECOMPUTE mode because there is not "
                "enough KV cache space."
            )
    return {"log": "\n".join(written) + "\n", "healthy": dict(healthy)}


def columns(log):
    """Prompt tokens/s, output tokens/s, running, waiting, share of the cache, share of hits: an array a quantity."""
    rows = np.array([[float(number) for number in found] for found in re.findall(_NUMBERS, log)])
    read, written, running, waiting, cache, hits = rows.T
    return read, written, running, waiting, cache / 100, hits / 100
