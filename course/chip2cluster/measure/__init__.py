"""Your own machine, measured: a benchmark that can be trusted, and how far.

Times are seconds, sizes bytes, rates per second.

* `benchmark`: warm up, repeat, stop in time; `Sample`: best, median, quantiles, confidence, a verdict.
* `confidence_ranks`: which two of the sorted times enclose a median.
* `fit_regimes`: a latency and a bandwidth for small messages, and others for large ones.
* `ping_pong`, `all_reduce`: real processes on this machine, by MPI where it is installed; `CollectiveRun`.
* `own_run`, `own_roofline`, `own_gpus`: what this machine does, or, where nothing can be measured, what was recorded.
* `run_ranks`: a program with blocking calls, played as every rank; a `Deadlock` is found and named.
* `launched_time`, `graph_time`: a chain of small kernels, launched one by one or as a graph.
* `recorded`, `recordings`: runs of collectives, by name, with their sources.
* `redraw`, `five_statistics`: runs that might have been, drawn from a measured one, and what is quoted of each.
* `machine_text`, `read_machine`, `machine_from`, `recorded_machine`: three runs of one machine as a line of text, and back.
* `read_nccl_tests`, `read_gpu_query`: what these tools printed, pasted (`links.node_matrix`: the matrix of a node).
* `read_squeue`, `read_sinfo`, `read_sacct`: a queue, its nodes, its finished jobs.
* `read_lstopo`, `read_darshan`: the parts of a node; the files of a job.
* `cpu_roofline`, `recorded_roofline`: adds and matrix products, on this machine and on one that was recorded.
"""

from .benchmark import benchmark
from .collective import CollectiveRun, all_reduce, ping_pong
from .cpu import CpuRoofline, cpu_roofline, recorded_roofline
from .darshan import DarshanModule, DarshanSummary, read_darshan
from .gpu_query import read_gpu_query
from .launches import graph_time, launched_time
from .lstopo import Machine, read_lstopo
from .nccl_log import NcclLog, read_nccl_tests
from .own import own_gpus, own_roofline, own_run
from .own_machine import OwnMachine, machine_from, machine_text, read_machine, recorded_machine
from .recorded import Recording, recorded, recordings
from .regimes import Regimes, fit_regimes
from .resampling import five_statistics, redraw
from .sample import Ranks, Sample, confidence_ranks
from .simulated import Communicator, Deadlock, Played, run_ranks
from .slurm_tables import read_sacct, read_sinfo, read_squeue

__all__ = [
    "CollectiveRun",
    "Communicator",
    "CpuRoofline",
    "DarshanModule",
    "DarshanSummary",
    "Deadlock",
    "Machine",
    "NcclLog",
    "OwnMachine",
    "Played",
    "Ranks",
    "Recording",
    "Regimes",
    "Sample",
    "all_reduce",
    "benchmark",
    "confidence_ranks",
    "cpu_roofline",
    "fit_regimes",
    "five_statistics",
    "graph_time",
    "launched_time",
    "machine_from",
    "machine_text",
    "own_gpus",
    "own_roofline",
    "own_run",
    "ping_pong",
    "read_darshan",
    "read_gpu_query",
    "read_lstopo",
    "read_machine",
    "read_nccl_tests",
    "read_sacct",
    "read_sinfo",
    "read_squeue",
    "recorded",
    "recorded_machine",
    "recorded_roofline",
    "recordings",
    "redraw",
    "run_ranks",
]
