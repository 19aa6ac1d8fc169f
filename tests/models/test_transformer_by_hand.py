"""A toy transformer that is really run: its arrays are counted, its products are counted,
and what a tape would keep for the backward pass is weighed. No formula of the package is
used here, so agreement is evidence.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from chip2cluster import transformer
from chip2cluster.transformer import Config, Experts, LatentAttention
from tests.tables import every_row

PLAIN = Config(layers=3, d_model=24, heads=4, vocab_size=50, positions=16, bias=True, tied_embeddings=True)
GATED = Config(layers=2, d_model=24, heads=6, kv_heads=2, head_dim=5, d_hidden=33, vocab_size=50, gated=True)
EXPERTS = replace(GATED, layers=4, experts=Experts(routed=5, per_token=2, d_hidden=7, shared=1, dense_layers=1))
LATENT = Config(
    layers=2,
    d_model=24,
    heads=4,
    vocab_size=50,
    d_hidden=32,
    gated=True,
    latent=LatentAttention(kv_lora_rank=6, q_lora_rank=8, qk_nope_head_dim=5, qk_rope_head_dim=3, v_head_dim=7),
)
LATENT_DIRECT = replace(LATENT, latent=replace(LATENT.latent, q_lora_rank=0))
KINDS = {"plain": PLAIN, "gated": GATED, "experts": EXPERTS, "latent": LATENT, "latent direct": LATENT_DIRECT}


@dataclass
class Tape:
    """Counts weights, multiply-adds and the arrays that the backward pass would need."""

    parameters: int = 0
    flops: int = 0
    kept: dict = field(default_factory=dict)

    def weight(self, *shape):
        array = np.ones(shape)
        self.parameters += array.size
        return array

    def keep(self, array, size=2):
        self.kept[id(array)] = (array, size)

    def kept_bytes(self):
        return sum(array.size * size for array, size in self.kept.values())

    def product(self, left, right):
        """Multiply two matrices and count the operations."""
        result = left @ right
        self.flops += 2 * result.size * left.shape[-1]
        return result

    def linear(self, x, width, bias=False):
        self.keep(x)
        result = self.product(x, self.weight(x.shape[-1], width))
        return result + self.weight(width) if bias else result

    def norm(self, x, bias=False):
        self.keep(x)
        self.weight(*x.shape[-1:])
        if bias:
            self.weight(*x.shape[-1:])
        return x.copy()

    def dropout(self, x, on):
        if not on:
            return x
        self.keep(np.ones(x.shape), size=1)
        return x.copy()


def run(config, tokens, *, dropout=False, flash=False):
    """Run one sequence through the model; return the tape and the stored activations."""
    tape = Tape()
    table = tape.weight(config.vocab_size, config.d_model)
    if config.positions:
        tape.weight(config.positions, config.d_model)
    x = np.ones((tokens, config.d_model))
    for layer in range(config.layers):
        x = x + tape.dropout(attention(tape, config, tape.norm(x, config.norm_bias), dropout, flash), dropout)
        x = x + tape.dropout(feed_forward(tape, config, layer, tape.norm(x, config.norm_bias)), dropout)
    kept_bytes = tape.kept_bytes()
    x = tape.norm(x, config.norm_bias)
    tape.product(x, table.T if config.tied_embeddings else tape.weight(config.d_model, config.vocab_size))
    return tape, kept_bytes


def attention(tape, config, x, dropout, flash):
    queries, keys, values = project(tape, config, x)
    tape.keep(queries), tape.keep(keys), tape.keep(values)
    groups = config.heads // keys.shape[0]
    scores = tape.product(queries, np.repeat(keys, groups, axis=0).swapaxes(1, 2))
    softmax = np.ones_like(scores)
    dropped = softmax
    if not flash:
        tape.keep(softmax)
        dropped = tape.dropout(softmax, dropout)
        tape.keep(dropped)
    mixed = tape.product(dropped, np.repeat(values, groups, axis=0))
    return tape.linear(mixed.swapaxes(0, 1).reshape(len(x), -1), config.d_model, config.bias)


def project(tape, config, x):
    def split(array, heads):
        return array.reshape(len(x), heads, -1).swapaxes(0, 1).copy()

    if not config.latent:
        wide, narrow = config.heads * config.head_dim, config.kv_heads * config.head_dim
        queries = split(tape.linear(x, wide, config.qkv_bias), config.heads)
        return queries, *(split(tape.linear(x, narrow, config.qkv_bias), config.kv_heads) for _ in "kv")
    part, heads = config.latent, config.heads
    source = tape.norm(tape.linear(x, part.q_lora_rank)) if part.q_lora_rank else x
    queries = split(tape.linear(source, heads * (part.qk_nope_head_dim + part.qk_rope_head_dim)), heads)
    squeezed = tape.linear(x, part.kv_lora_rank + part.qk_rope_head_dim)
    latent, rotary = np.split(squeezed, [part.kv_lora_rank], axis=1)
    rebuilt = split(tape.linear(tape.norm(latent), heads * (part.qk_nope_head_dim + part.v_head_dim)), heads)
    keys, values = np.split(rebuilt, [part.qk_nope_head_dim], axis=2)
    return queries, np.concatenate([keys, np.repeat(rotary[None], heads, axis=0)], axis=2), values


def feed_forward(tape, config, layer, x):
    experts = config.experts
    if not experts or layer < experts.dense_layers:
        return block(tape, config, x, config.d_hidden)
    tape.weight(config.d_model, experts.routed)  # the router; its product is not counted by the conventions
    idle = Tape()
    for _ in range(experts.routed - experts.per_token):
        block(idle, config, x, experts.d_hidden)
    tape.parameters += idle.parameters
    return sum(block(tape, config, x, experts.d_hidden) for _ in range(experts.per_token + experts.shared))


def block(tape, config, x, d_hidden):
    hidden = tape.linear(x, d_hidden, config.bias)
    tape.keep(hidden)
    if config.gated:
        gate = tape.linear(x, d_hidden, config.bias)
        tape.keep(gate)  # the fused kernel stores its two inputs and recomputes the rest
        hidden = hidden * gate
    else:
        hidden = hidden.copy()
    return tape.linear(hidden, config.d_model, config.bias)


@pytest.mark.parametrize("config", KINDS.values(), ids=KINDS)
def test_parameters_are_the_arrays_of_the_toy(config):
    tape, _ = run(config, tokens=3)
    assert transformer.parameters(config) == tape.parameters


@every_row("config", KINDS.values())
@every_row("tokens", [1, 7, 16])
def test_forward_arithmetic_is_the_products_of_the_toy(config, tokens):
    """A training step costs three forward passes."""
    tape, _ = run(config, tokens)
    per_token = transformer.training_flops_per_token(config, tokens, "megatron")
    assert tokens * per_token == 3 * tape.flops
    assert sum(transformer.flops_breakdown(config, tokens).values()) == per_token


@every_row("config", [PLAIN, GATED])
@every_row("dropout", [True, False])
@every_row("recompute", ["none", "selective"])
def test_activations_match_autograd_tape(config, dropout, recompute):
    _, kept_bytes = run(config, tokens=12, dropout=dropout, flash=recompute == "selective")
    assert transformer.activation_memory(config, 12, dropout=dropout, recompute=recompute) == kept_bytes


@pytest.mark.parametrize("config", [PLAIN, GATED], ids=["plain", "gated"])
def test_causal_counts_half_of_the_square(config):
    """A mask keeps T (T + 1) / 2 scores; the convention of one half is right for long sequences."""
    for tokens in (16, 1024):
        whole = transformer.flops_breakdown(config, tokens)["attention_scores"]
        half = transformer.flops_breakdown(config, tokens, causal=True)["attention_scores"]
        share = np.tril(np.ones((tokens, tokens))).sum() / tokens**2
        assert half == whole / 2
        assert half / whole == pytest.approx(share, rel=1.01 / tokens)


def test_cache_is_the_keys_and_values_of_the_toy():
    for config in (PLAIN, GATED):
        _, keys, values = project(Tape(), config, np.ones((9, config.d_model)))
        assert transformer.kv_cache_memory(config, 9) == 2 * config.layers * (keys.size + values.size)
