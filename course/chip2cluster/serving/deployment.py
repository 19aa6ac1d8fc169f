"""A model on the devices of one replica: weight memory, and the KV cache that fits next to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor, inf
from typing import TYPE_CHECKING, Any, Literal

from .. import specs
from .._validate import choice, flag, one_fraction, one_positive, one_whole, set_fields
from ..transformer import (
    Config,
    StoredWeights,
    kv_cache_memory,
    kv_cache_per_token,
    model,
    parameter_breakdown,
    parameters,
)
from .kv_cache_overhead import cache_copies
from .token_work import ModelCounts, count_model, limited_tokens, parameters_read_unchecked

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

ATTENTION = ("tensor", "data")
# Bytes of scales for each weight: 16-bit scale and 4-bit zero for 128 integers, 8-bit scale for 16 floats (NVFP4).
_SCALE_BYTES = {"int4": 20 / 8 / 128, "fp4": 1 / 16}


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """One replica: a model on devices that work on each step together (tensor parallel, TP).

    Parameters
    ----------
    config : transformer.Config
        Shape of the model.
    peak_flops_dense : float
        Dense peak of one device at the precision of the products, FLOP/s.
    memory_bandwidth, memory_bytes : float
        Memory bandwidth, bytes/s, and capacity, bytes, of one device.
    devices : int
        Devices that share every layer by tensor parallelism (TP); experts are spread over all of them (EP).
    weight_bytes, cache_bytes : float
        Bytes of one parameter, and of one element of the KV cache; less than 2 with quantization.
    attention : {"tensor", "data"}
        ``"tensor"`` shards the heads; state that cannot be sharded (more devices than key-value heads,
        a latent) is replicated. ``"data"`` gives each device whole sequences and a
        copy of all attention weights (DP attention).
    memory_share : float
        Fraction of the memory that weights and cache may fill, above 0 and at most 1.
    link_bandwidth_one_way : float, optional
        Unidirectional bandwidth of one device to the others, bytes/s; None leaves messages out.
    link_latency : float
        Latency of each step of a message, seconds.
    stored_weights : transformer.StoredWeights, optional
        Precisions of a model that is only partly quantized, instead of ``weight_bytes``.
    expert_messages : bool
        Whether an expected step with ``attention="data"`` takes the time of `expert_exchange_seconds`. Leave it False
        if a measured fixed time of the step, such as that of ``reality.expected``, contains the exchange.

    Raises
    ------
    ValueError
        If the weights do not fit: the message says how many devices hold them.

    Notes
    -----
    Ignores activations, scales of block formats (NVFP4, MXFP4) and memory fragmentation. Source: Pope et al.
    2023, "Efficiently scaling transformer inference"; vLLM's ``gpu_memory_utilization``.

    Examples
    --------
    >>> llama = deploy("Llama 3 70B", "H100 SXM", devices=4)
    >>> llama.weight_memory / 1e9, round(llama.cache_tokens)
    (141.107412992, 613330)
    """

    config: Config
    peak_flops_dense: float
    memory_bandwidth: float
    memory_bytes: float
    devices: int = 1
    weight_bytes: float = 2.0
    cache_bytes: float = 2.0
    attention: Literal["tensor", "data"] = "tensor"
    memory_share: float = 1.0
    link_bandwidth_one_way: float | None = None
    link_latency: float = 0.0
    stored_weights: StoredWeights | None = None
    expert_messages: bool = False

    def __post_init__(self) -> None:
        """Validate the fields."""
        if not isinstance(self.config, Config):
            raise TypeError(f"config must be a transformer.Config, got {self.config!r}")
        numbers = ("peak_flops_dense", "memory_bandwidth", "memory_bytes", "weight_bytes", "cache_bytes")
        set_fields(self, one_positive, *numbers)
        set_fields(self, one_fraction, "memory_share")
        set_fields(self, one_whole, "devices")
        set_fields(self, one_positive, "link_latency", allow_zero=True)
        if self.link_bandwidth_one_way is not None:
            set_fields(self, one_positive, "link_bandwidth_one_way")
        choice("attention", self.attention, ATTENTION)
        if flag("expert_messages", self.expert_messages) and (self.attention != "data" or not self.config.experts):
            raise ValueError('expert_messages needs a model with experts and attention="data"')
        if self.stored_weights is not None and not isinstance(self.stored_weights, StoredWeights):
            raise TypeError(f"stored_weights must be a transformer.StoredWeights or None, got {self.stored_weights!r}")
        room = self.devices * self.memory_bytes * self.memory_share
        if self.weight_memory >= room:
            raise ValueError(
                f"devices={self.devices} leave no room for the cache: weights of {self.weight_memory / 1e9:,.1f} GB, "
                f"memory of {room / 1e9:,.1f} GB; {self._devices_needed()}"
            )

    def _devices_needed(self) -> str:
        each = self.memory_bytes * self.memory_share
        replicated = self._attention_bytes if self.attention == "data" else 0.0
        if replicated >= each:
            return "no number of devices suffices, because each holds all attention weights"
        split = self._model_bytes - replicated
        return f"at least {floor(split / (each - replicated)) + 1} devices are needed"

    @cached_property
    def counts(self) -> ModelCounts:
        """Counts of the model per token."""
        return count_model(self.config)

    @cached_property
    def _bytes_by_part(self) -> dict[str, float]:
        """Mean bytes of a parameter of each part of the model."""
        if self.stored_weights:
            return self.stored_weights.bytes_by_part(self.config)
        return dict.fromkeys(parameter_breakdown(self.config), self.weight_bytes)

    @cached_property
    def _attention_bytes(self) -> float:
        return parameter_breakdown(self.config)["attention"] * self._bytes_by_part["attention"]

    @cached_property
    def _model_bytes(self) -> float:
        if self.stored_weights:
            return self.stored_weights.memory(self.config)
        return parameters(self.config) * self.weight_bytes

    @cached_property
    def weight_copies(self) -> float:
        """Bytes of replicated weights on all devices together, beyond one whole model."""
        return (self.devices - 1) * self._attention_bytes if self.attention == "data" else 0.0

    @cached_property
    def weight_memory(self) -> float:
        """Bytes of weights on all devices together."""
        return self._model_bytes + self.weight_copies

    @cached_property
    def _read_bytes(self) -> tuple[float, float]:
        """Mean bytes of a parameter that each step reads, and of a parameter of an expert."""
        if not self.stored_weights:
            return self.weight_bytes, self.weight_bytes
        sizes, active = self._bytes_by_part, parameter_breakdown(self.config, active=True)
        read = {part: count for part, count in active.items() if part not in ("embedding", "positions", "head")}
        total = sum(count * sizes[part] for part, count in read.items())
        total += self.counts.head_parameters * sizes["head"]
        return total / (sum(read.values()) + self.counts.head_parameters), sizes["feed_forward"]

    def weight_bytes_read(self, tokens: FloatOrArray) -> FloatOrArray:
        """Return the bytes of weights that a step of ``tokens`` tokens reads on all devices together."""
        each, expert = self._read_bytes
        if each == expert:
            return parameters_read_unchecked(self.counts, tokens) * each + self.weight_copies
        always = self.counts.layer_parameters + self.counts.head_parameters
        visited = parameters_read_unchecked(self.counts, tokens) - always
        return always * each + visited * expert + self.weight_copies

    @property
    def cache_copies(self) -> float:
        """Number of devices that hold the same key or value."""
        return 1.0 if self.attention == "data" else cache_copies(self.config, self.devices)

    @cached_property
    def _stored_per_token(self) -> float:
        """Bytes that a new token adds to the cache, layers with a window included."""
        return kv_cache_per_token(self.config, self.cache_bytes) * self.cache_copies

    @cached_property
    def cache_per_token(self) -> float:
        """KV-cache bytes of one token on all devices together, replicas included, that stay when windows move on."""
        return self._stored_per_token * self.counts.growing_share

    @cached_property
    def cache_room(self) -> float:
        """Bytes on all devices together that the weights leave for the cache."""
        return self.devices * self.memory_bytes * self.memory_share - self.weight_memory

    @cached_property
    def cache_tokens(self) -> float:
        """Tokens that fit in the KV cache, all sequences together; infinite if every layer keeps a constant number."""
        return self.cache_room / self.cache_per_token if self.cache_per_token else inf

    def sequence_cache(self, context: ArrayLike) -> FloatOrArray:
        """Return the KV cache and states of one sequence of ``context`` tokens, bytes on all devices together."""
        kept = kv_cache_memory(self.config, context, 1, self.cache_bytes) * self.cache_copies
        return kept + self.counts.state_bytes

    def cache_tokens_read(self, tokens: FloatOrArray, sequences: FloatOrArray) -> FloatOrArray:
        """Return the bytes of the KV cache alone that a step reads; see `cache_bytes_read`."""
        return self._stored_per_token * limited_tokens(self.counts.cache_windows, tokens, sequences)

    def cache_bytes_read(self, tokens: FloatOrArray, sequences: FloatOrArray) -> FloatOrArray:
        """Return the bytes of cache and states that a step reads.

        Parameters
        ----------
        tokens : float or array
            Tokens that the sequences attend to, summed.
        sequences : float or array
            Number of sequences, which count as equally long.

        Returns
        -------
        float or array
            Bytes on all devices together; a window and sparse attention read the tokens that they reach,
            states are read and written.

        Notes
        -----
        Source: see `step_kernel`.

        Examples
        --------
        >>> gemma = deploy("Gemma 3 27B", "H100 SXM")
        >>> [round(gemma.cache_bytes_read(tokens, 1) / 1e9, 2) for tokens in (1024, 131072)]
        [0.52, 11.17]
        """
        read = self.cache_tokens_read(tokens, sequences)
        return read + 2 * self.counts.state_bytes * sequences if self.counts.state_bytes else read

    def cache_blocks(self, block_tokens: int = 16) -> int:
        """Return the number of blocks of the paged KV cache."""
        return floor(self.cache_tokens / one_whole("block_tokens", block_tokens))


def deploy(
    name: str | Config,
    chip: str | specs.Accelerator,
    devices: int = 1,
    precision: str = "bf16",
    *,
    cache_precision: str | None = None,
    weight_precision: str | None = None,
    **options: Any,
) -> Deployment:
    """Deploy a named model on named chips.

    Parameters
    ----------
    name : str or transformer.Config
        Name of a published model (see `transformer.model`), or a custom config.
    chip : str or specs.Accelerator
        Name of a chip of the catalogue (see `specs.accelerator`), or a custom chip.
    devices : int
        Devices of the replica.
    precision : str
        Precision of weights and products: it decides the peak and the bytes of a parameter.
    cache_precision : str, optional
        Precision of keys and values; ``precision`` when left out. A lower one is KV-cache quantization.
    weight_precision : str, optional
        Precision in which the linear layers are stored, if it is not that of the products (weight-only
        quantization: ``"int4"`` with products in ``"bf16"``); everything else stays in 16 bits. A model
        whose config has ``stored_weights`` needs none.
    **options : object
        ``attention``, ``memory_share``, ``link_bandwidth_one_way`` and ``link_latency`` of
        `Deployment`, or any other field to use instead of the datasheet's.

    Returns
    -------
    Deployment
        Replica at datasheet rates, with the chip's scale-up link if there are several devices and it has one.

    Notes
    -----
    Every rate is a datasheet rate: nothing reaches it. The memory is what the driver reports
    (``Accelerator.driver_memory_bytes``): 85.5e9 bytes for an H100 with 80 GB.
    Source: see `specs` and `transformer.model`.

    Examples
    --------
    >>> deploy("Llama 3 8B", "H100 SXM", precision="fp8").weight_memory / 1e9
    8.030261248
    """
    device = specs.accelerator(chip)
    config = name if isinstance(name, Config) else model(name).config
    given: dict[str, Any] = {
        "config": config,
        "stored_weights": config.stored_weights,
        "peak_flops_dense": device.peak_flops_dense(precision),
        "memory_bandwidth": device.memory_bandwidth,
        "memory_bytes": device.driver_memory_bytes,
        "devices": devices,
        "weight_bytes": specs.bytes_of(precision),
        "cache_bytes": specs.bytes_of(cache_precision or precision),
    }
    if weight_precision is not None:
        given["stored_weights"] = StoredWeights(
            linear_bytes=specs.bytes_of(weight_precision) + _SCALE_BYTES.get(weight_precision, 0.0)
        )
    if devices != 1 and device.scale_up_bandwidth_one_way:
        given["link_bandwidth_one_way"] = device.scale_up_bandwidth_one_way
    return Deployment(**{**given, **options})


def check_deployment(deployment: object) -> Deployment:
    """Return ``deployment`` if it is a Deployment; otherwise say what was given."""
    if isinstance(deployment, Deployment):
        return deployment
    raise TypeError(f"deployment must be a serving.Deployment, got {deployment!r}")
