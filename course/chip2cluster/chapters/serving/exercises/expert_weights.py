"""Exercise on the MoE weights that a decode step reads, and the batch from which they are shared."""

from math import ceil, log

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def experts_read(experts, per_token, expert_gbytes, dense_gbytes, sequences, share):
    """GB of weights that a step reads, and the fewest sequences that touch a share of the experts."""
    touched = experts * (1 - (1 - per_token / experts) ** sequences)
    return np.array([dense_gbytes + touched * expert_gbytes, _fewest(experts, per_token, share)])


def _fewest(experts, per_token, share):
    return ceil(log(1 - share) / log(1 - per_token / experts))


def _case(generator):
    experts = int(generator.choice([32, 64, 128, 256, 384]))
    return {
        "experts": experts,
        "per_token": int(generator.choice([2, 4, 6, 8])),
        "expert_gbytes": round(float(generator.uniform(0.2, 3)), 2),
        "dense_gbytes": round(float(generator.uniform(4, 30)), 1),
        "sequences": int(generator.integers(4, 20)),
        "share": int(generator.integers(70, 97)) / 100,
    }


def _models(generator):
    # A case that can be done in the head comes first: half of the experts for each token.
    easy = dict(experts=8, per_token=4, expert_gbytes=1.0, dense_gbytes=2.0, sequences=2, share=0.85)
    return [easy, *(_case(generator) for _ in range(5))]


def _one(generator):
    return [_case(generator) | {"sequences": 1}, _case(generator) | {"sequences": 2048}]


def _read(touched):
    def wrong(experts, per_token, expert_gbytes, dense_gbytes, sequences, share):
        found = touched(experts, per_token, sequences)
        return np.array([dense_gbytes + found * expert_gbytes, _fewest(experts, per_token, share)])

    return wrong


def _count(fewest):
    def wrong(**case):
        answer = experts_read(**case)
        answer[1] = fewest(case["experts"], case["per_token"], case["share"])
        return answer

    return wrong


def _no_dense(**case):
    return experts_read(**(case | {"dense_gbytes": 0.0}))


EXPERTS_READ = Exercise(
    id="serving.experts_read",
    title="When do experts stop being cheap?",
    signature="experts_read(experts, per_token, expert_gbytes, dense_gbytes, sequences, share)",
    unit="",
    points=4,
    reference=experts_read,
    shows=(experts_read,),
    groups=(Group("mixtures of experts", 0.8, _models), Group("one sequence, and very many", 0.2, _one)),
    hints=(
        "What is the probability that one token doesn't choose a given expert? That b tokens don't?",
        "An expert is touched with probability 1 − (1 − K/E)^b. Multiply by the E experts and by the GB of one expert; every step reads the dense weights anyway.",
        "For the second number solve 1 − (1 − K/E)^b = share for b with two logarithms, and round up.",
    ),
    solution="""
import math


def experts_read(experts, per_token, expert_gbytes, dense_gbytes, sequences, share):
    missed = 1 - per_token / experts
    gbytes = dense_gbytes + experts * (1 - missed**sequences) * expert_gbytes
    return [gbytes, math.ceil(math.log(1 - share) / math.log(missed))]
""",
    explanation=(
        "One sequence reads only the active parameters. With a few sequences each new token touches experts that no "
        "other token has chosen, so the step time grows almost in proportion. Only when nearly all experts are touched "
        "do more tokens share them, and then a larger batch costs almost nothing more, as in a dense model."
    ),
    mistakes=(
        Mistake(
            "no expert shared",
            _read(lambda r, k, b: min(r, k * b)),
            "You gave each token its own experts. Two tokens may choose the same expert, which is read once.",
        ),
        Mistake(
            "all experts", _read(lambda r, k, b: r), "You read all experts. A small batch touches only a part of them."
        ),
        Mistake(
            "active experts only",
            _read(lambda r, k, b: k),
            "You read the experts of one token. Each sequence of the batch chooses its own experts.",
        ),
        Mistake(
            "untouched experts",
            _read(lambda r, k, b: r * (1 - k / r) ** b),
            "You counted the experts that nobody chooses. Subtract them from all.",
        ),
        Mistake("dense weights forgotten", _no_dense, "You left out the dense weights. Every step reads them as well."),
        Mistake(
            "rounded down",
            _count(lambda r, k, share: _fewest(r, k, share) - 1),
            "With that few sequences the share is not reached. Round up.",
            share=0.0,
        ),
        Mistake(
            "no expert shared in the count of sequences",
            _count(lambda r, k, share: ceil(share * r / k)),
            "Your count of sequences would be right if no two tokens shared an expert. Solve 1 − (1 − K/E)^b = share.",
        ),
    ),
    mutants=MUTANTS["serving.experts_read"],
)
