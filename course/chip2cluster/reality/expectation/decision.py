"""Decision that rests on an expected time: the fewest chips whose token time meets a requirement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._validate import positive
from .chips import accelerator, width
from .laws.serving_step import USABLE
from .models import shape
from .time import expected

COUNTS = (1, 2, 4, 8)


def fewest_chips(
    chip: Any,
    model: Any,
    precision: str,
    token_seconds: float,
    *,
    prompt_tokens: float,
    output_tokens: float,
    users: float,
    framework: str = "trtllm",
    counts: Sequence[int] = COUNTS,
) -> int | None:
    """Fewest chips of a replica whose time per output token (TPOT) meets a requirement in nine cases of ten.

    Parameters
    ----------
    chip : str or Accelerator
        Name of the chip, or a custom chip.
    model : str or Config
        Name of a served model, or its shape.
    precision : str
        Precision of the weights.
    token_seconds : float
        Longest accepted time per output token, seconds.
    prompt_tokens, output_tokens : float
        Lengths of a request.
    users : float
        Concurrent requests of the replica.
    framework : str
        Server software: ``"trtllm"``, ``"vllm"`` or ``"sglang"``.
    counts : sequence of int
        Numbers of chips to choose from.

    Returns
    -------
    int or None
        Number of chips; None if no count meets the requirement.

    Notes
    -----
    A requirement counts as met only if the upper end of the interval of `expected` meets it. Counts whose memory
    does not hold the weights are skipped. Source: `expected` of the kind ``"serving_step"``.

    Examples
    --------
    >>> load = {"prompt_tokens": 1024, "output_tokens": 1024, "users": 16}
    >>> [fewest_chips("H100 SXM", "Llama 3.1 70B", "fp8", seconds, **load) for seconds in (0.1, 0.001)]
    [1, None]
    """
    limit = float(positive("token_seconds", token_seconds))
    found = shape(model)
    weights = (found.dense_parameters + found.expert_parameters) * width(precision)
    for count in sorted(counts):
        if weights > USABLE * count * accelerator(chip).driver_memory_bytes:
            continue
        given = {
            "chip": chip, "model": model, "precision": precision, "chips": count, "prompt_tokens": prompt_tokens,
            "output_tokens": output_tokens, "users": users, "framework": framework,
        }  # fmt: skip
        if expected("serving_step", given).high <= limit:
            return count
    return None
