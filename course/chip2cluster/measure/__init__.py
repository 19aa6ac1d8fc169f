"""Benchmarks of your own machine with their uncertainty, recorded runs, and parsers of tool output.

Times are seconds, sizes bytes, rates per second.

* `benchmark`: warm-up, repeats and a time budget; `Sample`: best, median, quantiles, confidence interval, verdict.
* `confidence_ranks`: confidence interval of a median by order statistics.
* `fit_regimes`: separate latency and bandwidth for small (eager) and large (rendezvous) messages.
* `ping_pong`, `all_reduce`: real processes on this machine, with MPI if it is installed; `CollectiveRun`.
* `own_run`, `own_roofline`, `own_gpus`: measurements of this machine, or recorded ones if nothing can be measured.
* `run_ranks`: simulation of an SPMD program with blocking calls; a `Deadlock` is detected and explained.
* `launched_time`, `graph_time`: a chain of small kernels, launched one by one or as a CUDA graph.
* `recorded`, `recordings`: recorded runs of collectives, by name, with their sources.
* `redraw`, `five_statistics`: bootstrap of a measured run, and the statistics that are usually quoted.
* `machine_text`, `read_machine`, `machine_from`, `recorded_machine`: JSON form of three runs of one machine.
* `read_nccl_tests`, `read_nccl_tables`, `read_nccl_info`: parsers of nccl-tests and of NCCL's own log.
* `read_gpu_query`: parser of nvidia-smi (`links.node_matrix`: nvidia-smi topo and rocm-smi).
* `read_perftest`, `read_osu`, `read_ibstat`: parsers of tools that test networks.
* `read_fio`, `read_ior`, `read_mdtest`: parsers of tools that test file systems (`storage.read_getstripe`: Lustre).
* `read_training_log`, `read_serving_log`, `read_serving_benchmark`: parsers of the logs of training runs and servers.
* `read_smi_table`, `read_dmon`, `read_nvidia_smi`: parsers of nvidia-smi, of its dmon and -q.
* `read_rocm_smi`, `read_dcgmi_dmon`, `read_dcgmi_diag`, `read_dcgmi_stats`: parsers of rocm-smi and dcgmi.
* `read_trace`, `recorded_trace`: where the time of a step went, by a trace of the PyTorch profiler; `DeviceTrace`, `kernel_kind`.
* `step_forecast`, `amdahl_speedup`: time of a step after one kind of kernel became faster; `StepForecast`.
* `read_ncu`: metrics of Nsight Compute, with roofline point and occupancy; `NcuKernel`.
* `read_squeue`, `read_sinfo`, `read_sacct`, `read_sprio`, `read_sshare`, `read_scontrol`: parsers of Slurm's commands.
* `read_lstopo`, `read_darshan`: parsers of hwloc and Darshan.
* `device_benchmark`: times on the device by events behind a full queue, with clock and power; `DeviceSample`.
* `gpu_triad`, `gpu_products`, `gpu_steps`, `gpu_launches`, `gpu_copies`, `gpu_power`, `gpu_attention`, `gpu_training`:
  experiments on a GPU, or recorded ones without a GPU; `GpuSeries` has a table and a picture.
* `measure_gpu`, `own_gpu`, `read_gpu`, `gpu_text`: all of them, and the file they write; `GpuReport`.
* `recorded_gpu`, `recorded_gpus`, `recorded_table`: measurements of an H100 and an H200.
* `cpu_roofline`, `recorded_roofline`: CPU bandwidth and matrix products, measured here or recorded.
"""

