"""Models, data and explorers for a course on AI accelerators and their networks.

Every model is a pure function or a frozen dataclass over NumPy. All signatures
use SI base units: FLOP, FLOP/s, bytes, bytes/s, seconds, watts; ``units.parse``
reads "400 Gb/s". A peak is dense or sparse and a link one way or both ways, and
the name says which. ``help`` of a function has its formula's source, what it
ignores, and an example.

Errors
------
Every model checks its arguments, and the message names the argument and the value.
``TypeError``: a value of the wrong type, such as text, None or a bool for a number.
``ValueError``: NaN or infinity, a negative number, zero where a positive one is
needed, a fractional count, or a name that is not in the list (the message lists
the valid ones). A docstring has *Raises* only where it adds to this.

A map of questions
------------------
The chip and its sheet
    What can this chip do, and who says so?   specs.accelerator, specs.table
    And mine, which is not in the catalogue?  specs.own
    What did each generation bring?           specs.generations, specs.narrowing
    Where does its memory end, and the next begin?  hierarchy.system, hierarchy.time_to_move
    What does a bit cost in each kind of memory?    hierarchy.kinds_table, hierarchy.reading_joules
    Copy the host's data, move its pages, or read it there?  hierarchy.access_seconds, hierarchy.page_bandwidth
One operation on one chip
    Is it bound by memory or by arithmetic?   roofline.ridge_point, roofline.attainable
    What batch makes decoding worth a chip?   roofline.batch_threshold, roofline.decode_step
    Does it help to fuse two operations?      roofline.fuse, roofline.fusion_speedup
    What was measured of a sheet's peak?      roofline.measured_roofs
    Why is my kernel's occupancy so low?      occupancy.occupancy, occupancy.cdna_occupancy
    How many warps hide a latency?            occupancy.warps_to_hide, occupancy.warps_needed
    How many copies must run by themselves?   occupancy.stages_needed
    What does an odd size cost a TPU?         systolic.padded_utilization, systolic.padding_loss
    And a GPU?                                systolic.gpu_useful_rate, systolic.odd_size_table
A message
    How long does it travel?                  links.transfer_time, links.effective_bandwidth
    What is a wire sold for, and what does it reach?  links.rates, links.rates_table
    How many must be under way at once?       links.messages_in_flight
    When must a sender be told to stop?       links.pause_threshold, links.credit_bandwidth
    Whom can an adapter remember?             links.largest_cluster
A collective
    How long does my all-reduce take?         collectives.time, collectives.hierarchical_all_reduce_time
    And as NCCL does it?                      collectives.nccl_time, collectives.nccl_choice
    What does nccl-tests' busbw say?          collectives.bus_bandwidth, collectives.fit_alpha_beta
    Why is it more than my wire carries?      collectives.switch_bus_bandwidth
    How much of it stays hidden?              collectives.exposed_time, collectives.bucketed_exposed_time
A network
    What crosses its middle?                  topology.bisection, topology.full_bisection_share
    How long does an all-to-all take?         topology.all_to_all_time, topology.crossing_time
    How many flows does a hash put on one link?  topology.hash_worst_load, topology.hash_time
    Which links does my traffic fill?         topology.link_loads, topology.demand
    Where will the scheduler put my ranks?    topology.place
A model and its training
    How many parameters, how much arithmetic? transformer.parameters, transformer.training_flops_per_token
    Does it fit? How large is the cache?      transformer.training_memory, transformer.kv_cache_memory
    What share of my chips reaches the model? utilization.mfu, utilization.hfu
    Where does the rest of a step go?         utilization.step_breakdown, utilization.kernel_efficiency
    Who of my ranks do the others wait for?   utilization.ranks_step
    Is my batch too small for my network?     utilization.critical_tokens, utilization.exchange_step
    How many days, how many dollars?          utilization.training_time_at, utilization.product_interval
    How many chips for a deadline?            utilization.devices_needed
    What should I measure first?              utilization.interval_shares
A model on many devices
    Which bytes fill which stage?             parallelism.memory_by_stage, parallelism.memory
    What does each axis of my layout send?    parallelism.volumes
    Where do my axes lie, and what do I see of them?  parallelism.place, parallelism.axis_times
    Which layout shall I take, and why not another?   parallelism.layouts, parallelism.step_time
    How much does my pipeline wait?           parallelism.schedule, parallelism.bubble_over_makespan
    How uneven are my experts, and what do they drop?  parallelism.route, parallelism.expected_dropped_share
A cluster and its queue
    When will my job start, and why not now?  scheduling.simulate, scheduling.policies
    What does Slurm make of my priority?      scheduling.priority, scheduling.fair_tree
    Which nodes does my constraint admit?     scheduling.constraint_nodes
    How does a wait grow with utilization?    scheduling.erlang_c, scheduling.mean_wait
    What did real users ask of a machine?     scheduling.trace, scheduling.read_swf
    Does my placement group fit, and where?   placement.ray_placement, placement.kubernetes_placement
    Why does nobody run on free GPUs?         placement.gang, placement.fragmentation
    How far apart are a job's nodes?          placement.topology_cost, placement.tree_allocation
Files and data
    Which target holds this byte of my file?  storage.read_setstripe, storage.beegfs_layout
    How fast is it read, in one sweep or here and there?  storage.striped_time, storage.mixed_rate
    What do so many files cost before a byte is read?  storage.metadata_time, storage.smallest_file
    Why do my writers wait for each other?    storage.lock_traffic, storage.token_ping_pong
    Are three copies enough?                  storage.loss_chance, storage.mean_time_to_loss
    What does a cache before the store spare? storage.lru_hit_rate, storage.request_cost
    Who reads which of my shards?             loading.assign_shards, loading.shard_efficiency
    Is my data really shuffled?               loading.shuffle_probabilities, loading.shuffle_quality
    What does a random row cost?              loading.read_amplification, loading.row_groups
    Do my devices wait for data?              loading.step_time, loading.loader_step
A long run
    How often does a machine of so many parts fail?  reliability.mtbf, reliability.observed_rates
    How long to work between two checkpoints? reliability.optimal_interval, reliability.daly_interval
    What do failures leave of my time?        reliability.expected_time, reliability.goodput
    And with spares, and racks that fail as one?  reliability.simulate, reliability.simulate_run
    Is a copy in a neighbour's memory worth it?  reliability.two_level
    What stopped the great runs?              reliability.published_interruptions, reliability.published_claims
A model that serves
    How long until the first token, and to the next?  serving.time_to_first_token, serving.time_between_tokens
    How many users fit, how many tokens a second?  serving.largest_batch, serving.throughput_bound
    How long do my users wait at a rate?      serving.simulate, serving.rate_sweep
    What batch does my rate make, and how long does the unluckiest wait?  serving.steady_batch, serving.wait_percentile
    Shall I read prompts on chips of their own?  serving.disaggregate, serving.pool_sizes
    May weights or caches lie outside the chip?  serving.tokens_to_hide, serving.fetch_or_read
    What do real servers reach of that?       serving.measured_table
Money, energy, carbon
    Rent or own, and from which use on?       economics.own_cost, economics.break_even_used_fraction
    What is a token, an answer, a training?   economics.bill, economics.training_bill
    How many joules, and of what?             economics.device_energy, economics.facility_energy
    How much carbon, by grid or by contract?  economics.carbon_by_location, economics.carbon_by_market
    Does a published figure add up?           economics.audit, economics.published_runs
The whole machine, designed to a budget
    What comes out of my cluster, in days, dollars and tonnes?  capstone.evaluate
    Which of many designs does nobody beat, and how far am I from them?  capstone.frontier, capstone.distance
    What can no design beat, and which limit keeps me out?  capstone.bounds_table, capstone.binding
    Which number should I measure before I decide?  capstone.sensitivity_table
    What was read off published runs for that?  capstone.kernel_shares, capstone.chip_prices
Your own machine
    How long does it take, and may I believe that?  measure.benchmark, measure.confidence_ranks
    What do messages and sums cost between my own cores?  measure.ping_pong, measure.all_reduce
    And where nothing can be measured?        measure.own_run, measure.own_roofline
    Why do my ranks wait for one another for ever?  measure.run_ranks
    Would a graph help my small kernels?      measure.launched_time, measure.graph_time
    My messages bend: where does a second line begin?  measure.fit_regimes, measure.recorded
    How high are the roofs of my own processor?  measure.cpu_roofline, measure.recorded_roofline
    What do these lines say that I was sent?  measure.read_nccl_tests, measure.read_squeue
The answers themselves
    How near do they come to measurements?    reality.summary, reality.misses

In a terminal
    How many, how fast, how dear, and who says so?  shell.ask, shell.main

The same questions as pictures: ``from chip2cluster import explore``, then
``explore.roofline()`` and its like; ``explore.explorers()`` lists them.

Ten answers
-----------
What people ask at work, in a line each. In a shell ``chip2cluster --help`` answers the same, with intervals and
with all that is taken for granted (``shell``).

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

How many GB is one user's cache at 32k tokens?

>>> transformer.kv_cache_memory("Llama 3 70B", 32768) / 1e9
10.73741824

In which layout does a 405B train on 1,024 of them, and how many GB has the fullest?

>>> cluster = parallelism.Tier("node", 8, 450e9), parallelism.Tier("network", 1024, wire)
>>> cut = dict(sequence=8192, contexts=[1])
>>> best = parallelism.layouts("Llama 3.1 405B", 1024, 1024, h100, cluster, **cut)[0]
>>> best.layout.tensor, best.layout.pipeline, best.layout.data, round(best.memory_bytes / 1e9)
(8, 32, 4, 77)

Every how many minutes do 128 nodes save, if that takes one?

>>> rate = reliability.observed_rates()[0].failures_per_node_second
>>> round(reliability.optimal_interval(60, reliability.mtbf(128, rate)) / 60)
76

How many million dollars is that training of 70B, at 3 dollars an hour?

>>> rates = economics.Rates(dollars_per_device_hour=3, mean_watts_per_device=525, pue=1.2)
>>> bill = economics.training_bill(6 * 70e9 * 15e12, 1024, peak, 0.4, rates)
>>> round(bill.dollars / 1e6, 1)
13.3

How many ms is a token of a 70B on 8 H100, at least?

>>> llama = serving.deploy("Llama 3 70B", "H100 SXM", 8)
>>> round(1e3 * serving.time_between_tokens(llama, context=4096), 1)
5.2

Are my rails non-blocking?

>>> wires = dict(nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=wire)
>>> topology.full_bisection_share(topology.gpu_cluster(128, nodes_per_group=32, **wires))
1.0

What is the MFU of my own model on my own cards?

>>> mine = transformer.Config(layers=24, d_model=2048, heads=16, vocab_size=50304)
>>> work = transformer.training_flops_per_token(mine, 2048)
>>> round(utilization.mfu(tokens_per_second=24e3, flops_per_token=work, devices=8, peak_flops_dense=71e12), 2)
0.41

And more
--------
Is my batch too small for my network? Below so many tokens a chip it is, at least:

>>> round(utilization.critical_tokens(128, peak, utilization.ring_bandwidth(8, 450e9, wire)))
2454

Full sharding, or tensor and pipeline, for 30B on 64?

>>> cut = dict(sequence=2048, zero_stages=(1, 3), kernel_efficiency=0.6)
>>> best = parallelism.layouts("MPT 30B", 64, 512, h100, cluster, **cut)[0].layout
>>> best.zero_stage, best.tensor, best.pipeline, best.data
(3, 1, 1, 64)

What does accumulating gradients do to the exchange? Seconds of it that a pass sees, of one and of four:

>>> step = lambda n: utilization.exchange_step(7e9, n * 4096, 64, peak, wire, passes=n)
>>> [round(step(n).exposed / n, 2) for n in (1, 4)]
[0.44, 0.11]

NCCL is at a third of its best: is my message too short? MB for a half, at least:

>>> hopper = collectives.NcclSystem("hopper", 8, 360e9, switch_adds=True)
>>> round(collectives.nccl_half_bandwidth_size(hopper) / 1e6, 1)
7.5

What changes with fp8? The FLOP a byte must be worth:

>>> from chip2cluster import roofline
>>> peaks = [h100.peak_flops_dense(name) for name in ("bf16", "fp8")]
>>> [round(roofline.ridge_point(one, h100.memory_bandwidth)) for one in peaks]
[295, 591]

What should I ask for first, the MFU or the price? The price:

>>> utilization.interval_shares([0.35, 2.0], [0.45, 3.5], [-1, 1]).round(2)
array([0.31, 0.69])
"""

from importlib import import_module
from pkgutil import iter_modules

from ._package import PRIVATE

__version__ = "0.2.0"
# Every folder here is a subject, except those of exercises; the units are the only single file meant for readers.
__all__ = sorted(
    [*(module.name for module in iter_modules(__path__) if module.ispkg and module.name not in PRIVATE), "units"]
)


def __getattr__(name):
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__():
    return sorted([*globals(), *__all__])
