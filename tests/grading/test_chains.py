"""Model answers stay with the tasks that are judged with them: no function is queried where its own answer may be."""

import copy
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import nbformat
import pytest

from autograder.checking.verdict import Verdict
from autograder.exam import assignment
from autograder.exam.drawing import ExamRequest, choose_exercises
from autograder.grading.carried_errors import plan_corrected_runs
from autograder.grading.check_cells import graded_tasks
from autograder.grading.lab import load
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.grading.task_questions import TaskQuestions
from autograder.sandbox import CodeCell, Limits, Query, Sandbox
from autograder.secret import exam_seed
from chip2cluster.exercise.verdict_codes import VALUE
from tests.grading.assignments import course_with
from tests.grading.attacks.chains import chain
from tests.grading.attacks.model import BARE, LAB, NAME, ROOT, code
from tests.grading.course import Course

LABS = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())
ORDER = [task.function for task in LAB.tasks]


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")


def exam_lab(folder):
    """An exam as a notebook, on one topic."""
    pool, _ = assignment.notebook_candidates(("roofline",))
    taken = choose_exercises(pool, ExamRequest(minutes=45), exam_seed("mid", "exercises"), lambda _: True)
    made = assignment.exam_notebook("mid", taken)
    return course_with(folder, "exam_mid", nbformat.reads(json.dumps(made), as_version=4))


def with_chain(lab, wrong, answers):
    """The lab with these functions left to the chain, and the given answers in all other cells."""
    edits, first, last = chain(wrong)
    made = copy.deepcopy(lab.released)
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
        mark = cell["metadata"].get("nbgrader", {})
        defined = [name for name in re.findall(r"^def (\w+)", cell["source"], re.M) if mark.get("solution")]
        for name in defined:
            cell["source"] = edits.get(name, answers.get(name, cell["source"]))
    made["cells"].insert(1, code(first))
    made["cells"].append(code(last))
    return made


def answers_of(lab):
    return {task.function: task.answer for task in lab.tasks}


def earned_by_chain(lab, wrong, box):
    """The points that the chain earns for tasks that nobody has solved."""
    made = with_chain(lab, wrong, answers_of(lab))
    result = grade_notebook(made, "mallory", lab, box, secrets_for(lab, "mallory"))
    scores = {task.function: result.exercises[task.exercise]["score"] for task in lab.tasks}
    points = {task.function: task.points for task in lab.tasks}
    solved = {task.function for task in lab.tasks if task.definition} - set(wrong)
    assert all(scores[name] == points[name] for name in solved), "solved tasks keep their points"
    return {name: scores[name] for name in wrong if scores[name]}


@pytest.fixture(scope="module")
def box():
    with Sandbox(LAB, limits=Limits(cell_seconds=2, case_seconds=1)) as box:
        assert box.name == "bubblewrap"
        yield box


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "wrong", [ORDER[:3], ORDER[1:5], ORDER[::2], ORDER], ids=["three", "four in a row", "every other", "all"]
)
def test_chain_earns_nothing_for_unsolved_tasks(box, wrong):
    assert earned_by_chain(LAB, wrong, box) == {}


@pytest.mark.sandbox
def test_chain_earns_nothing_in_an_exam(tmp_path):
    lab = exam_lab(tmp_path)
    assert len(lab.tasks) >= 4
    with Sandbox(lab, limits=Limits(cell_seconds=2, case_seconds=1)) as box:
        assert earned_by_chain(lab, [task.function for task in lab.tasks], box) == {}


@pytest.mark.sandbox
@pytest.mark.prove
@pytest.mark.parametrize("name", [name for name in LABS if name != NAME])
def test_chain_earns_nothing_in_any_lab(name):
    lab = load(ROOT, name)
    wrong = [task.function for task in lab.tasks if task.definition and task.definition.rate is None]
    with Sandbox(lab, limits=Limits(cell_seconds=2, case_seconds=1)) as box:
        assert earned_by_chain(lab, wrong, box) == {}


