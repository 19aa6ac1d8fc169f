"""Collectives: cost on a network, and step-by-step simulation.

Sizes are bytes, bandwidths bytes/s one way, times seconds. The definition of "size"
differs between collectives: see `meaning_of_size`. Functions take scalars or arrays and
broadcast; scalars give a plain float.

* `time`, `steps`, `traffic`: every collective and algorithm in the alpha-beta model.
* `hierarchical_all_reduce_time`: two levels of network.
* `switch_all_reduce_time`, `switch_crossover_ranks`: in-network reduction by NVLink switches (NVLS).
* `nccl_protocols`, `nccl_time`, `nccl_choice`: NCCL's three protocols and its tuner.
* `nccl_runs`, `switch_sweeps`: published runs, with their sources.
* `algorithm_bandwidth`, `bus_bandwidth`: algbw and busbw of nccl-tests.
* `half_bandwidth_size` and its variants: message size that reaches half of the bandwidth.
* `fit_alpha_beta`: latency and bandwidth fitted to measured times.
* `exposed_time`, `bucketed_exposed_time`, `sent_from`: overlap of gradient buckets with the backward pass.
* `table`, `hierarchy_table`, `bucket_table`: comparison tables.
* `RingAllReduce`, `Simulator`: the algorithms on real arrays, step by step.
"""

from .algorithms import algorithms
from .alpha_beta_fit import Fit, NcclTestsTable, fit_alpha_beta, nccl_tests_table
from .bandwidth import (
    algorithm_bandwidth,
    bus_bandwidth,
    bus_factor,
    meaning_of_size,
    nccl_tests_size,
)
from .cost import (
    Traffic,
    ring_all_reduce_time,
    ring_all_reduce_traffic,
    steps,
    time,
    traffic,
)
from .crossover import crossover_size
from .half_size import (
    half_bandwidth_size,
    hierarchical_half_bandwidth_size,
    measured_half_bandwidth_size,
    nccl_half_bandwidth_size,
)
from .hierarchical_all_reduce import Phases, hierarchical_all_reduce_phases, hierarchical_all_reduce_time
from .nccl import nccl_changes, nccl_choice, nccl_table, nccl_time
from .nccl_system import NcclCurve, NcclSystem
from .nvls import (
    switch_all_reduce_time,
    switch_all_reduce_traffic,
    switch_bus_bandwidth,
    switch_crossover_ranks,
    switch_wire_rate,
)
from .overlap import bucketed_exposed_time, exposed_time, sent_from
from .protocols import Protocol, nccl_protocol, nccl_protocols, nccl_versions
from .published_runs import NcclRun, SwitchSweep, nccl_run, nccl_runs, switch_sweeps
from .ring_simulator import RingAllReduce
from .simulator import Simulator
from .step_history import Message, Step
from .tables import bucket_table, hierarchy_table, table

__all__ = [
    "Fit",
    "Message",
    "NcclCurve",
    "NcclRun",
    "NcclSystem",
    "NcclTestsTable",
    "Phases",
    "Protocol",
    "RingAllReduce",
    "Simulator",
    "Step",
    "SwitchSweep",
    "Traffic",
    "algorithm_bandwidth",
    "algorithms",
    "bucket_table",
    "bucketed_exposed_time",
    "bus_bandwidth",
    "bus_factor",
    "crossover_size",
    "exposed_time",
    "fit_alpha_beta",
    "half_bandwidth_size",
    "hierarchical_all_reduce_phases",
    "hierarchical_all_reduce_time",
    "hierarchical_half_bandwidth_size",
    "hierarchy_table",
    "meaning_of_size",
    "measured_half_bandwidth_size",
    "nccl_changes",
    "nccl_choice",
    "nccl_half_bandwidth_size",
    "nccl_protocol",
    "nccl_protocols",
    "nccl_run",
    "nccl_runs",
    "nccl_table",
    "nccl_tests_size",
    "nccl_tests_table",
    "nccl_time",
    "nccl_versions",
    "ring_all_reduce_time",
    "ring_all_reduce_traffic",
    "sent_from",
    "steps",
    "switch_all_reduce_time",
    "switch_all_reduce_traffic",
    "switch_bus_bandwidth",
    "switch_crossover_ranks",
    "switch_sweeps",
    "switch_wire_rate",
    "table",
    "time",
    "traffic",
]
