"""Tasks on paper about parallel training: states, bubbles, which layouts are feasible."""

from dataclasses import replace

import numpy as np

from chip2cluster.exercise.machine_ranges import MFU, MODEL, PEAK
from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

NAMES = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel")
# Degrees of tensor, pipeline and data parallelism on 128 devices; Hazel has 64 and Birch crosses a node of 8.
TENSOR, PIPELINE, DATA = np.array([8, 16, 4, 8, 2, 8]), np.array([4, 1, 8, 2, 8, 4]), np.array([4, 8, 4, 8, 8, 2])
NEEDED = tuple(f"needed_{name}" for name in NAMES)
SECONDS = tuple(f"seconds_{name}" for name in NAMES)


def _layouts(x):
    return {
        "names": [*NAMES],
        "tensor": TENSOR,
        "pipeline": PIPELINE,
        "data": DATA,
        "needed_bytes": np.array([getattr(x, name) for name in NEEDED]),
        "seconds": np.array([getattr(x, name) for name in SECONDS]),
        "devices": 128,
        "domain": 8,
        "batch": x.batch,
        "memory_bytes": x.memory,
    }


def _layout_table(x):
    rows = zip(x.names, x.tensor, x.pipeline, x.data, x.needed_bytes / 1e9, x.seconds, strict=True)
    head = "| layout | tensor | pipeline | data | memory of the fullest device (GB) | step (s) |\n|---|--:|--:|--:|--:|--:|\n"
    return {
        "layouts": head + "\n".join(f"| {n} | {t} | {p} | {d} | {need:g} | {s:g} |" for n, t, p, d, need, s in rows),
        "memory": f"{x.memory_bytes / 1e9:g} GB",
        "batch": f"{x.batch}",
    }


def _feasible(x):
    keep = (x.tensor * x.pipeline * x.data == x.devices) & (x.domain % x.tensor == 0) & (x.batch % x.data == 0)
    keep &= x.needed_bytes <= x.memory_bytes
    return [x.names[place] for place in np.argsort(x.seconds) if keep[place]]


TASKS = (
    PaperTask(
        exercise="lab.parallelism.device_rate",
        title="Tokens a second on each device",
        text="A model needs {flops_per_token} of arithmetic for a token. While kernels run, a device reaches {share} of its peak of {peak_flops}. "
        "{full_recompute} The pipeline has {stages} stages and {micro_batches} micro-batches, in the schedule 1F1B without interleaving. How "
        "many tokens a second does the machine process, divided by its devices?",
        given={
            "flops_per_token": Number("GFLOP", 45, 2600, per=1e9),
            "peak_flops": replace(PEAK, per=1e12),
            "share": replace(MFU, low=40, high=70),
            "full_recompute": Choice(
                {
                    True: "The forward pass, a third of the model's arithmetic, is done twice, to save memory.",
                    False: "Nothing is recomputed.",
                }
            ),
            "stages": Number("", values=(2, 4, 8, 16), whole=True),
            "micro_batches": Number("", values=(8, 16, 32, 64), whole=True),
        },
        inputs=lambda x: {**vars(x), "chunks": 1},
        unit="tokens/s",
        plausible=lambda x: x.micro_batches >= x.stages and x.flops_per_token > 40e9 * x.stages,
        steps=(
            Step(
                "arithmetic of a token, with what is recomputed",
                0.3,
                lambda x: x.flops_per_token * (4 / 3 if x.full_recompute else 1) / 1e9,
                "GFLOP",
            ),
            Step(
                "tokens a second without a bubble",
                0.3,
                lambda x: x.share * x.peak_flops / (x.flops_per_token * (4 / 3 if x.full_recompute else 1)),
                "tokens/s",
            ),
            Step(
                "over 1 + (stages − 1)/micro-batches",
                0.4,
                lambda x: (
                    x.share
                    * x.peak_flops
                    / (x.flops_per_token * (4 / 3 if x.full_recompute else 1))
                    / (1 + (x.stages - 1) / x.micro_batches)
                ),
                "tokens/s",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.parallelism.state_bytes",
        title="Memory of the model states",
        text="A model of {parameters} parameters is trained with 16 bytes for each parameter: 4 of weights, 4 of gradients and 8 of the optimizer. "
        "Tensor parallelism of degree {tensor} and {pipeline} pipeline stages divide the parameters; {shards} data-parallel devices share all "
        "16 bytes of each part among them (ZeRO-3). How much memory do the states take on each device?",
        given={
            "parameters": replace(MODEL, per=1e9),
            "tensor": Number("", values=(1, 2, 4, 8), whole=True),
            "pipeline": Number("", values=(1, 2, 4, 8), whole=True),
            "shards": Number("", values=(2, 4, 8, 16), whole=True),
        },
        inputs=lambda x: {**vars(x), "whole": False},
        unit="GB",
        per=1e9,
        plausible=lambda x: 2e9 < 16 * x.parameters / x.tensor / x.pipeline / x.shards < 250e9,
        steps=(
            Step("16 bytes for each parameter", 0.3, lambda x: 16 * x.parameters / 1e9, "GB"),
            Step("of one tensor rank and stage", 0.3, lambda x: 16 * x.parameters / x.tensor / x.pipeline / 1e9, "GB"),
            Step(
                "over the devices that share it",
                0.4,
                lambda x: 16 * x.parameters / x.tensor / x.pipeline / x.shards / 1e9,
                "GB",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.parallelism.choose",
        title="Which layouts are feasible?",
        text="A cluster of 128 accelerators has fast links inside nodes of 8. Each accelerator has {memory} of memory, and a batch has {batch} "
        "sequences. These six layouts are proposed:\n\n{layouts}\n\nWhich of them use all 128 accelerators, keep tensor parallelism inside a "
        "node, divide the batch evenly among the data-parallel groups, and fit into memory? Name them, the fastest first. For each of "
        "the others write the condition that it breaks into the box.",
        given={
            "batch": Number("", values=(36, 48, 60, 64), whole=True),
            "memory": Number("GB", values=(80, 96), per=1e9),
            **{name: Number("GB", 50, 110, per=1e9) for name in NEEDED},
            **{name: Number("s", 4, 12) for name in SECONDS},
        },
        inputs=_layouts,
        prints=_layout_table,
        judges=True,
        plausible=lambda x: len({*x.seconds}) == 6 and len(_feasible(x)) >= 2,
        steps=(
            Step(
                "product of the degrees is 128; tensor divides 8",
                0.35,
                lambda x: [
                    name
                    for name, t, p, d in zip(x.names, x.tensor, x.pipeline, x.data, strict=True)
                    if t * p * d == 128 and 8 % t == 0
                ],
            ),
            Step("data divides the batch; memory suffices", 0.35, lambda x: sorted(_feasible(x))),
            Step("fastest first", 0.3, _feasible),
        ),
    ),
)
