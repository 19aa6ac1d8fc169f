"""Exercise on ZeRO: bytes stored on each device, and bytes sent in exchange."""

import numpy as np

from chip2cluster import collectives, transformer
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

# Rounds of a ring in a step, each a gather or a scatter of all the device's share: (once a step, once a micro-batch).
ROUNDS = {0: (2, 0), 1: (2, 0), 2: (1, 1), 3: (0, 3)}


def zero(parameters, stage, replicas, micro_batches):
    """Bytes of states on one device, and bytes that it sends in a step."""
    held = transformer.state_memory(parameters, zero_stage=stage, data_parallel=replicas).total
    a_round = collectives.traffic("all_gather", "ring", 2.0 * parameters, replicas).sent
    once, often = ROUNDS[stage]
    return np.array([held, (once + often * micro_batches) * a_round])


def _case(parameters, stage, replicas, micro_batches):
    return {"parameters": parameters, "stage": stage, "replicas": replicas, "micro_batches": micro_batches}


def _devices(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(1_000_000_000, 3, 4, 2)]
    for stage in (0, 1, 2, 3, 1, 2):
        parameters = int(generator.integers(20, 900)) * 10_000_000
        drawn.append(_case(parameters, stage, int(2 ** generator.integers(2, 8)), int(generator.integers(2, 33))))
    return drawn


def _alone(generator):
    return [_case(int(generator.integers(20, 900)) * 10_000_000, stage, 1, 4) for stage in (0, 3)]


def _held(share, optimizer=12, rounds=ROUNDS, fraction=lambda n: (n - 1) / n, each=2, gradient=2):
    """Another rule for what is kept: ``share`` says, for a stage, which of weights, gradients, optimizer are cut."""

    def wrong(parameters, stage, replicas, micro_batches):
        sizes = (2, gradient, optimizer)
        kept = sum(size / (replicas if cut else 1) for size, cut in zip(sizes, share(stage), strict=True))
        once, often = rounds[stage]
        return np.array([kept * parameters, (once + often * micro_batches) * each * parameters * fraction(replicas)])

    return wrong


def right(stage):
    """What is cut at a stage: weights, gradients, optimizer states."""
    return stage >= 3, stage >= 2, stage >= 1


