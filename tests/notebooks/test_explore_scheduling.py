"""The explorers of scheduling: queues held against starts drawn by hand, shares against recorded ones, pods counted."""

import re
from collections import Counter

import pytest

from chip2cluster import draw, explore, placement, scheduling

MINUTE = 60.0


# --- one queue, five policies ----------------------------------------------------------
def starts(view):
    return {row["job"].split(",")[0]: row["starts in the end (min)"] for row in view.table}


def test_first_come_first_served_by_hand():
    """Job 3 needs all six nodes, so nobody starts before jobs 1 (45 min) and 2 (40 min) have ended; then in order."""
    assert starts(explore.queue("fcfs")) == {
        "1": 0, "2": 0, "3": 45, "4": 65, "5": 65, "6": 65, "7": 85, "8": 85, "9": 105,
    }  # fmt: skip


def test_limit_below_the_window_allows_a_late_backfill():
    """Job 3 has its reservation at 90 min, job 6 is submitted at 20 min: the hole is 70 min long."""
    for walltime, at_once, late in ((69, 20, 20), (70, 20, 85), (71, 85, 85)):
        view = explore.queue("easy", walltime=f"{walltime} min")
        assert starts(view)["6"] == at_once
        assert starts(view.set(backfill="a second late"))["6"] == pytest.approx(late, abs=0.02)


def test_holes_close_as_the_walltime_grows():
    for policy in ("easy", "conservative"):
        view = explore.queue(policy)
        found = [starts(view.set(walltime=walltime))["6"] for walltime in view.controls[1].options]
        assert found == sorted(found) and len(set(found)) >= 2


def _names(sentence, job):
    lists = re.findall(r"\b[Jj]obs? (\d+(?:(?:, | and )\d+)*)", sentence)
    return any(job in re.findall(r"\d+", one) for one in lists)


@pytest.mark.parametrize("policy", ["fcfs", "sjf", "easy", "conservative", "conservative_compress"])
def test_whoever_waits_says_why_at_every_moment(policy):
    view = explore.queue(policy)
    moments = view.controls[2].options
    for moment in moments[:-1:3]:
        view.set(moment=moment)
        for row in view.table:
            name = row["job"].split(",")[0]
            waits = row["submitted (min)"] * MINUTE <= moment < row["starts in the end (min)"] * MINUTE
            assert (row["state"] in ("Resources", "Priority")) == waits
            assert not waits or _names(view.sentence, name)
    assert "On average the jobs wait" in view.set(moment="the end").sentence


@pytest.mark.parametrize("policy", ["fcfs", "sjf", "easy", "conservative", "conservative_compress"])
def test_state_of_a_queued_job_follows_the_clock(policy):
    """The state is what the start, the end and the time of the submission say at every moment."""
    view = explore.queue(policy)
    schedule = scheduling.simulate(explore.queue(policy)._jobs, 6, policy)
    for moment in view.controls[2].options[:-1]:
        for row, job in zip(view.set(moment=moment).table, schedule.jobs, strict=True):
            start, end = schedule.starts[job.id], schedule.ends[job.id]
            if moment < job.submit:
                assert row["state"] == "not submitted yet"
            elif moment >= start:
                assert row["state"] == ("RUNNING" if moment < end else "COMPLETED")
            else:
                assert row["state"] in ("Resources", "Priority")


@pytest.mark.parametrize("policy, says", [
    ("sjf", "Each of jobs 6, 5, 7, 4 and 8 fits the 3 free nodes, but no job may overtake job 3, "),
    ("easy", "Jobs 7, 8 and 9 need 3, 2 and 4 nodes and none is free; job 3, the head of the queue, "),
    ("conservative", "Jobs 6, 7 and 8 need 1, 3 and 2 nodes and none is free; the reservation of each is at 110 min"),
])  # fmt: skip
def test_a_shared_reason_is_said_once(policy, says):
    """Each reason is in one sentence, with the list of its jobs."""
    sentence = explore.queue(policy, moment="40 min").sentence
    assert says in sentence
    reasons = [re.sub(r"^.*?(but|;|free)", "", one) for one in sentence.split(". ")]
    assert len(reasons) <= 4


