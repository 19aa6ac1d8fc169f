"""Time to first token (TTFT), time per output token (TPOT), and throughput of a replica without queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import holds, one_whole, plain, whole
from .batch import decode_batch, prompt_batch
from .deployment import check_deployment
from .efficiency import check_efficiency
from .step import expected_seconds, longer_time, request_work

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray
    from .batch import Batch
    from .deployment import Deployment
    from .efficiency import Efficiency


def time_to_first_token(
    deployment: Deployment,
    prompt: ArrayLike,
    sequences: ArrayLike = 1,
    *,
    cached: ArrayLike = 0,
    efficiency: Efficiency | None = None,
) -> FloatOrArray:
    """Compute the time to first token (TTFT): prefill of prompts in one step, without queueing.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    prompt : int or array of int
        Tokens of each prompt.
    sequences : int or array of int
        Prompts of the step.
    cached : int or array of int
        Tokens of each prompt that a prefix cache already holds; fewer than the prompt.
    efficiency : Efficiency, optional
        Efficiency of the step; None gives the bound.

    Returns
    -------
    float or array
        Seconds; a lower bound without an efficiency.

    Notes
    -----
    A causal mask halves the scores. Ignores the queue, the network and the tokenizer. Source: see
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
    """Compute the time per output token (TPOT), or inter-token latency (ITL): the time of one decode step.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    context : int or array of int
        Tokens that each sequence attends to, its newest included.
    sequences : int or array of int
        Batch size: sequences decoded together.
    efficiency : Efficiency, optional
        Efficiency of the step; None gives the bound.

    Returns
    -------
    float or array
        Seconds; a lower bound without an efficiency.

    Notes
    -----
    With one sequence on one device the traffic is that of ``roofline.decode_step`` for the
    parameters of `parameters_read` and the cache of ``transformer.kv_cache_memory``. Does not check
    whether the cache fits: see `largest_batch`. Source: see `step_kernel`.

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
    """Compute the output tokens/s of a replica that only decodes.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    context : int or array of int
        Tokens that each sequence attends to, its newest included.
    sequences : int or array of int
        Batch size: sequences decoded together.
    efficiency : Efficiency, optional
        Efficiency of the step; None gives the bound.

    Returns
    -------
    float or array
        Tokens/s of all sequences together; an upper bound without an efficiency.

    Notes
    -----
    Ignores prompts: `throughput_bound` counts them. Source: see `step_kernel`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> decode_rate(deploy("Llama 3 8B", "H100 SXM"), 4096, [1, 32, 128]).round()
    array([ 215., 3330., 5121.])
    """
    step = time_between_tokens(deployment, context, sequences, efficiency=efficiency)
    return plain(whole("sequences", sequences) / step)


def largest_batch(deployment: Deployment, context: ArrayLike, *, block_tokens: int = 16) -> IntOrArray:
    """Compute the most sequences of a given length whose KV cache fits next to the weights.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    context : int or array of int
        Tokens of each sequence at its longest.
    block_tokens : int
        Tokens of a block of the paged cache; 1 wastes nothing.

    Returns
    -------
    int or array of int
        Maximum concurrent sequences; 0 if not even one fits.

    Notes
    -----
    A block belongs to one sequence, so a sequence wastes half a block on average. Ignores
    shared prefixes. Source: Kwon et al. 2023, "PagedAttention", SOSP.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> largest_batch(deploy("Llama 3 8B", "H100 SXM"), 4096), largest_batch(deploy("Llama 2 7B", "H100 SXM"), 4096)
    (129, 33)
    """
    context, block_tokens = whole("context", context), one_whole("block_tokens", block_tokens)
    if check_deployment(deployment).config.mixers == ("full",):
        found = deployment.cache_blocks(block_tokens) // np.ceil(context / block_tokens)
    else:  # windows and states do not grow with the context
        rounded = np.ceil(context / block_tokens).astype(int) * block_tokens
        found = np.asarray(deployment.cache_room // deployment.sequence_cache(rounded))
    return found.astype(int) if found.ndim else int(found)


def throughput_bound(
    deployment: Deployment, prompt: ArrayLike, output: ArrayLike, *, sequences: ArrayLike | None = None
) -> FloatOrArray:
    """Compute an upper bound on the output tokens/s of a replica under saturating load.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    prompt, output : int or array of int
        Prompt and output tokens of each request.
    sequences : int or array of int, optional
        Maximum concurrent sequences; as many as fit when left out.

    Returns
    -------
    float or array
        Output tokens/s of the replica; nothing that serves such requests is faster.

    Raises
    ------
    ValueError
        If a request does not fit in the cache.

    Notes
    -----
    Per request, arithmetic of the whole prompt and of each output token takes at least its FLOP
    over the peak. Decoding reads each cached token once for each later one, and the weights once
    a step; a step reads at most a full cache, so there are at least as many steps as full caches.
    The larger of the two times holds; the first output token comes with the prefill. Assumes that
    prompts add no traffic, that a step reads the experts of one token, and no shared
    prefixes. Source: the counts of `step_kernel`, summed.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> bound = throughput_bound(deploy("Llama 3.1 8B", "H100 SXM", precision="fp8"), 1000, 1000)
    >>> round(bound, -2)                             # 15,220 were measured
    31100.0
    """
    check_deployment(deployment)
    prompt, output = whole("prompt", prompt), whole("output", output)
    if holds(prompt + output - 1 > deployment.cache_tokens):
        raise ValueError(f"prompt and output must fit into the cache of {deployment.cache_tokens:,.0f} tokens")
    counted = deployment.counts
    flops, attended = request_work(counted, prompt, output)
    steps = attended / deployment.cache_tokens
    if sequences is not None:
        steps = longer_time(steps, (output - 1) / whole("sequences", sequences))
    weights = deployment.weight_bytes_read(1)
    moved = steps * weights + deployment.cache_bytes_read(attended, output - 1)
    computing = flops / (deployment.devices * deployment.peak_flops_dense)
    moving = moved / (deployment.devices * deployment.memory_bandwidth)
    return plain(output / longer_time(computing, moving))


def _seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None) -> FloatOrArray:
    check_deployment(deployment)
    return expected_seconds(deployment, batch, None if efficiency is None else check_efficiency(efficiency))
