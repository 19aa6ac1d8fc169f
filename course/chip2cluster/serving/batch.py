"""Contents of one step of a replica: sequences that decode, and chunks of prompt that are prefilled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import holds, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


class Batch(NamedTuple):
    """Contents of a step; numbers, or arrays that broadcast together.

    Attributes
    ----------
    decoding : int
        Sequences that get one more token.
    context : int
        Tokens that the decoding sequences attend to, summed, their newest included.
    prompt : int
        Prompt tokens that are prefilled.
    pairs : float
        Pairs of a prompt token with itself and the tokens before it.
    before : int
        Cached tokens that precede the chunks of prompt.
    finished : int
        Prompts whose last chunk is in the step, so that a first token is sampled.
    """

    decoding: IntOrArray = 0
    context: IntOrArray = 0
    prompt: IntOrArray = 0
    pairs: FloatOrArray = 0
    before: IntOrArray = 0
    finished: IntOrArray = 0


def chunk_pairs(tokens: FloatOrArray, before: FloatOrArray = 0) -> FloatOrArray:
    """Return the query-key pairs of a chunk of prompt after ``before`` cached tokens, under a causal mask."""
    return tokens * before + tokens * (tokens + 1) / 2


def check_batch(batch: Any) -> Batch:
    """Return ``batch`` if a step can process it; otherwise say what was given."""
    if not isinstance(batch, Batch):
        raise TypeError(f"batch must be a serving.Batch, got {batch!r}")
    for name, value in zip(Batch._fields, batch, strict=True):
        positive(name, value, allow_zero=True)
    if holds(np.add(batch.decoding, batch.prompt) < 1):
        raise ValueError(f"batch must hold at least one token to prefill or decode, got {batch}")
    return batch


def decode_batch(context: ArrayLike, sequences: ArrayLike = 1) -> Batch:
    """Return a step that decodes one token for each sequence, each attending to ``context`` tokens."""
    context, sequences = whole("context", context), whole("sequences", sequences)
    return Batch(decoding=sequences, context=sequences * context)


def prompt_batch(prompt: ArrayLike, sequences: ArrayLike = 1, cached: ArrayLike = 0) -> Batch:
    """Return a step that prefills whole prompts, except ``cached`` tokens of each."""
    prompt, sequences = whole("prompt", prompt), whole("sequences", sequences)
    cached = whole("cached", cached, minimum=0)
    if holds(cached >= prompt):
        raise ValueError(
            f"cached must be less than the prompt, because at least one token is prefilled, got {cached} of {prompt}"
        )
    new = prompt - cached
    return Batch(
        prompt=sequences * new,
        pairs=sequences * chunk_pairs(new, cached),
        before=sequences * cached,
        finished=sequences,
    )
