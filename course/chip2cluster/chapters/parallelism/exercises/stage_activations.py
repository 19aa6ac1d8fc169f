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
    title="How many activation bytes does a stage hold?",
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
            advice="A device cannot hold more micro-batches than there are, and a single stage (p = 1) holds one at a time.",
        ),
    ),
    hints=(
        "Three factors: the bytes of one layer and one micro-batch, the layers of a stage, and the micro-batches in flight on that stage.",
        "Stage 0 sends p micro-batches forward before the first gradient comes back. How many does the last stage hold?",
        "s h (10 + 24/t), or s h 34/t with sequence parallelism; times layers/p; times min(m, p − stage).",
    ),
    solution="""
def activations(s, h, layers, t, p, m, stage, sequence_parallel):
    each = 34 / t if sequence_parallel else 10 + 24 / t
    return s * h * each * (layers / p) * min(m, p - stage)
""",
    explanation=(
        "Each stage has 1/p of the layers, and stage 0 holds p micro-batches of them: as many bytes as one device "
        "would hold for all layers and one micro-batch. So a pipeline saves stage 0 no activation memory, and leaves "
        "the last stage a p-th of it."
    ),
    meaning=lambda: (
        f"For GPT-3's 96 layers of width 12,288, 8 × 8 devices and 2,048 tokens, stage 0 keeps {_told(0, True):.0f} GB "
        f"and stage 7 {_told(7, True):.1f} GB. Without sequence parallelism it would keep {_told(0, False):.0f} GB, "
        "because tensor parallelism does not shard ten of the 34 bytes."
    ),
    mistakes=(
        Mistake(
            "all divided by t",
            _with(each=lambda t, sp: 34 / t),
            "You divided all 34 bytes by t. Without sequence parallelism every rank keeps 10 of them whole: the inputs and outputs of the norms, and two dropout masks.",
        ),
        Mistake(
            "nothing divided by t",
            _with(each=lambda t, sp: 34),
            "You kept all 34 bytes on every device. The t devices share the heads and the feed-forward block, so each holds a t-th of 24 of them, and with sequence parallelism of all 34.",
        ),
        Mistake(
            "34 whole with sequence parallelism",
            _with(each=lambda t, sp: 34 if sp else 10 + 24 / t),
            "Where sequence_parallel is true you kept 34 bytes whole. There all of them are sharded: 34/t.",
        ),
        Mistake(
            "10 added to the 34",
            _with(each=lambda t, sp: 34 / t if sp else 10 + 34 / t),
            "Without sequence parallelism you add 10 bytes to 34/t. The 10 are part of the 34, so only the other 24 are divided by t.",
        ),
        Mistake(
            "10 kept with sequence parallelism",
            _with(each=lambda t, sp: 10 + 24 / t),
            "You left 10 bytes whole where sequence_parallel is true. Sequence parallelism shards those as well: 34/t.",
        ),
        Mistake(
            "sequence parallelism swapped",
            _with(each=lambda t, sp: 10 + 24 / t if sp else 34 / t),
            "You swapped the two cases: with sequence_parallel all 34 bytes are sharded, without it 10 of them stay whole.",
        ),
        Mistake(
            "the same on every stage",
            _with(flying=lambda p, m, stage: min(p, m)),
            "You gave every stage p micro-batches of its layers, or one micro-batch of all layers, which is as much. Only stage 0 "
            "holds p, because a later stage gets its first gradient back sooner.",
        ),
        Mistake(
            "all micro-batches",
            _with(flying=lambda p, m, stage: m),
            "You kept all m micro-batches, as GPipe does. 1F1B starts a backward pass as soon as it can, so stage 0 holds at most p.",
        ),
        Mistake(
            "stages from the end",
            _with(flying=lambda p, m, stage: min(m, stage + 1)),
            "You counted stages from the end. Stage 0 sends the first micro-batch forward and gets it back last, so it holds the most.",
        ),
        Mistake(
            "one too few",
            _with(flying=lambda p, m, stage: max(min(m, p - stage - 1), 1)),
            "You hold p − stage − 1 micro-batches. That many go forward first, and one more goes forward before the first comes back.",
        ),
        Mistake(
            "one micro-batch",
            _with(flying=lambda p, m, stage: 1),
            "You kept one micro-batch. Others follow while the first one travels to the last stage and back.",
        ),
        Mistake(
            "all layers",
            _with(split=False),
            "You counted all layers. A stage has layers / p of them.",
        ),
        Mistake(
            "34 numbers",
            _with(scale=2),
            "You are too high by a factor of two: the 34 are bytes, not two-byte numbers.",
            v.FACTOR,
        ),
        Mistake(
            "no cap",
            _with(flying=lambda p, m, stage: p - stage),
            "You hold more micro-batches than there are: cap the count at m.",
            share=0.8,
        ),
    ),
)  # fmt: skip


def _told(stage, sequence_parallel):
    return activations(2048, 12288, 96, 8, 8, 64, stage, sequence_parallel) / 1e9
