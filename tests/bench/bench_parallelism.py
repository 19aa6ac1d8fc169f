"""Timings of parallelism: whole schedules."""

from chip2cluster import parallelism


def rows():
    """Return (name, ours, bare NumPy or None, budget)."""
    times = dict(forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0, p2p_seconds=0.1)
    return [
        *(
            (
                f"parallelism.schedule, {name}, 16 stages, 64 micro-batches",
                lambda name=name, chunks=chunks: parallelism.schedule(name, 16, 64, chunks, **times),
                None,
                "5 ms",
            )
            for name, chunks in (
                ("gpipe", None),
                ("1f1b", None),
                ("interleaved_1f1b", 2),
                ("zb_h1", None),
                ("zb_h2", None),
                ("dualpipe", None),
            )
        ),
        ("parallelism.bubble_over_makespan, scalar", lambda: parallelism.bubble_over_makespan("1f1b", 16, 64), None, "10 µs"),
    ]  # fmt: skip
