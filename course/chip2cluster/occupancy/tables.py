"""Comparison tables of occupancy, SM limits, latencies, waves and partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cdna import cdna_occupancy, cdna_workgroups
from .cuda import occupancy
from .device_limits import cdna_limits, limits
from .latency_hiding import warps_needed
from .measured_latency import latency_readings
from .partitions import COMPUTE_MODES, partition
from .result import UNLIMITED
from .wave_quantization import wave_efficiency, waves

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pandas import DataFrame

# One compute capability for each kind of SM, with a chip that has it.
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
_FACTORS = {"warps": "warps", "registers": "registers", "shared_memory": "shared memory", "blocks": "slots"}


def table(compute_capability: str, kernels: Mapping[str, tuple[int, ...]]) -> DataFrame:
    """Compare the occupancy of several kernels on one SM.

    Parameters
    ----------
    compute_capability : str
        Compute capability such as ``"9.0"``; see `limits`.
    kernels : dict of str to tuple
        Threads per block, registers per thread and optionally bytes of shared memory per
        block of each kernel.

    Returns
    -------
    pandas.DataFrame
        One row for each kernel: blocks that each resource alone allows, active blocks and
        warps, and the limiting resources.

    Notes
    -----
    Ignores what `occupancy` ignores, and barriers. Source: NVIDIA ``cuda_occupancy.h``.

    Examples
    --------
    >>> table("9.0", {"sort": (256, 72)})[["active warps", "limited by"]].values.tolist()
    [[24, 'registers']]
    """
    import pandas  # imported here because the models do not need it

    rows = {}
    for name, kernel in kernels.items():
        result = occupancy(compute_capability, *kernel)
        alone = result.block_limits
        rows[name] = (
            *("no limit" if limit == UNLIMITED else limit for limit in alone[:4]),
            result.active_blocks,
            result.active_warps,
            round(100 * result.occupancy, 1),
            ", ".join(name for factor, name in _FACTORS.items() if factor in result.limiters),
        )
    header = [f"blocks by {name}" for name in _FACTORS.values()]
    header += ["active blocks", "active warps", "occupancy (%)", "limited by"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def limits_table(compute_capabilities: Iterable[str] = tuple(EXAMPLES)) -> DataFrame:
    """Compare the limits of an SM for several compute capabilities.

    Parameters
    ----------
    compute_capabilities : sequence of str
        Compute capabilities such as ``["8.0", "9.0"]``.

    Returns
    -------
    pandas.DataFrame
        One row for each compute capability; units are in the headers.

    Notes
    -----
    Ignores what `limits` ignores. Source: as there.

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


def latency_table(memory_bandwidth: float, compute_units: int, bytes_per_thread: Sequence[int] = (4, 16)) -> DataFrame:
    """Compare memory latencies of an H100 measured by several tools, and the warps that hide each.

    Parameters
    ----------
    memory_bandwidth : float
        Memory bandwidth of the chip, bytes/s.
    compute_units : int
        Number of SMs of the chip.
    bytes_per_thread : sequence of int
        Sizes of one load of a thread, with one column for each, bytes.

    Returns
    -------
    pandas.DataFrame
        One row for each measurement, the shortest latency first.

    Notes
    -----
    Ignores what `warps_needed` ignores. Source: `latency_readings`.

    Examples
    --------
    >>> latency_table(3.35e12, 132)["warps, 4 bytes a thread"].tolist()
    [63, 69, 69, 75, 84, 87]
    """
    import pandas

    rows = []
    for reading in latency_readings():
        warps = [
            warps_needed(reading.latency_seconds, memory_bandwidth, compute_units, size) for size in bytes_per_thread
        ]
        rows.append((reading.gpu, reading.tool, round(1e9 * reading.latency_seconds), *warps))
    header = ["measured on", "by", "latency (ns)", *(f"warps, {size} bytes a thread" for size in bytes_per_thread)]
    return pandas.DataFrame(rows, columns=header).set_index("measured on")


def wave_table(blocks: Sequence[int], compute_units: int, active_blocks: int = 1) -> DataFrame:
    """Compare the waves of several grids on one device (wave quantization).

    Parameters
    ----------
    blocks : sequence of int
        Number of blocks in each grid.
    compute_units : int
        Number of SMs of the device.
    active_blocks : int
        Number of active blocks on an SM; see `occupancy`.

    Returns
    -------
    pandas.DataFrame
        One row for each grid.

    Notes
    -----
    Ignores what `waves` ignores. Source: as there.

    Examples
    --------
    >>> wave_table([132, 133], compute_units=132)["waves"].tolist()
    [1, 2]
    """
    import pandas

    share = wave_efficiency(blocks, compute_units, active_blocks)
    rows = {"waves": waves(blocks, compute_units, active_blocks), "slots at work (%)": 100 * share}
    return pandas.DataFrame(rows, index=pandas.Index(blocks, name="blocks")).round(1)


def cdna_table(
    target: str,
    vector_registers: Sequence[int],
    accumulation_registers: Sequence[int] = (0,),
    workgroup_size: int = 256,
) -> DataFrame:
    """Compare the wavefronts per SIMD of an AMD CDNA compute unit for several numbers of registers.

    Parameters
    ----------
    target : str
        Compiler target or product, such as ``"MI300X"``.
    vector_registers : sequence of int
        Vector registers per work-item, with one row for each.
    accumulation_registers : sequence of int
        Accumulation registers per work-item, with one column for each.
    workgroup_size : int
        Number of work-items in a workgroup.

    Returns
    -------
    pandas.DataFrame
        Wavefronts per SIMD; 0 if no workgroup can start.

    Notes
    -----
    Ignores what `cdna_occupancy` ignores. Source: as there.

    Examples
    --------
    >>> cdna_table("MI300X", [72, 128], [0, 64]).values.tolist()
    [[7, 3], [4, 2]]
    """
    import pandas

    most = cdna_limits(target).max_waves_per_simd
    columns = {
        f"waves per SIMD, of {most}" + (f", with {count} accumulation registers" if count else ""): cdna_occupancy(
            target, workgroup_size, vector_registers, count
        )
        * (cdna_workgroups(target, workgroup_size, vector_registers, count) > 0)
        for count in accumulation_registers
    }
    return pandas.DataFrame(columns, index=pandas.Index(vector_registers, name="vector registers"))


def partition_table(chip: str, workgroups: int) -> DataFrame:
    """Compare the compute modes of an AMD chip by the waves of one grid on one device.

    Parameters
    ----------
    chip : str
        Product such as ``"MI300X"``; see `partition`.
    workgroups : int
        Number of workgroups in the grid, with one on each compute unit at a time.

    Returns
    -------
    pandas.DataFrame
        One row for each mode.

    Notes
    -----
    Ignores what `partition` and `waves` ignore. Source: as there.

    Examples
    --------
    >>> partition_table("MI300X", 304)["waves"].to_dict()
    {'SPX': 1, 'DPX': 2, 'QPX': 4, 'CPX': 8}
    """
    import pandas

    rows = {}
    for mode in COMPUTE_MODES:
        try:
            part = partition(chip, mode)
        except ValueError:
            if mode == "SPX":  # unknown chip; other modes may not divide its dies
                raise
            continue
        rounds = waves(workgroups, part.compute_units)
        share = round(100 * wave_efficiency(workgroups, part.compute_units), 1)
        rows[mode] = part.devices, part.compute_units, rounds, share
    header = ["devices", "compute units each", "waves", "slots at work (%)"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)
