"""Task on the bytes of weights, gradients and optimizer states on a device, sharded."""

from typing import Any

from chip2cluster import transformer
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def state_bytes(parameters, tensor, pipeline, shards, whole):
    """Bytes of states on one device: all shared by ``shards``, or working weights and gradients whole."""
    kept: dict[str, Any] = (
        {"zero_stage": 1, "weight_bytes": 2, "gradient_bytes": 4, "optimizer_bytes": 12}
        if whole
        else {"zero_stage": 3, "weight_bytes": 4, "gradient_bytes": 4, "optimizer_bytes": 8}
    )
    return float(transformer.state_memory(parameters / (tensor * pipeline), data_parallel=shards, **kept).total)


def _draw(generator, whole):
    return [
        {"parameters": round(float(p), -8), "tensor": int(t), "pipeline": int(s), "shards": int(n), "whole": whole}
        for p, t, s, n in zip(
            generator.uniform(5e9, 500e9, 4), generator.permutation((2, 4, 8, 16)), generator.permutation((3, 5, 6, 12)),
            generator.permutation((7, 10, 32, 64)), strict=True,
        )
    ]  # fmt: skip


def _shared(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"parameters": 60e9, "tensor": 2, "pipeline": 3, "shards": 8, "whole": False}
    return [easy, *_draw(generator, False)]


def _whole(generator):
    return _draw(generator, True)


def _bytes(shared, kept=lambda n: 6 + 12 / n):
    """Bytes a parameter by the number of shards: where all is shared, and where not."""
    return lambda parameters, tensor, pipeline, shards, whole: (
        (kept(shards) if whole else shared(shards)) * parameters / (tensor * pipeline)
    )


def _without(name):
    return lambda **given: state_bytes(**{**given, name: 1})


STATES = Exercise(
    id="lab.parallelism.state_bytes",
    title="What the states take",
    signature="state_bytes(parameters, tensor, pipeline, shards, whole)",
    unit="bytes",
    graded=True,
    points=4,
    reference=state_bytes,
    groups=(
        Group("all sharded", 0.6, _shared),
        Group(
            "pipelines", 0.4, _whole, v.VALUE,
            advice="With whole=True every device has 2 bytes of weights and 4 of gradients; the other 12 bytes are sharded.",
        ),
    ),
    hints=(
        "Start with the parameters of one device: both tensor and pipeline divide them.",
        "Without whole, all 4 + 4 + 8 bytes are divided by the shards. With it, some bytes are on every device.",
        "With whole, the working weights and the gradients count in full on every device, and only what the text calls "
        "shared is divided by the shards. Add them up: the total is more than 16 bytes.",
    ),
    explanation=(
        "Sharding over many devices makes the states negligible. A pipeline that keeps working weights and gradients "
        "whole between its micro-batches pays 6 bytes a parameter, however many devices there are."
    ),
    mistakes=(
        Mistake(
            "whole ignored",
            _bytes(lambda n: 16 / n, lambda n: 16 / n),
            "You sharded everything in every run. With whole=True each device has all weights and gradients: 2 and 4 bytes.",
            share=0.6,
        ),
        Mistake(
            "gradients sharded with whole=True",
            _bytes(lambda n: 16 / n, lambda n: 2 + 16 / n),
            "With whole=True the 4 bytes of the gradients are not sharded either.",
            share=0.6,
        ),
        Mistake(
            "nothing sharded with whole=True",
            _bytes(lambda n: 16 / n, lambda n: 18),
            "With whole=True the other 12 bytes are still sharded: divide them by shards.",
            share=0.6,
        ),
        Mistake("shards forgotten", _without("shards"), "You left out shards: divide the bytes that are not whole by shards."),
        Mistake("tensor forgotten", _without("tensor"), "Tensor parallelism shards each matrix: divide the parameters by tensor."),
        Mistake("pipeline forgotten", _without("pipeline"), "A stage has a part of the layers: divide the parameters by pipeline."),
        Mistake(
            "the whole model",
            lambda **given: state_bytes(**{**given, "tensor": 1, "pipeline": 1}),
            "You counted the whole model on each device. Divide the parameters by both tensor and pipeline.",
        ),
        Mistake(
            "optimizer forgotten",
            _bytes(lambda n: 8 / n, lambda n: 6 + 4 / n),
            "The two moments of Adam are missing: 8 bytes a parameter.",
        ),
        Mistake(
            "weights only",
            _bytes(lambda n: 4 / n, lambda n: 2 + 4 / n),
            "You counted only the weights. Add the gradients and Adam's two moments.",
        ),
        Mistake(
            "eighteen bytes",
            _bytes(lambda n: 18 / n),
            "You added working weights, for 18 bytes. Here they are gathered layer by layer, so count 4 + 4 + 8.",
        ),
        Mistake(
            "gibibytes", lambda **given: state_bytes(**given) / 2**30, "You returned GiB. Return bytes.", v.UNIT
        ),
        Mistake("gigabytes", lambda **given: state_bytes(**given) / 1e9, "You returned GB. Return bytes.", v.UNIT),
    ),
)  # fmt: skip
