"""Occupancy: number of warps that a kernel keeps on an SM, and number that it needs.

`occupancy` is NVIDIA's calculation for compute capability 7.0 to 12.1, with every
rounding; `cdna_occupancy` is that of AMD's compiler for CDNA. `warps_needed` applies
Little's law to hide latency, and `waves` gives wave quantization. `warp_timeline`
simulates latency hiding cycle by cycle, `stages_needed` covers asynchronous copies, and
`curve` returns measurements.

Functions take scalars or arrays; memory is in bytes, time in seconds.
"""

from .async_copies import copy_bytes_in_flight, stages_needed
from .bank_conflicts import bank_passes
from .block_size import BlockSize, max_potential_block_size
from .cdna import WaveLimits, cdna_occupancy, cdna_wave_limits, cdna_workgroups
from .cuda import occupancy, sweep
from .device_limits import CdnaLimits, Limits, cdna_limits, limits
from .divergence import branch_cycles, branch_paths
from .latency_hiding import bandwidth_from_concurrency, bytes_in_flight, warps_needed, warps_to_hide
from .measured_latency import Curve, Reading, curve, curves, latency_readings
from .partitions import Partition, partition
from .result import UNLIMITED, BlockLimits, Occupancy
from .scheduler import COMPUTES, LOADS, READY, WAITS, Timeline, issue_utilization, warp_timeline
from .tables import cdna_table, latency_table, limits_table, partition_table, table, wave_table
from .thread_block_clusters import MEASURED_GROUPS, active_clusters, tensor_memory_blocks
from .wave_quantization import wave_efficiency, waves

__all__ = [
    "COMPUTES",
    "LOADS",
    "MEASURED_GROUPS",
    "READY",
    "UNLIMITED",
    "WAITS",
    "BlockLimits",
    "BlockSize",
    "CdnaLimits",
    "Curve",
    "Limits",
    "Occupancy",
    "Partition",
    "Reading",
    "Timeline",
    "WaveLimits",
    "active_clusters",
    "bandwidth_from_concurrency",
    "bank_passes",
    "branch_cycles",
    "branch_paths",
    "bytes_in_flight",
    "cdna_limits",
    "cdna_occupancy",
    "cdna_table",
    "cdna_wave_limits",
    "cdna_workgroups",
    "copy_bytes_in_flight",
    "curve",
    "curves",
    "issue_utilization",
    "latency_readings",
    "latency_table",
    "limits",
    "limits_table",
    "max_potential_block_size",
    "occupancy",
    "partition",
    "partition_table",
    "stages_needed",
    "sweep",
    "table",
    "tensor_memory_blocks",
    "warp_timeline",
    "warps_needed",
    "warps_to_hide",
    "wave_efficiency",
    "wave_table",
    "waves",
]
