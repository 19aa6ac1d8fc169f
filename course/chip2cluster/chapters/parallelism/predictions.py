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
        f"A layer keeps {per_token:.1f} bytes for each token and each of its {_LLAMA.d_model:,} columns: inputs of norms and matrices, queries, keys, values, and three hidden "
        f"vectors that are 3.5 times as wide. Times 8,192 tokens and 80 layers that is {truth:.0f} GB: more than the "
        f"{transformer.weight_memory(transformer.parameters(_LLAMA)) / 1e9:.0f} GB of weights, for one sequence."
    )


def _rounds(stage, micro_batches):
    layout = parallelism.Layout(data=64, zero_stage=stage)
    return parallelism.volumes(_LLAMA, layout, _SEQUENCE, micro_batches)["data"].bytes_sent_one_way_per_step


def _sharded():
    return _rounds(3, 8) / _rounds(0, 8)


def _why_sharded(truth):
    return (
        "The all-reduce is two rounds, once a step. Stage 3 makes three rounds in every micro-batch: weights for the forward pass, weights again for "
        f"the backward pass, and gradients back to their owners. 3 × 8 over 2 is {truth:.0f}. With one micro-batch it is the 1.5 that is printed everywhere."
    )


def _cut_group():
    rates = []
    for node in (8, 4):
        tiers = parallelism.Tier("node", node, 400e9), parallelism.Tier("network", 32, 25e9)
        rates.append(parallelism.place(parallelism.Layout(tensor=8, data=4), tiers)["tensor"].ring_bandwidth_one_way)
    return rates[0] / rates[1]


def _why_cut_group(truth):
    return (
        "Not 16. Four members of the ring stand in each node, and a ring can be cut into four that cross the border at different places, each "
        f"through another adapter: 4 × 25 is 100 GB/s where it was 400, {truth:.0f} times as long. If the node had one adapter for all four, it would be 16."
    )


def _makespan(name):
    return parallelism.bubble_over_makespan(name, 8, 32)


def _order():
    return 100 * _makespan("1f1b")


def _why_order(truth):
    return (
        f"{truth:.0f} %, 7 turns of 39, as before. The last device cannot begin before micro-batch 0 has passed seven others, in any order, and the first one cannot end "
        "before the last gradient has come back through seven. The order in between decides what is held, not how long it takes."
    )


def _dropped():
    return 100 * parallelism.expected_dropped_share(4096, 64, 2, 1.0)


def _why_dropped(truth):
    return (
        "Throw 8,192 visits at 64 experts and each gets 128 on average, give or take the square root, 11. Half of the experts get more, by 9 or so, and what is "
        f"beyond 128 finds no room: {truth:.1f} %. A fair router is no even router."
    )


QUESTIONS = (
    Question(
        "parallelism.activations",
        "One sequence of 8,192 tokens goes forward through Llama 3 70B: 80 layers of width 8,192, with a hidden width of 28,672. For the backward pass "
        "every matrix and every norm keeps its input, and attention its queries, keys and values (64 heads of queries, 8 of keys and values). The gate's function and the "
        "product with the other branch are one kernel, which keeps its two inputs alone. 2 bytes a number; attention scores are not kept. How many GB?",
        "GB", _activations, _why_activations,
    ),
    Question(
        "parallelism.sharded",
        "64 copies of a model train with 8 micro-batches a step, each copy on one device. How many times the bytes of plain data parallelism does a "
        "device send in a step with ZeRO-3? (Plain: one all-reduce of all gradients, once a step. Weights and gradients have 2 bytes each.)",
        "times", _sharded, _why_sharded,
    ),
    Question(
        "parallelism.order",
        "Eight stages, 32 micro-batches. With all forward passes first and then all backward passes each device holds all 32 micro-batches, and waits for 7 "
        "turns while it works for 32. Another order of the same passes holds at most 8. For what percentage of the step does a device wait now?",
        "%", _order, _why_order,
    ),
    Question(
        "parallelism.dropped",
        "A router sends 4,096 tokens to 64 experts, each token to 2 of them, and is perfectly fair: like dice, every expert is as likely as any other. Each "
        "expert has room for 128 visits, the mean. What percentage of the visits finds its expert full?",
        "%", _dropped, _why_dropped,
    ),
    Question(
        "parallelism.cut_group",
        "Eight GPUs share every layer by all-reduces around a ring. In one node of eight they send 400 GB/s each, one way. Now the scheduler gives you two "
        "nodes of four; between nodes each GPU has an adapter of 25 GB/s for itself. How many times as long do these messages take?",
        "times", _cut_group, _why_cut_group,
    ),
)  # fmt: skip