@pytest.mark.sandbox
def test_chain_earns_nothing_by_nbgrader(registered, tmp_path):
    course = Course(tmp_path)
    for made in ("labs", "autograder/work"):
        shutil.rmtree(course.root / made, ignore_errors=True)
        shutil.copytree(registered / made, course.root / made)
    folder = course.root / "autograder/work/submitted/mallory" / NAME
    folder.mkdir(parents=True)
    (folder / f"lab_{NAME}.ipynb").write_text(json.dumps(with_chain(LAB, ORDER, {})), encoding="utf-8")
    course.nbgrader("autograde", NAME)
    with course.gradebook() as gradebook:
        (submission,) = gradebook.assignment_submissions(NAME)
        assert sum(grade.auto_score or 0 for notebook in submission.notebooks for grade in notebook.grades) == 0


ALONE = """
import json, sys
from tests.grading.test_chains import LAB, ORDER, Limits, Sandbox, earned_by_chain
with Sandbox(LAB, limits=Limits(cell_seconds=2, case_seconds=1)) as box:
    print(json.dumps([box.name, earned_by_chain(LAB, ORDER, box)]))
"""


@pytest.mark.sandbox
@pytest.mark.skipif(os.getuid() != 0, reason="all other tests run as an ordinary account already")
def test_chain_earns_nothing_by_an_ordinary_account(tmp_path):
    # pytest's own folders are closed to other accounts.
    environment = os.environ | {"HOME": "/tmp", "CHIP2CLUSTER_HOME": "/tmp/nobody", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", ALONE], cwd=ROOT, env=environment, user=65534, group=65534, extra_groups=[],
            capture_output=True, text=True,
        )  # fmt: skip
    except PermissionError:
        pytest.skip("an ordinary account may not run this Python")
    if "Permission denied" in done.stderr or "may not run here" in done.stderr:
        pytest.skip("an ordinary account may not read this folder or make namespaces")
    assert json.loads(done.stdout) == ["bubblewrap", {}], done.stderr


# --- the order of queries ---------------------------------------------------------------
def wrong_everywhere(lab):
    """A notebook that mentions every function, and a verdict without points on every task."""
    functions = [task.function for task in lab.tasks]
    cells = [cell | {"source": "".join(cell["source"])} for cell in lab.released["cells"]]
    notebook = {"cells": [*cells, code(" ".join(functions))]}
    secrets = secrets_for(lab, "ann")
    seeds = secrets.seeds("")
    questions = {
        position: TaskQuestions.prepare(task, lab, secrets.given, seeds) for position, task in enumerate(lab.tasks)
    }
    verdicts = {
        position: Verdict(task.exercise, "", VALUE, "", 0, task.points) for position, task in enumerate(lab.tasks)
    }
    return notebook, questions, verdicts


def queries(runs):
    """The runs as the grader makes them: for each query of each run its function and the corrected functions."""
    return [
        [
            (step.function, frozenset(step.corrected))
            for steps in run.steps.values()
            for step in steps
            if isinstance(step, Query)
        ]
        for run in runs
    ]


def assert_nothing_is_held_too_early(lab):
    notebook, questions, verdicts = wrong_everywhere(lab)
    runs = queries(plan_corrected_runs(notebook, lab, questions, verdicts))
    held = set()
    for run in runs:
        # All queries of a run share its folder, in whatever order they are made and repeated.
        assert len({brought for _, brought in run}) == 1
        held |= run[0][1]
        assert not held & {function for function, _ in run}
    return runs


@pytest.mark.parametrize("name", LABS)
def test_no_function_is_queried_after_its_model_answer(name):
    lab = load(ROOT, name)
    runs = assert_nothing_is_held_too_early(lab)
    # Every task but the first can still be judged with what came before, unless all rate one function.
    assert {function for run in runs for function, _ in run} >= {
        task.function for task in lab.tasks if task.definition and task.function != lab.tasks[0].function
    }


@pytest.mark.parametrize("topic", [name.partition("_")[2] for name in LABS])
def test_no_exam_queries_a_function_after_its_answer(topic):
    pool, _ = assignment.notebook_candidates((topic,))
    made = assignment.exam_notebook("all", pool)
    lab = replace(LAB, released=made, tasks=graded_tasks(made))
    assert len(assert_nothing_is_held_too_early(lab)) == len(lab.tasks) - 1 > 0


