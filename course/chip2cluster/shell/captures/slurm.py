"""Captures of Slurm's commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tool import Context, Finding, Rows, Tool

SHOWN = 8  # jobs or users in the answer
# Reasons of a pending job that no free node ends.
_STUCK = (
    "DependencyNeverSatisfied", "BadConstraints", "PartitionNodeLimit", "PartitionTimeLimit", "JobHeldUser", "JobHeldAdmin",
    "InvalidAccount", "InvalidQOS", "launch failed requeued held", "AssocMaxWallDurationPerJobLimit", "QOSMaxWallDurationPerJobLimit",
)  # fmt: skip
_BAD_STATES = ("DOWN", "DRAIN", "FAIL", "INVAL", "NOT_RESPONDING")


def _table(name: str, function: str) -> Callable[[str, Context], Finding]:
    def read(text: str, context: Context) -> Finding:
        from ... import measure

        lines = getattr(measure, function)(text)
        rows = Rows(f"measure.{function}", "scheduling")
        rows.add("lines", "lines", len(lines), "lines")
        states: dict[str, int] = {}
        for line in lines:
            if state := line.get("state") or line.get("st"):
                states[str(state)] = states.get(str(state), 0) + 1
        for state, count in states.items():
            rows.add(f"state_{state}", f"in the state {state}", count, name)
        remarks = [f"measure.{function} has every column."]
        for number, line in enumerate(lines):
            _nodes(rows, number, line)
            reason, nodes = line.get("reason"), line.get("nodelist")
            if name == "lines" and nodes and reason not in (None, "none", "None") and number < SHOWN:
                remarks.append(f"{nodes}: {reason}.")
        return Finding(numbers=tuple(rows.numbers), remarks=tuple(remarks))

    return read


def _nodes(rows: Rows, number: int, line: dict[str, Any]) -> None:
    """Add the nodes of a partition by sinfo -s, if the line has them."""
    counts = str(line.get("nodes(a/i/o/t)")).split("/")
    if len(counts) == 4 and all(count.isdigit() for count in counts):
        for says, count in zip(("allocated", "idle", "other", "all"), counts, strict=True):
            rows.add(f"nodes_{says}_{number}", f"nodes, {says}", int(count), "nodes", group=line.get("partition") or "")


def _priorities(text: str, context: Context) -> Finding:
    from ... import measure

    jobs = measure.read_sprio(text)
    rows = Rows("measure.read_sprio", "scheduling")
    weights = jobs[0]["jobid"] == "Weights"
    rows.add("jobs", "lines", None if weights else len(jobs), "lines")
    for number, job in enumerate(sorted(jobs, key=lambda one: -one.get("priority", 0.0))[:SHOWN]):
        for name, value in job.items():
            if isinstance(value, float) and (value or name == "priority"):
                rows.add(
                    f"{name}_{number}",
                    name.replace("_factor", ""),
                    value,
                    group="weights" if weights else f"job {job['jobid']}",
                )
    remarks = ["The priority is the sum of the weighted factors, less nice: scheduling.priority computes it."]
    if len(jobs) > SHOWN:
        remarks.append(f"Only the {SHOWN} jobs of the highest priority are shown; measure.read_sprio has all.")
    return Finding(numbers=tuple(rows.numbers), remarks=tuple(remarks))


def _shares(text: str, context: Context) -> Finding:
    from ... import measure

    users = [row for row in measure.read_sshare(text) if row.get("user")]
    rows = Rows("measure.read_sshare", "scheduling")
    rows.add("users", "users, by account", len(users), "users")
    for number, row in enumerate(sorted(users, key=lambda one: one.get("fairshare") or 0.0)[:SHOWN]):
        group = f"{row['user']} in {row['account']}"
        rows.add(f"fairshare_{number}", "fair-share factor", row.get("fairshare"), "share", group=group)
        rows.add(f"effectvusage_{number}", "fraction of the account's usage", row["effectvusage"], "share", group=group)
        share = row.get("normshares")
        rows.add(
            f"normshares_{number}",
            "fraction of the shares",
            share if isinstance(share, float) else None,
            "share",
            group=group,
        )
    remarks = [
        "A factor of 1 is first in the order of fair share, and near 0 is last: scheduling.fair_tree computes it."
    ]
    if len(users) > SHOWN:
        remarks.append(f"Only the {SHOWN} users with the lowest factor are shown; measure.read_sshare has all.")
    return Finding(numbers=tuple(rows.numbers), remarks=tuple(remarks))


def _scontrol(text: str, context: Context) -> Finding:
    from ... import measure

    records = measure.read_scontrol(text)
    rows = Rows("measure.read_scontrol", "scheduling")
    problems: list[str] = []
    remarks = ["measure.read_scontrol has every field."]
    jobs = "JobId" in records[0]
    nodes = "NodeName" in records[0]
    rows.add("entries", "jobs" if jobs else "nodes" if nodes else "entries", len(records), "entries")
    for number, record in enumerate(records):
        show = number < SHOWN
        if jobs:
            _job(rows if show else None, problems, remarks, number, record)
        elif nodes:
            _node(rows if show else None, problems, number, record)
    if len(records) > SHOWN:
        remarks.append(f"Only the first {SHOWN} are shown.")
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems), remarks=tuple(remarks))


def _job(rows: Rows | None, problems: list[str], remarks: list[str], number: int, job: dict[str, Any]) -> None:
    name = f"job {job['JobId']}"
    if rows is not None:
        resources = job.get("AllocTRES") or job.get("ReqTRES") or job.get("TRES") or {}
        rows.add(f"state_{number}", "state", job.get("JobState"), group=name)
        rows.add(f"reason_{number}", "reason", job.get("Reason"), group=name)
        rows.add(f"priority_{number}", "priority", job.get("Priority"), group=name)
        rows.add(f"nodes_{number}", "nodes", str(job["NumNodes"]) if "NumNodes" in job else None, group=name)
        rows.add(f"cpus_{number}", "CPUs", job.get("NumCPUs"), "CPUs", group=name)
        rows.add(f"gpus_{number}", "GPUs", resources.get("gres/gpu"), "GPUs", group=name)
        rows.add(f"run_seconds_{number}", "run time", job.get("RunTime"), "s", group=name)
        limit = job.get("TimeLimit")
        rows.add(f"limit_seconds_{number}", "time limit", limit if limit != float("inf") else None, "s", group=name)
        rows.add(f"start_{number}", "start", job.get("StartTime"), group=name)
    if job.get("JobState") != "PENDING":
        return
    if any(reason in str(job.get("Reason")) for reason in _STUCK):
        problems.append(f"{name} does not start by itself: {job['Reason']}.")
    else:
        remarks.append(f"{name} waits: {job.get('Reason') or 'no reason yet'}.")


def _node(rows: Rows | None, problems: list[str], number: int, node: dict[str, Any]) -> None:
    name = str(node["NodeName"])
    if rows is not None:
        rows.add(f"state_{number}", "state", node.get("State"), group=name)
        rows.add(f"cpus_{number}", "CPUs", node.get("CPUTot"), "CPUs", group=name)
        rows.add(f"cpus_used_{number}", "CPUs in use", node.get("CPUAlloc"), "CPUs", group=name)
        rows.add(f"memory_{number}", "memory", node.get("RealMemory"), "B", group=name)
        rows.add(f"gres_{number}", "generic resources", node.get("Gres"), group=name)
        gpus = (node.get("AllocTRES") or {}).get("gres/gpu")
        rows.add(f"gpus_used_{number}", "GPUs in use", gpus, "GPUs", group=name)
    state = str(node.get("State"))
    if any(bad in state for bad in _BAD_STATES):
        problems.append(f"{name} is {state}: {node.get('Reason') or 'no reason is printed'}.")


TOOLS = (
    Tool(name="sacct", marks=r"^.*\bJobID\b.*\b(?:State|MaxRSS|AllocCPUS|Elapsed)\b|\b(?:State|MaxRSS|Elapsed|ReqMem|NNodes|AllocCPUS)\s*\n.*-{5,}\s*$", read=_table("jobs", "read_sacct"), example="""\
