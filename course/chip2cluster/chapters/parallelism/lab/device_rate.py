"""Task on tokens per second of a device, with recomputation and the pipeline bubble."""

from chip2cluster import parallelism
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def device_rate(flops_per_token, peak_flops, share, full_recompute, stages, micro_batches, chunks):
    """Tokens a second that one device accounts for."""
    name = "interleaved_1f1b" if chunks > 1 else "1f1b"
    bubble = parallelism.bubble_over_ideal(name, stages, micro_batches, chunks)
    return _rate(flops_per_token, peak_flops, share, 4 / 3 if full_recompute else 1.0, bubble)


def _rate(flops_per_token, peak_flops, share, again, bubble):
    return share * peak_flops / (flops_per_token * again) / (1 + bubble)


def _draw(generator, stages, chunks, recompute):
    return [
        {
            "flops_per_token": round(float(work), -9), "peak_flops": peak, "share": round(float(share), 2),
            "full_recompute": again, "stages": int(p), "micro_batches": int(p) * int(times), "chunks": int(v),
        }
        for work, peak, share, again, p, times, v in zip(
            generator.uniform(50e9, 3000e9, len(stages)), (989.4e12, 312e12, 2250e12, 989.4e12)[: len(stages)],
            generator.uniform(0.3, 0.6, len(stages)), recompute, stages, generator.integers(1, 5, len(stages)), chunks, strict=True,
        )
    ]  # fmt: skip


def _pipelines(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"flops_per_token": 3e12, "peak_flops": 1e15, "share": 0.6, "full_recompute": True, "stages": 5,
            "micro_batches": 8, "chunks": 1}  # fmt: skip
    order = generator.permutation((4, 6, 8, 16))
    return [easy, *_draw(generator, order, (2, 3, 1, 4), (True, False, True, False))]


def _alone(generator):
    return _draw(generator, (1, 1), (1, 1), (False, True))


def _changed(again=None, bubble=None):
    def wrong(flops_per_token, peak_flops, share, full_recompute, stages, micro_batches, chunks):
        twice = (4 / 3 if full_recompute else 1.0) if again is None else again(full_recompute)
        waits = (stages - 1) / (chunks * micro_batches) if bubble is None else bubble(stages, micro_batches, chunks)
        return _rate(flops_per_token, peak_flops, share, twice, waits)

    return wrong


RATE = Exercise(
    id="lab.parallelism.device_rate",
    title="Tokens a second",
    signature="device_rate(flops_per_token, peak_flops, share, full_recompute, stages, micro_batches, chunks)",
    unit="tokens/s",
    graded=True,
    points=4,
    reference=device_rate,
    groups=(
        Group("pipelines", 0.7, _pipelines),
        Group("no pipeline", 0.3, _alone, v.VALUE, advice="One stage waits for nobody."),
    ),
    hints=(
        "Begin without a pipeline: useful FLOP a second over FLOP a token.",
        "With full recomputation the hardware does 4/3 of the FLOP for a token.",
        "The bubble makes a step longer than its arithmetic, by a share: the stages less one, over all the pieces that pass a stage, where chunks make more pieces. Divide by that lengthening.",
    ),
    explanation=(
        "The number of devices does not appear: each does its share of every token. What is left between this and the "
        "measured speed is messages, power, and a share that is not the same for every shape."
    ),
    mistakes=(
        Mistake("no bubble", _changed(bubble=lambda p, m, v: 0.0), "You let no stage wait. The bubble makes the step longer."),
        Mistake(
            "bubble of the ideal taken off",
            lambda **given: (
                device_rate(**{**given, "stages": 1, "chunks": 1})
                * (1 - (given["stages"] - 1) / (given["chunks"] * given["micro_batches"]))
            ),
            "(stages - 1) / (chunks * micro_batches) is the bubble over the arithmetic. The step takes 1 plus that as long: divide by it.",
        ),
        Mistake("chunks forgotten", _changed(bubble=lambda p, m, v: (p - 1) / m), "With chunks on a device the bubble is that much shorter: divide it by chunks."),
        Mistake(
            "chunks of the other bubble",
            lambda **given: (
                device_rate(**{**given, "stages": 1, "chunks": 1})
                * (1 - (given["stages"] - 1) / (given["micro_batches"] + given["stages"] - 1) / given["chunks"])
            ),
            "You divided the bubble's share of the step by chunks. Chunks divide the bubble over the arithmetic, (stages - 1) / micro_batches; "
            "the step itself gets shorter, too.",
        ),
        Mistake("as many as stages", _changed(bubble=lambda p, m, v: p / (v * m)), "The pipe fills in stages - 1 passes, not in stages."),
        Mistake("recomputation ignored", _changed(again=lambda full: 1.0), "With full_recompute the forward pass runs twice: 4/3 of the FLOP."),
        Mistake("recomputation the wrong way", _changed(again=lambda full: 3 / 4 if full else 1.0), "With full_recompute your device becomes faster. It does 4/3 of the FLOP for the same tokens: divide by that."),
        Mistake("chunks the wrong way", _changed(bubble=lambda p, m, v: v * (p - 1) / m), "You made the bubble longer by the chunks. With chunks on a device each turn is shorter: divide the bubble by chunks."),
        Mistake("everything twice", _changed(again=lambda full: 2.0 if full else 1.0), "Only the forward pass runs twice: 4/3 of the FLOP, not 2."),
        Mistake("always recomputed", _changed(again=lambda full: 4 / 3), "You let every run compute its forward pass twice. Ask whether full_recompute is True."),
        Mistake("share forgotten", lambda **given: device_rate(**{**given, "share": 1.0}), "You let the kernels reach the peak. They reach share of it."),
        Mistake("one stage's part", lambda **given: device_rate(**given) / given["stages"], "You divided by the stages. Each works on its own part of the arithmetic at the same time."),
        Mistake("upside down", lambda **given: 1 / device_rate(**given), "That is seconds for a token. Tokens a second are wanted."),
    ),
)  # fmt: skip
