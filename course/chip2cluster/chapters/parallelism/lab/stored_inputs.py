"""Task on the layer inputs that a pipeline stage stores for its backward pass."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def kept_bytes(layers, d_model, tokens, tensor, pipeline, micro_batches, stage):
    """Bytes of layer inputs that a device keeps under full recomputation and 1F1B."""
    return _kept(min(micro_batches, pipeline - stage), layers, d_model, tokens, tensor, pipeline)


def _kept(flying, layers, d_model, tokens, tensor, pipeline, size=2):
    return size * tokens * d_model / tensor * layers / pipeline * flying


def _draw(generator, few):
    rows = []
    for p, t in zip(generator.permutation((4, 6, 8, 10)), generator.permutation((2, 4, 8, 16)), strict=True):
        p, t = int(p), int(t)
        stage = int(generator.integers(0, p // 4)) if few else int(generator.integers(1, p - 1))
        rows.append({
            "layers": p * int(generator.integers(2, 20)), "d_model": 1024 * int(generator.integers(2, 20)),
            "tokens": 4096 * int(generator.integers(1, 9)), "tensor": t, "pipeline": p,
            "micro_batches": int(generator.integers(2, p - stage - 1)) if few and p - stage > 3 else p + int(generator.integers(1, 30)),
            "stage": stage,
        })  # fmt: skip
    return rows


def _many(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"layers": 8, "d_model": 1000, "tokens": 1000, "tensor": 2, "pipeline": 4, "micro_batches": 8, "stage": 1}
    # Layers that do not come out even: the part is a fraction.
    uneven = {"layers": 126, "d_model": 16384, "tokens": 8192 * int(generator.integers(1, 5)), "tensor": 8, "pipeline": 8,
              "micro_batches": 32, "stage": int(generator.integers(0, 4))}  # fmt: skip
    return [easy, *_draw(generator, few=False), uneven]


def _few(generator):
    alone = {"layers": 32, "d_model": 4096, "tokens": 16384, "tensor": 1, "pipeline": 1, "micro_batches": 3, "stage": 0}
    return [*_draw(generator, few=True), alone]


def _flying(count):
    return lambda layers, d_model, tokens, tensor, pipeline, micro_batches, stage: _kept(
        count(pipeline, micro_batches, stage), layers, d_model, tokens, tensor, pipeline
    )


def _whole(rounded):
    return lambda layers, pipeline, **rest: kept_bytes(
        layers=int(rounded(layers / pipeline)) * pipeline, pipeline=pipeline, **rest
    )


KEPT = Exercise(
    id="lab.parallelism.kept_bytes",
    title="What waits for its backward pass",
    signature="kept_bytes(layers, d_model, tokens, tensor, pipeline, micro_batches, stage)",
    unit="bytes",
    graded=True,
    points=4,
    reference=kept_bytes,
    groups=(
        Group("many micro-batches", 0.6, _many),
        Group("few micro-batches", 0.4, _few, v.VALUE, advice="No more micro-batches can be in flight than the step has."),
    ),
    hints=(
        "Three factors: the input of one layer, the layers of one stage, and the micro-batches in flight there.",
        "The input of a layer has tokens · d_model elements of 2 bytes, divided between tensor devices.",
        "In 1F1B, a stage has as many micro-batches in flight as there are stages from it to the last one, itself included, but never more than the step has.",
    ),
    explanation=(
        "On the first stage of a step with many micro-batches, the number of stages cancels: layers / p each, times p "
        "in flight. More stages save memory for states, not for activations."
    ),
    mistakes=(
        Mistake(
            "more in flight than micro-batches",
            _flying(lambda p, m, i: p - i),
            "You have more micro-batches in flight than the step has.",
            share=0.6,
        ),
        Mistake("all micro-batches", _flying(lambda p, m, i: m), "You keep every micro-batch of the step, as GPipe does. 1F1B starts backward passes as soon as it can."),
        Mistake("every stage like the first", _flying(lambda p, m, i: min(m, p)), "You let every stage hold as much as the first one. Stage i is closer to the last stage and holds fewer micro-batches."),
        Mistake("one too few", _flying(lambda p, m, i: min(m, max(p - i - 1, 0))), "You hold one micro-batch too few: even the last stage has one in flight."),
        Mistake("stages from the end", _flying(lambda p, m, i: min(m, i + 1)), "You counted stages from the wrong end. The first stage holds the most."),
        Mistake("layers rounded down", _whole(np.floor), "You rounded the layers of a stage down. Here they may be a fraction: layers / pipeline."),
        Mistake("layers rounded up", _whole(np.ceil), "You rounded the layers of a stage up. Here they may be a fraction: layers / pipeline."),
        Mistake("one micro-batch", _flying(lambda p, m, i: 1), "You kept one micro-batch. Several are in flight."),
        Mistake("all layers", lambda **given: given["pipeline"] * kept_bytes(**given), "You counted the layers of the whole model. A stage has layers / pipeline of them."),
        Mistake("tensor forgotten", lambda **given: given["tensor"] * kept_bytes(**given), "The input of a layer is divided between the tensor devices: divide by tensor."),
        Mistake("one byte", lambda **given: kept_bytes(**given) / 2, "You counted one byte per element. In bf16 it is two.", v.FACTOR),
        Mistake("four bytes", lambda **given: 2 * kept_bytes(**given), "You counted four bytes per element. In bf16 it is two.", v.FACTOR),
        Mistake("gibibytes", lambda **given: kept_bytes(**given) / 2**30, "You returned GiB. Return bytes.", v.UNIT),
    ),
)  # fmt: skip
