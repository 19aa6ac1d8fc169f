"""Models, data and explorers for a course on AI accelerators and their networks.

Every model is a pure function or a frozen dataclass over NumPy. All signatures
use SI base units: FLOP, FLOP/s, bytes, bytes/s, seconds, watts; ``units.parse``
parses "400 Gb/s". Names state whether a peak is dense or sparse, and a bandwidth
one way (unidirectional) or both ways. ``help`` of a function has the source of its
formula, its limits, and an example.

Errors
------
Every model checks its arguments, and the message names the argument and the value.
``TypeError``: a value of the wrong type, such as text, None or a bool for a number.
``ValueError``: NaN or infinity, a negative number, zero where a positive one is
needed, a fractional count, or a name that is not in the list (the message lists
the valid ones). A docstring has *Raises* only where it adds to this.

A map of questions
------------------
A chip and its datasheet
    What are the peak rates of a chip, and what is the source?  specs.accelerator, specs.table
    How do I describe a chip that is not in the catalogue?  specs.own
    What did each chip generation improve?    specs.generations, specs.narrowing
    What are the levels of the memory hierarchy, and how fast is each?  hierarchy.system, hierarchy.time_to_move
    What does a bit cost in each kind of memory?  hierarchy.kinds_table, hierarchy.reading_joules
    Copy host data, migrate its pages, or access it in place?  hierarchy.access_seconds, hierarchy.page_bandwidth
One operation on one chip
    Is it memory-bound or compute-bound?      roofline.ridge_point, roofline.attainable
    Which batch size makes decoding compute-bound?  roofline.batch_threshold, roofline.decode_step
    Does kernel fusion help?                  roofline.fuse, roofline.fusion_speedup
    Which fraction of peak was measured?      roofline.measured_roofs
    What limits the occupancy of my kernel?   occupancy.occupancy, occupancy.cdna_occupancy
    How many passes does a bank conflict need?  occupancy.bank_passes
    How many warps hide a latency?            occupancy.warps_to_hide, occupancy.warps_needed
    How many pipeline stages of asynchronous copies do I need?  occupancy.stages_needed
    What does an odd matrix size cost on a TPU?  systolic.padded_utilization, systolic.padding_loss
    And on a GPU (alignment, tile and wave quantization)?  systolic.widest_copy, systolic.alignment_table, systolic.gpu_useful_rate
A message
    How long does a message take?             links.transfer_time, links.effective_bandwidth
    What are the datasheet, payload and measured rates of a link?  links.rates, links.rates_table
    How many messages must be in flight (Little's law)?  links.messages_in_flight
    When must a sender be paused (PFC, credits)?  links.pause_threshold, links.credit_bandwidth
    How many connections (RDMA queue pairs) fit in a NIC?  links.largest_cluster
A collective
    How long does my all-reduce take?         collectives.time, collectives.hierarchical_all_reduce_time
    And with NCCL's algorithm and protocol?   collectives.nccl_time, collectives.nccl_choice
    What does busbw of nccl-tests mean?       collectives.bus_bandwidth, collectives.fit_alpha_beta
    Why is busbw above the link rate (NVLS, SHARP)?  collectives.switch_bus_bandwidth
    How much communication is hidden by overlap?  collectives.exposed_time, collectives.bucketed_exposed_time
A network
    What is the bisection bandwidth?          topology.bisection, topology.full_bisection_share
    How long does an all-to-all take?         topology.all_to_all_time, topology.crossing_time
    How long is an incast, and how long its queue?  topology.incast_time, topology.incast_queue
    How many flows does ECMP put on one link? topology.hash_worst_load, topology.hash_time
    Which links does my traffic saturate?     topology.link_loads, topology.demand
    Where will the scheduler place my ranks?  topology.place
A model and its training
    How many parameters and FLOPs does a model have?  transformer.parameters, transformer.training_flops_per_token
    Does it fit, or run out of memory (OOM)?  transformer.training_memory, transformer.finetuning_memory
    How large is the KV cache (GQA, MQA, MLA)?  transformer.kv_cache_memory, transformer.kv_cache_per_token
    What are my MFU and my HFU?               utilization.mfu, utilization.hfu
    Where does the rest of the step time go?  utilization.step_breakdown, utilization.kernel_efficiency
    Which rank is the straggler?              utilization.ranks_step
    Is my batch too small for my network?     utilization.critical_tokens, utilization.exchange_step
    How many days and dollars does a training run take?  utilization.training_time_at, utilization.product_interval
    How many chips meet a deadline?           utilization.devices_needed
    Which input should I measure first?       utilization.interval_shares
A model on many devices
    How much memory does each pipeline stage need?  parallelism.memory_by_stage, parallelism.memory
    How much does each parallel axis (DP, TP, PP, CP, EP, FSDP) send?  parallelism.volumes
    Where are the axes placed, and how much communication is exposed?  parallelism.place, parallelism.axis_times
    Which parallel layout is fastest?         parallelism.layouts, parallelism.step_time
    How large is the pipeline bubble?         parallelism.schedule, parallelism.bubble_over_makespan
    How imbalanced are MoE experts, and which tokens drop?  parallelism.route, parallelism.expected_dropped_share
A cluster and its queue
    When will my job start (backfill, preemption)?  scheduling.simulate, scheduling.policies
    What is my priority in Slurm (fair share)?  scheduling.priority, scheduling.fair_tree
    Which nodes match my constraint?          scheduling.constraint_nodes
    How does the wait grow with utilization?  scheduling.erlang_c, scheduling.mean_wait
    What do real workloads look like?         scheduling.trace, scheduling.read_swf
    Does my placement group fit, and where?   placement.ray_placement, placement.kubernetes_placement
    Why are GPUs idle although jobs wait (gang scheduling)?  placement.gang, placement.fragmentation
    How far apart are the nodes of a job?     placement.topology_cost, placement.tree_allocation
Files and data
    Which storage target holds a byte of my file?  storage.read_setstripe, storage.beegfs_layout
    How fast is sequential and random access? storage.striped_time, storage.mixed_rate
    What do many small files cost in metadata?  storage.metadata_time, storage.smallest_file
    Why do parallel writers wait for each other?  storage.lock_traffic, storage.token_ping_pong
    Are three replicas enough?                storage.loss_chance, storage.mean_time_to_loss
    What does a cache in front of an object store save?  storage.lru_hit_rate, storage.request_cost
    Which worker reads which shard?           loading.assign_shards, loading.shard_efficiency
    How well is my data shuffled?             loading.shuffle_probabilities, loading.shuffle_quality
    What does random access to a row cost?    loading.read_amplification, loading.row_groups
    Do my chips wait for data?                loading.step_time, loading.loader_step
A long run
    What is the MTBF of a large machine?      reliability.mtbf, reliability.observed_rates
    What is the best checkpoint interval (Young/Daly)?  reliability.optimal_interval, reliability.daly_interval
    What is the goodput with failures?        reliability.expected_time, reliability.goodput
    And with hot spares and correlated failures?  reliability.simulate, reliability.simulate_run
    Is a checkpoint in a neighbor's memory worth it?  reliability.two_level
    What interrupted large training runs?     reliability.published_interruptions, reliability.published_claims
A served model
    What are TTFT and TPOT (ITL)?             serving.time_to_first_token, serving.time_between_tokens
    How many users fit, and what is the throughput?  serving.largest_batch, serving.throughput_bound
    Which latencies (SLO) hold at a request rate with continuous batching?  serving.simulate, serving.rate_sweep
    Which batch does a request rate give, and what is the p99 wait?  serving.steady_batch, serving.wait_percentile
    Should prefill and decode run on separate chips?  serving.disaggregate, serving.pool_sizes
    Can weights or KV caches be offloaded?    serving.tokens_to_hide, serving.fetch_or_read
    What do real servers reach?               serving.measured_table
Cost, energy, carbon
    Buy or rent, and above which utilization (capex, opex)?  economics.own_cost, economics.break_even_used_fraction
    What does a token, an answer or a training run cost?  economics.bill, economics.training_bill
    How much energy, of devices or of the facility (PUE)?  economics.device_energy, economics.facility_energy
    How much carbon, location-based or market-based?  economics.carbon_by_location, economics.carbon_by_market
    Does a published figure add up?           economics.audit, economics.published_runs
A whole cluster, designed to a budget
    How long does my cluster train, at which cost and carbon?  capstone.evaluate
    Which designs are Pareto-optimal, and how far am I from them?  capstone.frontier, capstone.distance
    What are the lower bounds, and which limit binds?  capstone.bounds_table, capstone.binding
    Which number should I measure before I decide?  capstone.sensitivity_table
    Which numbers come from published runs?   capstone.kernel_shares, capstone.chip_prices
Your own machine
    How long does my code take, and how certain is that?  measure.benchmark, measure.confidence_ranks
    How fast are messages and all-reduces between my cores?  measure.ping_pong, measure.all_reduce
    And if nothing can be measured here?      measure.own_run, measure.own_roofline
    Why does my MPI program deadlock?         measure.run_ranks
    Would a CUDA graph help my small kernels? measure.launched_time, measure.graph_time
    Where does a library switch from eager to rendezvous?  measure.fit_regimes, measure.recorded
    What is the roofline of my CPU?           measure.cpu_roofline, measure.recorded_roofline
    How do I parse the output of nccl-tests, Slurm and other tools?  measure.read_nccl_tests, measure.read_squeue
Validation of the models
    How close are the models to measurements? reality.summary, reality.misses

In a terminal
    How many, how fast, how expensive, and from which source?  shell.ask, shell.main

Interactive versions: ``from chip2cluster import explore``, then for example
``explore.roofline()``; ``explore.explorers()`` lists them.

Ten answers
-----------
Practical questions, one line each. The command ``chip2cluster --help`` answers the same ones, with intervals and
assumptions (``shell``).

>>> from chip2cluster import collectives, economics, occupancy, parallelism, reliability
>>> from chip2cluster import serving, specs, topology, transformer, units, utilization
>>> h100, wire, day = specs.accelerator("H100 SXM"), units.parse("400 Gb/s"), utilization.DAY
>>> peak = h100.peak_flops_dense("bf16")

How many H100 train 70 billion parameters on 15 trillion tokens in 30 days, at 40 %?

>>> utilization.devices_needed(6 * 70e9 * 15e12, 30 * day, peak, 0.4)
6142

Will my kernel reach an occupancy of a half?

>>> occupancy.occupancy("9.0", 256, registers_per_thread=80).occupancy
0.375

How many ms does an all-reduce of 2 GB take on 32 nodes of 8, at least?

>>> round(1e3 * collectives.hierarchical_all_reduce_time(2e9, 8, 32, 450e9, wire), 1)
17.5

How many GB is the KV cache of one user at 32k tokens?

>>> transformer.kv_cache_memory("Llama 3 70B", 32768) / 1e9
10.73741824

Which layout trains a 405B model fastest on 1,024 of them, and how many GB does the fullest chip need?

>>> cluster = parallelism.Tier("node", 8, 450e9), parallelism.Tier("network", 1024, wire)
>>> cut = dict(sequence=8192, contexts=[1])
>>> best = parallelism.layouts("Llama 3.1 405B", 1024, 1024, h100, cluster, **cut)[0]
>>> best.layout.tensor, best.layout.pipeline, best.layout.data, round(best.memory_bytes / 1e9)
(8, 16, 8, 81)

How many minutes between checkpoints on 128 nodes, if one takes a minute?

>>> rate = reliability.observed_rates()[0].failures_per_node_second
>>> round(reliability.optimal_interval(60, reliability.mtbf(128, rate)) / 60)
76

How many million dollars does that training run of 70B cost, at 3 dollars per hour?

>>> rates = economics.Rates(dollars_per_device_hour=3, mean_watts_per_device=525, pue=1.2)
>>> bill = economics.training_bill(6 * 70e9 * 15e12, 1024, peak, 0.4, rates)
>>> round(bill.dollars / 1e6, 1)
13.3

How many ms per output token (TPOT) of a 70B model on 8 H100, at least?

>>> llama = serving.deploy("Llama 3 70B", "H100 SXM", 8)
>>> round(1e3 * serving.time_between_tokens(llama, context=4096), 1)
5.2

Are my rails non-blocking?

>>> wires = dict(nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=wire)
>>> topology.full_bisection_share(topology.gpu_cluster(128, nodes_per_group=32, **wires))
1.0

What is the MFU of a custom model on custom cards?

>>> mine = transformer.Config(layers=24, d_model=2048, heads=16, vocab_size=50304)
>>> work = transformer.training_flops_per_token(mine, 2048)
>>> round(utilization.mfu(tokens_per_second=24e3, flops_per_token=work, devices=8, peak_flops_dense=71e12), 2)
0.41

And more
--------
Is my batch too small for my network? At least below this number of tokens per chip:

>>> round(utilization.critical_tokens(128, peak, utilization.ring_bandwidth(8, 450e9, wire)))
2454

Full sharding (FSDP, ZeRO 3), or tensor and pipeline parallelism, for 30B on 64?

>>> cut = dict(sequence=2048, zero_stages=(1, 3), kernel_efficiency=0.6)
>>> best = parallelism.layouts("MPT 30B", 64, 512, h100, cluster, **cut)[0].layout
>>> best.zero_stage, best.tensor, best.pipeline, best.data
(3, 1, 1, 64)

What does gradient accumulation do to the exchange? Exposed seconds per pass, with one and with four passes:

>>> step = lambda n: utilization.exchange_step(7e9, n * 4096, 64, peak, wire, passes=n)
>>> [round(step(n).exposed / n, 2) for n in (1, 4)]
[0.44, 0.11]

NCCL is at a third of its best busbw: is my message too small? MB for half of it, at least:

>>> hopper = collectives.NcclSystem("hopper", 8, 360e9, switch_adds=True)
>>> round(collectives.nccl_half_bandwidth_size(hopper) / 1e6, 1)
7.5

What changes with fp8? The ridge point, FLOP per byte:

>>> from chip2cluster import roofline
>>> peaks = [h100.peak_flops_dense(name) for name in ("bf16", "fp8")]
>>> [round(roofline.ridge_point(one, h100.memory_bandwidth)) for one in peaks]
[295, 591]

Which is more uncertain, the MFU or the price? The price:

>>> utilization.interval_shares([0.35, 2.0], [0.45, 3.5], [-1, 1]).round(2)
array([0.31, 0.69])
"""

from importlib import import_module
from pkgutil import iter_modules

from ._deferred import DeferredModule
from ._package import PRIVATE

__version__ = "0.2.0"
# Every folder here is a topic, except those of exercises; `units` is the only public single module.
__all__ = sorted(
    [*(module.name for module in iter_modules(__path__) if module.ispkg and module.name not in PRIVATE), "units"]
)


def __getattr__(name):
    """Import a topic on first use; without a library that it needs, when a name of it is used."""
    if name in __all__:
        topic = f"{__name__}.{name}"
        try:
            return import_module(topic)
        except ModuleNotFoundError as problem:
            if (problem.name or __name__).partition(".")[0] == __name__:
                raise
            return DeferredModule(topic)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__():
    """List the topics, too."""
    return sorted([*globals(), *__all__])
