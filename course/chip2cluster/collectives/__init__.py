"""Collectives: what they cost on a network, and how they work, step by step.

Sizes are bytes, bandwidths bytes/s one way, times seconds. What "size" means differs from
one collective to the next: `meaning_of_size` says. Functions take scalars or arrays and
broadcast; a scalar in gives a plain float out.

* `time`, `steps`, `traffic`: every collective and algorithm in the alpha-beta model.
* `hierarchical_all_reduce_time`: two levels of network.
* `switch_all_reduce_time`, `switch_crossover_ranks`: an NVLink switch that adds (NVLS).
* `nccl_protocols`, `nccl_time`, `nccl_choice`: a library's three protocols, and what it chooses.
* `nccl_runs`, `switch_sweeps`: published runs, with their sources.
* `algorithm_bandwidth`, `bus_bandwidth`: a measured time, as nccl-tests reports it.
* `half_bandwidth_size` and its relatives: the message that a machine needs to get going.
* `fit_alpha_beta`: a latency and a bandwidth from measured times.
* `exposed_time`, `bucketed_exposed_time`: what a computation does not hide; `sent_from`: when each bucket leaves.
* `table`, `hierarchy_table`, `bucket_table`: numbers side by side.
* `RingAllReduce` and its siblings: the algorithms at work on real arrays.
"""

from .algorithms import algorithms
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
from .fit import Fit, NcclTestsTable, fit_alpha_beta, nccl_tests_table
from .half_size import (
    half_bandwidth_size,
    hierarchical_half_bandwidth_size,
    measured_half_bandwidth_size,
    nccl_half_bandwidth_size,
)
from .hierarchical import Phases, hierarchical_all_reduce_phases, hierarchical_all_reduce_time
from .history import Message, Step
from .in_switch import (
    switch_all_reduce_time,
    switch_all_reduce_traffic,
    switch_bus_bandwidth,
    switch_crossover_ranks,
    switch_wire_rate,
)
from .nccl import nccl_changes, nccl_choice, nccl_table, nccl_time
from .nccl_system import NcclCurve, NcclSystem
from .overlap import bucketed_exposed_time, exposed_time, sent_from
from .protocols import Protocol, nccl_protocol, nccl_protocols, nccl_versions
from .ring_simulators import (
    HierarchicalAllReduce,
    RingAllGather,
    RingAllReduce,
    RingBroadcast,
    RingReduceScatter,
)
from .runs import NcclRun, SwitchSweep, nccl_run, nccl_runs, switch_sweeps
from .simulator import Simulator
from .tables import bucket_table, hierarchy_table, table
from .tree_simulators import (
    DoubleBinaryTreeAllReduce,
    HalvingDoublingAllReduce,
    RecursiveDoublingAllReduce,
    TreeAllReduce,
)

__all__ = [
    "DoubleBinaryTreeAllReduce",
    "Fit",
    "HalvingDoublingAllReduce",
    "HierarchicalAllReduce",
    "Message",
    "NcclCurve",
    "NcclRun",
    "NcclSystem",
    "NcclTestsTable",
    "Phases",
    "Protocol",
    "RecursiveDoublingAllReduce",
    "RingAllGather",
    "RingAllReduce",
    "RingBroadcast",
    "RingReduceScatter",
    "Simulator",
    "Step",
    "SwitchSweep",
    "Traffic",
    "TreeAllReduce",
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