def test_the_axis_holds_still():
    view = explore.queue()
    ends = set()
    for policy in ("fcfs", "easy", "conservative"):
        for moment in (0, 2400, "the end"):
            ends.add(view.set(policy=policy, moment=moment).current.picture.svg.count(">200</text>"))
    assert ends == {1}


def test_jobs_of_ones_own():
    jobs = [scheduling.Job("a", 0, 3, 60), scheduling.Job("b", 0, 4, 60), scheduling.Job("c", 0, 1, 60)]
    view = explore.queue("fcfs", jobs=jobs, nodes=4, moment="the end")
    assert [row["job"] for row in view.table] == ["a", "b, yours", "c"]
    assert [row["starts in the end (min)"] for row in view.table] == [0, 1, 2]
    assert starts(view.set(policy="easy"))["c"] == 0
    assert starts(explore.queue("easy", jobs=jobs, nodes=4, yours="c", walltime="2 min"))["c"] == 2


@pytest.mark.parametrize("given, says", [
    ({"policy": "lifo"}, "policy must be one of 'fcfs'"),
    ({"walltime": "1 GB"}, "'1 GB' is in B, but s is asked for"),
    ({"walltime": 0}, "walltime must be one of"),
    ({"moment": "9 h"}, "moment must be one of"),
    ({"jobs": []}, "jobs must be 1 to 24, got 0"),
    ({"nodes": 65}, "nodes must be at most 64"),
    ({"nodes": 4}, "job 3 requests 6 nodes, but the machine has 4"),
    ({"yours": 12}, "yours must be the id of one of the jobs, 1, 2, .*; got 12"),
    ({"policy": "conservative_compress", "backfill": "a second late"}, "guarantees are given at once"),
])  # fmt: skip
def test_a_wrong_queue_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.queue(**given)


# --- priority over time ----------------------------------------------------------------
def test_without_a_fair_share_age_alone_decides():
    view = explore.priority(fairshare=0, age=10000, half_life="1 h")
    order = sorted(view.table, key=lambda row: (row["starts (h)"], row["submitted (h)"]))
    whole = [row for row in order if row["nodes"] == 4]
    assert [row["submitted (h)"] for row in whole] == sorted(row["submitted (h)"] for row in whole)


def test_who_used_most_waits_until_it_is_forgotten():
    def waits(half_life):
        rows = explore.priority(half_life, fairshare=10000, age=0).table
        return sum(row["waits (h)"] for row in rows if row["job"].startswith("alice"))

    assert waits("1 h") < waits("6 h") < waits("never")
    fresh = explore.priority("never", used={"alice": 0, "bob": 0, "carol": 500})
    assert fresh.table[4]["job"] == "carol 1" and fresh.table[4]["starts (h)"] > 10


@pytest.mark.parametrize("given, finds", [
    ({}, "Alice waits longest, 12.4 h on average: past usage weighs most"),
    ({"half_life": "1 h"}, "Bob waits longest, 9.5 h on average: past usage weighs most"),
    ({"fairshare": 0}, "Carol waits longest, 10 h on average: age weighs most"),
    ({"fairshare": 0, "age": 0, "job_size": 5000}, "Carol waits longest, 9.5 h on average: size weighs most"),
    ({"fairshare": 0, "age": 0}, "Carol waits longest, 10 h on average: first come, first served"),
])  # fmt: skip
def test_title_of_priority_says_who_waits_longest_and_why(given, finds):
    view = explore.priority(**given)
    assert view.current.picture.title == finds
    waits = {}
    for row in view.table:
        waits.setdefault(row["job"].split()[0], []).append(row["waits (h)"])
    assert max(waits, key=lambda user: sum(waits[user]) / len(waits[user])) == finds.split()[0].lower()


def test_no_priority_passes_the_sum_of_the_weights():
    view = explore.priority(fairshare=5000, age=2000, job_size=1000)
    assert all(row["at last"] <= 8000 for row in view.table if row["at last"] == row["at last"])


