"""One step of a replica: arithmetic and traffic, the bound, and the time with an efficiency."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import fraction, holds, plain, positive, whole
from ..collectives import ring_all_reduce_time
from ..roofline import Kernel
from .deployment import Deployment, check_deployment
from .expert_exchange import expert_exchange_bytes
from .token_work import limited_pairs, limited_tokens

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray
    from .token_work import ModelCounts


@dataclass(frozen=True)
class Efficiency:
    """Fractions of the datasheet rates that steps reach, and overhead; all 1 and 0 is the bound.

    Parameters
    ----------
    compute, memory, link : float
        Fraction of the dense peak, of the memory bandwidth and of the link bandwidth that steps reach, above 0
        and at most 1.
    overhead_seconds : float
        Time of a step in which the chips are idle, seconds: launches, sampling, the scheduler.

    Notes
    -----
    Measured, never derived: `measured_rows` returns what published systems reached.

    Examples
    --------
    >>> Efficiency(compute=0.6, memory=0.8).overhead_seconds
    0.0
    """

    compute: float = 1.0
    memory: float = 1.0
    link: float = 1.0
    overhead_seconds: float = 0.0

    def __post_init__(self) -> None:
        """Validate the fields."""
        for name in ("compute", "memory", "link"):
            fraction(name, getattr(self, name))
        positive("overhead_seconds", self.overhead_seconds, allow_zero=True)


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


def request_work(counted: ModelCounts, prompt: FloatOrArray, output: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
    """FLOP of a whole request, and cached tokens that its decode steps attend to; prefill gives the first token."""
    later = output - 1
    attended = later * prompt + later * output / 2  # sum of prompt + 1 ... prompt + output - 1
    pair = min(counted.score_flops_per_pair, counted.score_flops_per_pair_latent)
    flops = 2.0 * counted.layer_parameters * (prompt + later) + 2.0 * counted.head_parameters * output
    pairs, read = chunk_pairs(prompt), attended
    if counted.windows:
        pairs, read = limited_pairs(counted.windows, prompt), limited_tokens(counted.windows, attended, later)
    if counted.index_flops or counted.state_flops:
        flops = flops + counted.index_flops * (chunk_pairs(prompt) + attended) + counted.state_flops * (prompt + later)
    return flops + pair * pairs + counted.score_flops_per_pair_latent * read, attended


def step_kernel(deployment: Deployment, batch: Batch) -> Kernel:
    """Arithmetic and memory traffic of a step, all devices of a replica together.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    batch : Batch
        Contents of the step; at least one token.

    Returns
    -------
    roofline.Kernel
        FLOP and bytes of the step.

    Notes
    -----
    Weights are read once a step however many tokens share them, the cache of each sequence once.
    A latent is expanded or absorbed, whichever takes less arithmetic. Layers with a window read it,
    sparse attention the tokens that it picks and all index keys; sequences count as equally long, and a chunk
    of prompt as one sequence. Ignores activations,
    writes to the cache, softmax and norms. Source: Pope et al. 2023; DeepSeek-AI,
    arXiv:2405.04434 (latent, absorbed).

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> step_kernel(deploy("Llama 3 8B", "H100 SXM"), Batch(decoding=1, context=4096)).bytes_moved / 1e9
    15.546720256
    """
    return _kernel(check_deployment(deployment), check_batch(batch))


def _kernel(deployment: Deployment, batch: Batch) -> Kernel:
    counted = deployment.counts
    tokens = batch.decoding + batch.prompt
    flops = 2.0 * (counted.layer_parameters * tokens + counted.head_parameters * (batch.decoding + batch.finished))
    context, pairs = batch.context, batch.pairs
    if counted.windows:
        context = limited_tokens(counted.windows, context, batch.decoding)
        pairs = limited_tokens(counted.windows, pairs, batch.prompt)
    if counted.rebuild_flops:
        rebuilt = counted.score_flops_per_pair * pairs + counted.rebuild_flops * batch.before
        absorbed = counted.score_flops_per_pair_latent
        flops = flops + absorbed * context + np.minimum(absorbed * pairs, rebuilt)
    else:
        flops = flops + counted.score_flops_per_pair * (context + pairs)
    if counted.index_flops or counted.state_flops:
        flops = flops + counted.index_flops * (batch.context + batch.pairs) + counted.state_flops * tokens
    weights = deployment.weight_bytes_read(tokens)
    if not (counted.cache_windows or counted.state_bytes):
        return Kernel(flops, weights + deployment.cache_per_token * (batch.context + batch.before))
    read = deployment.cache_bytes_read(batch.context, batch.decoding)
    # A chunk of prompt reads what is before it, and leaves its state in fast memory until its end.
    return Kernel(flops, weights + read + deployment.cache_tokens_read(batch.before, 1))


def step_seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None = None) -> FloatOrArray:
    """Time of a step: the bound, or the expected time with an efficiency.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    batch : Batch
        Contents of the step; at least one token.
    efficiency : Efficiency, optional
        Efficiency of the step; None gives the bound: datasheet rates, and messages that take no time.

    Returns
    -------
    float or array
        Seconds.

    Notes
    -----
    Arithmetic and memory traffic overlap completely; the messages of tensor parallelism (TP), two ring
    all-reduces a layer, do not; neither do those of experts, if the deployment has ``expert_messages``.
    Source: Williams et al. 2009; Shoeybi et al. 2019 (all-reduces).

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> one = deploy("Llama 3 8B", "H100 SXM"), Batch(decoding=1, context=4096)
    >>> [round(1e3 * step_seconds(*one, share), 2) for share in (None, Efficiency(memory=0.8))]
    [4.64, 5.8]
    """
    check_deployment(deployment)
    check_batch(batch)
    return expected_seconds(deployment, batch, None if efficiency is None else check_efficiency(efficiency))


def expected_seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None) -> FloatOrArray:
    """Return `step_seconds` without argument checks."""
    if efficiency is None:
        return _seconds(deployment, batch, 1.0, 1.0)
    busy = _seconds(deployment, batch, efficiency.compute, efficiency.memory)
    return plain(busy + _message_seconds(deployment, batch, efficiency.link) + efficiency.overhead_seconds)


def _seconds(deployment: Deployment, batch: Batch, compute: float, memory: float) -> FloatOrArray:
    kernel = _kernel(deployment, batch)
    computing = kernel.flops / (deployment.devices * deployment.peak_flops_dense * compute)
    moving = kernel.bytes_moved / (deployment.devices * deployment.memory_bandwidth * memory)
    return longer_time(computing, moving)


def longer_time(one: FloatOrArray, other: FloatOrArray) -> FloatOrArray:
    """Return the longer of two times, without NumPy for scalars."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.maximum(one, other)
    return max(one, other)


