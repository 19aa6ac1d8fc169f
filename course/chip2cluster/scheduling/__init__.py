"""Batch scheduling on a shared cluster: FCFS, backfill (EASY, conservative), priorities, fair share, preemption.

>>> from chip2cluster import scheduling
>>> jobs = [scheduling.Job(1, 0, 3, 60), scheduling.Job(2, 0, 4, 60), scheduling.Job(3, 0, 1, 60)]
>>> scheduling.simulate(jobs, 4, "easy").starts
{1: 0.0, 2: 60.0, 3: 0.0}
"""

from .arrays import JobArray, array_jobs, expand_array
from .block_allocation import block_allocation
from .cluster_statistics import GpuCluster, gpu_clusters, gpu_clusters_source
from .constraints import constraint_allocation, constraint_nodes
from .fair_tree import FairTreeEntry, Share, fair_tree, fair_tree_table
from .fairshare import Fairshare, UsageSample
from .jobs import Job, with_walltimes
from .metrics import Metrics, gpu_hours
from .policies import policies
from .priority import (
    Factors,
    Weights,
    age_factor,
    job_size_factor,
    priority,
)
from .queue_simulation import Preemption, simulate
from .queueing import erlang_c, mean_queue, mean_wait, mg1_wait, multi_node_wait
from .schedule import Run, Schedule
from .script_lint import LintFinding, lint_script
from .slurm_samples import PrioritySample, ShareSample, recorded_priorities, recorded_shares, recorded_source
from .snapshot import Reservation
from .swf import Trace, read_swf, trace, trace_text
from .usage_decay import classic_fairshare, decayed_usage
from .workflow import CriticalPath, Task, critical_path, pipeline_times
from .workload import generate

__all__ = [
    "CriticalPath",
    "Factors",
    "FairTreeEntry",
    "Fairshare",
    "GpuCluster",
    "Job",
    "JobArray",
    "LintFinding",
    "Metrics",
    "Preemption",
    "PrioritySample",
    "Reservation",
    "Run",
    "Schedule",
    "Share",
    "ShareSample",
    "Task",
    "Trace",
    "UsageSample",
    "Weights",
    "age_factor",
    "array_jobs",
    "block_allocation",
    "classic_fairshare",
    "constraint_allocation",
    "constraint_nodes",
    "critical_path",
    "decayed_usage",
    "erlang_c",
    "expand_array",
    "fair_tree",
    "fair_tree_table",
    "generate",
    "gpu_clusters",
    "gpu_clusters_source",
    "gpu_hours",
    "job_size_factor",
    "lint_script",
    "mean_queue",
    "mean_wait",
    "mg1_wait",
    "multi_node_wait",
    "pipeline_times",
    "policies",
    "priority",
    "read_swf",
    "recorded_priorities",
    "recorded_shares",
    "recorded_source",
    "simulate",
    "trace",
    "trace_text",
    "with_walltimes",
]
