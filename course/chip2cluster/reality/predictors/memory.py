"""Memory of a training step: sharded states, stored activations, and the layer being recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from ... import transformer
from ..validation_model import Row

STATES = ("zero_stage", "weight_bytes", "gradient_bytes", "optimizer_bytes")
WORDS = 250_880  # vocabulary of BLOOM


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict the bytes on the fullest device."""
    given = row.given
    config = transformer.model(given["model"]).config if "model" in given else _config(given)
    tensor, stages = given["tensor_parallel"], given["pipeline_parallel"]
    # If the layers do not divide evenly, the fullest stage has one more.
    config = replace(config, layers=stages * ceil(config.layers / stages))
    copies = given.get("context_parallel", 1)  # these devices share a sequence and the states
    # Without a given micro-batch, the batch is split into as many parts as there are stages.
    micro_batch = given["micro_batch"] if "micro_batch" in given else max(1, given["batch"] // stages)
    sequence = given["sequence"] // copies
    shape: dict[str, Any] = {"config": config, "sequence": sequence, "batch": micro_batch}
    states: dict[str, Any] = {name: given[name] for name in STATES}
    states["data_parallel"] = given.get("data_parallel", given.get("fsdp", 1)) * copies
    split: dict[str, Any] = {"tensor_parallel": tensor, "dropout": False}
    split["sequence_parallel"] = given.get("sequence_parallel", False)
    need = transformer.training_memory(
        **shape,
        pipeline_parallel=stages,
        recompute=given["recompute"],
        include_ends=True,
        logit_bytes=given.get("logit_bytes", 4),
        **states,
        **split,
    )
    # The first stage also holds the whole embedding.
    embedding = config.vocab_size * config.d_model * (1 - 1 / stages) / tensor
    extra = transformer.state_memory(embedding, **states).total if stages > 1 else 0.0
    # One layer at a time is recomputed in full, including scores if attention is not fused.
    rerun: Any = "selective" if given.get("fused_attention") else "none"
    layer = transformer.activation_memory_per_layer(**shape, recompute=rerun, **split)
    if given["recompute"] == "selective":  # differs from the selective recomputation in `training_memory`
        extra += config.layers * (sequence * micro_batch * _kept(config) - layer)
    extra += layer
    return float(need.total + extra)


def _kept(config: transformer.Config) -> float:
    """Return the bytes per token and layer that torchtitan stores: input, attention, and every second product."""
    products = config.qk_width + config.head_dim * config.kv_heads + config.d_hidden + config.d_model  # 1, 3, 5, 7
    return 2 * (config.d_model + products + config.v_width)


def _config(given: Mapping) -> transformer.Config:
    """Return a GPT with a published size and width, with the number of layers that gives the size."""
    width, size = given["width"], 1e9 * given["billions"]
    layers = round((size - WORDS * width) / (12 * width**2))
    return transformer.Config(layers=layers, d_model=width, heads=given["heads"], vocab_size=WORDS, bias=True)
