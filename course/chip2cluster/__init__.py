"""Models, data and explorers for a course on AI accelerators and their networks.

Every model is a pure function or a frozen dataclass over NumPy. All signatures
use SI base units: FLOP, FLOP/s, bytes, bytes/s, seconds, watts; ``units.parse``
reads "400 Gb/s". A peak is dense or sparse and a link one way or both ways, and
the name says which. ``help`` of a function has its formula's source, what it
ignores, and an example.

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
    What can no design beat, and which limit keeps me out?  capstone.bounds, capstone.binding
    Which number should I measure before I decide?  capstone.sensitivity
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

The same questions as pictures: ``from chip2cluster import explore``, then
``explore.roofline()`` and its like; ``explore.explorers()`` lists them.

Ten answers
-----------
>>> from chip2cluster import collectives, links, occupancy, roofline, specs, topology, transformer, units, utilization
>>> h100 = specs.accelerator("H100 SXM")
>>> peak, wire = h100.peak_flops_dense("bf16"), units.parse("400 Gb/s", "B/s")
>>> round(roofline.ridge_point(peak, h100.memory_bandwidth))                         # FLOP/byte to be worth its peak
295
>>> occupancy.occupancy("9.0", 256, registers_per_thread=80).occupancy               # of my kernel
0.375
>>> round(1e3 * links.transfer_time(1e9, wire), 1)                                   # ms for a gigabyte
20.0
>>> round(1e3 * collectives.time("all_reduce", "ring", 14e9, 8, 450e9), 1)           # ms, at the sheet's rate: at least
54.4
>>> topology.bisection(topology.fat_tree(4)).links
8
>>> llama = transformer.model("Llama 3 8B").config
>>> transformer.kv_cache_per_token(llama)                                            # bytes of a token's keys and values
131072.0
>>> round(utilization.mfu(128 * 6514, transformer.training_flops_per_token(llama, 8192), 128, peak), 3)
0.402
>>> round(utilization.critical_tokens(128, peak, utilization.ring_bandwidth(8, 450e9, wire)))   # tokens a chip, at least
2454
>>> round(utilization.training_time_at(6 * 70e9 * 15e12, 1024, peak, 0.4) / utilization.DAY)    # days for 70B, 15T tokens
180
>>> utilization.interval_shares([0.35, 2.0], [0.45, 3.5], [-1, 1]).round(2)          # of MFU and price: ask for the price
array([0.31, 0.69])
"""

from importlib import import_module
from pkgutil import iter_modules

__version__ = "0.1.0"
# Every folder here is a subject of its own; of the single files only the units are meant for readers.
__all__ = sorted([*(module.name for module in iter_modules(__path__) if module.ispkg), "units"])


def __getattr__(name):
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__():
    return sorted([*globals(), *__all__])
