"""Job arrays, dependencies, preemption, pending reasons, and errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import scheduling
from chip2cluster.scheduling import Job, Preemption, Weights, array_jobs, expand_array, simulate
from tests.tables import every_row


# --- arrays: what Slurm 22.05.8 did with "0-5%2" on one's own cluster, in seconds from the submission ------------------
def test_array_limit_runs_two_at_a_time():
    """Recorded: tasks 0 and 1 started at once, 2 and 3 after their end, then 4 and 5."""
    tasks = array_jobs(Job(27, 0, 1, 60, 6), "0-5%2")
    schedule = simulate(tasks, 4, "conservative")
    assert list(schedule.starts.values()) == [0, 0, 6, 6, 12, 12]
    assert "may run 2 tasks at once, and 2 run (JobArrayTaskLimit)" in schedule.why("27_2", 0)


def test_limited_array_lets_others_start():
    jobs = [*array_jobs(Job(1, 0, 1, 10), "0-9%1"), Job(2, 0, 1, 10)]
    assert simulate(jobs, 2, "fcfs").starts[2] == 0


@pytest.mark.parametrize(
    "text, tasks, limit",
    [
        ("0-3", (0, 1, 2, 3), None),
        ("1,3,5-9", (1, 3, 5, 6, 7, 8, 9), None),
        ("0-15:4", (0, 4, 8, 12), None),
        ("0-999%20", tuple(range(1000)), 20),
        ("7", (7,), None),
    ],
)
def test_expand_array_examples_of_the_manual(text, tasks, limit):
    array = expand_array(text)
    assert (array.tasks, array.limit, array.count) == (tasks, limit, len(tasks))


def test_array_jobs_with_different_runtimes():
    assert [job.runtime for job in array_jobs(Job(1, 0, 1, 60, 30), "0-2", {1: 50})] == [30, 50, 30]


# --- dependencies -------------------------------------------------------------------------------------------------------
def test_dependencies_wait_for_their_event():
    jobs = [
        Job(1, 0, 1, 10, 10),
        Job(2, 0, 1, 10, 4, fails=True),
        Job(3, 0, 1, 5, dependency="after:1"),
        Job(4, 0, 1, 5, dependency="afterok:1"),
        Job(5, 0, 1, 5, dependency="afterany:2"),
        Job(6, 0, 1, 5, dependency="afternotok:2,afterok:1"),
        Job(7, 0, 1, 5, dependency="afterok:2"),
    ]
    schedule = simulate(jobs, 10, "fcfs")
    assert schedule.starts == {1: 0, 2: 0, 3: 0, 4: 10, 5: 4, 6: 10}
    assert schedule.never == {7: None} and schedule.states[7] == "PENDING"
    assert "(DependencyNeverSatisfied)" in schedule.why(7) and "afterok 2" in schedule.why(7)
    assert "(Dependency)" in schedule.why(4, 3)


def test_dependency_on_array_waits_for_all_tasks():
    jobs = [*array_jobs(Job(1, 0, 1, 10), "0-3%2"), Job(2, 0, 1, 5, dependency="afterok:1")]
    assert simulate(jobs, 9, "fcfs").starts[2] == 20


def test_singleton_waits_for_earlier_jobs_with_its_name():
    """Recorded on Slurm 22.05.8: two jobs "same" of one user; the second could start when the first had ended."""
    jobs = [
        Job(32, 0, 1, 60, 5, "root", name="same"),
        Job(33, 0, 1, 60, 1, "root", name="same", dependency="singleton"),
    ]
    others = [Job(34, 0, 1, 60, 9, "root", name="other"), Job(35, 0, 1, 60, 9, "eve", name="same")]
    schedule = simulate([*jobs, *others], 4, "conservative")
    assert schedule.starts == {32: 0, 33: 5, 34: 0, 35: 0}
    assert schedule.why(33, 1) == "Job 33 waits for other jobs: its dependency is singleton (Dependency)."
    later = [Job(1, 5, 1, 60, 5, name="same"), Job(2, 0, 1, 60, 9, name="same", dependency="singleton")]
    assert simulate(later, 4, "fcfs").starts == {1: 5, 2: 0}  # later jobs are not waited for


def test_dependency_with_question_mark_needs_one():
    jobs = [Job(1, 0, 1, 60, 9, fails=True), Job(2, 0, 1, 60, 20), Job(3, 0, 1, 60, 30)]
    either, none = (
        Job(4, 0, 1, 5, dependency="afterok:1?afterok:2?afterok:3"),
        Job(5, 0, 1, 5, dependency="afterok:1?afternotok:2"),
    )
    schedule = simulate([*jobs, either, none], 9, "fcfs")
    assert schedule.starts[4] == 20 and schedule.never == {5: None}
    assert "is afterok 1 or afternotok 2 (DependencyNeverSatisfied)" in schedule.why(5, 100)


def test_aftercorr_waits_for_task_with_same_number():
    first = array_jobs(Job(1, 0, 1, 60), "0-2", {0: 30, 1: 20, 2: 10})
    second = array_jobs(Job(2, 0, 1, 60, 5, dependency="aftercorr:1"), "0-2")
    starts = simulate([*first, *second], 9, "fcfs").starts
    assert [starts[f"2_{task}"] for task in range(3)] == [30, 20, 10]


@every_row("kind, fails, wall, starts", [
    ("afterok", False, 10, True), ("afterok", True, 10, False), ("afterok", False, 5, False),
    ("afternotok", False, 10, False), ("afternotok", True, 10, True), ("afternotok", False, 5, True),
    ("afterany", False, 10, True), ("afterany", True, 10, True), ("afterany", False, 5, True),
])  # fmt: skip
def test_final_state_decides_dependencies(kind, fails, wall, starts):
    """Table of the sbatch manual: a job that timed out has failed."""
    jobs = [Job(1, 0, 1, wall, 8, fails=fails), Job(2, 0, 1, 5, dependency=f"{kind}:1")]
    schedule = simulate(jobs, 2, "easy")
    assert (2 in schedule.starts) == starts and (not starts or schedule.starts[2] == min(wall, 8))


def test_age_counts_from_eligibility():
    """Of two jobs submitted together, the one with a dependency is younger and comes second."""
    jobs = [Job(0, 0, 1, 50), Job(1, 0, 1, 10, dependency="afterok:0"), Job(2, 20, 1, 10), Job(3, 0, 1, 60)]
    schedule = simulate(jobs, 2, "multifactor_strict", Weights(age=1000, age_max=1000))
    assert schedule.starts[2] < schedule.starts[1]


# --- preemption ---------------------------------------------------------------------------------------------------------
VICTIM, URGENT = Job(41, 0, 4, 180, 100, qos=0), Job(42, 4, 2, 60, 8, qos=1)


def test_preempted_job_is_requeued_after_two_minutes():
    """Recorded on Slurm 22.05.8: four nodes were taken although two were wanted; requeued with a begin time 2 min later."""
    schedule = simulate([VICTIM, URGENT], 4, "conservative", preemption=Preemption())
    assert schedule.starts == {41: 4 + 120, 42: 4}
    assert [(run.job, run.start, run.end, run.state) for run in schedule.runs] == [
        (41, 0, 4, "PREEMPTED"), (42, 4, 12, "COMPLETED"), (41, 124, 224, "COMPLETED"),
    ]  # fmt: skip
    assert schedule.metrics().lost_node_seconds == 16
    assert schedule.lifecycle(41) == (
        (0, "PENDING"), (0, "RUNNING"), (4, "PREEMPTED"), (4, "PENDING"), (124, "RUNNING"), (224, "COMPLETED"),
    )  # fmt: skip
    assert "preempted at 4 s and may start again at 124 s (BeginTime)" in schedule.why(41, 50)


def test_preemption_grace_checkpoints_and_cancel():
    late = simulate([VICTIM, URGENT], 4, "easy", preemption=Preemption(grace=30))
    assert late.starts[42] == 34
    saved = simulate([VICTIM, Job(42, 50, 2, 60, 8, qos=1)], 4, "easy", preemption=Preemption(checkpoint_interval=20))
    assert saved.ends[41] == 170 + 60  # 40 of 100 s were checkpointed
    gone = simulate([VICTIM, URGENT], 4, "easy", preemption=Preemption(mode="cancel"))
    assert gone.states[41] == "PREEMPTED" and len(gone.runs) == 2


def test_youngest_job_of_lowest_qos_is_preempted():
    jobs = [Job(1, 0, 1, 100), Job(2, 1, 1, 100), Job(3, 2, 1, 100, qos=0.5), Job(4, 5, 1, 10, qos=1)]
    schedule = simulate(jobs, 3, "easy", preemption=Preemption())
    assert [run.job for run in schedule.runs if run.state == "PREEMPTED"] == [2]
    same = simulate([Job(1, 0, 1, 100, qos=1), Job(2, 1, 1, 10, qos=1)], 1, "easy", preemption=Preemption())
    assert same.starts[2] == 100


def test_no_preemption_if_the_job_would_not_fit():
    jobs = [Job(1, 0, 1, 100), Job(2, 0, 3, 100, qos=1), Job(3, 1, 4, 10, qos=0.5)]
    schedule = simulate(jobs, 4, "easy", preemption=Preemption())
    assert schedule.starts[3] == 100 and not any(run.state == "PREEMPTED" for run in schedule.runs)


def test_preemption_precedes_backfill():
    """Job 3 would fit the node that job 1 leaves free, but job 2 gets it; job 3 must not start only to be preempted."""
    jobs = [Job(1, 0, 3, 100), Job(2, 5, 4, 10, qos=1), Job(3, 5, 1, 10)]
    schedule = simulate(jobs, 4, "easy", preemption=Preemption())
    assert [(run.job, run.start, run.end) for run in schedule.runs] == [
        (1, 0, 5),
        (2, 5, 15),
        (3, 15, 25),
        (1, 125, 225),
    ]


def test_several_jobs_preempt_several():
    jobs = [Job(1, 0, 2, 100), Job(2, 0, 2, 100), Job(3, 5, 2, 10, qos=1), Job(4, 5, 2, 10, qos=1)]
    schedule = simulate(jobs, 4, "fcfs", preemption=Preemption())
    assert schedule.starts[3] == schedule.starts[4] == 5


# --- why ----------------------------------------------------------------------------------------------------------------
QUEUE = [Job(1, 0, 3, 60), Job(2, 0, 4, 60), Job(3, 0, 1, 90), Job(4, 0, 2, 10)]


@every_row(
    "policy, job, words",
    [
        (
            "fcfs",
            2,
            "needs 4 nodes and 1 is free; by the time limits of running jobs they are free at 60 s (Resources)",
        ),
        ("fcfs", 3, "fits the 1 free node, but no job may overtake job 2"),
        ("fcfs", 4, "needs 2 nodes and 1 is free; no job may overtake job 2"),
        ("easy", 3, "would hold it until 90 s, and job 2 has a reservation for 4 nodes at 60 s (Priority)"),
        ("easy", 4, "job 2, the head of the queue, has a reservation at 60 s"),
        (
            "conservative",
            3,
            "not for its time limit of 90 s, because jobs ahead of it have reservations; its own is at 2 min",
        ),
        ("conservative_compress", 4, "its reservation is at 2 min"),
    ],
)
def test_why_of_pending_jobs(policy, job, words):
    assert words in simulate(QUEUE, 4, policy).why(job, 0)


def test_why_of_other_jobs():
    schedule = simulate([*QUEUE, Job(5, 30, 1, 5)], 4, "fcfs")
    assert schedule.why(1) == "Job 1 has been running since 0 s."
    assert schedule.why(1, 60) == "Job 1 ended at 60 s (COMPLETED)."
    assert schedule.why(5, 3) == "Job 5 is submitted at 30 s, not before."


# --- all of it at once --------------------------------------------------------------------------------------------------
@st.composite
def mixed(draw):
    """Draw jobs and arrays with three QOS levels, some of which depend on earlier ones."""
    jobs = []
    for number in range(draw(st.integers(1, 7))):
        wall = draw(st.integers(1, 9))
        kind, before = draw(st.sampled_from(["after", "afterok", "afterany", "afternotok"])), draw(st.integers(0, 20))
        job = Job(
            number, draw(st.integers(0, 9)), draw(st.integers(1, 4)), wall, draw(st.integers(0, wall + 1)),
            qos=draw(st.sampled_from([0, 0.5, 1])), fails=draw(st.booleans()),
            dependency=f"{kind}:{before}" if before < number else "",
        )  # fmt: skip
        jobs += array_jobs(job, "0-2%2") if draw(st.booleans()) else [job]
    return jobs


@given(
    jobs=mixed(), policy=st.sampled_from(list(scheduling.policies())),
    grace=st.sampled_from([None, 0, 2]), delay=st.sampled_from([0, 1]),
)  # fmt: skip
def test_arrays_dependencies_and_preemption_combined(jobs, policy, grace, delay):
    preemption = None if grace is None else Preemption(grace=grace, requeue_delay=3)
    delay = 0 if policy == "conservative_compress" else delay
    weights = Weights(age=10, age_max=10, job_size=5) if policy.startswith("multifactor") else None
    schedule = simulate(jobs, 4, policy, weights, preemption=preemption, backfill_delay=delay)
    by_name = {job.id: job for job in jobs}
    times = sorted({run.start for run in schedule.runs} | {run.end for run in schedule.runs})
    for time in times:
        now = [run for run in schedule.runs if run.start <= time < run.end]
        assert sum(run.nodes for run in now) <= 4
        for array in {by_name[run.job].array for run in now} - {None}:
            assert sum(by_name[run.job].array == array for run in now) <= 2
        for name in by_name:
            assert schedule.why(name, time).startswith(f"Job {name} ")
    assert all(len(set(nodes)) == len(nodes) for nodes in schedule.node_lists)
    for run in schedule.runs:
        job = by_name[run.job]
        assert run.start >= run.eligible >= job.submit and run.end <= run.start + run.limit
        if run.state != "PREEMPTED":
            assert run.end - run.start == pytest.approx(min(job.runtime, job.walltime))
        elif all(
            one.runtime and not one.dependency for one in jobs
        ):  # otherwise other jobs may arrive at the same time
            assert run.end > run.start  # no job starts just before it is preempted
    final = {run.job for run in schedule.runs if run.state != "PREEMPTED"}
    assert final | set(schedule.never) == set(by_name) and not final & set(schedule.never)
    for name in schedule.never:
        assert by_name[name].dependency and "DependencyNeverSatisfied" in schedule.why(name, 1000)


# --- what is refused ----------------------------------------------------------------------------------------------------
@every_row(
    "wrong, message",
    [
        ({"walltime": 0}, "walltime must be greater than zero, got 0"),
        ({"walltime": -60}, "walltime must be greater than zero"),
        ({"submit": -1}, "submit must be zero or more"),
        ({"runtime": -1}, "runtime must be zero or more"),
        ({"nodes": 0}, "nodes must be at least 1"),
        ({"nodes": 1.5}, "nodes must be a whole number"),
        ({"qos": 2}, "qos must be at most 1"),
        ({"fairshare": float("nan")}, "fairshare must be finite"),
        ({"walltime_min": 61}, "walltime_min must be at most the walltime, 60 s"),
        ({"array_limit": 0}, "array_limit must be at least 1"),
        ({"dependency": "before:1"}, "dependency must be one of 'after', 'afterany', 'afterok', 'afternotok'"),
        ({"dependency": "afterok:1?afterok:2,after:3"}, "must be joined by , .all. or by . .any., not by both"),
        ({"dependency": "singleton:"}, "must name a job after the colon"),
        ({"dependency": "afterok"}, "must name a job after the colon"),
    ],
)
def test_job_errors(wrong, message):
    with pytest.raises(ValueError, match=message):
        Job(**{"id": 1, "submit": 0, "nodes": 1, "walltime": 60} | wrong)


@every_row(
    "wrong",
    [{"id": True}, {"id": None}, {"id": ""}, {"nodes": "2"}, {"fails": 1}, {"nodes": [1, 2]}, {"submit": [0, 1]}],
)
def test_dependency_kind_errors(wrong):
    with pytest.raises(TypeError):
        Job(**{"id": 1, "submit": 0, "nodes": 1, "walltime": 60} | wrong)


@pytest.mark.parametrize(
    "jobs, message",
    [
        ([Job(1, 0, 1, 60), Job("1", 0, 1, 60)], "different ids, got 1 more than once"),
        (array_jobs(Job(2, 0, 1, 60, dependency="aftercorr:1"), "0-1"), "job 2_0 depends on 1_0, but there is no job"),
        ([Job(1, 0, 1, 60, dependency="afterok:9")], "job 1 depends on 9, but there is no job of that name"),
        (
            [Job(1, 0, 1, 60, dependency="afterok:2"), Job(2, 0, 1, 60, dependency="afterany:1"), Job(3, 0, 1, 9)],
            "must not form a cycle; jobs 1, 2 wait for each other",
        ),
    ],
)
def test_job_list_errors(jobs, message):
    with pytest.raises(ValueError, match=message):
        simulate(jobs, 4, "fcfs")


def test_strict_site_refuses_a_job_larger_than_the_machine():
    with pytest.raises(ValueError, match="job 1 requests 5 nodes, but the machine has 4"):
        simulate([Job(1, 0, 5, 60)], 4, "fcfs", strict=True)


def test_simulate_argument_errors():
    jobs = [Job(1, 0, 1, 60)]
    with pytest.raises(ValueError, match="policy must be one of 'fcfs', 'sjf'"):
        simulate(jobs, 4, "lifo")
    with pytest.raises(ValueError, match="policy must be one of 'fcfs', 'sjf'"):
        simulate(jobs, 4, ["easy"])
    with pytest.raises(TypeError, match="nodes must be a single whole number"):
        simulate(jobs, [4, 5], "easy")
    with pytest.raises(ValueError, match="needs a priority such as scheduling.Weights"):
        simulate(jobs, 4, "multifactor_easy")
    with pytest.raises(ValueError, match="takes no priority"):
        simulate(jobs, 4, "easy", Weights(age=1))
    with pytest.raises(TypeError, match="jobs must hold scheduling.Job objects"):
        simulate([1], 4, "easy")
    with pytest.raises(TypeError, match="preemption must be"):
        simulate(jobs, 4, "easy", preemption=True)
    with pytest.raises(ValueError, match="gives its guarantees immediately; backfill_delay must be 0, got 1"):
        simulate(jobs, 4, "conservative_compress", backfill_delay=1)
    with pytest.raises(ValueError, match="nodes must be at least 1"):
        simulate(jobs, 0, "easy")
    with pytest.raises(ValueError, match="mode must be one of"):
        Preemption(mode="suspend")
    with pytest.raises(ValueError, match="checkpoint_interval must be greater than zero"):
        Preemption(checkpoint_interval=0)


def test_schedule_argument_errors():
    schedule = simulate([Job(1, 0, 1, 60)], 4, "easy")
    with pytest.raises(ValueError, match="job must be one of"):
        schedule.why(2)
    with pytest.raises(ValueError, match="job must be one of"):
        schedule.lifecycle(2)
    with pytest.raises(ValueError, match="time must be zero or more"):
        schedule.reservations_at(-1)
    with pytest.raises(ValueError, match="bound must be greater than zero"):
        schedule.metrics(0)
    assert simulate([], 4, "easy").gpu_hours(8) == 0
    with pytest.raises(ValueError, match="nothing ran"):
        simulate([], 4, "easy").metrics()
    with pytest.raises(ValueError, match="gpus_per_node must be at least 1"):
        schedule.gpu_hours(0)


@every_row("text", ["", "a", "3-1", "0-9%0", "1,1", "0-9:0", "1--3", "0-5%", "-1"])
def test_expand_array_errors(text):
    with pytest.raises(ValueError, match="got|not a number"):
        expand_array(text)


def test_array_argument_errors():
    with pytest.raises(TypeError, match="specification must be a text"):
        expand_array(5)
    with pytest.raises(TypeError, match="job must be"):
        array_jobs(1, "0-3")
    with pytest.raises(ValueError, match="runtimes must belong to tasks"):
        array_jobs(Job(1, 0, 1, 60), "0-3", {4: 1})
    with pytest.raises(ValueError, match="factor must be at least 1"):
        scheduling.with_walltimes([], 0.5)
