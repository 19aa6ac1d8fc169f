"""Utilization of a training run (MFU, HFU), its training time, and the breakdown of its steps.

The denominator is always explicit: devices times the dense peak of one of them at
a precision that the caller names. Utilizations are fractions, times are seconds.

>>> from chip2cluster import utilization
>>> speed = utilization.tokens_per_second(tokens_per_step=512 * 2048, step_seconds=71.49)
>>> used = utilization.mfu(speed, 6.1282e12, devices=512, peak_flops_dense=312e12)
>>> round(used, 3)
0.563
"""

from .exchange_overlap import ExchangeStep, exchange_step
from .forecast_intervals import interval_shares, product_interval
from .gradient_exchange import Exchanged, critical_tokens, exchanged_bytes, ring_bandwidth
from .mfu_ratios import achieved_flops_per_device, cluster_peak, hfu, mfu, utilization_of_rate
from .run_comparison import average_mfu, scaling_efficiency
from .step_breakdown import Step, kernel_efficiency, step_breakdown
from .synchronous_step import RanksStep, ranks_step
from .tables import narrow_runs, published_runs, recomputation_runs, selective_rule_runs
from .throughput import (
    DAY,
    HOUR,
    MINUTE,
    device_time,
    devices_needed,
    step_time,
    throughput_at,
    tokens_per_second,
    training_time,
    training_time_at,
)

__all__ = [
    "DAY",
    "HOUR",
    "MINUTE",
    "ExchangeStep",
    "Exchanged",
    "RanksStep",
    "Step",
    "achieved_flops_per_device",
    "average_mfu",
    "cluster_peak",
    "critical_tokens",
    "device_time",
    "devices_needed",
    "exchange_step",
    "exchanged_bytes",
    "hfu",
    "interval_shares",
    "kernel_efficiency",
    "mfu",
    "narrow_runs",
    "product_interval",
    "published_runs",
    "ranks_step",
    "recomputation_runs",
    "ring_bandwidth",
    "scaling_efficiency",
    "selective_rule_runs",
    "step_breakdown",
    "step_time",
    "throughput_at",
    "tokens_per_second",
    "training_time",
    "training_time_at",
    "utilization_of_rate",
]
