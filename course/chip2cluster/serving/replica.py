"""Scheduling rules of a replica: the time of a step, and the limits of its batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .._validate import choice, flag, one_whole, set_fields
from .batch import Batch
from .deployment import Deployment, check_deployment
from .efficiency import Efficiency, check_efficiency
from .step import expected_seconds

POLICIES = ("chunked", "prefill_first", "static")


@dataclass(frozen=True, kw_only=True)
class Replica:
    """Rules by which a replica schedules its steps (continuous batching, chunked prefill).

    Parameters
    ----------
    step_seconds : callable
        Function of a `Batch` that returns the seconds of a step; `replica` makes it from a deployment.
    cache_blocks : int
        Blocks of the paged KV cache.
    block_tokens : int
        Tokens of a block.
    max_sequences : int
        Most concurrent sequences in a step (vLLM's ``max_num_seqs``).
    step_tokens : int
        Most tokens in a step (vLLM's ``max_num_batched_tokens``). A step of ``"prefill_first"`` takes one
        whole prompt, however long it is.
    policy : {"chunked", "prefill_first", "static"}
        ``"chunked"``: every decoding sequence gets a token, and the rest of
        ``step_tokens`` goes to chunks of prompts (chunked prefill). ``"prefill_first"``: a step prefills
        whole prompts as long as there are any, and decoding sequences wait. ``"static"``: the same, but no
        sequence joins before all have finished.
    prefix_cache : bool
        Whether blocks of shared prefixes stay in the cache until their memory is needed.

    Raises
    ------
    ValueError
        If ``step_tokens`` is less than ``max_sequences`` under ``"chunked"``.

    Notes
    -----
    Blocks are allocated as tokens are generated. If none is free the youngest sequence is preempted
    and recomputed later. Source: Yu et al. 2022, "Orca" (continuous batching); Kwon et al.
    2023, "PagedAttention"; Agrawal et al. 2024, "Sarathi-Serve" (chunked prefill).

    Examples
    --------
    >>> Replica(step_seconds=lambda batch: 0.02, cache_blocks=100).policy
    'chunked'
    """

    step_seconds: Callable[[Batch], float]
    cache_blocks: int
    block_tokens: int = 16
    max_sequences: int = 256
    step_tokens: int = 2048
    policy: Literal["chunked", "prefill_first", "static"] = "chunked"
    prefix_cache: bool = True

    def __post_init__(self) -> None:
        """Validate the fields."""
        if not callable(self.step_seconds):
            raise TypeError(f"step_seconds must be a function of a serving.Batch, got {self.step_seconds!r}")
        set_fields(self, one_whole, "cache_blocks", "block_tokens", "max_sequences", "step_tokens")
        choice("policy", self.policy, POLICIES)
        flag("prefix_cache", self.prefix_cache)
        if self.policy == "chunked" and self.step_tokens < self.max_sequences:
            raise ValueError(
                f"step_tokens must be at least max_sequences={self.max_sequences}, because each sequence gets a token, "
                f"got {self.step_tokens}"
            )


def replica(deployment: Deployment, efficiency: Efficiency | None = None, **options: Any) -> Replica:
    """Return the scheduling rules of a deployment.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    efficiency : Efficiency, optional
        Efficiency of the steps; None simulates at the bound, which nothing reaches.
    **options : object
        Fields of `Replica`; ``cache_blocks`` are those of the deployment when left out.

    Returns
    -------
    Replica
        Rules for `simulate`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> replica(deploy("Llama 3 8B", "H100 SXM")).cache_blocks
    33121
    """
    check_deployment(deployment)
    if efficiency is not None:
        check_efficiency(efficiency)
    blocks = deployment.cache_blocks(options.get("block_tokens", 16))
    seconds = lambda batch: expected_seconds(deployment, batch, efficiency)
    return Replica(**{"step_seconds": seconds, "cache_blocks": blocks, **options})