def message_seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None = None) -> FloatOrArray:
    """Time of a step's messages between the devices of a replica: TP all-reduces, or the exchange of experts (EP).

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica; 0 s for one device or no link, and for ``attention="data"`` without
        ``expert_messages``.
    batch : Batch
        Contents of the step; at least one token.
    efficiency : Efficiency, optional
        Efficiency, of which ``link`` counts here.

    Returns
    -------
    float or array
        Seconds.

    Notes
    -----
    Activations of 2 bytes. Source: Shoeybi et al. 2019; the ring of `collectives`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> round(1e3 * message_seconds(deploy("Llama 3 70B", "H100 SXM", devices=4), Batch(prompt=2048)), 2)
    17.9
    """
    check_deployment(deployment)
    check_batch(batch)
    return _message_seconds(deployment, batch, 1.0 if efficiency is None else check_efficiency(efficiency).link)


def _message_seconds(deployment: Deployment, batch: Batch, share: float) -> FloatOrArray:
    if deployment.devices == 1 or deployment.link_bandwidth_one_way is None:
        return 0.0
    if deployment.attention == "data":
        return (
            _exchange_seconds(deployment, batch.decoding + batch.prompt, share) if deployment.expert_messages else 0.0
        )
    message = 2.0 * deployment.config.d_model * (batch.decoding + batch.prompt)
    rate = deployment.link_bandwidth_one_way * share
    fixed, for_each_byte = _ring_coefficients(deployment.devices, rate, deployment.link_latency)
    return plain(2.0 * deployment.config.layers * (fixed + for_each_byte * message))


def _exchange_seconds(deployment: Deployment, tokens: IntOrArray, share: float) -> FloatOrArray:
    """Return the time of dispatch and combine of expert parallelism, at a fraction of the link bandwidth."""
    sent = expert_exchange_bytes(deployment, tokens) / (deployment.link_bandwidth_one_way * share)  # type: ignore[operator]
    return plain(sent + 2 * deployment.config.moe_layers * deployment.link_latency)


@lru_cache(maxsize=256)
def _ring_coefficients(devices: int, rate: float, latency: float) -> tuple[float, float]:
    """Return the latency of a ring all-reduce and its seconds per byte of message."""
    for_each_byte = ring_all_reduce_time(1.0, devices, rate)
    return ring_all_reduce_time(1.0, devices, rate, latency) - for_each_byte, for_each_byte


def check_batch(batch: Any) -> Batch:
    """Return ``batch`` if a step can process it; otherwise say what was given."""
    if not isinstance(batch, Batch):
        raise TypeError(f"batch must be a serving.Batch, got {batch!r}")
    for name, value in zip(Batch._fields, batch, strict=True):
        positive(name, value, allow_zero=True)
    if holds(np.add(batch.decoding, batch.prompt) < 1):
        raise ValueError(f"batch must hold at least one token to prefill or decode, got {batch}")
    return batch


def check_efficiency(efficiency: Any) -> Efficiency:
    """Return ``efficiency`` if it is an Efficiency; otherwise say what was given."""
    if isinstance(efficiency, Efficiency):
        return efficiency
    raise TypeError(f"efficiency must be a serving.Efficiency or None, got {efficiency!r}")


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
