"""Grade on Dask worker processes, one of which is killed; with a fake grader."""

import json
import threading

import pytest

from autograder.grading.intake.archive import pack_submission, unpack_submission
from autograder.grading.intake.notebook_candidates import MAX_BYTES
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.lab import load
from autograder.grading.runs import sandbox_pool
from autograder.sandbox import SandboxUnavailable
from tests.grading import fakes
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, run

distributed = pytest.importorskip("distributed")
cloudpickle = pytest.importorskip("cloudpickle")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


@pytest.mark.sandbox
def test_cluster_grades_like_one_process_despite_a_killed_worker(cluster, course):
    for number in range(8):
        course.submit(f"s{number}", answers(course, number / 8))
    course.submit("once", answers(course, 1, f"# die once {course.root / 'died'}\n"))
    work = course.root / "autograder/work"
    (work / "submitted/empty" / LAB).mkdir(parents=True)
    there = run(course, scheduler=cluster.scheduler_address)
    assert (course.root / "died").exists() and there.graded == 10 and not there.failures
    before = fakes.contents(course)
    here = run(course, regrade=True)
    assert json.dumps(here.to_json()) == json.dumps(there.to_json())
    assert fakes.contents(course) == before
    assert run(course, scheduler=cluster.scheduler_address).reused == 10


@pytest.mark.sandbox
def test_cluster_task_contains_keys_but_not_the_secret(cluster, course, monkeypatch):
    course.submit("ann", answers(course, 1, "# find me\n"))
    submit, sent = distributed.Client.submit, []

    def spy(self, *arguments, **options):
        sent.append(cloudpickle.dumps((arguments, options)))
        return submit(self, *arguments, **options)

    monkeypatch.setattr(distributed.Client, "submit", spy)
    found = run(course, scheduler=cluster.scheduler_address, grade_one=fakes.grade_with_secrets)
    said = {one["message"] for one in found.rows["ann"]["exercises"].values()}
    assert said == {f"{len(load(ROOT, LAB).tasks)} keys"}
    assert len(sent) == 1 and b"find me" in sent[0] and b"for the tests" not in sent[0]


def test_a_worker_without_a_sandbox_stops_the_run(cluster, course):
    course.submit("ann", answers(course, 1))
    with pytest.raises(SandboxUnavailable):
        run(course, scheduler=cluster.scheduler_address, open_sandbox=fakes.open_where_no_sandbox_runs)
    assert fakes.scores(course) == {}


def test_a_worker_with_other_exercises_is_told_apart(cluster, course, monkeypatch):
    course.submit("ann", answers(course, 1))
    monkeypatch.setattr("autograder.grading.runs.fingerprint.source_digest", lambda lab: "before a fix")
    with pytest.raises(ValueError, match="the worker .* has another version of this course"):
        run(course, scheduler=cluster.scheduler_address)


def test_workers_may_come_late_and_where_none_comes_that_is_said(course, monkeypatch):
    course.submit("ann", answers(course, 1))
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, processes=False, dashboard_address=":0") as empty:
        monkeypatch.setattr("autograder.grading.runs.cluster.WORKER_SECONDS", 0.2)
        with pytest.raises(ValueError, match=r"has no workers, and none registered within 0\.2 s; start some"):
            run(course, scheduler=empty.scheduler_address)
        monkeypatch.setattr("autograder.grading.runs.cluster.WORKER_SECONDS", 60)
        later = threading.Timer(0.5, empty.scale, [1])
        later.start()
        assert run(course, scheduler=empty.scheduler_address).graded == 1
        later.join()


def test_no_scheduler_is_said_plainly(course, monkeypatch):
    monkeypatch.setattr("autograder.grading.runs.cluster.CONNECT_SECONDS", 0.2)
    course.submit("ann", answers(course, 1))
    with pytest.raises(ValueError, match="no Dask scheduler answers at tcp://127.0.0.1:1"):
        run(course, scheduler="tcp://127.0.0.1:1")


@pytest.mark.parametrize(
    "kind", ["file", "missing", "other name", "two", "link", "folder", "large", "no folder", "linked folder"]
)
def test_a_parcel_reads_there_as_it_reads_here(kind, tmp_path):
    folder, file = tmp_path / "here", tmp_path / "here" / f"lab_{LAB}.ipynb"
    good = (ROOT / "labs" / LAB / f"lab_{LAB}.ipynb").read_bytes()
    if kind == "linked folder":
        folder.symlink_to(ROOT / "labs" / LAB)
    elif kind != "no folder":
        folder.mkdir()
    if kind == "file":
        file.write_bytes(good)
    elif kind in ("other name", "two"):
        (folder / "mine.ipynb").write_bytes(good)
        if kind == "two":
            (folder / "second.IPYNB").write_bytes(good)
    elif kind == "link":
        file.symlink_to(ROOT / "labs" / LAB / f"lab_{LAB}.ipynb")
    elif kind == "folder":
        file.mkdir()
    elif kind == "large":
        with open(file, "wb") as stream:
            stream.truncate(MAX_BYTES + 1)
    (tmp_path / "there").mkdir()
    laid_out = unpack_submission(pack_submission(folder, f"lab_{LAB}"), tmp_path / "there")
    assert read_submission(laid_out, f"lab_{LAB}") == read_submission(folder, f"lab_{LAB}")


def test_boxes_are_lent_to_one_at_a_time_and_kept():
    lab, log = load(ROOT, LAB), []
    open_sandbox = fakes.logging(log)
    same = lab, {"data/a.csv": b"1"}, "v", "auto", open_sandbox
    with sandbox_pool.borrow_sandbox(*same) as first, sandbox_pool.borrow_sandbox(*same) as second:
        assert first is not second
    with sandbox_pool.borrow_sandbox(*same) as again:
        assert again in (first, second)
    assert log == ["open data/a.csv", "open data/a.csv"]
    with sandbox_pool.borrow_sandbox(lab, {}, "v", "auto", open_sandbox):
        assert log[2:] == ["close", "close", "open "]
    with pytest.raises(RuntimeError), sandbox_pool.borrow_sandbox(lab, {}, "v", "auto", open_sandbox):
        raise RuntimeError("a fault of the grader")
    assert log[5:] == ["close"]
