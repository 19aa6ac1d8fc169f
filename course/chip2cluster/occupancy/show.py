"""Occupancy as tables: what a reader sees of a few kernels, and of the multiprocessors."""

from .cuda import occupancy
from .result import UNLIMITED
from .tables import limits

# One compute capability for each kind of multiprocessor, with a chip that has it.
EXAMPLES = {
    "7.0": "V100",
    "7.5": "T4",
    "8.0": "A100",
    "8.6": "RTX 3090",
    "8.9": "RTX 4090",
    "9.0": "H100",
    "10.0": "B200",
    "12.0": "RTX 5090",
}


def table(compute_capability, kernels):
    """Count the blocks of a few kernels on one multiprocessor.

    Parameters
    ----------
    compute_capability : str
        Such as ``"9.0"``.
    kernels : dict of str to tuple
        Each kernel's threads a block, registers a thread and, if it uses any,
        bytes of shared memory a block.

    Returns
    -------
    pandas.DataFrame
        One row a kernel: the blocks that each resource alone allows, what is active
        and what stops the next block.

    Raises
    ------
    ValueError, TypeError
        As `occupancy`.

    Notes
    -----
    Ignores what `occupancy` ignores, and leaves out barriers. Source: NVIDIA
    ``cuda_occupancy.h``.

    Examples
    --------
    >>> table("9.0", {"sort": (256, 72)})[["active warps", "limited by"]].values.tolist()
    [[24, 'registers']]
    """
    import pandas  # here, because the models do not need it

    rows = {}
    for name, kernel in kernels.items():
        result = occupancy(compute_capability, *kernel)
        alone = result.block_limits
        rows[name] = (
            *("no limit" if limit == UNLIMITED else limit for limit in alone[:4]),
            result.active_blocks,
            result.active_warps,
            round(100 * result.occupancy, 1),
            ", ".join(sorted(limiter.replace("_", " ") for limiter in result.limiters - {"barriers"})),
        )
    header = [f"blocks by {factor}" for factor in ("warps", "registers", "shared memory", "slots")]
    header += ["active blocks", "active warps", "occupancy (%)", "limited by"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def limits_table(compute_capabilities=tuple(EXAMPLES)):
    """What one multiprocessor holds, for several compute capabilities.

    Parameters
    ----------
    compute_capabilities : sequence of str
        Such as ``["8.0", "9.0"]``.

    Returns
    -------
    pandas.DataFrame
        One row a compute capability; units are in the headers.

    Raises
    ------
    ValueError, TypeError
        As `limits`.

    Notes
    -----
    Ignores what `limits` ignores; its sources.

    Examples
    --------
    >>> limits_table(["9.0"]).loc["9.0", "shared memory (KiB)"].item()
    228
    """
    import pandas

    rows = {}
    for name in compute_capabilities:
        chip = limits(name)
        rows[name] = (
            EXAMPLES.get(name, ""),
            chip.max_warps_per_sm,
            chip.max_blocks_per_sm,
            4 * chip.registers_per_sm // 1024,
            chip.shared_memory_per_sm // 1024,
            chip.shared_memory_per_block_opt_in // 1024,
        )
    header = ["for example", "warps", "blocks", "registers (KiB)", "shared memory (KiB)", "of it for one block (KiB)"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)
