"""Timings of parallelism: whole schedules, and all layouts of 16,384 devices."""

from chip2cluster import parallelism, specs, transformer
from tests.bench.rows import call_row


def rows():
    """Return the rows of this module."""
    llama, h100 = transformer.model("Llama 3.1 405B").config, specs.accelerator("H100 SXM")
    cluster = parallelism.Tier("node", 8, 450e9), parallelism.Tier("network", 16384, 50e9)
    layout = parallelism.Layout(8, 16, 128)
    batch = dict(sequence=8192, global_batch=2048)
    times = dict(forward_seconds=1.0, backward_seconds=1.0, weight_seconds=1.0, p2p_seconds=0.1)
    return [
        *(
            call_row(
                f"schedule, {name}, 16 stages, 64 micro-batches",
                lambda name=name, chunks=chunks: parallelism.schedule(name, 16, 64, chunks, **times),
                budget=5e-3,
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
        call_row(
            "bubble_over_makespan, scalar", lambda: parallelism.bubble_over_makespan("1f1b", 16, 64), budget=10e-6
        ),
        call_row(
            "layouts, tensor x pipeline x context x data = 16,384",
            lambda: parallelism.layouts(llama, 16384, 2048, h100, cluster, sequence=8192),
            budget=50e-3,
        ),
        call_row("memory_by_stage", lambda: parallelism.memory_by_stage(llama, layout, 8192, 16)),
        call_row("step_time", lambda: parallelism.step_time(llama, layout, h100, cluster, **batch)),
    ]
