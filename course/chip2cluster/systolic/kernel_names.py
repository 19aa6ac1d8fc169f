"""Copy instruction and tile of a recorded cuBLAS kernel, by its name."""

from __future__ import annotations

import re

# Kernel names of cuBLAS 13: nvjet is its library for Hopper; cutlass_80 (Ampere) and cutlass_75 (Turing) name the elements
# that one copy takes.
_NAMES = ((r"nvjet", "TMA"), (r"cutlass_80.*align2", "cp.async"), (r"cutlass_75.*align1", "element"))


def kernel_copy(kernel: str) -> str:
    """Return the copy instruction of a recorded cuBLAS kernel, by its name.

    Parameters
    ----------
    kernel : str
        Name as a profiler prints it.

    Returns
    -------
    str
        ``"TMA"``, ``"cp.async"`` or ``"element"``.

    Raises
    ------
    ValueError
        For a name of another library or generation.

    Notes
    -----
    Ignores kernels that run before or after it, such as ``memset``. Source: names of cuBLAS 13.1 on Hopper;
    ``cutlass`` prints architecture and alignment in a name.

    Examples
    --------
    >>> kernel_copy("cutlass_75_s1688_256x128_tn_align1"), kernel_copy("memset+nvjet_sm90_tst_192x192_64x4_2x1_v_bz_TNN")
    ('element', 'TMA')
    """
    found = [copy for pattern, copy in _NAMES if re.search(pattern, kernel)]
    if len(found) != 1:
        raise ValueError(f"kernel must name nvjet, cutlass_80 with align2 or cutlass_75 with align1, got {kernel!r}")
    return found[0]


def kernel_tile(kernel: str) -> tuple[int, int]:
    """Return the tile of a recorded cuBLAS kernel, by its name.

    Parameters
    ----------
    kernel : str
        Name as a profiler prints it.

    Returns
    -------
    tuple of int
        The two sides of the tile, as the name lists them.

    Raises
    ------
    ValueError
        For a name without a tile.

    Notes
    -----
    Ignores which side lies along the rows of C: names do not say. Source: same as `kernel_copy`.

    Examples
    --------
    >>> kernel_tile("cutlass_75_s1688_256x128_tn_align1")
    (256, 128)
    """
    found = re.search(r"(\d+)x(\d+)_", kernel)
    if not found:
        raise ValueError(f"kernel must name its tile, such as 256x128_, got {kernel!r}")
    return int(found[1]), int(found[2])
