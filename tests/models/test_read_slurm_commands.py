"""Slurm's sprio, sshare and scontrol, by prints of Slurm 22.05."""

from pathlib import Path

import pytest

from chip2cluster import measure

DATA = Path(__file__).parent / "data/measure"
FACTORS = ("age", "assoc", "fairshare", "jobsize", "partition_factor", "qos", "site")


def text(name):
    return (DATA / f"{name}.txt").read_text()


def test_sprio_factors_sum_up_to_the_priority():
    for job in measure.read_sprio(text("sprio_long")):
        assert job["priority"] == sum(job[name] for name in FACTORS) - job["nice"] and job["tres"] is None
    assert [job["jobid"] for job in measure.read_sprio(text("sprio"))] == ["2", "3"]


def test_sprio_weights_times_factors_are_the_priority():
    (weights,) = measure.read_sprio(text("sprio_weights"))
    shares = measure.read_sprio(text("sprio_normalized"))
    for share, job in zip(shares, measure.read_sprio(text("sprio")), strict=True):
        for name in ("age", "fairshare", "jobsize", "partition_factor", "qos"):
            assert int(weights[name] * share[name]) == job[name]


@pytest.mark.parametrize("bars", [False, True])
def test_sshare_shares_of_siblings_sum_up_to_one(bars):
    shown = text("sshare")
    if bars:
        rows = [line for line in shown.splitlines() if "---" not in line]
        ends = [20, 31, 42, 54, 66, 80, 91]
        cells = [[line[a:b].strip() for a, b in zip([0, *ends], ends, strict=False)] for line in rows]
        shown = "\n".join("|".join(row) for row in cells) + "\n"
    rows = measure.read_sshare(shown)
    users = {row["user"]: row for row in rows if row["user"]}
    assert [users[name]["fairshare"] for name in ("alice", "bob", "carol")] == [0.2, 0.6, 1.0]
    assert users["carol"]["rawshares"] == "parent" and users["alice"]["account"] == "ml"
    accounts = [row for row in rows if not row["user"] and row["account"] != "root"]
    assert sum(row["normshares"] for row in accounts) + users["root"]["normshares"] == pytest.approx(1, abs=1e-4)


def test_sshare_without_a_database_is_empty():
    with pytest.raises(ValueError, match="empty without a database"):
        measure.read_sshare("".join(text("sshare").splitlines(keepends=True)[:2]))


def test_scontrol_jobs_agree_with_sprio():
    jobs = measure.read_scontrol(text("scontrol_job"))
    priorities = {job["jobid"]: job["priority"] for job in measure.read_sprio(text("sprio"))}
    assert {job["JobId"]: job["Priority"] for job in jobs if job["JobState"] == "PENDING"} == priorities
    running = jobs[0]
    assert (running["TimeLimit"], running["NumCPUs"], running["Reason"]) == (600.0, 8, None)
    assert running["TRES"]["cpu"] == running["NumCPUs"] and running["TresPerNode"] == "gres:gpu:h100:4"


def test_scontrol_node_in_lines_and_in_one_line():
    (node,) = measure.read_scontrol(text("scontrol_node"))
    assert measure.read_scontrol(text("scontrol_node_oneline"))[0] == node
    assert node["CfgTRES"]["mem"] == node["RealMemory"] == 64000 * 2**20
    drained = measure.read_scontrol(text("scontrol_node_drained"))
    assert drained[0]["Reason"].startswith("gres/gpu count reported lower") and "DRAIN" in drained[1]["State"]


def test_scontrol_keeps_words_of_a_command():
    shown = text("scontrol_job").replace("Command=/work/ann/job.sh", "Command=/work/ann/job.sh LR=3 NumNodes=9")
    assert measure.read_scontrol(shown)[0]["Command"] == "/work/ann/job.sh LR=3 NumNodes=9"
    line = text("scontrol_node_oneline").replace("Gres=", "Gres=a CPUTot=9 Gres=", 1)
    with pytest.raises(ValueError, match="one value of CPUTot"):
        measure.read_scontrol(line)
    with pytest.raises(ValueError, match="mixes JobId and NodeName"):
        measure.read_scontrol(text("scontrol_job") + text("scontrol_node"))
