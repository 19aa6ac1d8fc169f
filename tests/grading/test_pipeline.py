"""A class is graded completely, once, into one gradebook; with a fake grader."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading.lab import load
from autograder.grading.result import SubmissionStatus
from autograder.grading.result_store import ResultStore, file_name
from autograder.grading.runs import fingerprint
from autograder.grading.runs.grading_run import write_report
from autograder.grading.runs.pipeline import grade_lab
from autograder.sandbox import SandboxType, SandboxUnavailable
from chip2cluster.exercise.verdict_codes import Ruling
from tests.grading import fakes, samples
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, autograded, graded, run, snapshot, submitted
from tests.waiting import wait_until

MOST = load(ROOT, LAB).max_score


def test_everything_handed_in_gets_a_row_and_is_not_touched(course):
    course.submit("ann", answers(course, 1))
    course.submit("Zoë 王 [1] 100%", answers(course, 0.5))
    submitted(course, "empty").mkdir(parents=True)
    submitted(course, "file").parent.mkdir()
    submitted(course, "file").write_text("not a folder")
    submitted(course, "link").parent.mkdir()
    submitted(course, "link").symlink_to("/nowhere")
    (submitted(course, "other").parent / "another_lab").mkdir(parents=True)
    submitted(course, "misplaced").parent.mkdir()
    (submitted(course, "misplaced").parent / f"lab_{LAB}.ipynb").write_text("{}")
    (course.root / "autograder/work/submitted/.hidden" / LAB).mkdir(parents=True)
    before = snapshot(course.root / "autograder/work/submitted")
    found = run(course)
    assert before == snapshot(course.root / "autograder/work/submitted")
    assert list(found.rows) == ["Zoë 王 [1] 100%", "ann", "empty", "file", "link", "misplaced"]
    assert {s: row["status"] for s, row in found.rows.items() if row["status"] != "unreadable"} == dict.fromkeys(
        ["ann", "Zoë 王 [1] 100%"], "graded"
    )
    assert not found.clean and not found.failures
    assert fakes.scores(course) == pytest.approx(
        {"ann": MOST, "Zoë 王 [1] 100%": MOST / 2, "empty": 0, "file": 0, "link": 0, "misplaced": 0}
    )
    top = autograded(course, "empty")["cells"][0]
    assert top["cell_type"] == "markdown" and f"    autograder/work/submitted/empty/{LAB}\n" in "".join(top["source"])
    assert [result.student for result in ResultStore.of(course.root, LAB)] == sorted(found.rows, key=file_name)


def test_a_report_is_the_agreed_json(course, tmp_path):
    course.submit("ann", answers(course, 0.5))
    write_report(run(course), tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert list(report) == ["lab", "sandbox", "students"] and report["sandbox"] == "bubblewrap"
    (student,) = report["students"].values()
    assert list(student) == ["status", "score", "max_score", "catalogue", "repairs", "exercises"]
    assert all(list(one) == ["score", "max_score", "verdict", "message"] for one in student["exercises"].values())
    assert sum(one["score"] for one in student["exercises"].values()) == student["score"] == MOST / 2


def test_stored_result_with_an_unknown_value_is_graded_again(tmp_path):
    store, result = ResultStore(tmp_path), samples.graded("ann", verdicts=samples.correct())
    store.put(result)
    again = store.get("ann")
    assert again == result and type(again.status) is SubmissionStatus and type(again.sandbox) is SandboxType
    assert {type(marked["verdict"]) for marked in again.exercises.values()} == {Ruling}
    text = store.file("ann").read_text(encoding="utf-8")
    for word in ('"graded"', '"bubblewrap"', '"correct"'):
        assert word in text
        store.file("ann").write_text(text.replace(word, '"splendid"'), encoding="utf-8")
        assert store.get("ann") is None


def test_only_what_changed_is_graded_again(course, monkeypatch):
    for student in ("ann", "bob"):
        course.submit(student, answers(course, 1))
    run(course)
    assert graded(course) == ["ann", "bob"]
    again = run(course)
    assert graded(course) == [] and (again.graded, again.reused) == (0, 2)
    shutil.rmtree(submitted(course, "bob"))
    course.submit("bob", answers(course, 0.5))
    run(course)
    assert graded(course) == ["bob"] and fakes.scores(course) == pytest.approx({"ann": MOST, "bob": MOST / 2})
    run(course, student="ann", regrade=True)
    assert graded(course) == ["ann"]
    monkeypatch.setattr(fingerprint, "source_digest", lambda lab: "an exercise was fixed")
    run(course)
    assert graded(course) == ["ann", "bob"]
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "another")
    with pytest.raises(ValueError, match="--new-secret"):
        run(course)
    assert graded(course) == []
    run(course, new_secret=True)
    assert graded(course) == ["ann", "bob"]


def test_parallel_is_the_same_as_one_after_another(course, new_gradebook):
    for number in range(7):
        # The first take longest, so that workers finish in another order than they start.
        course.submit(f"s{number}", answers(course, number / 8, f"# sleep {0.05 * (7 - number)}\n"))
    submitted(course, "empty").mkdir(parents=True)
    one = run(course)
    before = fakes.contents(course)
    new_gradebook()
    two = run(course, jobs=3, regrade=True)
    assert json.dumps(two.to_json()) == json.dumps(one.to_json())
    assert fakes.contents(course) == before
    assert len(before["grade"]) == 8 * (len(load(ROOT, LAB).tasks) + 1)


def test_a_worker_that_dies_costs_a_retry_and_nothing_else(course, capfd):
    course.submit("ann", answers(course, 1))
    course.submit("once", answers(course, 1, f"# die once {course.root / 'died'}\n"))
    course.submit("always", answers(course, 1, "# die always\n"))
    course.submit("fault", answers(course, 1, "# raise\n"))
    found = run(course, jobs=2)
    assert {student: row["status"] for student, row in found.rows.items()} == {
        "always": "graded_with_errors",
        "ann": "graded",
        "fault": "graded_with_errors",
        "once": "graded",
    }
    said = capfd.readouterr().err
    assert "a fault of the grader" in said
    ended = "the process that graded this submission ended (exit code -9, SIGKILL)"
    assert f"once: {ended}; it is graded again" in said
    assert f"always: {ended}; it is graded again" in said and f"always: {ended}; it was tried 2 times" in said
    assert fakes.scores(course) == pytest.approx({"ann": MOST, "once": MOST, "always": 0, "fault": 0})
    # Their written answers still need a grader.
    with course.gradebook() as book:
        assert book.find_grade("recommendation", f"lab_{LAB}", LAB, "always").needs_manual_grade
    graded(course)
    run(course)
    assert set(graded(course)) == {"always", "fault"}


SCRIPT = """
if __name__ == "__main__":
    import signal, sys
    # Processes that a shell starts in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from autograder import __main__ as command
    from autograder.grading.runs import pipeline
    from tests.grading import fakes
    pipeline.grade_lab.__kwdefaults__.update(open_sandbox=fakes.open_sandbox, grade_one=fakes.grade_one)
    sys.exit(command.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("how", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_an_interrupted_run_goes_on(course, how, code):
    script = course.root / "command.py"
    script.write_text(SCRIPT)
    students = [f"s{number}" for number in range(8)]
    goes_on = course.root / "goes-on"
    for number, student in enumerate(students):
        # All but two answers keep a worker busy until the run is interrupted.
        course.submit(student, answers(course, 1, f"# wait for {goes_on}\n" if number >= 2 else ""))
    command = [sys.executable, str(script), "grade", LAB, "--root", str(course.root), "--jobs", "2"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    first = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    store = ResultStore.of(course.root, LAB)

    def two_are_done():
        assert first.poll() is None, first.communicate()
        return len(list(store.folder.glob("*.json"))) == 2

    wait_until(two_are_done, seconds=120, what="two of eight are graded")
    # Ctrl-C in a terminal reaches the whole process group.
    (os.killpg if how == signal.SIGINT else os.kill)(first.pid, how)
    # Workers inherit these pipes, so this returns when the last of them has ended.
    out, error = first.communicate(timeout=120)
    assert first.returncode == code, (out, error)
    assert how == signal.SIGKILL or (b"continues from here" in error and b"Traceback" not in error)
    assert {result.student for result in store} == set(students[:2])
    graded(course)
    goes_on.touch()
    found = run(course)
    assert set(graded(course)) == set(students[2:]) and found.clean
    assert fakes.scores(course) == pytest.approx(dict.fromkeys(students, MOST))
    assert not list((course.root / "autograder/work/autograded").glob("*/.*"))


def test_two_runs_of_one_lab_do_not_collide(course):
    course.submit("ann", answers(course, 1))
    with ResultStore.of(course.root, LAB).locked(), pytest.raises(ValueError, match=f"pid {os.getpid()} "):
        run(course)
    assert run(course).clean


def test_without_a_sandbox_nobody_is_graded_unless_that_is_said(course):
    course.submit("ann", answers(course, 1))
    course.submit("bob", answers(course, 1))
    for student in (None, "ann"):
        with pytest.raises(SandboxUnavailable, match="no sandbox here"):
            run(course, open_sandbox=fakes.open_where_no_sandbox_runs, student=student)
    assert graded(course) == [] and fakes.scores(course) == {}
    one = run(course, open_sandbox=fakes.open_where_no_sandbox_runs, student="ann", unsandboxed=True)
    assert one.sandbox == "unsandboxed"
    assert run(course, open_sandbox=fakes.open_where_no_sandbox_runs, unsandboxed=True).sandbox == "unsandboxed"
    assert graded(course) == ["ann", "bob"]
    # Results without a sandbox are invalid if a sandbox is required.
    assert run(course).sandbox == "bubblewrap" and graded(course) == ["ann", "bob"]
    assert run(course, unsandboxed=True).reused == 2


def test_wrong_use_names_the_way_out(course, tmp_path):
    with pytest.raises(ValueError, match="STUDENT/03_roofline"):
        run(course)
    course.submit("ann", answers(course, 1))
    with pytest.raises(ValueError, match="anna has not handed in"):
        run(course, student="anna")
    with pytest.raises(ValueError, match="no lab is called .99_nothing.; there are .*03_roofline"):
        grade_lab(course.root, "99_nothing")
    with pytest.raises(ValueError, match="1 or more"):
        run(course, jobs=0)
    with pytest.raises(ValueError, match="there is no folder"):
        run(course, submitted=tmp_path / "nowhere")


@given(st.text(min_size=1, max_size=90), st.text(min_size=1, max_size=90))
def test_every_id_has_a_file_name_of_its_own(one, other):
    one, other = (name.encode("utf-8", "replace").decode() for name in (one, other))
    name = file_name(one)
    assert len(f".{name}.json.tmp".encode()) <= 255 and "/" not in name and "\0" not in name
    assert (name == file_name(other)) == (one == other)
    assert "~" in name or unquote(name) == one


def test_a_result_of_another_version_counts_as_none(tmp_path):
    store = ResultStore(tmp_path)
    store.file("ann").write_text('{"lab": "x", "surprise": 1}')
    store.file("bob").write_text("half of a fi")
    assert store.get("ann") is None and store.get("bob") is None and list(store) == []


def test_the_fingerprint_covers_what_a_verdict_depends_on():
    lab = load(ROOT, LAB)
    names = {file.relative_to(fingerprint.PACKAGE).as_posix() for file in fingerprint._grader_files()}
    assert {
        "checking/judge.py",
        "checking/verdict.py",
        "grading/submission.py",
        "grading/intake/reconstruction.py",
        "sandbox/sandbox.py",
    } <= names
    aside = {"grading/gradebook/writer.py", "commands/grade.py", "student/check.py"}
    assert not aside & names and all((fingerprint.PACKAGE / name).is_file() for name in aside)
    package = ROOT / "course/chip2cluster"
    models = {file.relative_to(package).as_posix() for file in fingerprint._model_files()}
    assert {f"exercise/{name}.py" for name in ("answers", "input_generators", "model", "verdict_codes")} <= models
    assert "roofline/bounds.py" in models and not any(name.startswith("chapters/") for name in models)
    folders = [*fingerprint._exercise_folders({task.exercise for task in lab.tasks})]
    assert folders == [package / "chapters/roofline" / name for name in ("exercises", "lab")]
    assert all((folder / "__init__.py").is_file() for folder in folders)
    assert len(hashlib.sha256().hexdigest()) == len(fingerprint.lab_digest(lab))


def test_fingerprint_counts_no_exercises_among_the_models(tmp_path, monkeypatch):
    for name in ("chapters/tides/lab.py", "exercise/model.py", "tides/high.py", "draw/tides.py", "__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(fingerprint.chip2cluster, "__file__", str(tmp_path / "__init__.py"))
    names = {file.relative_to(tmp_path).as_posix() for file in fingerprint._model_files()}
    assert names == {"exercise/model.py", "tides/high.py", "__init__.py"}
