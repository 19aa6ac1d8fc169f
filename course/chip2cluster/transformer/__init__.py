"""Transformer models: parameters, training FLOP, memory of weights, activations and KV cache.

A `Config` is the shape of one model; `model` looks up published ones. Counts are exact
whole numbers, arithmetic is FLOP, memory is bytes. Arguments other than the config
(sequence, batch, degrees of parallelism, bytes per element) take scalars or arrays.

>>> from chip2cluster import transformer
>>> llama = transformer.model("Llama 3 70B").config
>>> transformer.parameters(llama)
70553706496
>>> transformer.kv_cache_per_token(llama)
327680.0

`Config.from_hugging_face` reads a ``config.json`` of the hub.
"""

from .activations import activation_memory, activation_memory_per_layer
from .config import Config
from .finetuning import finetuning_memory, lora_parameters, state_bytes
from .flops import flops_breakdown, training_flops, training_flops_per_token
from .hugging_face import HUGGING_FACE_FAMILIES
from .kv_cache import kv_cache_memory, kv_cache_per_token, recurrent_state_memory
from .layer_variants import Experts, LatentAttention, LinearAttention, SparseIndex
from .memory import TrainingMemory, state_memory, training_memory, weight_memory
from .model_catalogue import Model, UnknownModel, model, models
from .parameter_counts import active_parameters, parameter_breakdown, parameters
from .recomputation import hardware_flops_per_token, recomputed_flops_per_token
from .stored_weights import StoredWeights

__all__ = [
    "HUGGING_FACE_FAMILIES",
    "Config",
    "Experts",
    "LatentAttention",
    "LinearAttention",
    "Model",
    "SparseIndex",
    "StoredWeights",
    "TrainingMemory",
    "UnknownModel",
    "activation_memory",
    "activation_memory_per_layer",
    "active_parameters",
    "finetuning_memory",
    "flops_breakdown",
    "hardware_flops_per_token",
    "kv_cache_memory",
    "kv_cache_per_token",
    "lora_parameters",
    "model",
    "models",
    "parameter_breakdown",
    "parameters",
    "recomputed_flops_per_token",
    "recurrent_state_memory",
    "state_bytes",
    "state_memory",
    "training_flops",
    "training_flops_per_token",
    "training_memory",
    "weight_memory",
]