from .benchmark import benchmark
from .collective_benchmarks import CollectiveRun, all_reduce, ping_pong
from .collective_records import Recording, recorded, recordings
from .cpu_benchmarks import CpuRoofline, cpu_roofline, recorded_roofline
from .darshan import DarshanModule, DarshanSummary, read_darshan
from .dcgmi import DcgmDiag, DcgmTest, read_dcgmi_diag, read_dcgmi_stats
from .dcgmi_dmon import read_dcgmi_dmon
from .devices import NoDevice
from .dmon import read_dmon, read_nvidia_smi
from .gpu import (
    DeviceSample,
    GpuReport,
    GpuSeries,
    device_benchmark,
    gpu_attention,
    gpu_copies,
    gpu_launches,
    gpu_power,
    gpu_products,
    gpu_steps,
    gpu_text,
    gpu_training,
    gpu_triad,
    measure_gpu,
    own_gpu,
    read_gpu,
    recorded_gpu,
    recorded_gpus,
    recorded_table,
)
from .gpu_query import GpuState, read_gpu_query
from .host_measurements import GPU_FIELDS, own_gpus, own_roofline, own_run
from .ibstat import IbPort, read_ibstat
from .io_tests import FioResult, IorResult, MdtestRow, read_fio, read_ior, read_mdtest
from .kernel_kinds import kernel_kind
from .kernel_launches import GRAPH_GAP, STREAM_GAP, WAKE, graph_time, launched_time
from .lstopo import HostTopology, read_lstopo
from .nccl_info import NcclInfo, read_nccl_info
from .nccl_log import NcclLog, read_nccl_tables, read_nccl_tests
from .ncu import NcuKernel, read_ncu
from .osu import OsuTable, read_osu
from .own_machine import OwnMachine, machine_from, machine_text, read_machine, recorded_machine
from .perftest import Perftest, PerftestRow, read_perftest
from .rank_simulator import Communicator, Deadlock, RanksResult, run_ranks
from .regime_fit import RegimeFit, fit_regimes
from .resampling import five_statistics, redraw
from .rocm_smi import read_rocm_smi
from .sample import ConfidenceRanks, Sample, confidence_ranks
from .scontrol import read_scontrol
from .serving_log import ServingBenchmark, ServingLog, read_serving_benchmark, read_serving_log
from .slurm_priorities import read_sprio, read_sshare
from .slurm_tables import read_sacct, read_sinfo, read_squeue
from .smi_table import SmiGpu, SmiTable, read_smi_table
from .step_forecast import StepForecast, amdahl_speedup, recorded_launch_seconds, step_forecast
from .trace import DeviceTrace, TraceKernel, read_trace, recorded_trace
from .training_log import TrainingLog, TrainingStep, read_training_log

__all__ = [
    "GPU_FIELDS",
    "GRAPH_GAP",
    "STREAM_GAP",
    "WAKE",
    "CollectiveRun",
    "Communicator",
    "ConfidenceRanks",
    "CpuRoofline",
    "DarshanModule",
    "DarshanSummary",
    "DcgmDiag",
    "DcgmTest",
    "Deadlock",
    "DeviceSample",
    "DeviceTrace",
    "FioResult",
    "GpuReport",
    "GpuSeries",
    "GpuState",
    "HostTopology",
    "IbPort",
    "IorResult",
    "MdtestRow",
    "NcclInfo",
    "NcclLog",
    "NcuKernel",
    "NoDevice",
    "OsuTable",
    "OwnMachine",
    "Perftest",
    "PerftestRow",
    "RanksResult",
    "Recording",
    "RegimeFit",
    "Sample",
    "ServingBenchmark",
    "ServingLog",
    "SmiGpu",
    "SmiTable",
    "StepForecast",
    "TraceKernel",
    "TrainingLog",
    "TrainingStep",
    "all_reduce",
    "amdahl_speedup",
    "benchmark",
    "confidence_ranks",
    "cpu_roofline",
    "device_benchmark",
    "fit_regimes",
    "five_statistics",
    "gpu_attention",
    "gpu_copies",
    "gpu_launches",
    "gpu_power",
    "gpu_products",
    "gpu_steps",
    "gpu_text",
    "gpu_training",
    "gpu_triad",
    "graph_time",
    "kernel_kind",
    "launched_time",
    "machine_from",
    "machine_text",
    "measure_gpu",
    "own_gpu",
    "own_gpus",
    "own_roofline",
    "own_run",
    "ping_pong",
    "read_darshan",
    "read_dcgmi_diag",
    "read_dcgmi_dmon",
    "read_dcgmi_stats",
    "read_dmon",
    "read_fio",
    "read_gpu",
    "read_gpu_query",
    "read_ibstat",
    "read_ior",
    "read_lstopo",
    "read_machine",
    "read_mdtest",
    "read_nccl_info",
    "read_nccl_tables",
    "read_nccl_tests",
    "read_ncu",
    "read_nvidia_smi",
    "read_osu",
    "read_perftest",
    "read_rocm_smi",
    "read_sacct",
    "read_scontrol",
    "read_serving_benchmark",
    "read_serving_log",
    "read_sinfo",
    "read_smi_table",
    "read_sprio",
    "read_squeue",
    "read_sshare",
    "read_trace",
    "read_training_log",
    "recorded",
    "recorded_gpu",
    "recorded_gpus",
    "recorded_launch_seconds",
    "recorded_machine",
    "recorded_roofline",
    "recorded_table",
    "recorded_trace",
    "recordings",
    "redraw",
    "run_ranks",
    "step_forecast",
]
