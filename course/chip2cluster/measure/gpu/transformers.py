"""Experiments on parts of a transformer: fused attention, and a whole training step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from ..._validate import choice, one_positive, one_whole
from ..benchmark import benchmark
from ..devices import Backend, NotSupported
from .experiment_runner import Rows, run_experiment, sample_columns
from .series import GpuSeries
from .timing import device_benchmark

GPT = {"124M": (12, 768, 12), "355M": (24, 1024, 16), "1.3B": (24, 2048, 16)}  # layers, width, heads


def gpu_attention(
    sequences: Sequence[int] | None = None,
    *,
    kernels: Sequence[str] = ("flash", "cudnn"),
    heads: int = 16,
    head_dim: int = 128,
    tokens: int = 16384,
    seconds: float = 10.0,
    backend: Any = None,
) -> GpuSeries:
    """Measure fused attention, forward in bf16, with and without the causal mask.

    Parameters
    ----------
    sequences : sequence of int, optional
        Sequence lengths, tokens; by default from 512 to 16,384.
    kernels : sequence of {"flash", "cudnn"}
        Kernels to measure; one that the library lacks is left out and named.
    heads, head_dim : int
        Number of heads and their width.
    tokens : int
        Tokens in a call; the batch is as many sequences as they fill, at least one.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Rates, FLOP/s: ``4 * batch * heads * sequence**2 * head_dim`` FLOP, half of it if causal.

    Notes
    -----
    Source: T. Dao, *FlashAttention-2*, 2023, for the counting of FLOP.

    Examples
    --------
    >>> gpu_attention().experiment
    'attention'
    """
    lengths = [one_whole("sequences", length) for length in sequences or [512, 1024, 2048, 4096, 8192, 16384]]
    for kernel in kernels:
        choice("kernels", kernel, ("flash", "cudnn"))

    def rows(device: Backend, each: float) -> Rows:
        for kernel, causal in product(kernels, (False, True)):
            for length in lengths:
                batch = max(1, tokens // length)
                try:
                    call = device.attention(kernel, heads, length, head_dim, batch, causal)
                except NotSupported as reason:
                    yield {"missing": str(reason)}
                    break
                sample = device_benchmark(call, backend=device, budget_seconds=each)
                flops = 4.0 * batch * heads * length**2 * head_dim * (0.5 if causal else 1.0)
                name = f"{kernel} forward{', causal' * causal}"
                yield {
                    "series": name,
                    "x": length,
                    "y": flops / sample.median,
                    "batch": batch,
                    **sample_columns(sample),
                }

    return run_experiment("attention", rows, 2 * len(kernels) * len(lengths), seconds, backend)


def gpu_training(
    model: str = "124M",
    batches: Sequence[int] = (1, 4, 8, 16),
    *,
    sequence: int = 1024,
    peak_flops_dense: float | None = None,
    seconds: float = 20.0,
    backend: Any = None,
) -> GpuSeries:
    """Measure whole training steps of a GPT, and their MFU by tokens.

    Parameters
    ----------
    model : {"124M", "355M", "1.3B"}
        Size of the GPT.
    batches : sequence of int
        Numbers of sequences in a step.
    sequence : int
        Tokens in a sequence.
    peak_flops_dense : float, optional
        Peak of the device in bf16, FLOP/s; by default from the catalogue.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        MFU; each row has the tokens per second. Without a known peak ``y`` is None and the row says so.

    Notes
    -----
    Forward, backward and fused AdamW in eager mode under bf16 autocast; random tokens, no data loading. A step of which
    the memory does not suffice is skipped. Source: Chowdhery et al., *PaLM*, 2022, for the FLOP of a token.

    Examples
    --------
    >>> gpu_training().experiment
    'training'
    """
    layers, d_model, heads = GPT[choice("model", model, tuple(GPT))]

    def rows(device: Backend, each: float) -> Rows:
        from ... import transformer, utilization

        config = transformer.Config(
            layers=layers, d_model=d_model, heads=heads, vocab_size=50304, tied_embeddings=True, positions=sequence,
            bias=True,
        )  # fmt: skip
        per_token = float(transformer.training_flops_per_token(config, sequence))
        peak = _peak(device.device) if peak_flops_dense is None else one_positive("peak_flops_dense", peak_flops_dense)
        if peak is None:
            yield {"missing": f"{device.device} is not in the catalogue: pass peak_flops_dense"}
            return
        for batch in batches:
            step = device.training_step(layers, d_model, heads, one_whole("batches", batch), sequence)
            sample = benchmark(
                step, warm_up=2, repeats=8, budget_seconds=each, synchronize=device.synchronize, clock=device.now
            )
            rate = batch * sequence / sample.median
            mfu = float(utilization.mfu(rate, per_token, 1, peak))
            yield {
                "series": model,
                "x": batch,
                "y": mfu,
                "tokens_per_second": rate,
                "sequence": sequence,
                **sample_columns(sample),
            }

    return run_experiment("training", rows, len(batches), seconds, backend)


def _peak(name: str) -> float | None:
    from ... import specs

    try:
        return float(specs.accelerator(name).peak_flops_dense("bf16"))
    except (LookupError, ValueError):
        return None
