"""Questions on parallelism."""

from typing import Any

from chip2cluster import parallelism, transformer
from chip2cluster.predict.question import Question

_LLAMA = transformer.model("Llama 3 70B").config
_SEQUENCE = 8192
_OPTIONS: dict[str, Any] = {"dropout": False, "recompute": "selective"}


def _activations():
    return transformer.activation_memory(_LLAMA, _SEQUENCE, **_OPTIONS) / 1e9


def _why_activations(truth):
    each = transformer.activation_memory_per_layer(_LLAMA, _SEQUENCE, 1, **_OPTIONS)
    per_token = each / _SEQUENCE / _LLAMA.d_model
    return (
        f"A layer keeps {per_token:.1f} bytes for each token and each of its {_LLAMA.d_model:,} columns: inputs of "
        "norms and matrices, queries, keys, values, and three hidden vectors that are 3.5 times as wide. Times 8,192 "
        f"tokens and 80 layers, that is {truth:.0f} GB for one sequence: more than the "
        f"{transformer.weight_memory(transformer.parameters(_LLAMA)) / 1e9:.0f} GB of weights."
    )


def _rounds(stage, micro_batches):
    layout = parallelism.Layout(data=64, zero_stage=stage)
    return parallelism.volumes(_LLAMA, layout, _SEQUENCE, micro_batches)["data"].bytes_sent_one_way_per_step


def _sharded():
    return _rounds(3, 8) / _rounds(0, 8)


def _why_sharded(truth):
    return (
        "An all-reduce is two rounds, once a step. Stage 3 makes three rounds in every micro-batch: weights for the "
        "forward pass, weights again for the backward pass, and the reduce-scatter of the gradients. 3 × 8 over 2 is "
        f"{truth:.0f}. With one micro-batch it is the often quoted 1.5."
    )


def _cut_group():
    rates = []
    for node in (8, 4):
        tiers = parallelism.Tier("node", node, 400e9), parallelism.Tier("network", 32, 25e9)
        rates.append(parallelism.place(parallelism.Layout(tensor=8, data=4), tiers)["tensor"].ring_bandwidth_one_way)
    return rates[0] / rates[1]


def _why_cut_group(truth):
    return (
        "Not 16. Each node has four members of the ring, so the message can be divided over four rings that leave the "
        "node at different GPUs, each through its own NIC. 4 × 25 is 100 GB/s instead of 400, so the messages take "
        f"{truth:.0f} times as long. If the node had one NIC for all four, it would be 16."
    )


def _makespan(name):
    return parallelism.bubble_over_makespan(name, 8, 32)


def _order():
    return 100 * _makespan("1f1b")


def _why_order(truth):
    return (
        f"{truth:.0f} %, 7 slots of 39, as with GPipe. In any order the last device cannot begin before micro-batch 0 "
        "has passed seven others, and the first one cannot end before the last gradient has come back through seven. "
        "The order in between determines how many micro-batches a device holds, not how long the step takes."
    )


def _dropped():
    return 100 * parallelism.expected_dropped_share(4096, 64, 2, 1.0)


def _why_dropped(truth):
    return (
        "8,192 routed tokens on 64 experts are 128 each on average, plus or minus about the square root, 11. Half of "
        f"the experts get more, by about 9, and tokens beyond 128 find no slot: {truth:.1f} %. A router that is even on "
        "average does not load experts evenly in each step."
    )


QUESTIONS = (
    Question(
        "parallelism.activations",
        "Llama 3 70B has 141 GB of weights in bf16. The forward pass of one sequence of 8,192 tokens runs through its "
        "80 layers. How many GB does it keep for the backward pass if attention scores are not kept?",
        "GB", _activations, _why_activations,
    ),
    Question(
        "parallelism.sharded",
        "64 devices train one model with 8 micro-batches a step. Plain data parallelism all-reduces the gradients once "
        "a step. How many times as many bytes does a device send per step with ZeRO-3? (Weights and gradients have 2 "
        "bytes each.)",
        "times", _sharded, _why_sharded,
    ),
    Question(
        "parallelism.order",
        "With eight stages and 32 micro-batches, GPipe runs all forward passes first, so each device holds 32 "
        "micro-batches. Another order of the same passes holds at most 8. What percentage of the step does a device "
        "wait with that order?",
        "%", _order, _why_order,
    ),
    Question(
        "parallelism.dropped",
        "A router sends each of 4,096 tokens to 2 of 64 experts, all equally likely. Each expert has 128 slots, the "
        "mean load. What percentage of the routed tokens finds its expert full?",
        "%", _dropped, _why_dropped,
    ),
    Question(
        "parallelism.cut_group",
        "Eight GPUs all-reduce around a ring in every layer: at 400 GB/s each in one node, then in two nodes of "
        "four, with 25 GB/s per GPU between them. How many times as long do these messages take?",
        "times", _cut_group, _why_cut_group,
    ),
)  # fmt: skip
