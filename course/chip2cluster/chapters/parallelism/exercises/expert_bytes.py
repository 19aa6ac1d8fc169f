"""Exercise on the bytes that MoE layers send, with and without node-limited routing."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

EXCHANGES, NUMBER = 4, 2  # all-to-alls of a layer; bytes of a number


def expert_bytes(tokens, width, per_token, nodes, most_nodes, imbalance, gbytes_per_second):
    """GB of a device over the network, one message an expert and one a node, and the seconds of the latter."""
    vector = EXCHANGES * tokens * width * NUMBER * (nodes - 1) / nodes / 1e9
    limited = vector * min(most_nodes, per_token)
    return np.array([vector * per_token, limited, imbalance * limited / gbytes_per_second])


def _case(generator, per_token=8):
    nodes = int(generator.choice([4, 8, 16]))
    return {
        "tokens": int(generator.integers(2, 64)) * 1024,
        "width": int(generator.integers(4, 16)) * 512,
        "per_token": per_token,
        "nodes": nodes,
        "most_nodes": int(generator.integers(2, 5)) if nodes > 4 else int(generator.integers(2, 4)),
        "imbalance": round(float(generator.uniform(1.15, 2.2)), 2),
        "gbytes_per_second": float(generator.choice([25.0, 50.0, 100.0])),
    }


def _layers(generator):
    # A case that can be done in the head comes first.
    easy = dict(tokens=1000, width=1000, per_token=8, nodes=4, most_nodes=3, imbalance=1.5, gbytes_per_second=25.0)
    return [easy, *(_case(generator, int(generator.choice([6, 8]))) for _ in range(5))]


def _few(generator):
    return [_case(generator, 2) | {"most_nodes": 3}, _case(generator) | {"imbalance": 1.0}]


def _times(*factors):
    """The right answer with each number multiplied."""
    return lambda **case: expert_bytes(**case) * np.array([factor(**case) for factor in factors])


def _one(**case):
    return 1.0


def _own_node(**case):
    return case["nodes"] / (case["nodes"] - 1)


def _constant(value):
    return lambda **case: value


EXPERT_BYTES = Exercise(
    id="parallelism.expert_bytes",
    title="What do experts send over the network?",
    signature="expert_bytes(tokens, width, per_token, nodes, most_nodes, imbalance, gbytes_per_second)",
    unit="",
    points=4,
    reference=expert_bytes,
    shows=(expert_bytes,),
    groups=(
        Group("a layer with experts", 0.8, _layers),
        Group(
            "few experts, even routers",
            0.2,
            _few,
            advice="A token with two experts goes to at most two nodes, whatever the limit is.",
        ),
    ),
    hints=(
        "How many bytes is the vector of one token? How often does it cross the network for one expert in a step, counting both directions, forward and backward?",
        "Of the experts or nodes that a token is routed to, (nodes - 1) / nodes are on other nodes; the rest need no network.",
        "The first number counts per_token copies of each token, the second min(most_nodes, per_token). The busiest device takes imbalance times as long.",
    ),
    solution="""
def expert_bytes(tokens, width, per_token, nodes, most_nodes, imbalance, gbytes_per_second):
    copy = 4 * tokens * 2 * width * (nodes - 1) / nodes / 1e9
    limited = copy * min(most_nodes, per_token)
    return [copy * per_token, limited, imbalance * limited / gbytes_per_second]
""",
    explanation=(
        "A token that goes to several experts on one node needs to cross the network only once, because NVLink can "
        "distribute it there. With a node limit the traffic follows the limit, not the number of experts. An "
        "all-to-all ends when the busiest device has sent and received everything, so an uneven router costs time even "
        "if it adds no bytes."
    ),
    mistakes=(
        Mistake(
            "one exchange",
            _times(*3 * [_constant(1 / 4)]),
            "You counted one all-to-all. There are four: dispatch and combine, each forward and backward.",
        ),
        Mistake(
            "forward pass only",
            _times(*3 * [_constant(1 / 2)]),
            "You are low by a factor of two. There are four all-to-alls, and a number has two bytes.",
        ),
        Mistake(
            "own node over the network",
            _times(*3 * [_own_node]),
            "You sent everything over the network. The tokens that stay on the device's own node do not cross it.",
        ),
        Mistake(
            "a copy per expert with the limit",
            _times(_one, *2 * [lambda **case: case["per_token"] / min(case["most_nodes"], case["per_token"])]),
            "Your second number sends a copy to each expert. With the limit a token crosses the network once per chosen node.",
            share=0.0,
        ),
        Mistake(
            "imbalance forgotten",
            _times(_one, _one, lambda **case: 1 / case["imbalance"]),
            "You let all devices finish together. All wait for the busiest one, which takes imbalance times as long.",
        ),
        Mistake(
            "bytes",
            _times(_constant(1e9), _constant(1e9), _one),
            "Your first two numbers are in bytes. Return GB.",
            v.UNIT,
        ),
        Mistake(
            "limit larger than the experts",
            _times(_one, *2 * [lambda **case: case["most_nodes"] / min(case["most_nodes"], case["per_token"])]),
            "A token with per_token experts goes to at most per_token nodes, even if the limit allows more.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["parallelism.expert_bytes"],
)
