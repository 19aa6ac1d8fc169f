"""Lab 10: was the schedule the one that was asked for?"""

from chip2cluster import parallelism
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, percent


def draw(generator):
    def row():
        stages = float(generator.choice([4, 8, 16]))
        return {"stages": stages, "micro_batches": stages * float(generator.integers(1, 9))}

    drawn = {tuple(row().items()) for _ in range(12)}
    rows = [dict(items) for items in sorted(drawn)]
    order = generator.permutation(len(rows))[:4]
    *measured, coming = (rows[int(place)] for place in order)
    return Draw({"chunks": int(generator.choice([2, 3, 4]))}, measured, coming)


QUESTION = Question(
    scene="A run's configuration asks for an interleaved pipeline, {chunks} chunks of layers on each device. Forward "
    "and backward passes take equally long on every device, and sending costs next to nothing. A profiler "
    "reports the fraction of a step that a device waits.",
    columns=(Column("stages", "stages"), Column("micro_batches", "micro-batches")),
    result=Column("idle", "waiting", percent),
    explanations=(
        Explanation(
            "the program interleaved as configured.",
            "A pipeline waits while it fills and drains. With chunks the first work reaches the last device sooner, so "
            "the bubble is divided by their number, at the cost of more messages; that is what the profiler saw.",
            "If the number of messages between devices in a step did not grow with the chunks, I would be wrong.",
            lambda stages, micro_batches, chunks: parallelism.bubble_over_makespan(
                "interleaved_1f1b", int(stages), int(micro_batches), chunks
            ),
        ),
        Explanation(
            "the program ran plain 1F1B, and the chunks in the configuration had no effect.",
            "A pipeline waits while it fills and drains, for one slot per stage except the first. Nothing made that "
            "shorter here; only more micro-batches did, because they spread the same wait over more work.",
            "If the number of messages between devices in a step grew with the chunks, I would be wrong.",
            lambda stages, micro_batches, chunks: parallelism.bubble_over_makespan(
                "1f1b", int(stages), int(micro_batches)
            ),
        ),
    ),
    coming="what you expect with {stages} stages and {micro_batches} micro-batches",
    draw=draw,
    shown=lambda chunks: {"chunks": str(chunks)},
)
