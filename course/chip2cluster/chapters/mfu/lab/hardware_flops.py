"""Task on the FLOP per token that the hardware executes, recomputation included."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def hardware_flops(parameters, layers, width, sequence, checkpointing):
    """Training FLOP of a token, with a second forward pass where activations are checkpointed."""
    model = 6 * parameters + 12 * layers * width * sequence
    return model * 4 / 3 if checkpointing else float(model)


def _draw(generator, checkpointing):
    return [
        {
            "parameters": round(float(n), -7),
            "layers": int(layers),
            "width": 128 * int(width),
            "sequence": 1024 * int(sequence),
            "checkpointing": checkpointing,
        }
        for n, layers, width, sequence in zip(
            generator.uniform(1e8, 100e9, 4),
            generator.integers(12, 100, 4),
            generator.integers(6, 80, 4),
            generator.integers(2, 33, 4),
            strict=True,
        )
    ]


def _plain(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"parameters": 1e9, "layers": 20, "width": 1000, "sequence": 1000, "checkpointing": False}
    return [easy, *_draw(generator, False)]


def _checkpointed(generator):
    return _draw(generator, True)


def _count(weights=6, scores=12, again=4 / 3, power=1):
    def wrong(parameters, layers, width, sequence, checkpointing):
        model = weights * parameters + scores * layers * width * sequence**power
        return model * (again if checkpointing else 1)

    return wrong


HARDWARE = Exercise(
    id="lab.mfu.hardware_flops",
    title="What the hardware does for a token",
    signature="hardware_flops(parameters, layers, width, sequence, checkpointing)",
    unit="FLOP",
    graded=True,
    points=3,
    reference=hardware_flops,
    groups=(
        Group("nothing twice", 0.6, _plain),
        Group(
            "checkpointed",
            0.4,
            _checkpointed,
            v.VALUE,
            advice="With checkpointing the forward pass runs twice: 4/3 of the arithmetic.",
        ),
    ),
    hints=(
        "First compute the model's arithmetic: a term for the parameters and a term for the scores.",
        "6 · parameters + 12 · layers · width · sequence. With checkpointing, times something.",
        "Forward is one part of three. Twice the forward pass makes four parts of three.",
    ),
    explanation="Without checkpointing both utilizations are one number; with it they differ by 4/3.",
    mistakes=(
        Mistake(
            "checkpointing ignored",
            _count(again=1),
            "With checkpointing the forward pass runs twice. Your result doesn't change with it.",
            share=0.6,
        ),
        Mistake(
            "everything twice",
            _count(again=2),
            "You doubled the arithmetic. Only the forward pass runs twice: 4/3.",
            share=0.6,
        ),
        Mistake("a half more", _count(again=1.5), "Forward is one part of three, not of two: 4/3, not 3/2.", share=0.6),
        Mistake(
            "a quarter more",
            _count(again=1.25),
            "The second pass is a quarter of the sum, but a third of the model's arithmetic.",
            share=0.6,
        ),
        Mistake(
            "always checkpointed",
            lambda parameters, layers, width, sequence, checkpointing: (
                (6 * parameters + 12 * layers * width * sequence) * 4 / 3
            ),
            "You let every run compute its forward pass twice. Check whether checkpointing is True.",
        ),
        Mistake(
            "scores forgotten", _count(scores=0), "The attention scores are missing: 12 · layers · width · sequence."
        ),
        Mistake(
            "scores done once",
            lambda parameters, layers, width, sequence, checkpointing: (
                6 * parameters * (4 / 3 if checkpointing else 1) + 12 * layers * width * sequence
            ),
            "The second forward pass computes the scores again as well: take 4/3 of the whole.",
            share=0.6,
        ),
        Mistake(
            "forward pass alone",
            _count(2, 4),
            "That is only the forward pass: training costs three times as much.",
            v.FACTOR,
        ),
        Mistake(
            "half of the scores",
            _count(scores=6),
            "You counted half of the scores. These benchmarks count all of them: 12, not 6.",
        ),
        Mistake("scores of the forward pass", _count(scores=4), "The scores need 12 for forward and backward, not 4."),
        Mistake("sequence squared", _count(power=2), "You squared the sequence. One token meets `sequence` others."),
    ),
)
