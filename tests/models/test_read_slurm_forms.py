"""Slurm's tables in formats of their users and between prompts; excerpts of prints that people have pasted in public."""

import pytest

from chip2cluster import measure

# clusterinthecloud/terraform#11 and geodesymiami/rsmas_insar#581 on GitHub
PENDING = """\
[opc@mgmt ~]$ sacct
       JobID    JobName  Partition    Account  AllocCPUS      State ExitCode 
------------ ---------- ---------- ---------- ---------- ---------- -------- 
3                  test    compute                     2    PENDING      0:0 
[opc@mgmt ~]$ 
"""  # noqa: W291
WITHOUT_JOB = """\
  NNodes  Timelimit    Elapsed                        JobName      State
-------- ---------- ---------- ------------------------------ ----------
       1   00:06:00   00:00:00  run_02_unpack_secondary_slc_0    PENDING
"""
# nauhpc/jobstats#14
MEMORY = """\
    ReqMem     MaxRSS
---------- ----------
   10000Mn            
   10000Mn    412420K
"""  # noqa: W291


def test_sacct_between_prompts_and_in_other_formats():
    (job,) = measure.read_sacct(PENDING)
    assert (job["jobid"], job["account"], job["state"]) == ("3", None, "PENDING")
    (job,) = measure.read_sacct(WITHOUT_JOB)
    assert (job["nnodes"], job["timelimit"], job["state"]) == (1, 360.0, "PENDING")


def test_sacct_reads_an_empty_last_cell():
    job, step = measure.read_sacct(MEMORY)
    assert (job["maxrss"], step["maxrss"], step["reqmem"]) == (None, 412420 * 1024.0, 10000 * 2.0**20)
    with pytest.raises(ValueError, match="sacct -P"):
        measure.read_sacct(MEMORY.replace("Mn            ", "Mn"))


def test_squeue_in_formats_of_its_users():
    text = "             JOBID      STATE          SUBMIT_TIME                 TIME\n"
    text += "           1854938    PENDING  2025-05-01T14:09:55                 0:00\n"
    (job,) = measure.read_squeue(f"$ squeue -j 1854938\n{text}$ \n")
    assert (job["state"], job["time"]) == ("PENDING", 0.0)
    (job,) = measure.read_squeue("JOBID|NAME|ST|REASON\n7|my train|PD|ReqNodeNotAvail, UnavailableNodes:n1\n")
    assert job["name"] == "my train" and job["reason"].endswith("n1")
    # aws/aws-parallelcluster-node#178: a blank in REASON would shift the columns after it.
    with pytest.raises(ValueError, match="put bars between them"):
        measure.read_squeue("JOBID  ST  REASON  TRES_PER_JOB  TRES_PER_TASK\n79  PD  ReqNodeNotAvail, Maygpu:12  N/A\n")


def test_sinfo_summary_and_reasons():
    text = "PARTITION AVAIL NODES(A/I/O/T)\nskx-dev* up 69/3/0/72\nskx up 981/178/1/1160\n"
    assert [line["nodes(a/i/o/t)"] for line in measure.read_sinfo(text)] == ["69/3/0/72", "981/178/1/1160"]
    (line,) = measure.read_sinfo(
        "REASON               USER      TIMESTAMP           NODELIST\nLow RealMemory  root  2019-03-26T10:00:00  compute[001-003]\n"
    )
    assert (line["reason"], line["nodelist"]) == ("Low RealMemory", "compute[001-003]")


def test_scontrol_below_its_command_but_not_below_lost_fields():
    """After tdegeus/GooseSLURM#32, where a shell without a prompt echoes the command."""
    text = "scontrol show job 10804568        [master]\nJobId=10804568 JobName=velocity\n   JobState=RUNNING Reason=None\n   WorkDir=/work\n"
    (job,) = measure.read_scontrol(text)
    assert (job["JobId"], job["JobState"]) == ("10804568", "RUNNING")
    with pytest.raises(ValueError, match="line 1 of text is 'NumNodes=1"):
        measure.read_scontrol("NumNodes=1 NumCPUs=1\n" + text)
