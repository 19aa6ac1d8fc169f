"""Training states of other recipes than mixed-precision Adam, and of adapters (LoRA, QLoRA)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._validate import choice, look_up, one_whole
from .config import Config, check_config
from .memory import TrainingMemory, state_memory, training_memory
from .parameter_counts import parameters as count_parameters
from .stored_weights import StoredWeights

if TYPE_CHECKING:
    from .._typing import ArrayLike

NF4_BYTES = (4 + 8 / 64 + 32 / (64 * 256)) / 8


class StateBytes(NamedTuple):
    """Bytes per parameter that a recipe keeps.

    Attributes
    ----------
    weight_bytes, gradient_bytes, optimizer_bytes : float
        Bytes per parameter, the arguments of `state_memory`.
    says : str
        Recipe in words.
    """

    weight_bytes: float
    gradient_bytes: float
    optimizer_bytes: float
    says: str

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `state_memory` and `training_memory`."""
        return {name: getattr(self, name) for name in ("weight_bytes", "gradient_bytes", "optimizer_bytes")}


RECIPES: dict[str, StateBytes] = {
    "zero": StateBytes(2, 2, 12, "16-bit weights and gradients; 32-bit master weights and two moments"),
    "megatron": StateBytes(2, 4, 12, "as zero, with 32-bit gradients (main gradients of Megatron-LM)"),
    "fsdp2": StateBytes(4, 4, 8, "32-bit shards of weights, gradients and two moments; 16-bit copies in products"),
    "fp32": StateBytes(4, 4, 8, "everything in 32 bits"),
    "bf16": StateBytes(2, 2, 4, "everything in 16 bits, without master weights"),
    "adam_8bit": StateBytes(2, 2, 2 + 2 * 4 / 256, "16-bit weights; two 8-bit moments, a 32-bit scale for 256 of each"),
    "bf16_moments": StateBytes(2, 4, 8, "32-bit master weights and gradients, 16-bit moments (DeepSeek-V3)"),
    "muon": StateBytes(2, 4, 8, "32-bit gradients, master weights and one momentum"),
}


def state_bytes(recipe: str) -> StateBytes:
    """Bytes per parameter of a named recipe.

    Parameters
    ----------
    recipe : str
        One of ``zero``, ``megatron``, ``fsdp2``, ``fp32``, ``bf16``, ``adam_8bit``, ``bf16_moments``, ``muon``.

    Returns
    -------
    StateBytes
        Bytes of weight, gradient and optimizer states.

    Notes
    -----
    Source: Rajbhandari et al. 2020 (zero); Megatron Core, *Distributed optimizer* (megatron); PyTorch,
    ``MixedPrecisionPolicy`` (fsdp2); Dettmers et al. 2022, arXiv:2110.02861 (8-bit); DeepSeek-AI,
    arXiv:2412.19437, section 3.3.3 (16-bit moments).

    Examples
    --------
    >>> sum(state_bytes("megatron")[:3]), sum(state_bytes("fsdp2")[:3]), sum(state_bytes("adam_8bit")[:3])
    (18, 16, 6.03125)
    >>> round(state_memory(7e9, **state_bytes("adam_8bit").arguments).total / 1e9, 1)
    42.2
    """
    return look_up("recipe", recipe, RECIPES)


LORA_TARGETS = ("q", "k", "v", "o", "gate", "up", "down")


def lora_parameters(config: Config | str, rank: int, targets: tuple[str, ...] = LORA_TARGETS) -> int:
    """Count the parameters of low-rank adapters (LoRA).

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    rank : int
        Rank of each adapter.
    targets : tuple of {"q", "k", "v", "o", "gate", "up", "down"}
        Projections of each layer that get an adapter.

    Returns
    -------
    int
        Number of parameters: ``rank`` times the widths of input and output of each target.

    Raises
    ------
    ValueError
        If the model has no such projection: latent attention, experts, hybrid layers.

    Notes
    -----
    Source: Hu et al., "LoRA", arXiv:2106.09685.

    Examples
    --------
    >>> lora_parameters("Llama 2 7B", 8, ("q", "v"))     # PEFT prints: trainable params: 4,194,304
    4194304
    """
    config, rank = check_config(config), one_whole("rank", rank)
    if isinstance(targets, str) or not targets:
        raise TypeError(f"targets must be a tuple of {', '.join(LORA_TARGETS)}, got {targets!r}")
    for name in ("latent", "linear"):
        if getattr(config, name):
            raise ValueError(f"adapters are not modelled for a config with {name}")
    if config.experts and not set(targets) <= set("qkvo"):
        raise ValueError(f"adapters of experts are not modelled; targets can be q, k, v, o, got {targets!r}")
    width, keys = config.d_model, config.kv_heads * config.head_dim
    sizes = {
        "q": width + config.qk_width * (2 if config.attention_gate else 1),
        "k": width + keys,
        "v": width + keys,
        "o": config.v_width + width,
        "up": width + config.d_hidden,
        "down": config.d_hidden + width,
    }
    if config.gated:
        sizes["gate"] = width + config.d_hidden
    return config.layers * rank * sum(sizes[choice("targets", one, tuple(sizes))] for one in targets)


def finetuning_memory(
    config: Config | str,
    sequence: ArrayLike,
    batch: ArrayLike = 1,
    *,
    rank: int,
    targets: tuple[str, ...] = LORA_TARGETS,
    quantized: bool = False,
    recipe: str = "fp32",
    **options: Any,
) -> TrainingMemory:
    """Bytes on one device when adapters are trained and the model is frozen (LoRA, QLoRA).

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence, batch : int or array of int
        Tokens of a sequence and sequences of one micro-batch.
    rank : int
        Rank of each adapter.
    targets : tuple of str
        Projections with an adapter, see `lora_parameters`.
    quantized : bool
        Whether the linear layers of the frozen model are in 4 bits, NF4 with doubly quantized scales (QLoRA);
        else all of it in 16 bits.
    recipe : str
        States of the adapters, see `state_bytes`.
    **options : object
        Activation options of `training_memory`.

    Returns
    -------
    TrainingMemory
        Bytes by content; ``weights`` holds the frozen model and the adapters.

    Notes
    -----
    Takes the activations of full training, an upper bound: inputs of frozen products without an adapter
    need not be stored. Ignores the 16-bit copy of the layer that is being multiplied, and buffers.
    Source: Hu et al., arXiv:2106.09685; Dettmers et al., "QLoRA", arXiv:2305.14314 (4.127 bits a parameter).

    Examples
    --------
    >>> need = finetuning_memory("Llama 3 8B", 2048, rank=16, quantized=True, recompute="full", dropout=False)
    >>> round(need.states / 1e9, 1), round(need.activations / 1e9, 2)
    (6.4, 0.54)
    """
    config = check_config(config)
    frozen = 2.0 * count_parameters(config)
    if quantized:
        frozen = StoredWeights(linear_bytes=NF4_BYTES).memory(config)
    elif config.stored_weights:
        frozen = config.stored_weights.memory(config)
    adapters = state_memory(lora_parameters(config, rank, targets), **state_bytes(recipe).arguments)
    whole_model = training_memory(config, sequence, batch, **options)
    return replace(adapters, weights=adapters.weights + frozen, activations=whole_model.activations)
