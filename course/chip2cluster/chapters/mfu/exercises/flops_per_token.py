"""Exercise on training FLOP per token."""

from chip2cluster import specs, transformer
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def flops_per_token(parameters, layers, d_model, sequence, causal):
    """Training FLOP for one token: 6 N + 12 L d T, the scores halved under a causal mask."""
    scores = 12 * layers * d_model * sequence
    return 6 * parameters + (scores / 2 if causal else scores)


def _draw(generator, causal):
    return [
        {
            "parameters": round(float(n), -7),
            "layers": int(layers),
            "d_model": 128 * int(width),
            "sequence": 1024 * int(sequence),
            "causal": causal,
        }
        for n, layers, width, sequence in zip(
            generator.uniform(1e9, 500e9, 4),
            generator.integers(20, 126, 4),
            generator.integers(16, 128, 4),
            generator.integers(2, 64, 4),
            strict=True,
        )
    ]


def _models(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"parameters": 1e9, "layers": 10, "d_model": 1000, "sequence": 1000, "causal": False}
    return [easy, *_draw(generator, False)]


def _masked(generator):
    return _draw(generator, True)


def _count(weights=6, scores=12, power=1):
    def wrong(parameters, layers, d_model, sequence, causal):
        return weights * parameters + scores * layers * d_model * sequence**power

    return wrong


FLOPS = Exercise(
    id="mfu.flops_per_token",
    title="The arithmetic of one token",
    signature="flops_per_token(parameters, layers, d_model, sequence, causal)",
    unit="FLOP",
    points=3,
    reference=flops_per_token,
    groups=(
        Group("all scores", 0.7, _models),
        Group("half of the scores", 0.3, _masked, v.VALUE, advice="Where causal is True, half of the scores count."),
    ),
    hints=(
        "There are two terms: one depends only on the parameters, one grows with the sequence.",
        "Each parameter costs 2 FLOP forward and 4 backward. The scores: 12 · layers · d_model · sequence.",
        "6 * parameters + 12 * layers * d_model * sequence, the second term halved if causal.",
    ),
    solution="""
def flops_per_token(parameters, layers, d_model, sequence, causal):
    scores = 12 * layers * d_model * sequence
    if causal:
        scores = scores / 2
    return 6 * parameters + scores
""",
    explanation=(
        "The first term is the famous 6N. The second is small for short sequences and large widths, and dominates at long "
        "sequences: it exceeds the first if the sequence is longer than about N / (2 · layers · width) tokens. Two people who "
        "disagree about causal print different utilizations of the same run."
    ),
    meaning=lambda: (
        f"A token of Llama 3 8B costs {_llama(8192) / 1e9:.0f} GFLOP in sequences of 8,192 and {_llama(131072) / 1e9:.0f} GFLOP in those of "
        "131,072: the same parameters, other scores. An H100 at its peak does "
        f"{specs.accelerator('H100 SXM').peak_flops_dense('bf16') / _llama(8192):,.0f} of the first in a second."
    ),
    mistakes=(
        Mistake(
            "scores counted twice",
            _count(scores=24),
            "You counted the scores twice. The 12 already includes the scores and the weighted sum of the values, forward and backward.",
        ),
        Mistake(
            "forward pass alone",
            _count(2, 4),
            "That is the forward pass alone. The backward pass costs twice as much: three times yours in all.",
            v.FACTOR,
        ),
        Mistake(
            "scores forgotten",
            _count(scores=0),
            "That is 6N, or nearly. The attention scores are missing or lack a factor: 12 · layers · d_model · sequence.",
        ),
        Mistake(
            "forward pass of the weights",
            _count(weights=2),
            "The scores are right; a parameter costs 6 FLOP a token, not 2: 2 forward, 4 backward.",
        ),
        Mistake(
            "scores of the forward pass",
            _count(scores=4),
            "The weights are right; the scores need 12 for forward and backward, not 4.",
        ),
        Mistake(
            "half of the scores",
            _count(scores=6),
            "You halved the scores. Halve them only if causal is True.",
        ),
        Mistake(
            "always all scores",
            _count(),
            "If causal is True, half of the scores count, because each token sees only the past.",
            share=0.7,
        ),
        Mistake(
            "everything halved",
            lambda parameters, layers, d_model, sequence, causal: (
                _count()(parameters, layers, d_model, sequence, causal) / (2 if causal else 1)
            ),
            "You halved everything. A mask halves the scores; each parameter still costs 6 FLOP.",
            share=0.7,
        ),
        Mistake(
            "sequence squared",
            _count(power=2),
            "You squared the sequence. Those are the scores of a whole sequence; one token meets `sequence` others.",
        ),
        Mistake(
            "whole sequence",
            lambda parameters, layers, d_model, sequence, causal: (
                sequence * flops_per_token(parameters, layers, d_model, sequence, causal)
            ),
            "That is the arithmetic of a whole sequence. Return it for one token.",
        ),
        Mistake(
            "one layer",
            lambda parameters, layers, d_model, sequence, causal: (
                _count()(parameters, 1, d_model, sequence, causal) - (6 * d_model * sequence if causal else 0)
            ),
            "You counted the scores of one layer. Every layer has its own: times `layers`.",
        ),
        Mistake(
            "multiply-accumulates counted once",
            _count(3, 6),
            "You counted a multiply-accumulate as one operation. It is two.",
            v.FACTOR,
        ),
    ),
)


def _llama(sequence):
    return transformer.training_flops_per_token(transformer.model("Llama 3 8B").config, sequence)
