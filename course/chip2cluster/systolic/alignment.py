"""Alignment of a matrix product's rows on a GPU, and the copy instruction that it allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import one_positive, one_whole, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, BoolOrArray

ALIGNMENT = 16  # bytes: strides of a TMA copy, and the widest load of a thread
NARROW = 4  # bytes of the smallest cp.async
COPIES = ("TMA", "cp.async", "element")


def aligned(size: ArrayLike, bytes_per_element: ArrayLike = 2) -> BoolOrArray:
    """Return whether rows with this number of elements are aligned to 16 bytes.

    Parameters
    ----------
    size : int or array of int
        Number of elements in a row: k for A[m, k], n for B[k, n] and C[m, n].
    bytes_per_element : float or array
        Size of an element, 2 for bf16, bytes.

    Returns
    -------
    bool or array of bool
        Whether every row starts at a multiple of 16 bytes.

    Notes
    -----
    A TMA copy needs rows at multiples of 16 bytes, and a thread loads up to 16 bytes at once; other
    rows need a kernel with narrower copies: `widest_copy`. Source: NVIDIA, "Matrix multiplication
    background user's guide".

    Examples
    --------
    >>> aligned([128, 129, 136])
    array([ True, False,  True])
    """
    multiple = whole("size", size) * positive("bytes_per_element", bytes_per_element) % ALIGNMENT == 0
    return multiple if getattr(multiple, "ndim", 0) else bool(multiple)


def widest_copy(n: int, k: int, bytes_per_element: float = 2) -> str:
    """Return the widest copy from memory that the rows of a product allow on a GPU since Hopper.

    Parameters
    ----------
    n, k : int
        Columns of C[m, n] and length of the sums: rows of the matrices have n or k elements, and none has m.
    bytes_per_element : float
        Size of an element, 2 for bf16, bytes.

    Returns
    -------
    str
        ``"TMA"`` where all rows are multiples of 16 bytes, ``"cp.async"`` where they are multiples of 4 bytes, and
        ``"element"``, loads of one element through registers, otherwise.

    Notes
    -----
    It names what the hardware allows; a library may take less: for multiples of 8 bytes cuBLAS 13 takes the
    same kernels as for multiples of 4. Every recorded bf16 product with n of at least 2 follows it. Ignores that
    libraries may refuse a shape, as in fp8. Source: NVIDIA, "CUDA driver API", ``cuTensorMapEncodeTiled`` (strides
    are multiples of 16), and "PTX ISA", ``cp.async`` (4, 8 or 16 bytes).

    Examples
    --------
    >>> [widest_copy(n, 4096) for n in (50304, 50258, 50257)]
    ['TMA', 'cp.async', 'element']
    """
    rows = [
        one_whole(name, size) * one_positive("bytes_per_element", bytes_per_element)
        for name, size in (("n", n), ("k", k))
    ]
    steps = zip((ALIGNMENT, NARROW), COPIES, strict=False)
    return next((copy for step, copy in steps if all(row % step == 0 for row in rows)), COPIES[-1])
