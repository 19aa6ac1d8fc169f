"""Reliability of long training runs: failure rates (MTBF), checkpoint intervals (Young/Daly), goodput, hot spares.

Times are seconds, and an MTBF is that of the whole job unless its name says node. Goodput (also training goodput)
is the fraction of time that is productive work, regardless of the MFU of that work.

>>> from chip2cluster import reliability
>>> rate = reliability.failure_rate(419, parts=2048, seconds=54 * 86400)          # Llama 3
>>> mean = reliability.mtbf(2048, rate)
>>> interval = reliability.optimal_interval(60, mean)
>>> round(mean / 3600, 2), round(interval / 60), round(reliability.goodput(interval, 60, 600, mean), 2)
(3.09, 19, 0.85)
"""

from .breakdown import Breakdown, time_breakdown
from .checkpoints import AsynchronousCheckpoint, asynchronous_checkpoint, checkpoint_bytes, checkpoint_time
from .closed_form import expected_failures, expected_time, goodput, goodput_first_order
from .crashes import crash_table, fatal_crashes
from .failures import combined_mtbf, failure_rate, mtbf, survival
from .interruption_data import (
    Interruption,
    ObservedRate,
    interruptions,
    interruptions_source,
    observed_rates,
    observed_rates_table,
    published_claims,
    published_interruptions,
)
from .intervals import daly_interval, optimal_interval, young_interval
from .limits import longest_dump, longest_restart
from .nodes import Change, NodeRun, simulate_nodes
from .plan import RunPlan
from .run_simulation import Runs, simulate
from .run_timeline import Failure, Phase, Run, simulate_run, work_saved
from .silent import silent_goodput
from .spares import shortage_probability, spares_needed, waiting_share
from .two_level_checkpoints import TwoLevel, two_level

__all__ = [
    "AsynchronousCheckpoint",
    "Breakdown",
    "Change",
    "Failure",
    "Interruption",
    "NodeRun",
    "ObservedRate",
    "Phase",
    "Run",
    "RunPlan",
    "Runs",
    "TwoLevel",
    "asynchronous_checkpoint",
    "checkpoint_bytes",
    "checkpoint_time",
    "combined_mtbf",
    "crash_table",
    "daly_interval",
    "expected_failures",
    "expected_time",
    "failure_rate",
    "fatal_crashes",
    "goodput",
    "goodput_first_order",
    "interruptions",
    "interruptions_source",
    "longest_dump",
    "longest_restart",
    "mtbf",
    "observed_rates",
    "observed_rates_table",
    "optimal_interval",
    "published_claims",
    "published_interruptions",
    "shortage_probability",
    "silent_goodput",
    "simulate",
    "simulate_nodes",
    "simulate_run",
    "spares_needed",
    "survival",
    "time_breakdown",
    "two_level",
    "waiting_share",
    "work_saved",
    "young_interval",
]
