"""Roofline model: the best rate of an operation on a chip, and which limit sets it.

Every function takes scalars or arrays and broadcasts; a scalar in gives a plain
float out. Peaks are dense peaks in FLOP/s, bandwidths are bytes/s.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual
performance model for multicore architectures", CACM 52(4), 2009.
"""

from .attention import attention_decode, attention_prefill, attention_prefill_per_cache, decode_step
from .attention_reference import AttentionResult, attend
from .batching import BatchSweep, batch_sweep, batch_threshold
from .bounds import (
    MEASURED_FLOOR,
    attainable,
    efficiency,
    fraction_of_peak,
    is_compute_bound,
    kernel_time,
    ridge_point,
)
from .fusion import fuse, fusion_speedup
from .hierarchical_roofline import HierarchicalRoofline, hierarchical_attainable
from .kernels import Kernel, elementwise, feed_forward, gemm, gemv
from .operation_chains import Chain, activation_chain, attention_chain, bias_chain, feed_forward_chain
from .published_measurements import MeasuredRoofs, Measurement, measured_roofs, measured_table, measurements
from .tables import table
from .tiling import blocked_gemm, gemm_least_traffic

__all__ = [
    "MEASURED_FLOOR",
    "AttentionResult",
    "BatchSweep",
    "Chain",
    "HierarchicalRoofline",
    "Kernel",
    "MeasuredRoofs",
    "Measurement",
    "activation_chain",
    "attainable",
    "attend",
    "attention_chain",
    "attention_decode",
    "attention_prefill",
    "attention_prefill_per_cache",
    "batch_sweep",
    "batch_threshold",
    "bias_chain",
    "blocked_gemm",
    "decode_step",
    "efficiency",
    "elementwise",
    "feed_forward",
    "feed_forward_chain",
    "fraction_of_peak",
    "fuse",
    "fusion_speedup",
    "gemm",
    "gemm_least_traffic",
    "gemv",
    "hierarchical_attainable",
    "is_compute_bound",
    "kernel_time",
    "measured_roofs",
    "measured_table",
    "measurements",
    "ridge_point",
    "table",
]
