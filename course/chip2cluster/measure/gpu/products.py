"""Experiments on matrix products: by shape, and in steps of one around a size."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..._validate import choice, one_whole
from ..devices import Backend
from .experiment_runner import Rows, run_experiment, sample_columns
from .formats import DTYPES
from .series import GpuSeries
from .timing import device_benchmark


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
        choice("dtypes", dtype, DTYPES)

    def rows(device: Backend, each: float) -> Rows:
        for dtype in dtypes:
            for m, n, k in sorted(known, key=prod):
                yield _product(device, dtype, m, n, k, cache, each, f"{dtype}, {cache}")

    return run_experiment("products", rows, len(known) * len(dtypes), seconds, backend)


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
    choice("dtype", dtype, DTYPES)
    middle, reach, other = one_whole("around", around), one_whole("width", width, 0), one_whole("others", others)
    sizes = range(max(1, middle - reach), middle + reach + 1)

    def rows(device: Backend, each: float) -> Rows:
        for size in sizes:
            m, n, k = (size if name == dimension else other for name in "mnk")
            yield _product(device, dtype, m, n, k, "warm", each, dimension) | {"x": size}

    return run_experiment("steps", rows, len(sizes), seconds, backend)


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
        **sample_columns(sample),
    }
