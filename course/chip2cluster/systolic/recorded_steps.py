"""Matrix products recorded on an H100 in small steps of one size, with the kernels that the library took."""

from __future__ import annotations

from functools import cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from .._validate import choice, plain
from ..roofline import attainable, gemm
from .alignment import COPIES
from .kernel_names import kernel_copy

if TYPE_CHECKING:
    from pandas import DataFrame

CARD = "H100 SXM"
SWEEPS = {"k": "k", "n": "n", "m": "m", "vocabulary": "n, vocabulary", "waves": "n, in steps of 8"}
SMALLEST = 256  # below, recorded times are mostly a kernel's fixed cost
_SIZES = {"TMA": "multiples of 8", "cp.async": "other even ones", "element": "odd ones"}
_FAMILIES = {"TMA": "nvjet (Hopper)", "cp.async": "cutlass_80 (Ampere)", "element": "cutlass_75 (Turing)"}


class ProductStep(NamedTuple):
    """Recorded matrix product in bf16.

    Attributes
    ----------
    m, n, k : int
        Size of the product C[m, n] = A[m, k] B[k, n].
    flops_per_second : float
        Measured rate, FLOP/s.
    kernel : str
        Name of the kernel, or of two that ran one after the other.
    copy : str
        Copy instruction of the kernel, by its name.
    """

    m: int
    n: int
    k: int
    flops_per_second: float
    kernel: str
    copy: str


@cache
def product_steps(sweep: str) -> tuple[ProductStep, ...]:
    """Return products in bf16 recorded on an H100 in small steps of one size.

    Parameters
    ----------
    sweep : {"k", "n", "m", "vocabulary", "waves"}
        Varied size: ``k``, ``n`` or ``m`` from 1 to 1,100 in steps of one, ``n`` around 50,257, or ``n`` to
        8,448 in steps of 8.

    Returns
    -------
    tuple of ProductStep
        Products by ascending size.

    Notes
    -----
    One card, one version of one library; operands repeat, so what fits the L2 cache is in it. Source: the course's own
    measurement, `chip2cluster.measure.recorded_gpu`.

    Examples
    --------
    >>> {step.n: round(step.flops_per_second / 1e12) for step in product_steps("vocabulary") if step.n in (50257, 50304)}
    {50257: 111, 50304: 800}
    """
    from ..measure.gpu.records import recorded_gpu  # imported here because no other function needs it

    name = SWEEPS[choice("sweep", sweep, tuple(SWEEPS))]
    rows = [row for row in recorded_gpu("steps", CARD).rows if row["series"] == name]
    return tuple(
        ProductStep(
            m=int(row["m"]),
            n=int(row["n"]),
            k=int(row["k"]),
            flops_per_second=row["y"],
            kernel=row["kernel"],
            copy=kernel_copy(row["kernel"]),
        )
        for row in rows
    )


def product_step_bound(sweep: str, size: int, peak_flops: float, memory_bandwidth: float) -> float:
    """Compute the roofline bound of one size of a recorded series, without padding.

    Parameters
    ----------
    sweep : str
        Name of the series, as in `product_steps`.
    size : int
        Varied size, at least 1.
    peak_flops : float
        Dense peak of the chip, FLOP/s.
    memory_bandwidth : float
        Bandwidth of the chip's memory, bytes/s.

    Returns
    -------
    float
        Rate, FLOP/s.

    Notes
    -----
    An upper bound for every kernel, if nothing is in the cache. Source: Williams et al., Communications of the
    ACM 52(4), 2009.

    Examples
    --------
    >>> round(product_step_bound("n", 1024, 989.4e12, 3.35e12) / 1e12)
    989
    """
    first = product_steps(sweep)[0]
    sizes = {"m": first.m, "n": first.n, "k": first.k} | {varied_size(sweep): size}
    return plain(attainable(gemm(**sizes).intensity, peak_flops, memory_bandwidth))


def varied_size(sweep: str) -> str:
    """Return the letter of the size that a recorded series varies.

    Parameters
    ----------
    sweep : str
        Name of the series, as in `product_steps`.

    Returns
    -------
    str
        ``"k"``, ``"n"`` or ``"m"``.

    Notes
    -----
    Source: same as `product_steps`.

    Examples
    --------
    >>> varied_size("vocabulary")
    'n'
    """
    return SWEEPS[choice("sweep", sweep, tuple(SWEEPS))][0]


def alignment_slowdowns(letter: str, copy: str) -> tuple[float, ...]:
    """Compute how much longer recorded products take than those of the next multiple of 8.

    Parameters
    ----------
    letter : {"k", "n", "m"}
        Varied size, from 256 to 1,096.
    copy : {"TMA", "cp.async", "element"}
        Copy instruction of the products, by the names of their kernels.

    Returns
    -------
    tuple of float
        Time over the time of the next multiple of 8, for each size; 1 for multiples of 8 themselves.

    Notes
    -----
    One card, one version of one library. Source: same as `product_steps`.

    Examples
    --------
    >>> round(min(alignment_slowdowns("k", "element")), 1), round(max(alignment_slowdowns("n", "element")), 1)
    (3.1, 9.3)
    """
    choice("copy", copy, COPIES)
    steps = {getattr(step, letter): step for step in product_steps(choice("letter", letter, ("k", "n", "m")))}
    seconds = {size: size / step.flops_per_second for size, step in steps.items()}
    return tuple(
        seconds[size] / seconds[size + -size % 8]
        for size, step in steps.items()
        if size >= SMALLEST and size + -size % 8 in steps and step.copy == copy
    )


def alignment_table() -> DataFrame:
    """List median rates of recorded products by the copy that their rows allow.

    Returns
    -------
    pandas.DataFrame
        One row for each varied size and copy, sizes from 256 on; units are in the headers.

    Notes
    -----
    Medians over sizes. Source: same as `product_steps`.

    Examples
    --------
    >>> table = alignment_table()
    >>> table["median (TFLOP/s)"].to_list()
    [538, 187, 110, 659, 202, 79, 758]
    """
    import pandas  # imported here because the models do not need it

    rows = []
    for letter in ("k", "n", "m"):
        steps = [step for step in product_steps(letter) if getattr(step, letter) >= SMALLEST]
        for copy in COPIES:
            if chosen := [step for step in steps if step.copy == copy]:
                sizes = "every size" if letter == "m" else _SIZES[copy]
                rate = median(step.flops_per_second for step in chosen)
                times = median(alignment_slowdowns(letter, copy))
                rows.append((letter, sizes, _FAMILIES[copy], copy, round(rate / 1e12), round(times, 1)))
    columns = ["varied", "sizes", "kernel", "copies by", "median (TFLOP/s)", "time / next multiple of 8"]
    return pandas.DataFrame(rows, columns=columns)
