"""A task's tool is no other task's answer: each function finds the models that its own exercise allows, and no others."""

import copy
import json
import re
from dataclasses import replace

import nbformat
import pytest

from autograder.exam import assignment
from autograder.exercises import exercise
from autograder.grading.check_cells import graded_tasks
from autograder.grading.lab import load
from autograder.grading.lab_doctor import _solved
from autograder.grading.model_access import models_by_position
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.grading.task_questions import TaskQuestions
from autograder.sandbox import Limits, Sandbox
from tests.grading.assignments import course_with
from tests.grading.attacks.model import LAB, ROOT

LABS = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())
LIMITS = Limits(cell_seconds=3, case_seconds=1)
# The capstone is the tool of three tasks of lab 16; one of its functions is the answer to a fourth.
DISTANCE = """
import sys
import numpy as np
from chip2cluster import capstone

def many(days, dollars):
    made = object.__new__(capstone.Outcomes)
    days, dollars = np.atleast_1d(days), np.atleast_1d(dollars)
    for name, value in {"days": days, "dollars": dollars, "meets": days > 0, "fits": days > 0}.items():
        object.__setattr__(made, name, value)
    return made

def how_far(days, dollars, other_days, other_dollars):
    return float(capstone.distance(many(days, dollars), many(other_days, other_dollars))[0])
"""
# The function of the package that answers lab.storage.best_interval is in a module that storage.slowest allows.
INTERVAL = """
from chip2cluster.reliability import intervals

def best_interval(dump_seconds, mtbf_hours):
    return intervals.optimal_interval(dump_seconds, 3600 * mtbf_hours) / 60
"""
TOOL = """
from chip2cluster.reliability import intervals
known = slowest_storage

def slowest_storage(*given):
    assert intervals.young_interval(60.0, 3600.0) > 0
    return known(*given)
"""


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")


def solved(lab, edits):
    made = copy.deepcopy(lab.released)
    sources = {task.function: task.answer for task in lab.tasks} | edits
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            for name in re.findall(r"^def (\w+)", cell["source"], re.M):
                cell["source"] = sources.get(name, cell["source"])
    return made


def scores(lab, box, edits):
    result = grade_notebook(solved(lab, edits), "mallory", lab, box, secrets_for(lab, "mallory"))
    assert [*result.exercises] == [task.exercise for task in lab.tasks], "in the order of the notebook"
    return {task.function: result.exercises[task.exercise] for task in lab.tasks}, result


def storage_exam(folder):
    """An exam as a notebook with two tasks, of which one allows two modules of the package and the other none."""
    pool, _ = assignment.notebook_candidates(("storage",))
    chosen = [one for one in pool if one.exercise.id in ("lab.storage.best_interval", "storage.slowest")]
    made = assignment.exam_notebook("mid", chosen)
    return course_with(folder, "exam_mid", nbformat.reads(json.dumps(made), as_version=4))


@pytest.mark.sandbox
def test_tool_of_one_task_answers_no_other_in_a_lab():
    lab = load(ROOT, "16_design")
    with Sandbox(lab, limits=LIMITS) as box:
        marks, result = scores(lab, box, {"how_far": DISTANCE})
        assert marks.pop("how_far")["score"] == 0
        # The other tasks, three of which call the capstone, keep their points, and no cell counts as failed.
        assert [mark["score"] for mark in marks.values()] == [mark["max_score"] for mark in marks.values()]
        assert result.status == "graded"


@pytest.mark.sandbox
def test_tool_of_one_task_answers_no_other_in_an_exam(tmp_path):
    lab = storage_exam(tmp_path)
    best, slowest = (exercise(name) for name in ("lab.storage.best_interval", "storage.slowest"))
    assert "chip2cluster.reliability.intervals" in {*slowest.allowed} - {*best.allowed}
    known = next(task.answer for task in lab.tasks if task.function == "slowest_storage")
    with Sandbox(lab, limits=LIMITS) as box:
        marks, _ = scores(lab, box, {"best_interval": INTERVAL, "slowest_storage": known + TOOL})
        assert (marks["best_interval"]["score"], marks["best_interval"]["verdict"]) == (0, "refused")
        assert marks["slowest_storage"]["verdict"] == "correct", "it may call what it allows"
        marks, _ = scores(lab, box, {})
        assert {mark["verdict"] for mark in marks.values()} == {"correct"}


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["14_economics", "15_measure"])
def test_solved_labs_with_several_sets_of_models_keep_all_points(name):
    lab = load(ROOT, name)
    with Sandbox(lab) as box:
        result = grade_notebook(_solved(ROOT, lab), "ann", lab, box, secrets_for(lab, "ann"))
    assert (result.score, result.status, result.repairs) == (lab.max_score, "graded", [])


@pytest.mark.sandbox
def test_corrected_run_has_the_models_of_its_own_task():
    lab = load(ROOT, "16_design")
    # A wrong first function, which the attack on the second one mentions, so that it is judged a second time.
    wrong = "def node_range(*given):\n    return [1.0, 2.0]\n"
    with Sandbox(lab, limits=LIMITS) as box:
        marks, _ = scores(lab, box, {"node_range": wrong, "how_far": DISTANCE + "# node_range\n"})
    assert marks["node_range"]["score"] == marks["how_far"]["score"] == 0


@pytest.mark.sandbox
def test_second_sandbox_opens_only_for_tasks_with_other_models():
    with Sandbox(LAB, limits=LIMITS) as box:
        scores(LAB, box, {})
        assert not box._others and box.allowing(LAB.allowed) is box


@pytest.mark.parametrize("name", LABS)
def test_each_task_is_queried_with_the_models_it_allows(name):
    assert_own_models(load(ROOT, name))


def test_each_exam_task_is_queried_with_the_models_it_allows():
    pool, _ = assignment.notebook_candidates()
    sets = {one.exercise.allowed for one in pool}
    assert len(sets) > 3
    # One task of each set of models is enough; an exam has at most 60 tasks.
    some = [next(one for one in pool if one.exercise.allowed == allowed) for allowed in sorted(sets)]
    made = assignment.exam_notebook("all", some)
    assert_own_models(replace(LAB, released=made, tasks=graded_tasks(made)))


def assert_own_models(lab):
    secrets = secrets_for(lab, "ann")
    seeds = secrets.seeds("")
    questions = {
        position: TaskQuestions.prepare(task, lab, secrets.given, seeds) for position, task in enumerate(lab.tasks)
    }
    for position, models in models_by_position(questions, lab).items():
        task = lab.tasks[position]
        if task.definition is None:
            assert models == lab.allowed
        else:
            refused = {*lab.allowed} - {*task.definition.allowed}
            assert not refused & {*models} and {*models} <= {*task.definition.allowed}