JobID|State|MaxRSS
7|COMPLETED|
7.0|COMPLETED|1180K
"""),
    Tool(name="squeue", marks=r"^.*\bJOBID\b.*\b(?:ST|STATE)\b", read=_table("jobs", "read_squeue"), example="""\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
                 7      gpus    train      ann  R       0:42      2 gpu[23-24]
"""),
    Tool(name="sinfo", marks=r"^(?!.*\bJOBID\b).*(?:\bPARTITION\b.*(?:\bSTATE\b|\bNODES\(A/I/O/T\))|\bNODELIST\b.*\b(?:STATE|CPUS|MEMORY|GRES)\b|\bREASON\b.*\bNODELIST\b)", read=_table("lines", "read_sinfo"), example="""\
PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
gpus*        up   infinite      2   idle gpu[23-24]
"""),
    Tool(name="sprio", marks=r"^.*\bJOBID\b.*\bPARTITION\b.*\bPRIORITY\b.*\b(?:AGE|FAIRSHARE|JOBSIZE|QOS|SITE)\b", read=_priorities, example="""\
          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  PARTITION        QOS
              2 gpus            1700          0          0          0        750       1000          0
"""),
    Tool(name="sshare", marks=r"^.*\bAccount\b.*\bRawShares\b.*\bRawUsage\b", read=_shares, example="""\
Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare
-------------------- ---------- ---------- ----------- ----------- ------------- ----------
 ml                                     60    0.594059         542      1.000000
  ml                      alice          1    0.333333         542      1.000000   0.200000
"""),
    Tool(name="scontrol show", marks=r"^.*\b(?:JobId=\d+.* JobName=|NodeName=\S+ (?:Arch|CPU|CoresPerSocket|State)|PartitionName=\S+\s*$|ReservationName=\S+ StartTime=)", read=_scontrol, example="""\
JobId=2 JobName=eval
   JobState=PENDING Reason=Resources Dependency=(null)
   RunTime=00:00:00 TimeLimit=00:10:00 TimeMin=N/A
   NumNodes=2-2 NumCPUs=8 NumTasks=2 CPUs/Task=4 ReqB:S:C:T=0:0:*:*
   WorkDir=/work/ann
"""),
)  # fmt: skip
