"""The roofline model: what a chip can do at best with an operation, and why.

Every function takes scalars or arrays and broadcasts; a scalar in gives a plain
float out. Peaks are dense peaks in FLOP/s, bandwidths are bytes/s.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual
performance model for multicore architectures", CACM 52(4), 2009.
"""

from .attention import attention_decode, attention_prefill, decode_step
from .batching import Sweep, batch_sweep, batch_threshold
from .bounds import (
    attainable,
    efficiency,
    fraction_of_peak,
    is_compute_bound,
    kernel_time,
    ridge_point,
)
from .hierarchy import Hierarchical, hierarchical_attainable
from .kernels import Kernel, elementwise, feed_forward, gemm, gemv
from .tables import table

__all__ = [
    "Hierarchical",
    "Kernel",
    "Sweep",
    "attainable",
    "attention_decode",
    "attention_prefill",
    "batch_sweep",
    "batch_threshold",
    "decode_step",
    "efficiency",
    "elementwise",
    "feed_forward",
    "fraction_of_peak",
    "gemm",
    "gemv",
    "hierarchical_attainable",
    "is_compute_bound",
    "kernel_time",
    "ridge_point",
    "table",
]
