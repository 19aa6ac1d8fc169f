"""What a user and an owner see: time to first token, time between tokens, tokens a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import holds, plain, whole
from .deployment import check_deployment
from .step import check_efficiency, decode_batch, expected_seconds, larger, piece, prompt_batch

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray
    from .deployment import Deployment
    from .step import Batch, Efficiency


def time_to_first_token(
    deployment: Deployment,
    prompt: ArrayLike,
    sequences: ArrayLike = 1,
    *,
    cached: ArrayLike = 0,
    efficiency: Efficiency | None = None,
) -> FloatOrArray:
    """Time to read prompts in one step, without any wait before it.

    Parameters
    ----------
    deployment : Deployment
    prompt : int or array of int
        Tokens of each prompt.
    sequences : int or array of int
        Prompts read together.
    cached : int or array of int
        Tokens of each that a prefix cache holds already.
    efficiency : Efficiency, optional
        None gives the bound.

    Returns
    -------
    float or array
        Seconds; a lower bound where no efficiency is given.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and a prompt that is cached to its last token.

    Notes
    -----
    A causal mask halves the scores. Ignores the queue, the network and the tokenizer. Source: as
    `step_kernel`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> bound = time_to_first_token(deploy("Llama 2 7B", "H100 SXM", precision="fp8"), 2048)
    >>> round(1e3 * bound, 1)                        # 36 ms were measured
    14.0
    """
    return _seconds(deployment, prompt_batch(prompt, sequences, cached), efficiency)


def time_between_tokens(
    deployment: Deployment, context: ArrayLike, sequences: ArrayLike = 1, *, efficiency: Efficiency | None = None
) -> FloatOrArray:
    """Time of one decoding step.

    Parameters
    ----------
    deployment : Deployment
    context : int or array of int
        Tokens that each sequence attends to, its newest included.
    sequences : int or array of int
        Sequences decoded together, the batch.
    efficiency : Efficiency, optional
        None gives the bound.

    Returns
    -------
    float or array
        Seconds; a lower bound where no efficiency is given.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole.

    Notes
    -----
    With one sequence on one device the traffic is that of ``roofline.decode_step`` for the
    parameters of `parameters_read` and the cache of ``transformer.kv_cache_memory``. Does not ask
    whether the cache fits: `largest_batch` does. Source: as `step_kernel`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> (1e3 * time_between_tokens(deploy("Llama 3 8B", "H100 SXM"), 4096, [1, 32, 128])).round(2)
    array([ 4.64,  9.61, 24.99])
    """
    return _seconds(deployment, decode_batch(context, sequences), efficiency)


def decode_rate(
    deployment: Deployment, context: ArrayLike, sequences: ArrayLike = 1, *, efficiency: Efficiency | None = None
) -> FloatOrArray:
    """Output tokens a second of a replica that does nothing but decode.

    Parameters
    ----------
    deployment, context, sequences, efficiency
        As `time_between_tokens`.

    Returns
    -------
    float or array
        Tokens/s of all sequences together; an upper bound where no efficiency is given.

    Raises
    ------
    ValueError, TypeError
        As `time_between_tokens`.

    Notes
    -----
    Ignores prompts: `throughput_bound` counts them. Source: as `step_kernel`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> decode_rate(deploy("Llama 3 8B", "H100 SXM"), 4096, [1, 32, 128]).round()
    array([ 215., 3330., 5121.])
    """
    step = time_between_tokens(deployment, context, sequences, efficiency=efficiency)
    return plain(whole("sequences", sequences) / step)


def largest_batch(deployment: Deployment, context: ArrayLike, *, block_tokens: int = 16) -> IntOrArray:
    """Sequences of a length that the cache holds beside the weights.

    Parameters
    ----------
    deployment : Deployment
    context : int or array of int
        Tokens of each sequence when it is longest.
    block_tokens : int
        Tokens of a block of the paged cache; 1 wastes nothing.

    Returns
    -------
    int or array of int
        0 where not even one fits.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole.

    Notes
    -----
    A block belongs to one sequence, so a sequence wastes half a block on average. Ignores
    prefixes that sequences share. Source: Kwon et al. 2023, "PagedAttention", SOSP.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> largest_batch(deploy("Llama 3 8B", "H100 SXM"), 4096), largest_batch(deploy("Llama 2 7B", "H100 SXM"), 4096)
    (119, 30)
    """
    blocks = check_deployment(deployment).cache_blocks(block_tokens)
    found = blocks // np.ceil(whole("context", context) / block_tokens)
    return found.astype(int) if found.ndim else int(found)


def throughput_bound(
    deployment: Deployment, prompt: ArrayLike, output: ArrayLike, *, sequences: ArrayLike | None = None
) -> FloatOrArray:
    """Most output tokens a second that a replica can give when requests never pause.

    Parameters
    ----------
    deployment : Deployment
    prompt, output : int or array of int
        Tokens of each request that are read, and that are written.
    sequences : int or array of int, optional
        At most so many are decoded together; as many as fit when left out.

    Returns
    -------
    float or array
        Output tokens/s of the replica; nothing that serves such requests is faster.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and requests longer than the cache.

    Notes
    -----
    Per request, arithmetic of the whole prompt and of each output token takes at least its FLOP
    over the peak. Decoding reads each cached token once for each later one, and the weights once
    a step; a step reads at most a full cache, so there are at least as many steps as caches full.
    The larger of the two times holds; the first output token comes with the prompt. Assumes that
    prompts ride along free of traffic, that a step reads the experts of one token, and no shared
    prefixes. Source: the counts of
    `step_kernel`, summed.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> bound = throughput_bound(deploy("Llama 3.1 8B", "H100 SXM", precision="fp8"), 1000, 1000)
    >>> round(bound, -2)                             # 15,220 were measured
    30900.0
    """
    check_deployment(deployment)
    prompt, output = whole("prompt", prompt), whole("output", output)
    if holds(prompt + output - 1 > deployment.cache_tokens):
        raise ValueError(f"prompt and output must fit into the cache of {deployment.cache_tokens:,.0f} tokens")
    counted = deployment.counts
    later = output - 1  # tokens that a decoding step gives
    attended = later * prompt + later * output / 2  # sum of prompt + 1 ... prompt + output - 1
    pair = min(counted.score_flops_per_pair, counted.score_flops_per_pair_latent)
    flops = 2.0 * counted.layer_parameters * (prompt + later) + 2.0 * counted.head_parameters * output
    flops = flops + pair * piece(prompt) + counted.score_flops_per_pair_latent * attended
    steps = attended / deployment.cache_tokens
    if sequences is not None:
        steps = larger(steps, later / whole("sequences", sequences))
    weights = (counted.layer_parameters + counted.head_parameters) * deployment.weight_bytes + deployment.weight_copies
    moved = steps * weights + deployment.cache_per_token * attended
    computing = flops / (deployment.devices * deployment.peak_flops_dense)
    moving = moved / (deployment.devices * deployment.memory_bandwidth)
    return plain(output / larger(computing, moving))


def _seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None) -> FloatOrArray:
    check_deployment(deployment)
    return expected_seconds(deployment, batch, None if efficiency is None else check_efficiency(efficiency))
