"""Exercise on the answer length from which the other chip is faster."""

import math

from chip2cluster import roofline, specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

_NAMES = ("prompt_tokens", "peak_1", "bandwidth_1", "peak_2", "bandwidth_2")
_PARAMETERS = 1e9  # any number: it cancels


def break_even(prompt_tokens, peak_1, bandwidth_1, peak_2, bandwidth_2):
    """Fewest tokens of an answer with which the second chip takes no longer than the first."""

    def seconds(tokens, *chip):
        return roofline.decode_step(_PARAMETERS, tokens).time(*chip)

    first, second = (peak_1, bandwidth_1), (peak_2, bandwidth_2)
    behind = seconds(prompt_tokens, *second) - seconds(prompt_tokens, *first)
    gained = seconds(1, *first) - seconds(1, *second)
    return max(0, math.ceil(behind / gained))


def _chips(generator, prompt):
    """Two chips, the first with more FLOP/s, the second with more bandwidth; the answer is no whole number by chance."""
    while True:
        bandwidth_1 = round(generator.uniform(0.5e12, 2e12), -9)
        bandwidth_2 = round(bandwidth_1 * generator.uniform(1.4, 3.5), -9)
        peak_2 = round(bandwidth_2 * generator.uniform(100, 250), -12)
        peak_1 = round(peak_2 * generator.uniform(1.3, 4), -12)
        case = dict(zip(_NAMES, (prompt, peak_1, bandwidth_1, peak_2, bandwidth_2), strict=True))
        if 0.1 < _by(rounding=lambda tokens: tokens)(**case) % 1 < 0.9:
            return case


def _requests(generator):
    # A case that can be done in the head comes first: 2 s against 4 s for the prompt (times 2e-9), 1 against 0.4 a token.
    easy = dict(zip(_NAMES, (2000, 1e15, 1e12, 0.5e15, 2.5e12), strict=True))
    return [
        easy,
        *(_chips(generator, int(1000 * generator.integers(*span))) for span in ((2, 8), (8, 20), (20, 60), (60, 200))),
    ]


def _short(generator):
    return [
        dict(zip(_NAMES, (int(generator.integers(5, 60)), 400e12, 1e12, 300e12, 3e12), strict=True)),  # ahead at once
        dict(
            zip(_NAMES, (250, 1200e12, 3e12, 110e12, 4e12), strict=True)
        ),  # memory holds the prompt on the first alone
        dict(zip(_NAMES, (300, 900e12, 2e12, 200e12, 2.6e12), strict=True)),
        # Level after a whole number of tokens; powers of two, so that no order of working it out moves that.
        dict(zip(_NAMES, (2**11, 2.0**50, 2.0**40, 2.0**49, 2.0**41), strict=True)),
    ]


def _by(prompt=max, token=max, rounding=math.ceil, turned=1, weights=1, work=1, floor=0):
    """The difference of the prompts over the difference of a token's step, in units of 2 x parameters."""

    def wrong(prompt_tokens, peak_1, bandwidth_1, peak_2, bandwidth_2):
        def reading(peak, bandwidth):
            return prompt(work * prompt_tokens / peak, weights / bandwidth)

        def writing(peak, bandwidth):
            return token(1 / peak, 1 / bandwidth)

        behind = reading(peak_2, bandwidth_2) - reading(peak_1, bandwidth_1)
        gained = writing(peak_1, bandwidth_1) - writing(peak_2, bandwidth_2)
        return max(floor, rounding(turned * behind / gained))

    return wrong


def _work(work, reading):
    return work


def _bytes(work, reading):
    return reading


def _meaning():
    first, second, prompt = specs.accelerator("L40S"), specs.accelerator("A100 SXM 80GB"), 4096
    found = break_even(
        prompt, first.peak_flops_dense("bf16"), first.memory_bandwidth, second.peak_flops_dense("bf16"),
        second.memory_bandwidth,
    )  # fmt: skip
    return (
        f"After a prompt of {prompt:,} tokens an L40S is ahead, and an A100 of 80 GB has caught up at token {found} of "
        "the answer. This holds for every model, because its size cancels. For one user the answer decides, not the prompt."
    )


