"""LLM serving: latency, throughput and KV-cache models, and a simulator of continuous batching.

A `Deployment` is a model on the devices of one replica. Without an `Efficiency` a model uses the
datasheet's rates, so its result is a bound; an `Efficiency` is measured, never derived. The latency
terms are those of the field: time to first token (TTFT), time per output token (TPOT) and inter-token
latency (ITL). `simulate` schedules steps as servers do and returns when each token was generated.

>>> from chip2cluster import serving
>>> llama = serving.deploy("Llama 3 8B", "H100 SXM")
>>> round(1e3 * serving.time_between_tokens(llama, context=4096), 2)      # ms, at least
4.64
>>> serving.largest_batch(llama, context=4096)
129
"""

from .batch import Batch
from .deployment import Deployment, deploy
from .disaggregation import Disaggregated, cache_transfer_seconds, disaggregate
from .efficiency import Efficiency
from .expert_exchange import expert_exchange_bytes, expert_exchange_seconds
from .kv_cache_overhead import cache_copies, kind_of_heads, tokens_held, with_heads
from .latency_by_rate import RateSweep, rate_sweep
from .messages import message_seconds
from .offloading import fetch_or_read, outside_step_seconds, tokens_to_hide
from .pool_sizes import PoolRates, PoolSizes, pool_rates, pool_sizes
from .published_measurements import ServingMeasurement, measured_rows, measured_table, served_deployment
from .queues import wait_percentile
from .replica import Replica, replica
from .replica_performance import decode_rate, largest_batch, throughput_bound, time_between_tokens, time_to_first_token
from .replica_size import devices_needed
from .request_stream_cost import request_kernel, stream_rate
from .requests import Requests, geometric_lengths, poisson_requests
from .routers import router_table
from .simulation import simulate
from .simulation_results import ServingRun, Steps
from .steady_state import steady_batch, step_parts
from .step import step_kernel, step_seconds
from .token_work import parameters_read

__all__ = [
    "Batch",
    "Deployment",
    "Disaggregated",
    "Efficiency",
    "PoolRates",
    "PoolSizes",
    "RateSweep",
    "Replica",
    "Requests",
    "ServingMeasurement",
    "ServingRun",
    "Steps",
    "cache_copies",
    "cache_transfer_seconds",
    "decode_rate",
    "deploy",
    "devices_needed",
    "disaggregate",
    "expert_exchange_bytes",
    "expert_exchange_seconds",
    "fetch_or_read",
    "geometric_lengths",
    "kind_of_heads",
    "largest_batch",
    "measured_rows",
    "measured_table",
    "message_seconds",
    "outside_step_seconds",
    "parameters_read",
    "poisson_requests",
    "pool_rates",
    "pool_sizes",
    "rate_sweep",
    "replica",
    "request_kernel",
    "router_table",
    "served_deployment",
    "simulate",
    "steady_batch",
    "step_kernel",
    "step_parts",
    "step_seconds",
    "stream_rate",
    "throughput_bound",
    "time_between_tokens",
    "time_to_first_token",
    "tokens_held",
    "tokens_to_hide",
    "wait_percentile",
    "with_heads",
]
