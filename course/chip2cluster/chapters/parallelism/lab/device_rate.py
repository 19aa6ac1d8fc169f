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
        Group("no pipeline", 0.3, _alone, v.VALUE, advice="A single stage has no bubble."),
    ),
    hints=(
        "Start without a pipeline: achieved FLOP/s divided by FLOP per token.",
        "With full recomputation the hardware does 4/3 of the FLOP for a token.",
        "The bubble makes a step longer than its arithmetic by the fraction (stages − 1) / (number of passes on a "
        "stage), and chunks multiply the number of passes. Divide by 1 plus that fraction.",
    ),
    explanation=(
        "The number of devices cancels, because each does an equal part of every token. The difference between this "
        "rate and the measured speed comes from messages, power, and a kernel efficiency that depends on the shape."
    ),
    mistakes=(
        Mistake("no bubble", _changed(bubble=lambda p, m, v: 0.0), "You left out the bubble. It makes the step longer."),
        Mistake(
            "bubble subtracted",
            lambda **given: (
                device_rate(**{**given, "stages": 1, "chunks": 1})
                * (1 - (given["stages"] - 1) / (given["chunks"] * given["micro_batches"]))
            ),
            "(stages - 1) / (chunks * micro_batches) is the bubble over the arithmetic. The step takes 1 plus that times as long: divide by it.",
        ),
        Mistake("chunks forgotten", _changed(bubble=lambda p, m, v: (p - 1) / m), "With several chunks on a device the bubble is shorter: divide it by chunks."),
        Mistake(
            "chunks applied to the bubble's share of the step",
            lambda **given: (
                device_rate(**{**given, "stages": 1, "chunks": 1})
                * (1 - (given["stages"] - 1) / (given["micro_batches"] + given["stages"] - 1) / given["chunks"])
            ),
            "You divided the bubble's fraction of the step by chunks. Chunks divide the bubble over the arithmetic, (stages - 1) / micro_batches, and the step itself gets shorter, too.",
        ),
        Mistake("stages instead of stages - 1", _changed(bubble=lambda p, m, v: p / (v * m)), "The pipeline fills in stages - 1 passes, not in stages."),
        Mistake("recomputation ignored", _changed(again=lambda full: 1.0), "With full_recompute the forward pass runs twice: 4/3 of the FLOP."),
        Mistake("recomputation inverted", _changed(again=lambda full: 3 / 4 if full else 1.0), "With full_recompute your device becomes faster. It does 4/3 of the FLOP for the same tokens: divide by that."),
        Mistake("bubble multiplied by chunks", _changed(bubble=lambda p, m, v: v * (p - 1) / m), "You multiplied the bubble by chunks. With chunks each pass is shorter: divide the bubble by chunks."),
        Mistake("every FLOP twice", _changed(again=lambda full: 2.0 if full else 1.0), "You doubled all FLOP. Only the forward pass runs twice: 4/3 of the FLOP, not 2."),
        Mistake("always recomputed", _changed(again=lambda full: 4 / 3), "You let every run repeat its forward pass. Do it only if full_recompute is True."),
        Mistake("share forgotten", lambda **given: device_rate(**{**given, "share": 1.0}), "You let the kernels reach peak_flops. They reach share of it."),
        Mistake("divided by the stages", lambda **given: device_rate(**given) / given["stages"], "You divided by the stages. They compute different parts of the model at the same time."),
        Mistake("inverted", lambda **given: 1 / device_rate(**given), "That is seconds per token. Return tokens a second."),
    ),
)  # fmt: skip
