"""How a replica is run: what a step costs, and what may be in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .._validate import choice, flag, one_whole
from .deployment import Deployment, check_deployment
from .step import Batch, Efficiency, check_efficiency, expected_seconds

POLICIES = ("chunked", "prefill_first", "static")


@dataclass(frozen=True, kw_only=True)
class Replica:
    """The rules by which a replica fills its steps.

    Parameters
    ----------
    step_seconds : function of a `Batch`
        Seconds that a step takes; `replica` makes it from a deployment.
    cache_blocks : int
        Blocks of the paged cache.
    block_tokens : int
        Tokens of a block.
    max_sequences : int
        Sequences in a step at most.
    step_tokens : int
        Tokens in a step at most. A step of ``"prefill_first"`` takes one whole prompt however
        long.
    policy : {"chunked", "prefill_first", "static"}
        ``"chunked"``: every sequence that decodes gets a token, and what is left of
        ``step_tokens`` reads pieces of prompts. ``"prefill_first"``: a step reads whole prompts
        while there are any, and those that decode wait. ``"static"``: the same, but nobody joins
        before all have left.
    prefix_cache : bool
        Whether blocks of shared prefixes stay until room is needed.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole numbers of at least 1, unknown policies, fewer
        ``step_tokens`` than ``max_sequences`` where both share a step.

    Notes
    -----
    Blocks are taken as tokens come. Where none is free the youngest sequence gives back its own
    and is read again later. Source: Yu et al. 2022, "Orca" (continuous batching); Kwon et al.
    2023, "PagedAttention"; Agrawal et al. 2024, "Sarathi-Serve" (pieces of prompts).

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
        if not callable(self.step_seconds):
            raise TypeError(f"step_seconds must be a function of a serving.Batch, got {self.step_seconds!r}")
        for name in ("cache_blocks", "block_tokens", "max_sequences", "step_tokens"):
            object.__setattr__(self, name, one_whole(name, getattr(self, name)))
        choice("policy", self.policy, POLICIES)
        flag("prefix_cache", self.prefix_cache)
        if self.policy == "chunked" and self.step_tokens < self.max_sequences:
            raise ValueError(
                f"step_tokens must be at least max_sequences={self.max_sequences}, of which each gets a token, "
                f"got {self.step_tokens}"
            )


def replica(deployment: Deployment, efficiency: Efficiency | None = None, **options: Any) -> Replica:
    """Run a deployment as a replica.

    Parameters
    ----------
    deployment : Deployment
    efficiency : Efficiency, optional
        None simulates at the bound, which nothing reaches.
    **options
        Of `Replica`; ``cache_blocks`` are those of the deployment when left out.

    Returns
    -------
    Replica

    Raises
    ------
    ValueError, TypeError
        As `Replica`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> replica(deploy("Llama 3 8B", "H100 SXM")).cache_blocks
    30488
    """
    check_deployment(deployment)
    if efficiency is not None:
        check_efficiency(efficiency)
    blocks = deployment.cache_blocks(options.get("block_tokens", 16))
    seconds = lambda batch: expected_seconds(deployment, batch, efficiency)
    return Replica(**{"step_seconds": seconds, "cache_blocks": blocks, **options})
