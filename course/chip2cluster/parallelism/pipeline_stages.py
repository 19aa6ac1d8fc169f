"""Contents of each device of a pipeline: layers, embedding and head, parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..transformer import parameter_breakdown

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray, NDArray
    from ..transformer import Config


@dataclass(frozen=True)
class Stages:
    """Layers and parameters of each device of a pipeline, arrays of shape (p,).

    Attributes
    ----------
    dense, experts : array
        Layers without and with experts.
    first, last : array
        Number of first ends (embedding) and last ends (norm and head) of the model.
    stages_held : int
        2 in DualPipe, where each device also has the stage of its mirror image.
    """

    dense: NDArray
    experts: NDArray
    first: NDArray
    last: NDArray
    stages_held: int = 1

    @property
    def layers(self) -> NDArray:
        """Layers of each device."""
        return self.dense + self.experts


@dataclass(frozen=True)
class LayerParameters:
    """Parameters of one layer, by how tensor parallelism treats them.

    Attributes
    ----------
    attention : int
        Sharded parameters of attention, without keys and values.
    attention_keys : int
        Columns of keys and values for each key-value head.
    key_heads : int
        Number of key-value heads.
    replicated : int
        Parameters that every device holds.
    router, feed_forward, shared, expert : int
        Parameters of the router, the feed-forward block, the shared experts and one routed expert.
    """

    attention: int
    attention_keys: int
    key_heads: int
    replicated: int
    router: int
    feed_forward: int
    shared: int
    expert: int


def layers_by_chunk(layers: int, chunks: int) -> list[int]:
    """Return the layers of each chunk, as even as possible; extra layers go to the middle, then to the end."""
    few, more = divmod(layers, chunks)
    longer = [*range(1, chunks - 1), chunks - 1][:more]
    return [few + (chunk in longer) for chunk in range(chunks)]


def layers_of_chunks(config: Config, chunks: int) -> tuple[NDArray, NDArray]:
    """Return the layers without and with experts in each chunk, in the order of the layers."""
    sizes = np.array(layers_by_chunk(config.layers, chunks))
    before = np.cumsum(sizes) - sizes
    dense = np.clip(config.layers - config.moe_layers - before, 0, sizes)
    return dense, sizes - dense


@lru_cache(maxsize=256)
def assign_layers(config: Config, devices: int, chunks: int, schedule: str) -> Stages:
    """Assign the layers to the devices of a pipeline."""
    both = np.stack(layers_of_chunks(config, devices * chunks)).reshape(2, chunks, devices).sum(axis=1)
    first, last = np.zeros(devices, int), np.zeros(devices, int)
    first[0] = last[-1] = 1
    if schedule == "dualpipe":
        both, first, last = both + both[:, ::-1], first + first[::-1], last + last[::-1]
    return Stages(both[0], both[1], first, last, 2 if schedule == "dualpipe" else 1)


@lru_cache(maxsize=64)
def layer_parameters(config: Config) -> LayerParameters:
    """Return the parameters of one layer, by how they are sharded."""
    parts = parameter_breakdown(config)
    one = replace(config, layers=1, experts=None)
    expert = 0
    if config.experts:
        expert = parameter_breakdown(replace(one, d_hidden=config.experts.d_hidden))["feed_forward"]
    attention, replicated, keys, heads = parts["attention"] // config.layers, 0, 0, 1
    if config.latent:  # the down-projections to the latents and their norms are on every device
        ranks = config.latent.q_lora_rank + config.latent.kv_lora_rank
        replicated = config.d_model * (config.latent.q_lora_rank + config.latent.cached_width) + ranks
    else:
        keys = 2 * config.d_model * config.head_dim
        heads = config.kv_heads
    return LayerParameters(
        attention=attention - replicated - keys * heads * (not config.latent),
        attention_keys=keys,
        key_heads=heads,
        replicated=replicated + config.norms_per_layer * _norm(config),
        router=parts["router"] // max(config.moe_layers, 1),
        feed_forward=parameter_breakdown(one)["feed_forward"],
        shared=expert * (config.experts.shared if config.experts else 0),
        expert=expert,
    )


def layer_shards(
    config: Config, tensor: IntOrArray, expert: IntOrArray
) -> tuple[FloatOrArray, FloatOrArray, FloatOrArray]:
    """Return the parameters on one device: of a dense layer, of an MoE layer without, and with, routed experts."""
    each = layer_parameters(config)
    common = each.attention / tensor + each.attention_keys * np.maximum(each.key_heads / tensor, 1) + each.replicated
    if not config.experts:
        return common + each.feed_forward / tensor, 0.0, 0.0
    routed = config.experts.routed / expert * each.expert / tensor
    return common + each.feed_forward / tensor, common + each.router + each.shared / tensor, routed


def end_shards(config: Config, tensor: IntOrArray, *, alone: bool) -> tuple[FloatOrArray, FloatOrArray]:
    """Return the parameters of both ends on one device; a tied table counts twice unless they coincide."""
    table = config.vocab_size * config.d_model / tensor
    first = table + config.positions * config.d_model
    last = _norm(config) + (0.0 if config.tied_embeddings and alone else table)
    return first, last


def device_parameters(config: Config, layout: Any, stages: Stages) -> tuple[NDArray, NDArray]:
    """Return the parameters on each device of the pipeline: all but the routed experts, and these."""
    dense, common, routed = layer_shards(config, layout.tensor, layout.expert)
    first, last = end_shards(config, layout.tensor, alone=layout.pipeline == 1)
    return (
        stages.dense * dense + stages.experts * common + stages.first * first + stages.last * last,
        stages.experts * routed,
    )


def _norm(config: Config) -> int:
    return config.d_model * (2 if config.norm_bias else 1)
