"""Tasks on paper about occupancy: loads in flight, waves of blocks, divergent warps."""

import math

from chip2cluster.exercise.paper_task import Number, PaperTask, Step

SMS = Number("", values=(80, 108, 132, 144, 148), whole=True)

TASKS = (
    PaperTask(
        exercise="lab.occupancy.loads_needed",
        title="Enough loads in flight",
        text="A GPU has {sms} multiprocessors and a memory bandwidth of {memory_bandwidth}; a load from memory takes {latency}. On each "
        "multiprocessor {active_warps} warps of 32 threads are active, and each thread loads {bytes_per_load} at a time. How "
        "many loads must every thread have in flight so that the memory is never idle? (Little's law: bytes in flight are "
        "bandwidth times latency.)",
        given={
            "active_warps": Number("", values=(4, 8, 12, 16, 24, 32), whole=True),
            "latency": Number("ns", 400, 900, per=1e-9),
            "memory_bandwidth": Number("TB/s", 1.5, 8, per=1e12),
            "sms": SMS,
            "bytes_per_load": Number("bytes", values=(4, 8, 16), whole=True),
        },
        unit="loads",
        exact=True,
        plausible=lambda x: x.memory_bandwidth * x.latency > 32 * x.sms * x.active_warps * x.bytes_per_load,
        steps=(
            Step("bytes in flight on the chip", 0.3, lambda x: x.memory_bandwidth * x.latency / 1e6, "MB"),
            Step("of one multiprocessor", 0.3, lambda x: x.memory_bandwidth * x.latency / x.sms / 1e3, "kB"),
            Step(
                "over the bytes of one load of all its threads, rounded up",
                0.4,
                lambda x: math.ceil(x.memory_bandwidth * x.latency / x.sms / (32 * x.active_warps * x.bytes_per_load)),
                "loads",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.occupancy.run_time",
        title="Waves of blocks",
        text="A kernel works on {elements} elements, {elements_per_thread} elements for each thread, in blocks of {threads_per_block} threads. The "
        "GPU has {sms} multiprocessors, each runs {blocks_per_sm} blocks at a time, and a block takes {block_seconds}. All "
        "blocks of a wave start and end together. How long does the kernel run? Judge what share of the "
        "last wave is used.",
        given={
            "elements": Number("million", 1, 40, per=1e6, whole=True),
            "elements_per_thread": Number("", values=(1, 2, 4, 8), whole=True),
            "threads_per_block": Number("", values=(128, 256, 512), whole=True),
            "blocks_per_sm": Number("", values=(2, 4, 8), whole=True),
            "sms": SMS,
            "block_seconds": Number("µs", 8, 60, per=1e-6),
        },
        unit="ms",
        per=1e-3,
        plausible=lambda x: (
            1.2 < x.elements / x.elements_per_thread / x.threads_per_block / (x.sms * x.blocks_per_sm) < 60
        ),
        judges=True,
        judgement="Blocks of the last wave over the blocks of a full wave.",
        steps=(
            Step(
                "blocks",
                0.3,
                lambda x: math.ceil(x.elements / x.elements_per_thread / x.threads_per_block),
                "blocks",
            ),
            Step(
                "waves: blocks over the blocks of a wave, rounded up",
                0.4,
                lambda x: math.ceil(
                    math.ceil(x.elements / x.elements_per_thread / x.threads_per_block) / (x.sms * x.blocks_per_sm)
                ),
                "waves",
            ),
            Step(
                "times the time of a block",
                0.3,
                lambda x: (
                    1e3
                    * x.block_seconds
                    * math.ceil(
                        math.ceil(x.elements / x.elements_per_thread / x.threads_per_block) / (x.sms * x.blocks_per_sm)
                    )
                ),
                "ms",
            ),
        ),
    ),
    PaperTask(
        exercise="occupancy.branch_cycles",
        title="What a branch costs",
        text="A block of {threads} threads runs in warps of 32. The first {cut} threads of the block take one side of a branch, which "
        "needs {cycles_if}; all others take the other side, which needs {cycles_else}. A warp whose threads take both sides "
        "runs one after the other. How many cycles do all warps of the block need together?",
        given={
            "threads": Number("", values=(128, 256, 512, 1024), whole=True),
            "cut": Number("", 20, 900, whole=True),
            "cycles_if": Number("cycles", 10, 80, whole=True),
            "cycles_else": Number("cycles", 12, 90, whole=True),
        },
        unit="warp-cycles",
        exact=True,
        plausible=lambda x: x.cut < 0.9 * x.threads and x.cut % 32 and x.cycles_if != x.cycles_else,
        steps=(
            Step("warps whose threads all take the first side", 0.3, lambda x: x.cut // 32, "warps"),
            Step(
                "warps whose threads all take the other side", 0.3, lambda x: x.threads // 32 - x.cut // 32 - 1, "warps"
            ),
            Step(
                "sum over the warps; one warp needs both",
                0.4,
                lambda x: (
                    x.cut // 32 * x.cycles_if
                    + (x.threads // 32 - x.cut // 32 - 1) * x.cycles_else
                    + x.cycles_if
                    + x.cycles_else
                ),
                "warp-cycles",
            ),
        ),
    ),
)