def test_the_recording_is_what_sprio_printed():
    view = explore.priority(shown="a real Slurm, recorded")
    last = {}
    for one in scheduling.recorded_priorities():
        last[f"job {one.job} ({one.user})"] = one.time_s, one.priority
    assert {row["job"]: (row["until (s)"], row["at last"]) for row in view.table} == last
    assert view.values["half_life"] == 3600 and view.values["fairshare"] == 10000
    with pytest.raises(ValueError, match="fairshare 0 is not offered here: the recording has its own"):
        explore.priority(shown="a real Slurm, recorded", fairshare=0)


@pytest.mark.parametrize("given, says", [
    ({"half_life": "1 s"}, "half_life must be one of"),
    ({"fairshare": 3}, "fairshare must be one of 0, 1000"),
    ({"used": {"dan": 1}}, "used must name alice, bob, carol, got 'dan'"),
    ({"used": {"bob": -1}}, r"used\['bob'\] must be zero or more"),
    ({"used": [1]}, "used must map users to node-hours"),
])  # fmt: skip
def test_a_wrong_past_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.priority(**given)


# --- placement -------------------------------------------------------------------------
@pytest.mark.parametrize("others", explore.placement().controls[3].options)
def test_nobody_gets_a_gpu_twice(others):
    view = explore.placement(others=others)
    used = view._busy[others]
    for pods in (1, 3, 6, 9):
        for gpus in (1, 2, 4):
            for rule in view.controls[0].options:
                found = view._placed(rule, used, pods, gpus)
                held = Counter(node for places in found.pods for node in places if node is not None)
                assert all(gpus * held[node] + count <= 4 for node, count in enumerate(used))
                if rule == "Ray STRICT_PACK":
                    assert all(len(set(places)) == 1 for places in found.pods)
                if rule == "Ray STRICT_SPREAD":
                    assert all(len(set(places)) in (1, pods) for places in found.pods)
                if not rule.startswith("Kubernetes, s") and rule != "Kubernetes, pack":
                    assert all(len({node is None for node in places}) == 1 for places in found.pods)


def test_gang_allocation_avoids_mutual_starvation():
    view = explore.placement("Kubernetes, pack", 6)
    rows = {row["rule"]: row for row in view.table}
    assert rows["Kubernetes, pack"]["GPUs held in vain"] == 20 and "a deadlock" in view.sentence
    assert rows["Kubernetes, gangs"]["jobs that run"] == 1 and rows["Kubernetes, gangs"]["GPUs held in vain"] == 0
    halves = placement.gang(20 // 2, 6, 2, all_or_nothing=False)  # ten places for pods of two GPUs
    assert halves.deadlock and halves.held == (5, 5)


def test_whole_nodes_lie_close_together():
    row = explore.placement("Slurm, whole nodes", 4, 2, others="others on one leaf").table[-1]
    assert (row["nodes of job A"], row["links between them, mean"]) == (2, 2)
    odd = explore.placement("Slurm, whole nodes", 3, 2, others="nobody else").table[-1]
    assert odd["GPUs held in vain"] == 4  # half a node for each job


def test_a_cluster_of_ones_own():
    view = explore.placement("Ray SPREAD", 2, 8, used=[0, 8, 0, 0], gpus_per_node=8, nodes_per_leaf=2)
    assert view.values["others"] == "yours" and view.table[1]["links between them, mean"] == 4
    assert "Node 2: 8 by others." in view.alt


@pytest.mark.parametrize("given, says", [
    ({"rule": "Ray"}, "rule must be one of 'Ray PACK'"),
    ({"gpus": 3}, "gpus must be one of 1, 2, 4"),
    ({"used": [5]}, "used must be 1 to 12 numbers up to 4"),
    ({"used": []}, "used must be 1 to 12 numbers up to 4"),
    ({"gpus_per_node": 9}, "gpus_per_node must be at most 8"),
])  # fmt: skip
def test_a_wrong_cluster_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.placement(**given)


@pytest.mark.parametrize("call, says", [
    (lambda: draw.pod_placement([], [], title=""), "1 to 12 nodes"),
    (lambda: draw.pod_placement([["A1"]], [2], title=""), "leaves must add up to the 1 nodes"),
    (lambda: draw.pod_placement([["X1"]], [1], title=""), "jobs must be A to D, got 'X'"),
])  # fmt: skip
def test_a_wrong_drawing_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