def test_function_queried_twice_lends_its_answer_to_none_between():
    first, second, third, *others = LAB.tasks
    again = replace(third, function=first.function, answer=first.answer)
    lab = replace(LAB, tasks=(first, second, again, *others))
    runs = assert_nothing_is_held_too_early(lab)
    assert all(
        first.function not in brought for run in runs for function, brought in run if function == second.function
    )


class _Recorder:
    """Sandbox that records what each session is asked, in the order of the steps."""

    def __init__(self, box):
        self.box, self.sessions = box, []
        self.limits, self.name, self.for_answers = box.limits, box.name, box.for_answers

    def run(self, steps, given, files=None, **more):
        found = [step for step in steps if isinstance(step, Query)]
        self.sessions.append([(step.function, step.corrected) for step in found])
        return self.box.run(steps, given, files, **more)


@pytest.mark.sandbox
def test_sessions_of_the_chain_keep_that_order(box):
    recorder = _Recorder(box)
    assert earned_by_chain(LAB, ORDER, recorder) == {}
    assert len(recorder.sessions) > 2
    held = set()
    for session in recorder.sessions:
        (corrected,) = {corrected for _, corrected in session}
        held |= {*corrected}
        asked = [function for function, _ in session]
        assert not held & set(asked) and len(asked) > len(set(asked)), "asked at the checks and at the end"


# --- what sessions share ----------------------------------------------------------------
LEAVE = """
import os, fcntl, socket
def leave():
    kept = []
    for folder, _, files in os.walk("/"):
        if folder.startswith(("/proc", "/usr/share", "/usr/lib")):
            continue
        for path in [folder] + [os.path.join(folder, name) for name in files]:
            for act in (lambda: os.utime(path), lambda: os.utime(path, (1, 1)), lambda: os.chmod(path, 0o777),
                        lambda: open(path + "/left", "w").write("x"), lambda: open(path, "a").write("x")):
                try: act()
                except (OSError, ValueError): pass
            if len(kept) > 150:  # more would leave no descriptor for the sockets
                continue
            try:
                kept.append(open(path)); fcntl.flock(kept[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (OSError, ValueError): pass
    for name in ("left", os.path.abspath("left.sock")):
        line = socket.socket(socket.AF_UNIX); line.bind("\\0" + name); line.listen(); kept.append(line)
    os.openpty()
    if os.fork() == 0:
        os.setsid()
        while True: __import__("time").sleep(1)
"""
LOOK = """
import os, socket
found = []
for folder, _, files in os.walk("/"):
    if not folder.startswith("/proc"):
        for path in [folder] + [os.path.join(folder, name) for name in files]:
            try: told = os.lstat(path)
            except OSError: continue
            if path.startswith("/dev") or "left" in path or os.access(path, os.W_OK):
                # Folders and terminals of a session are as old as the session.
                own = path.startswith((os.getcwd(), "/dev/shm", "/dev/pts")) or path in ("/tmp", "/var/tmp")
                found.append((path, None if own else told.st_mtime_ns, oct(told.st_mode), 0 if own else told.st_size))
try:
    socket.socket(socket.AF_UNIX).connect("\\0left"); found.append("socket")
except OSError: pass
print(sorted(map(str, found)))
"""


def _looked(box):
    (result,) = box.run([CodeCell(LOOK)])
    return result.outputs[0]["text"]


@pytest.mark.sandbox
def test_session_leaves_nothing_for_the_next_one():
    with Sandbox(BARE) as box:
        before = _looked(box)
        assert "/dev/null" in before
        left, _ = box.run([CodeCell(LEAVE + "leave()"), Query("leave", [[]])])
        assert left.status == "ok", left.outputs
        assert _looked(box) == before


@pytest.mark.sandbox
def test_locks_tell_a_neighbor_nothing():
    held = "import fcntl, sys\nf = open(sys.executable, 'rb')\nfcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\nprint('granted')"
    with open(sys.executable, "rb") as ours, Sandbox(BARE) as box:
        fcntl.flock(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (result,) = box.run([CodeCell(held)])
    assert result.outputs[0]["text"] == "granted\n"
