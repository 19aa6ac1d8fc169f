"""First tries with two slips at once, as readers of the pages made them, are told both."""

import math

import pytest

from autograder import check


def users(weights=2, heads_cached="kv_heads"):
    def function(memory_gbytes, parameters, layers, heads, kv_heads, latent, tokens, block_tokens):
        cached = {"heads": heads, "kv_heads": kv_heads}[heads_cached]
        numbers = latent if latent else 2 * cached * 128
        room = memory_gbytes * 1e9 - weights * parameters
        return max(0, math.floor(room / (2 * layers * numbers * tokens)))

    return function


def pools(prompt_tokens, output_tokens, requests_per_second, reading, writing, used):
    return [
        math.ceil(requests_per_second[end] * tokens / (speed[end] * used))
        for tokens, speed in ((prompt_tokens, reading), (output_tokens, writing))
        for end in (0, 1)
    ]


def fill_step(decoding, waiting, free_blocks, block_tokens, step_tokens):
    left, taken = step_tokens - len(decoding), []
    for prompt in waiting:
        blocks = math.ceil(prompt / block_tokens)
        piece = min(prompt, left) if blocks <= free_blocks else 0
        fits = blocks <= free_blocks
        free_blocks -= blocks * fits
        left -= piece
        taken.append([blocks * fits, piece])
    return taken


def save_seconds(parameters_billions, nodes, copy_gbytes, adapter_gbytes, storage_gbytes):
    stall = 2 * parameters_billions / (nodes * copy_gbytes)
    return [stall, stall + 2 * parameters_billions / min(adapter_gbytes, storage_gbytes)]


@pytest.mark.parametrize(
    ("exercise", "answer", "first", "second"),
    [
        ("serving.users", users(heads_cached="heads"), "all query heads", "Memory is allocated in blocks"),
        ("serving.users", users(weights=0), "all of the memory to the cache", "Memory is allocated in blocks"),
        ("serving.pools", pools, "generate all tokens", "the low rate with the low speed"),
        ("serving.fill_step", fill_step, "no new blocks", "irst come, first served"),
        ("storage.save", save_seconds, "only the weights", "through one NIC"),
    ],
)
def test_both_slips_of_a_first_try_are_named(exercise, answer, first, second):
    verdict = check(exercise, answer)
    assert not verdict.correct and verdict.message.startswith("Two mistakes. First: ")
    assert first in verdict.message and second in verdict.message


def test_all_layers_with_one_micro_batch_is_named():
    def activations(s, h, layers, t, p, m, stage, sequence_parallel):
        return s * h * (34 / t if sequence_parallel else 10 + 24 / t) * layers

    assert "one micro-batch of all layers" in check("parallelism.activations", activations).message
