"""Occupancy: how many warps a kernel keeps on a multiprocessor, and how many it needs.

`occupancy` is NVIDIA's own calculation for compute capability 7.0 to 12.1, with
every rounding; `cdna_occupancy` is the AMD compiler's for CDNA. `warps_needed` and
`waves` say what the answer is good for: hiding latency, and filling the device.

Everything takes scalars or arrays; memory is in bytes, time in seconds.
"""

from .block_size import BlockSize, max_potential_block_size
from .cdna import WaveLimits, cdna_occupancy, cdna_wave_limits
from .cuda import occupancy, sweep
from .latency import bandwidth_from_concurrency, bytes_in_flight, warps_needed, warps_to_hide
from .quantization import wave_efficiency, waves
from .result import UNLIMITED, BlockLimits, Occupancy
from .show import cdna_table, limits_table, table, wave_table
from .tables import CdnaLimits, Limits, cdna_limits, limits

__all__ = [
    "UNLIMITED",
    "BlockLimits",
    "BlockSize",
    "CdnaLimits",
    "Limits",
    "Occupancy",
    "WaveLimits",
    "bandwidth_from_concurrency",
    "bytes_in_flight",
    "cdna_limits",
    "cdna_occupancy",
    "cdna_table",
    "cdna_wave_limits",
    "limits",
    "limits_table",
    "max_potential_block_size",
    "occupancy",
    "sweep",
    "table",
    "warps_needed",
    "warps_to_hide",
    "wave_efficiency",
    "wave_table",
    "waves",
]
