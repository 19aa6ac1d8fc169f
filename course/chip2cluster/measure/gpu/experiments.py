"""Eight experiments on a GPU; without one, each returns what was recorded on an H100."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from math import prod
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..._validate import choice, one_positive, one_whole
from ..benchmark import benchmark
from ..devices import Backend, NoDevice, NotSupported, find_backend
from .recorded import recorded_gpu
from .series import GpuSeries
from .timing import DeviceSample, device_benchmark

if TYPE_CHECKING:
    from ..sample import Sample

Rows = Iterator[dict[str, Any]]
BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "tf32": 4, "fp64": 8}
GPT = {"124M": (12, 768, 12), "355M": (24, 1024, 16), "1.3B": (24, 2048, 16)}
MEMORY_SHARE = 0.6  # of the device's memory that an experiment uses at most
COUNTED_BATCH = 0.04  # seconds of queued work between two reads of the power


def gpu_triad(
    working_set_bytes: Sequence[int] | None = None, *, cache: str = "warm", seconds: float = 15.0, backend: Any = None
) -> GpuSeries:
    """Measure the bandwidth of ``a = b + s * c`` in fp32, by the size of its three arrays.

    Parameters
    ----------
    working_set_bytes : sequence of int, optional
        Sizes of the three arrays together, bytes; by default powers of two from 64 KiB to 4 GiB.
    cache : {"warm", "flushed"}
        Whether the L2 cache is overwritten before each repeat.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Bandwidth, bytes/s, with 12 bytes moved per element.

    Notes
    -----
    Written bytes count once. Ignores ECC and refresh. Source: McCalpin's STREAM for the counting of bytes.

    Examples
    --------
    >>> series = gpu_triad()
    >>> series.experiment, series.best["y"] > 1e12 or not series.recorded
    ('triad', True)
    """
    sizes = list(working_set_bytes or [2**power for power in range(16, 33)])

    def rows(device: Backend, each: float) -> Rows:
        for size in _fitting(device, sizes):
            count = max(1, one_whole("working_set_bytes", size, 12) // 12)
            a, b, c = (device.random((count,), "fp32") for _ in range(3))
            sample = device_benchmark(
                lambda a=a, b=b, c=c: device.triad(a, b, c, 1.5),
                backend=device,
                cache=cache,
                budget_seconds=each,  # type: ignore[misc]
            )
            yield {
                "series": f"triad, {sample.cache}",
                "x": 12 * count,
                "y": 12 * count / sample.median,
                **_columns(sample),
            }

    return _run("triad", rows, len(sizes), seconds, backend)


def gpu_products(
    shapes: Sequence[int | tuple[int, int, int]] | None = None,
    *,
    dtypes: Sequence[str] = ("bf16",),
    cache: str = "warm",
    seconds: float = 15.0,
    backend: Any = None,
) -> GpuSeries:
    """Measure matrix products of own shapes.

    Parameters
    ----------
    shapes : sequence of int or of tuples (m, n, k), optional
        Shapes; one number is a square. By default squares from 64 to 16,384.
    dtypes : sequence of {"bf16", "fp16", "tf32", "fp32", "fp64"}
        Number formats.
    cache : {"warm", "flushed"}
        Whether the L2 cache is overwritten before each repeat.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Rates, FLOP/s, by the FLOP of the product.

    Notes
    -----
    The second matrix is the transpose of a row-major one, as in a linear layer. Source: the library's product, cuBLAS on
    NVIDIA GPUs.

    Examples
    --------
    >>> series = gpu_products([512, (128, 256, 512)])
    >>> series.experiment, all(row["y"] > 0 for row in series.rows)
    ('products', True)
    """
    given = list(shapes or [2**power for power in range(6, 15)] + [3072, 6144, 12288])
    known = [(shape, shape, shape) if isinstance(shape, int) else tuple(shape) for shape in given]
    for dtype in dtypes:
        choice("dtypes", dtype, tuple(BYTES))

    def rows(device: Backend, each: float) -> Rows:
        for dtype in dtypes:
            for m, n, k in sorted(known, key=prod):
                yield _product(device, dtype, m, n, k, cache, each, f"{dtype}, {cache}")

    return _run("products", rows, len(known) * len(dtypes), seconds, backend)


def gpu_steps(
    dimension: str = "k",
    around: int = 1024,
    width: int = 12,
    *,
    others: int = 4096,
    dtype: str = "bf16",
    seconds: float = 15.0,
    backend: Any = None,
) -> GpuSeries:
    """Measure products in steps of one around a size.

    Parameters
    ----------
    dimension : {"m", "n", "k"}
        Dimension that is varied: rows of the output, its columns, or the length of the sums.
    around, width : int
        Middle of the range, and how far it reaches to each side.
    others : int
        Size of the other two dimensions.
    dtype : {"bf16", "fp16", "tf32", "fp32", "fp64"}
        Number format.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Rates, FLOP/s, by the size.

    Notes
    -----
    Source: same as `gpu_products`.

    Examples
    --------
    >>> gpu_steps("k", 128, 8).experiment
    'steps'
    """
    choice("dimension", dimension, ("m", "n", "k"))
    choice("dtype", dtype, tuple(BYTES))
    middle, reach, other = one_whole("around", around), one_whole("width", width, 0), one_whole("others", others)
    sizes = range(max(1, middle - reach), middle + reach + 1)

    def rows(device: Backend, each: float) -> Rows:
        for size in sizes:
            m, n, k = (size if name == dimension else other for name in "mnk")
            yield _product(device, dtype, m, n, k, "warm", each, dimension) | {"x": size}

    return _run("steps", rows, len(sizes), seconds, backend)


def gpu_launches(
    array_bytes: Sequence[int] | None = None, *, kernels: int = 500, seconds: float = 10.0, backend: Any = None
) -> GpuSeries:
    """Measure a chain of small kernels: launched one by one, waited for, and as a graph.

    Parameters
    ----------
    array_bytes : sequence of int, optional
        Sizes of one array of the addition ``x = x + y`` in fp32, bytes.
    kernels : int
        Number of kernels in a chain.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Time per kernel by the host's clock, seconds.

    Notes
    -----
    Python's own time is part of a launch; a program in C launches about twice as fast. Source: A. Gray, *Getting
    started with CUDA graphs*, 2019.

    Examples
    --------
    >>> gpu_launches().experiment
    'launches'
    """
    sizes = list(array_bytes or [4, 2**14, 2**18, 2**20, 2**22, 2**24, 2**26])
    count = one_whole("kernels", kernels)

    def rows(device: Backend, each: float) -> Rows:
        for size in _fitting(device, sizes):
            x, y = (device.random((max(1, size // 4),), "fp32") for _ in range(2))
            kernel = device_benchmark(
                lambda x=x, y=y: device.add(x, x, y), backend=device, calls=1, budget_seconds=each / 8
            )  # type: ignore[misc]

            def chain(waits: bool, x: Any = x, y: Any = y) -> None:
                for _ in range(count):
                    device.add(x, x, y)
                    if waits:
                        device.synchronize()

            ways: dict[str, Callable[[], Any]] = {
                "one by one": lambda: chain(False),
                "waits after each": lambda: chain(True),
            }
            try:
                ways["graph"] = device.capture(lambda: chain(False))
            except NotSupported as reason:
                yield {"missing": str(reason)}
            for name, call in ways.items():
                sample = benchmark(
                    call,
                    warm_up=1,
                    repeats=9,
                    budget_seconds=each / 4,
                    calls=1,
                    synchronize=device.synchronize,
                    clock=device.now,
                )
                yield {
                    "series": name, "x": size, "y": sample.median / count, "kernel_seconds": kernel.median, "kernels": count,
                    **_columns(sample),
                }  # fmt: skip

    return _run("launches", rows, len(sizes), seconds, backend)


def gpu_copies(message_bytes: Sequence[int] | None = None, *, seconds: float = 15.0, backend: Any = None) -> GpuSeries:
    """Measure copies between host and device, from pinned and from pageable memory.

    Parameters
    ----------
    message_bytes : sequence of int, optional
        Sizes, bytes; by default from 4 KiB to 256 MiB.
    seconds : float
        Time budget, seconds.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Bandwidth in one direction, bytes/s, by the host's clock.

    Notes
    -----
    A copy from pageable memory goes through a pinned buffer of the driver. Source: NVIDIA, CUDA C++ best practices
    guide, "Pinned memory".

    Examples
    --------
    >>> gpu_copies().experiment
    'copies'
    """
    sizes = sorted(message_bytes or [2**power for power in range(12, 29, 2)])

    def rows(device: Backend, each: float) -> Rows:
        array = device.zeros((sizes[-1],), "u8")
        for pinned in (True, False):
            host = device.host(sizes[-1], pinned)
            for size in sizes:
                for target, source, where in ((array, host, "to device"), (host, array, "to host")):
                    sample = benchmark(
                        lambda t=target, s=source, n=size: device.copy(t, s, n),  # type: ignore[misc]
                        warm_up=1, repeats=15, budget_seconds=each / 4, synchronize=device.synchronize, clock=device.now,
                    )  # fmt: skip
                    name = f"{'pinned' if pinned else 'pageable'}, {where}"
                    yield {"series": name, "x": size, "y": size / sample.median, **_columns(sample)}

    return _run("copies", rows, len(sizes), seconds, backend)


def gpu_power(
    duration_seconds: float = 60.0,
    *,
    size: int = 8192,
    dtype: str = "bf16",
    data: Sequence[str] = ("random",),
    backend: Any = None,
) -> GpuSeries:
    """Run one product over and over, and read power and clock about 25 times a second.

    Parameters
    ----------
    duration_seconds : float
        Time for each kind of data, seconds.
    size : int
        Rows of the square matrices.
    dtype : {"bf16", "fp16", "tf32", "fp32", "fp64"}
        Number format.
    data : sequence of {"random", "zeros"}
        Contents of the matrices; zeros switch fewer transistors.
    backend : str or Backend, optional
        Name of the backend or the backend, by default the first that can run.

    Returns
    -------
    GpuSeries
        Power, watts, by time; each row has the clock, the temperature, the throttle reasons and the rate, FLOP/s.

    Notes
    -----
    The driver's power is a mean over about a second on most cards, so the first second rises. Ignores the host.
    Source: NVIDIA, NVML API reference.

    Examples
    --------
    >>> gpu_power(1).experiment
    'power'
    """
    duration, rank = one_positive("duration_seconds", duration_seconds), one_whole("size", size)
    choice("dtype", dtype, tuple(BYTES))
    for kind in data:
        choice("data", kind, ("random", "zeros"))

    def rows(device: Backend, each: float) -> Rows:
        for kind in data:
            fill = device.random if kind == "random" else device.zeros
            a, b, c = fill((rank, rank), dtype), fill((rank, rank), dtype), device.zeros((rank, rank), dtype)
            one = device_benchmark(lambda a=a, b=b, c=c: device.product(c, a, b), backend=device, repeats=6)  # type: ignore[misc]
            count = max(1, round(COUNTED_BATCH / one.median))
            yield from _sustained(
                device,
                lambda a=a, b=b, c=c: device.product(c, a, b),
                count,
                2.0 * rank**3,
                duration,
                f"{dtype} product, {kind}",
            )  # type: ignore[misc]

    return _run("power", rows, 1, duration, backend)


def gpu_attention(
    sequences: Sequence[int] | None = None,
    *,
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
    lengths = list(sequences or [512, 1024, 2048, 4096, 8192, 16384])

    def rows(device: Backend, each: float) -> Rows:
        for causal in (False, True):
            for length in lengths:
                batch = max(1, tokens // one_whole("sequences", length))
                call = device.attention(heads, length, head_dim, batch, causal)
                sample = device_benchmark(call, backend=device, budget_seconds=each)
                flops = 4.0 * batch * heads * length**2 * head_dim * (0.5 if causal else 1.0)
                name = f"flash forward{', causal' * causal}"
                yield {"series": name, "x": length, "y": flops / sample.median, "batch": batch, **_columns(sample)}

    return _run("attention", rows, 2 * len(lengths), seconds, backend)


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
                **_columns(sample),
            }

    return _run("training", rows, len(batches), seconds, backend)


def _peak(name: str) -> float | None:
    from ... import specs

    try:
        return float(specs.accelerator(name).peak_flops_dense("bf16"))
    except (LookupError, ValueError):
        return None


def _product(device: Backend, dtype: str, m: int, n: int, k: int, cache: str, each: float, name: str) -> dict[str, Any]:
    a, b, c = device.random((m, k), dtype), device.random((n, k), dtype), device.zeros((m, n), dtype)
    sample = device_benchmark(lambda: device.product(c, a, b), backend=device, cache=cache, budget_seconds=each)
    flops = 2.0 * m * n * k
    return {
        "series": name,
        "x": flops,
        "y": flops / sample.median,
        "dtype": dtype,
        "m": m,
        "n": n,
        "k": k,
        **_columns(sample),
    }


def _sustained(device: Backend, call: Callable[[], Any], count: int, flops: float, duration: float, name: str) -> Rows:
    begin = earlier = device.record()
    elapsed = 0.0
    for _ in range(count):
        call()
    last = device.record()
    while elapsed < duration:
        for _ in range(count):
            call()
        following = device.record()
        took = device.seconds_between(earlier, last)  # waits, while the next batch keeps the device busy
        state = device.state()
        elapsed = device.seconds_between(begin, last)
        yield {
            "series": name, "x": elapsed, "y": state.power_watts, "clock_hz": state.clock_hz,
            "temperature_celsius": state.temperature_celsius, "throttle": "; ".join(state.throttle),
            "flops_per_second": count * flops / took,
        }  # fmt: skip
        earlier, last = last, following
    device.synchronize()


def _fitting(device: Backend, sizes: Sequence[int]) -> list[int]:
    return [size for size in sizes if 2 * size <= MEMORY_SHARE * device.memory_bytes]


def _columns(sample: Sample) -> dict[str, Any]:
    low, high = sample.quantiles([0.1, 0.9])
    columns: dict[str, Any] = {
        "median_seconds": sample.median, "p10_seconds": float(low), "p90_seconds": float(high),
        "best_seconds": sample.best, "repeats": len(sample), "verdict": sample.verdict,
    }  # fmt: skip
    if isinstance(sample, DeviceSample):
        state = sample.state
        columns |= {
            "calls": sample.calls, "clock_hz": state.clock_hz, "power_watts": state.power_watts,
            "throttle": "; ".join(state.throttle), "queue_full": sample.queue_full,
        }  # fmt: skip
    return columns


def _run(name: str, rows: Callable[[Backend, float], Rows], points: int, seconds: float, backend: Any) -> GpuSeries:
    """Run an experiment within its budget; return what was measured before an error of the device, or the recorded."""
    budget = one_positive("seconds", seconds)
    try:
        device = find_backend(backend)
    except NoDevice as reason:
        return recorded_gpu(name, said=f"Recorded on an H100, because nothing can be measured here: {reason}.")
    begin, found, missing = monotonic(), [], []
    try:
        for row in rows(device, budget / max(points, 1)):
            if "missing" in row:
                missing.append(row["missing"])
            else:
                found.append(row)
            if monotonic() - begin > budget and name != "power":
                missing.append(f"stopped after {budget:g} s")
                break
    except (NotSupported, RuntimeError, MemoryError) as reason:  # out of memory is a RuntimeError of both libraries
        missing.append(str(reason).splitlines()[0] if str(reason) else type(reason).__name__)
    device.free()
    state = device.state()
    about = {
        "driver": state.driver, "libraries": device.libraries, "backend": device.name,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
    }  # fmt: skip
    said = f"Measured here on {device.device}, {len(found)} points{''.join(f'; {text}' for text in missing)}."
    if not found:
        return recorded_gpu(
            name, said=f"Recorded on an H100, because {device.device} gave no value: {'; '.join(missing)}."
        )
    return GpuSeries(name, device.device, tuple(found), False, about, said)
