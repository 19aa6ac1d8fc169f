"""A model on its chips: what it occupies there, and what is left for the cache."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any, Literal

from .. import specs
from .._validate import choice, one_positive, one_whole
from ..transformer import Config, kv_cache_per_token, model, parameter_breakdown, parameters
from .counts import Counts, counts
from .pages import cache_copies

ATTENTION = ("tensor", "data")


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """One replica: a model on devices that work on each step together.

    Parameters
    ----------
    config : transformer.Config
    peak_flops_dense : float
        Of one device at the precision of its products, FLOP/s.
    memory_bandwidth, memory_bytes : float
        Of one device, bytes/s and bytes.
    devices : int
        They share every layer: tensor parallelism, and experts spread over all of them.
    weight_bytes, cache_bytes : float
        Bytes of one parameter, and of one element of the cache.
    attention : {"tensor", "data"}
        ``"tensor"`` splits the heads; what cannot be split (more devices than key-value heads,
        a latent) lies on several devices. ``"data"`` gives each device whole sequences and a
        copy of all attention weights.
    memory_share : float
        Share of the memory that weights and cache may fill, above 0 and at most 1.
    link_bandwidth_one_way : float, optional
        Of one device to the others, bytes/s; None leaves messages out.
    link_latency : float
        Seconds for each step of a message.

    Raises
    ------
    ValueError, TypeError
        For numbers that make no sense, and weights that do not fit: the message says how many
        devices hold them.

    Notes
    -----
    Ignores activations, scales of block formats and fragmentation of memory. Source: Pope et al.
    2023, "Efficiently scaling transformer inference"; vLLM's ``gpu_memory_utilization``.

    Examples
    --------
    >>> llama = deploy("Llama 3 70B", "H100 SXM", devices=4)
    >>> llama.weight_memory / 1e9, round(llama.cache_tokens)
    (141.107412992, 545937)
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

    def __post_init__(self) -> None:
        if not isinstance(self.config, Config):
            raise TypeError(f"config must be a transformer.Config, got {self.config!r}")
        for name in (
            "peak_flops_dense",
            "memory_bandwidth",
            "memory_bytes",
            "weight_bytes",
            "cache_bytes",
            "memory_share",
        ):
            self._set(name, one_positive(name, getattr(self, name)))
        self._set("devices", one_whole("devices", self.devices))
        self._set("link_latency", one_positive("link_latency", self.link_latency, allow_zero=True))
        if self.link_bandwidth_one_way is not None:
            self._set("link_bandwidth_one_way", one_positive("link_bandwidth_one_way", self.link_bandwidth_one_way))
        choice("attention", self.attention, ATTENTION)
        if self.memory_share > 1:
            raise ValueError(f"memory_share must be at most 1, got {self.memory_share!r}")
        room = self.devices * self.memory_bytes * self.memory_share
        if self.weight_memory >= room:
            raise ValueError(
                f"devices={self.devices} leave no room for the cache: weights of {self.weight_memory / 1e9:,.1f} GB, "
                f"memory of {room / 1e9:,.1f} GB; {self._devices_needed()}"
            )

    def _devices_needed(self) -> str:
        each = self.memory_bytes * self.memory_share
        copied = self._attention_parameters * self.weight_bytes if self.attention == "data" else 0.0
        if copied >= each:
            return "no number of devices does, for each holds all attention weights"
        split = parameters(self.config) * self.weight_bytes - copied
        return f"at least {floor(split / (each - copied)) + 1} devices are needed"

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @cached_property
    def counts(self) -> Counts:
        """What a token costs in this model."""
        return counts(self.config)

    @property
    def _attention_parameters(self) -> int:
        return parameter_breakdown(self.config)["attention"]

    @cached_property
    def weight_copies(self) -> float:
        """Bytes of weights that all devices hold beside one whole model."""
        return (self.devices - 1) * self._attention_parameters * self.weight_bytes if self.attention == "data" else 0.0

    @cached_property
    def weight_memory(self) -> float:
        """Bytes of weights on all devices together."""
        return parameters(self.config) * self.weight_bytes + self.weight_copies

    @property
    def cache_copies(self) -> float:
        """On how many devices the same key or value lies."""
        return 1.0 if self.attention == "data" else cache_copies(self.config, self.devices)

    @cached_property
    def cache_per_token(self) -> float:
        """Bytes that one token takes on all devices together."""
        return kv_cache_per_token(self.config, self.cache_bytes) * self.cache_copies

    @cached_property
    def cache_tokens(self) -> float:
        """How many tokens fit beside the weights, all sequences together."""
        room = self.devices * self.memory_bytes * self.memory_share - self.weight_memory
        return room / self.cache_per_token

    def cache_blocks(self, block_tokens: int = 16) -> int:
        """Blocks of the paged cache, each of so many tokens."""
        return floor(self.cache_tokens / one_whole("block_tokens", block_tokens))


def deploy(
    name: str | Config,
    chip: str | specs.Accelerator,
    devices: int = 1,
    precision: str = "bf16",
    *,
    cache_precision: str | None = None,
    **options: Any,
) -> Deployment:
    """Put a named model on named chips.

    Parameters
    ----------
    name : str or transformer.Config
        As `transformer.model`, or a config of one's own.
    chip : str or specs.Accelerator
        As `specs.accelerator`, or one of one's own.
    devices : int
        How many.
    precision : str
        Of weights and products: it decides the peak and the bytes of a parameter.
    cache_precision : str, optional
        Of keys and values; as ``precision`` when left out.
    **options
        ``attention``, ``memory_share``, ``link_bandwidth_one_way`` and ``link_latency`` of
        `Deployment`, or any other field to be put in place of the sheet's.

    Returns
    -------
    Deployment
        With the link of the sheet where there are several devices and the chip has one.

    Raises
    ------
    ValueError, TypeError
        For an unknown model, chip or precision, and as `Deployment`.

    Notes
    -----
    Everything is a sheet rate: nothing reaches it. Source: see `specs` and `transformer.model`.

    Examples
    --------
    >>> deploy("Llama 3 8B", "H100 SXM", precision="fp8").weight_memory / 1e9
    8.030261248
    """
    device = specs.accelerator(chip)
    given: dict[str, Any] = {
        "config": name if isinstance(name, Config) else model(name).config,
        "peak_flops_dense": device.peak_flops_dense(precision),
        "memory_bandwidth": device.memory_bandwidth,
        "memory_bytes": device.memory_bytes,
        "devices": devices,
        "weight_bytes": specs.bytes_of(precision),
        "cache_bytes": specs.bytes_of(cache_precision or precision),
    }
    if devices != 1 and device.scale_up_bandwidth_one_way:
        given["link_bandwidth_one_way"] = device.scale_up_bandwidth_one_way
    return Deployment(**{**given, **options})


def check_deployment(deployment: object) -> Deployment:
    """Return ``deployment`` if it is one; otherwise say what was given."""
    if isinstance(deployment, Deployment):
        return deployment
    raise TypeError(f"deployment must be a serving.Deployment, got {deployment!r}")