ZERO = Exercise(
    id="parallelism.zero",
    title="What does each ZeRO stage save, and what does it send?",
    signature="zero(parameters, stage, replicas, micro_batches)",
    unit="(bytes held, bytes sent)",
    points=3,
    reference=zero,
    shows=(zero, transformer.state_memory),
    groups=(
        Group("devices", 0.8, _devices),
        Group(
            "edges",
            0.2,
            _alone,
            advice="A single replica has no other to share with: it holds 16 bytes a parameter at any stage, and sends nothing.",
        ),
    ),
    hints=(
        "Write the three sizes for one parameter: weight, gradient, optimizer states. Which of them does each stage divide by the replicas?",
        "In an all-gather or a reduce-scatter of n bytes each device sends n (replicas − 1) / replicas bytes. An all-reduce is one of each.",
        "Held: 16, 4 + 12/n, 2 + 14/n or 16/n bytes a parameter. Sent: two rounds a step at stages 0 and 1; at stage 2 "
        "one round a step and one in every micro-batch; at stage 3 three rounds in every micro-batch.",
    ),
    solution="""
def zero(parameters, stage, replicas, micro_batches):
    weights = 2 / (replicas if stage >= 3 else 1)
    gradients = 2 / (replicas if stage >= 2 else 1)
    optimizer = 12 / (replicas if stage >= 1 else 1)
    a_round = 2 * parameters * (replicas - 1) / replicas
    rounds = (2, 2, micro_batches + 1, 3 * micro_batches)[stage]
    return [(weights + gradients + optimizer) * parameters, rounds * a_round]
""",
    explanation=(
        "The optimizer's 12 bytes are three quarters of the total and are needed once a step, so sharding them (stage "
        "1) adds no traffic. Gradients are added up over the micro-batches: a device that keeps only a part of them "
        "must send the rest each time. Weights are needed in every pass: a device that does not keep them must fetch "
        "them each time."
    ),
    meaning=lambda: (
        f"For 8 billion parameters on 64 devices the four stages hold {_told()} GB. Stage 1 saves the most and adds no "
        "traffic. Stages 2 and 3 make the traffic grow with the micro-batches, so with them a step should have as few "
        "micro-batches as possible."
    ),
    mistakes=(
        Mistake(
            "weights sharded first",
            _held(lambda stage: (stage >= 1, stage >= 2, stage >= 3)),
            "You sharded the weights at stage 1. It is the other way round: the optimizer states are sharded first, the weights last.",
        ),
        Mistake(
            "everything at stage 1",
            _held(lambda stage: (stage >= 1,) * 3),
            "You divided everything from stage 1 on. Only stage 3 shards everything; stage 1 shards the optimizer states, stage 2 the gradients too.",
        ),
        Mistake(
            "everything at every stage",
            _held(lambda stage: (True, True, True)),
            "You divided all 16 bytes at every stage. At stage 0 nothing is divided, at stage 1 the optimizer states, at stage 2 the gradients too; only stage 3 divides everything.",
        ),
        Mistake(
            "no gradient at stage 1",
            lambda parameters, stage, replicas, micro_batches: (
                zero(parameters, stage, replicas, micro_batches) - [2 * parameters * (stage == 1), 0]
            ),
            "At stage 1 you left out the gradient. It stays whole there, 2 bytes beside the 2 of the weight: 4 + 12/n.",
        ),
        Mistake(
            "one stage behind",
            _held(lambda stage: right(stage - 1)),
            "Your bytes held are those of the stage below: stage 1 already shards the optimizer states.",
        ),
        Mistake(
            "nothing sharded",
            _held(lambda stage: (False,) * 3),
            "You hold 16 bytes a parameter at every stage. Each stage from 1 on divides one more part by the replicas.",
        ),
        Mistake(
            "weights only",
            lambda **run: zero(**run) * [0, 1] + [2 * run["parameters"] / (run["replicas"] if run["stage"] == 3 else 1), 0],
            "You counted only the weights, 2 bytes. Gradients take 2 more, and the optimizer 12.",
        ),
        Mistake(
            "no master weights",
            _held(right, optimizer=8),
            "You gave the optimizer 8 bytes. Momentum and variance take 8; the fp32 copy of the weights takes 4 more.",
        ),
        Mistake(
            "stage 3 once a step",
            _held(right, rounds=ROUNDS | {3: (3, 0)}),
            "At stage 3 you send three rounds a step. Weights that are not kept must be fetched again in every "
            "micro-batch, and the gradients are scattered each time: three rounds in every micro-batch.",
        ),
        Mistake(
            "micro-batches unused",
            _held(right, rounds=ROUNDS | {2: (2, 0), 3: (3, 0)}),
            "You never use micro_batches. At stage 2 the gradients are scattered in every micro-batch, and stage 3 makes its three rounds in every micro-batch.",
        ),
        Mistake(
            "micro-batches at stages 0 and 1",
            _held(right, rounds=ROUNDS | {0: (0, 2), 1: (0, 2)}),
            "At stages 0 and 1 you send in every micro-batch. There the gradients are added up on the device and sent once: two rounds a step.",
        ),
        Mistake(
            "4-byte gradients",
            _held(right, gradient=4),
            "You gave a gradient 4 bytes. Here it has 2, like a weight.",
        ),
        Mistake(
            "stage 3 like the others",
            _held(right, rounds=ROUNDS | {3: (2, 0)}),
            "At stage 3 you send as much as at the others. Weights that are not kept must be fetched twice in every micro-batch, and the gradients are scattered each time.",
        ),
        Mistake(
            "every micro-batch at every stage",
            _held(right, rounds={stage: (0, 3 if stage == 3 else 2) for stage in range(4)}),
            "You send everything in every micro-batch. At stages 0 and 1 the gradients are added up on the device and "
            "sent once a step; at stage 2 they are sent in each micro-batch, and the new weights are gathered once.",
        ),
        Mistake(
            "stage 2 once a step",
            _held(right, rounds=ROUNDS | {2: (2, 0)}),
            "At stage 2 you send two rounds a step. To wait until the end of the step, a device would have to hold "
            "whole gradients. Here it keeps a part: the rest is scattered after each micro-batch, and the new weights "
            "are gathered once.",
        ),
        Mistake(
            "whole gradients at stage 2",
            lambda **run: _held(lambda stage: (stage >= 3, stage >= 3, stage >= 1), rounds=ROUNDS | {2: (2, 0)})(**run),
            "At stage 2 you keep whole gradients, 4 + 12/n bytes, and send them once. That is stage 1. Stage 2 keeps a part of the gradients, so they are scattered after each micro-batch.",
        ),
        Mistake(
            "stage 2 gathers every time",
            _held(right, rounds=ROUNDS | {2: (0, 2)}),
            "At stage 2 you gather the weights in every micro-batch. Every device keeps them whole, so new ones are "
            "gathered once a step. Only the gradients are scattered each time. (PyTorch's SHARD_GRAD_OP does gather "
            "weights each time; the table does not.)",
        ),
        Mistake(
            "one gather at stage 3",
            _held(right, rounds=ROUNDS | {3: (0, 2)}),
            "At stage 3 you have two rounds. The weights are freed after the forward pass and gathered again for the backward pass: three.",
        ),
        Mistake(
            "three rounds at stage 1",
            _held(right, rounds=ROUNDS | {1: (3, 0)}),
            "At stage 1 you have three rounds. The gradients are scattered and the new weights gathered: two rounds, as many as the all-reduce of stage 0.",
        ),
        Mistake(
            "one round at stage 0",
            _held(right, rounds=ROUNDS | {0: (1, 0)}),
            "At stage 0 you send one round. An all-reduce is two: a reduce-scatter and an all-gather.",
        ),
        Mistake(
            "no (n − 1)/n",
            _held(right, fraction=lambda n: 1.0),
            "In a round a device sends (n − 1)/n of the bytes, not all of them, because it keeps its own part.",
        ),
        Mistake(
            "numbers instead of bytes",
            _held(right, each=1),
            "Your sent bytes are a count of numbers. Each number has 2 bytes.",
        ),
        Mistake(
            "order swapped",
            lambda **run: zero(**run)[::-1],
            "You swapped the two: the bytes held come first, then the bytes sent.",
        ),
    ),
    mutants=MUTANTS["parallelism.zero"],
)  # fmt: skip


def _told():
    return (
        ", ".join(f"{zero(8e9, stage, 64, 1)[0] / 1e9:.0f}" for stage in range(3))
        + f" and {zero(8e9, 3, 64, 1)[0] / 1e9:.0f}"
    )
