"""Exercise on the activation bytes stored on a pipeline stage."""

from chip2cluster import parallelism, transformer
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def activations(s, h, layers, t, p, m, stage, sequence_parallel):
    """Bytes of activations on a device of a stage under 1F1B, scores not kept."""
    config = transformer.Config(layers=layers, d_model=h, heads=t, vocab_size=2)
    layout = parallelism.Layout(tensor=t, pipeline=p, sequence_parallel=sequence_parallel)
    return parallelism.memory(config, layout, s, m, stage, include_ends=False).activations


def _case(*values):
    return dict(zip(("s", "h", "layers", "t", "p", "m", "stage", "sequence_parallel"), values, strict=True))


def _draw(generator, sequence_parallel, *, few=False):
    p = int(generator.choice([6, 8, 12]))
    m = int(generator.integers(2, p - 3)) if few else int(generator.integers(p + 1, 5 * p))
    stage = int(generator.integers(0, 2)) if few else int(generator.integers(1, (p + 1) // 2 - 1))
    t = int(generator.choice([3, 6]))
    return _case(int(generator.integers(3, 17)) * 192, int(generator.integers(5, 17)) * 192, p * int(generator.integers(2, 9)),
                 t, p, m, stage, sequence_parallel)  # fmt: skip


def _stages(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(1000, 1000, 8, 2, 4, 8, 1, True)]
    return drawn + [_draw(generator, with_it) for with_it in (False, True, False, True)]


def _few(generator):
    return [
        _draw(generator, True, few=True),
        _draw(generator, False, few=True),
        _case(1024, 2048, 12, 1, 1, 4, 0, False),
    ]


def _with(
    each=lambda t, sp: 34 / t if sp else 10 + 24 / t, flying=lambda p, m, stage: min(m, p - stage), split=True, scale=1
):
    def wrong(s, h, layers, t, p, m, stage, sequence_parallel):
        here = layers / p if split else layers
        return s * h * each(t, sequence_parallel) * here * flying(p, m, stage) * scale

    return wrong


ACTIVATIONS = Exercise(
    id="parallelism.activations",
    title="What waits on a stage?",
    signature="activations(s, h, layers, t, p, m, stage, sequence_parallel)",
    unit="bytes",
    points=4,
    reference=activations,
    shows=(activations, parallelism.memory),
    groups=(
        Group("stages", 0.8, _stages),
        Group(
            "few micro-batches",
            0.2,
            _few,
            advice="A device cannot hold more micro-batches than there are. And one stage alone holds one of them at a time.",
        ),
    ),
    hints=(
        "Three factors: bytes of one layer and one micro-batch; layers of a stage; micro-batches that wait there.",
        "Stage 0 sends p micro-batches forward before the first one is back. How many has the last stage to hold?",
        "s h (10 + 24/t), or s h 34/t with sequence parallelism; times layers/p; times min(m, p − stage).",
    ),
    solution="""
def activations(s, h, layers, t, p, m, stage, sequence_parallel):
    each = 34 / t if sequence_parallel else 10 + 24 / t
    return s * h * each * (layers / p) * min(m, p - stage)
""",
    explanation=(
        "The layers of a stage are a p-th of all, and stage 0 holds p micro-batches of them: as much as one device would hold "
        "of all layers. So a pipeline saves stage 0 nothing in activations, and the last stage nearly all."
    ),
    meaning=lambda: (
        f"For GPT-3's 96 layers of width 12,288, 8 × 8 devices and 2,048 tokens, stage 0 keeps {_told(0, True):.0f} GB and stage 7 "
        f"{_told(7, True):.1f} GB. Without sequence parallelism it is {_told(0, False):.0f} GB: the ten bytes that tensor parallelism does not cut."
    ),
    mistakes=(
        Mistake(
            "all cut by t",
            _with(each=lambda t, sp: 34 / t),
            "You divided all 34 bytes by t. Without sequence parallelism every rank keeps the inputs of the norms, what the norms hand to the "
            "matrices, and two masks of dropout, whole: 10 of them.",
        ),
        Mistake(
            "10 beside the 34",
            _with(each=lambda t, sp: 34 / t if sp else 10 + 34 / t),
            "Without sequence parallelism you add 10 bytes to 34/t. The 10 are part of the 34: what is left for t to cut are 24.",
        ),
        Mistake(
            "10 kept with sequence parallelism",
            _with(each=lambda t, sp: 10 + 24 / t),
            "You left 10 bytes uncut where sequence_parallel is true. It cuts those as well: 34/t.",
        ),
        Mistake(
            "sequence parallelism the wrong way round",
            _with(each=lambda t, sp: 10 + 24 / t if sp else 34 / t),
            "You have the two cases the wrong way round: with sequence_parallel all 34 bytes are cut, without it 10 of them stay whole.",
        ),
        Mistake(
            "the same on every stage",
            _with(flying=lambda p, m, stage: min(p, m)),
            "You gave every stage p micro-batches. That is stage 0. A later stage gets its first one back sooner.",
        ),
        Mistake(
            "all micro-batches",
            _with(flying=lambda p, m, stage: m),
            "You kept all m micro-batches. That is GPipe. 1F1B starts a backward pass as soon as it can, so stage 0 holds p.",
        ),
        Mistake(
            "stages from the end",
            _with(flying=lambda p, m, stage: min(m, stage + 1)),
            "You counted stages from the end. Stage 0 sends the first micro-batch out and gets it back last: it holds the most.",
        ),
        Mistake(
            "one too few",
            _with(flying=lambda p, m, stage: max(min(m, p - stage - 1), 1)),
            "You hold p − stage − 1 micro-batches. That many go forward first; one more goes forward before the first comes back.",
        ),
        Mistake(
            "one micro-batch",
            _with(flying=lambda p, m, stage: 1),
            "You kept one micro-batch. While the first is on its way to the last stage and back, others follow.",
        ),
        Mistake(
            "all layers",
            _with(split=False),
            "You counted all layers. A stage has layers / p of them.",
        ),
        Mistake(
            "34 numbers",
            _with(scale=2),
            "Twice too much: the 34 are bytes, not numbers of two bytes.",
            v.FACTOR,
        ),
        Mistake(
            "no cap",
            _with(flying=lambda p, m, stage: p - stage),
            "You hold more micro-batches than there are: at most m.",
            share=0.8,
        ),
    ),
)  # fmt: skip


def _told(stage, sequence_parallel):
    return activations(2048, 12288, 96, 8, 8, 64, stage, sequence_parallel) / 1e9
