"""Measured CPU roofline of this machine: vector adds over working sets, and matrix products."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice, one_positive, one_whole
from ..provenance import Source
from ._child import environment, sizes
from .collective_records import FOLDER

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

DTYPES = ("float32", "float64")
PER_ADD = 3  # values moved per add: two read, one written
# FLOP and values moved per element. NumPy has no fused triad: its product is written and read again, 5 values instead of 3.
RECORDED_KERNELS = {"add": (1, PER_ADD), "copy": (0, 2), "triad2pass": (2, 5)}


@dataclass(frozen=True, eq=False)
class CpuRoofline:
    """Rates of one run, one entry per size.

    Attributes
    ----------
    dtype, add_dtype : str
        Data type of the products, and of the adds.
    threads : int
        Threads of the products.
    working_set_bytes : array
        Total size of the three arrays of an add, bytes.
    bandwidth, best_bandwidth : array
        Bandwidth of the vector kernel by the median and by the best time, bytes/s.
    gemm_sizes : array
        Rows of the square products.
    gemm_flops, best_gemm_flops : array
        Rate of the products by the median and by the best time, FLOP/s.
    noise : array
        Interquartile range over the median, of the adds, then of the products.
    source : Source
        Citation and date.
    kernel : {"add", "copy", "triad2pass"}
        Vector kernel: an add moves 3 values per element, a copy 2, and NumPy's triad in two passes 5.
    """

    dtype: str
    threads: int
    working_set_bytes: NDArray[np.float64] = field(repr=False)
    bandwidth: NDArray[np.float64] = field(repr=False)
    best_bandwidth: NDArray[np.float64] = field(repr=False)
    gemm_sizes: NDArray[np.float64] = field(repr=False)
    gemm_flops: NDArray[np.float64] = field(repr=False)
    best_gemm_flops: NDArray[np.float64] = field(repr=False)
    noise: NDArray[np.float64] = field(repr=False)
    source: Source = field(repr=False)
    add_dtype: str = "float64"
    kernel: str = "add"

    @property
    def add_intensity(self) -> float:
        """Arithmetic intensity of the vector kernel, FLOP/byte: one FLOP for three values of an add, none of a copy."""
        flops, values = RECORDED_KERNELS[self.kernel]
        return flops / (values * np.dtype(self.add_dtype).itemsize)

    @property
    def gemm_intensity(self) -> NDArray[np.float64]:
        """Arithmetic intensity of each product if every matrix is moved once, FLOP/byte; an upper bound."""
        return 2 * self.gemm_sizes / (3 * np.dtype(self.dtype).itemsize)

    @property
    def peak_flops(self) -> float:
        """Compute roof: rate of the fastest product by the median, FLOP/s."""
        return float(self.gemm_flops.max())

    @property
    def memory_bandwidth(self) -> float:
        """Memory roof: bandwidth of the largest working set by the median, bytes/s."""
        return float(self.bandwidth[self.working_set_bytes.argmax()])


def cpu_roofline(
    *,
    working_set_bytes: ArrayLike = (49152, 393216, 1572864, 6291456, 25165824, 100663296),
    gemm_sizes: ArrayLike = (128, 256, 512, 1024),
    dtype: str = "float64",
    threads: int = 1,
    budget_seconds: float = 10.0,
) -> CpuRoofline:
    """Measure adds and matrix products on this machine, in a child process.

    Parameters
    ----------
    working_set_bytes : array of int, shape (sizes,)
        Total bytes of the three arrays of an add, at least 3 values.
    gemm_sizes : array of int, shape (sizes,)
        Number of rows of the square matrices.
    dtype : {"float64", "float32"}
        Data type of all arrays.
    threads : int
        Number of threads of the matrix products; an add uses one. The process is pinned to as many cores if possible.
    budget_seconds : float
        Total time, split evenly, seconds; the process is terminated after three times as long plus 30 s.

    Returns
    -------
    CpuRoofline
        Measured rates.

    Raises
    ------
    TimeoutError, RuntimeError
        The process did not finish in time, or failed; the message has its output.

    Notes
    -----
    The number of threads is fixed when NumPy is loaded, hence a new process. NumPy adds in
    one pass; written bytes count once, although a write-allocate cache reads them first. Two threads that share a
    busy core spin and are slower than one, so start with one. Source: Williams et al., CACM 2009;
    McCalpin's STREAM for the counting of bytes.

    Examples
    --------
    >>> run = cpu_roofline(working_set_bytes=[49152], gemm_sizes=[64], budget_seconds=0.2)
    >>> run.peak_flops > 0, run.memory_bandwidth > 0
    (True, True)
    """
    dtype, threads = choice("dtype", dtype, DTYPES), one_whole("threads", threads)
    budget = one_positive("budget_seconds", budget_seconds)
    sets = sizes("working_set_bytes", working_set_bytes, PER_ADD * np.dtype(dtype).itemsize)
    products = sizes("gemm_sizes", gemm_sizes, 1)
    request = {"sets": sets, "products": products, "dtype": dtype, "threads": threads, "budget": budget}
    limit = 30 + 3 * budget
    try:
        done = subprocess.run(
            [sys.executable, "-m", "chip2cluster.measure._cpu_child"], input=json.dumps(request),
            capture_output=True, text=True, timeout=limit, env=environment(threads), check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise TimeoutError(
            f"the measurement did not end in {limit:.0f} s: use smaller sizes or a less busy machine"
        ) from None
    if done.returncode:
        raise RuntimeError(f"the measurement failed: {done.stderr.strip()[-300:]}")
    results = json.loads(done.stdout)
    source = Source(f"Measured on this machine, {threads} thread(s), NumPy {np.__version__}", results["day"], "low")
    return _run(dtype, threads, results["adds"], results["products"], source, dtype)


def recorded_roofline(name: str, *, dtype: str = "float64", threads: int = 1, kernel: str = "add") -> CpuRoofline:
    """Look up a recorded run of the same measurement on a shared virtual machine with two cores.

    Parameters
    ----------
    name : str
        Name of the run: ``"cpu roofline, quiet"``, ``"cpu roofline, loaded"`` or ``"cpu roofline, loaded again"``.
    dtype : {"float64", "float32"}
        Data type of the matrix products; the adds are float64 in both.
    threads : {1, 2}
        Number of threads of the matrix products.
    kernel : {"add", "copy", "triad2pass"}
        Vector kernel. NumPy computes the triad ``a = b + s * c`` in two passes and moves 40 bytes per element, where
        STREAM counts 24.

    Returns
    -------
    CpuRoofline
        Recorded rates.

    Notes
    -----
    The runs show the effect of noise; see the note of the source.

    Examples
    --------
    >>> run = recorded_roofline("cpu roofline, quiet")
    >>> round(run.peak_flops / 1e9), round(run.memory_bandwidth / 1e9)
    (45, 24)
    >>> triad = recorded_roofline("cpu roofline, quiet", kernel="triad2pass")
    >>> round(triad.add_intensity, 3), triad.memory_bandwidth > 1e10
    (0.05, True)
    """
    rows = _stored()
    choice("name", name, tuple(dict.fromkeys(row["name"] for row in rows)))
    dtype, threads = choice("dtype", dtype, DTYPES), choice("threads", one_whole("threads", threads), (1, 2))
    ours = [row for row in rows if row["name"] == name]
    choice("kernel", kernel, tuple(RECORDED_KERNELS))
    adds = [row for row in ours if row["kernel"] == kernel]
    products = [row for row in ours if (row["kernel"], row["dtype"], row["threads"]) == ("gemm", dtype, str(threads))]
    columns = ("size", "median", "best", "noise")
    results = [[[float(row[key]) for key in columns] for row in kind] for kind in (adds, products)]
    source = Source(**json.loads((FOLDER / "cpu_roofline.json").read_text(encoding="utf-8")))
    return _run(dtype, threads, results[0], results[1], source, "float64", kernel)


@cache
def _stored() -> tuple[dict[str, str], ...]:
    with (FOLDER / "cpu_roofline.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def _run(
    dtype: str, threads: int, adds: Any, products: Any, source: Source, add_dtype: str, kernel: str = "add"
) -> CpuRoofline:
    sizes, bandwidth, best, noise = np.array(adds, float).T
    rows, flops, best_flops, spread = np.array(products, float).T
    noise = np.concatenate([noise, spread])
    for array in (sizes, bandwidth, best, rows, flops, best_flops, noise):
        array.setflags(write=False)
    return CpuRoofline(
        dtype, threads, sizes, bandwidth, best, rows, flops, best_flops, noise, source, add_dtype, kernel
    )