BREAK_EVEN = Exercise(
    id="roofline.break_even",
    title="The answer that decides between two chips",
    signature="break_even(prompt_tokens, peak_1, bandwidth_1, peak_2, bandwidth_2)",
    unit="tokens",
    points=4,
    reference=break_even,
    shows=(break_even, roofline.decode_step),
    tolerance=1e-9,
    groups=(
        Group("requests", 0.8, _requests),
        Group(
            "edges", 0.2, _short,
            advice="Memory limits a short prompt, too: for each chip take the slower of computing and reading. "
            "If chip 2 is ahead after prefill, return 0; if both chips finish at the same time, chip 2 is not behind.",
        ),
    ),
    hints=(
        "Give the model N parameters. Write down the time of prefill and of one decode step on each chip.",
        "Prefill takes max(2·N·prompt_tokens/P_peak, 2·N/β), a decode step 2·N/β. N is a factor of all four times.",
        "How far is chip 2 behind after prefill, and how much does it gain with each token? Divide and round up; return at least 0.",
    ),
    solution="""
import math


def break_even(prompt_tokens, peak_1, bandwidth_1, peak_2, bandwidth_2):
    def seconds(tokens, peak, bandwidth):  # of a step, over 2 * parameters
        return max(tokens / peak, 1 / bandwidth)

    behind = seconds(prompt_tokens, peak_2, bandwidth_2) - seconds(prompt_tokens, peak_1, bandwidth_1)
    gained = seconds(1, peak_1, bandwidth_1) - seconds(1, peak_2, bandwidth_2)
    return max(0, math.ceil(behind / gained))
""",
    explanation=(
        "A long prompt is limited by FLOP/s, the answer by bytes/s. The size of the model is a factor of every time, so it "
        "cancels: you do not need to know which model it is."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "memory forgotten in the prompt",
            _by(prompt=_work),
            "You counted only the arithmetic of the prompt. Its step reads the weights, too: take the slower of the two.",
            share=0.8,
        ),
        Mistake(
            "rounded down",
            _by(rounding=math.floor),
            "One token short: with this many, chip 2 is still behind. Round up.",
        ),
        Mistake(
            "one too many",
            lambda **inputs: break_even(**inputs) + 1,
            "One token too many: with one fewer, chip 2 is no longer behind.",
        ),
        Mistake(
            "strictly ahead",
            _by(rounding=lambda tokens: math.floor(tokens) + 1),
            "You required chip 2 to be ahead. It is enough that both finish at the same time.",
            share=0.8,
        ),
        Mistake("not rounded", _by(rounding=lambda tokens: tokens), "The number of tokens is a whole number: round up."),
        Mistake(
            "no overlap",
            _by(prompt=lambda work, reading: work + reading, token=lambda work, reading: work + reading),
            "You added computing to reading. They overlap: the slower one decides.",
        ),
        Mistake(
            "one byte a weight",
            _by(work=2),
            "You counted 1 byte per weight. In bf16 a weight has 2 bytes, and each token does 2 FLOP with it.",
            v.FACTOR,
        ),
        Mistake(
            "one operation a weight",
            _by(work=0.5),
            "You counted 1 FLOP per weight. It is 2 for each token, a multiplication and an addition.",
            v.FACTOR,
        ),
        Mistake(
            "weights read for each token of the prompt",
            lambda prompt_tokens, peak_1, bandwidth_1, peak_2, bandwidth_2: _by(weights=prompt_tokens)(
                prompt_tokens, peak_1, bandwidth_1, peak_2, bandwidth_2
            ),
            "You read the weights again for each token of the prompt. They are read once for all of it.",
        ),
        Mistake(
            "chips exchanged",
            _by(turned=-1, floor=-math.inf),
            "You subtracted in the wrong order. Chip 2 is behind after prefill and gains with each token.",
        ),
        Mistake(
            "the answer computed",
            _by(token=_work, turned=-1),
            "You took decode to be compute-bound. Each token reads every weight, so it is memory-bound.",
        ),
    ),
    mutants=MUTANTS["roofline.break_even"],
)  # fmt: skip
