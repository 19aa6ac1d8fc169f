"""Errors are carried forward: tasks that build on a mistake are also judged with the model answer."""

from dataclasses import replace

import pytest

from autograder.checking.verdict import Verdict
from autograder.exercises import exercise
from autograder.grading.carried_errors import plan_corrected_runs, with_correction_note
from autograder.grading.intake.notebook import clean_notebook
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.grading.task_questions import scores_more
from autograder.sandbox import Limits, Query, Sandbox
from chip2cluster.exercise.verdict_codes import CORRECT, VALUE
from tests.grading.attacks.model import FULL, LAB, SOLVED, notebook

ADDS = "def shortest_time(f, n, p, b):\n    return f / p + n / b\n"
# Changes of each submission to a correct one, and its points of 25.
EARNS = {
    "right": ({}, 25),
    "adds the times": ({"shortest_time": ADDS}, 22),
    "left out": ({"shortest_time": None}, 22),
    "never ends": ({"shortest_time": "def shortest_time(f, n, p, b):\n    while True: pass\n"}, 22),
    "two slips": (
        {
            "shortest_time": ADDS,
            "tokens_per_second": "def tokens_per_second(p, c, b, f, m):\n    return shortest_time(b * p, p, f, m)\n",
        },
        18,
    ),
    "its own way": ({"shortest_time": ADDS, "own_rate": "def own_rate(parameters, batch):\n    return 1.0\n"}, 19),
    "by a helper": (
        {
            "shortest_time": ADDS + "\ndef busy(*given):\n    return shortest_time(*given)\n",
            "tokens_per_second": SOLVED["tokens_per_second"].replace("shortest_time", "busy"),
        },
        22,
    ),
}
# Attempts to use the model answers for more than the tasks that build on them.
STEAL = {
    "hands the right one on": {
        "shortest_time": "def shortest_time(f, n, p, b):\n    return seen[0](f, n, p, b) if seen else 0.0\nseen = []\n",
        "tokens_per_second": "def tokens_per_second(*a):\n    seen.append(shortest_time)\n    return 0.0\n",
    },
    "writes the right one to a file": {
        "shortest_time": "import marshal, os\ndef shortest_time(*a):\n    return eval(marshal.load(open('x', 'rb')), globals())(*a)\n",
        "tokens_per_second": (
            "def tokens_per_second(*a):\n    marshal.dump(shortest_time.__code__, open('x', 'wb'))\n    return 0.0\n"
        ),
    },
    "answers with another's": {
        "tokens_per_second": "def tokens_per_second(*a):\n    return 1.0\n",
        "efficiency": "def efficiency(m, i, p, b):\n    return tokens_per_second(m, i, 1, p, b)\n",
    },
    "leaves a trap in the names": {
        "shortest_time": "def shortest_time(f, n, p, b):\n    return 0.0\nimport builtins\nmax = lambda *a: builtins.max(a) * 2\n",
        "tokens_per_second": "def tokens_per_second(*a):\n    return shortest_time(*a[:4])\n",
    },
}


@pytest.fixture(scope="module")
def box():
    with Sandbox(LAB, limits=Limits(cell_seconds=0.3, case_seconds=0.2, patience=600)) as box:
        yield box


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")


def _grade(box, edits):
    made = notebook({name: source for name, source in (SOLVED | edits).items() if source is not None})
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
    return grade_notebook(made, "ann", LAB, box, secrets_for(LAB, "ann"))


@pytest.mark.sandbox
@pytest.mark.parametrize("name", EARNS)
def test_mistake_costs_only_its_own_points(box, name):
    edits, earned = EARNS[name]
    result = _grade(box, edits)
    assert result.score == earned
    told = [marked["message"] for marked in result.exercises.values() if "in place of yours" in marked["message"]]
    assert bool(told) is ("shortest_time" in edits) and all("`shortest_time`" in message for message in told)
    # The mistake itself keeps its verdict.
    if edits.get("shortest_time") == ADDS:
        assert result.exercises["lab.roofline.shortest_time"]["mistake"] == "no overlap"


@pytest.mark.sandbox
@pytest.mark.parametrize("name", STEAL)
def test_the_right_functions_help_nobody_who_cannot_use_them(box, name):
    edits = STEAL[name]
    result = _grade(box, edits)
    lost = {task.exercise for task in LAB.tasks if task.cell.removesuffix("-check") in edits}
    assert {name for name, marked in result.exercises.items() if not marked["score"]} >= lost
    assert result.score <= FULL - sum(exercise(name).points for name in lost)


class _Counting:
    """Sandbox that counts runs and records which queries had corrected functions."""

    def __init__(self, box):
        self.box, self.runs = box, []
        self.limits, self.name, self.for_answers = box.limits, box.name, box.for_answers

    def run(self, steps, given, files=None, **more):
        self.runs.append({step.function: step.corrected for step in steps if isinstance(step, Query)})
        return self.box.run(steps, given, files, **more)


@pytest.mark.sandbox
@pytest.mark.parametrize("edits", [{}, dict.fromkeys(SOLVED), {"efficiency": "def efficiency(*a):\n    return 1.0"}])
def test_who_loses_nothing_twice_is_run_once(box, edits):
    counting = _Counting(box)
    _grade(counting, edits)
    (only,) = counting.runs
    assert not any(only.values())


@pytest.mark.sandbox
def test_corrected_runs_correct_only_earlier_tasks(box):
    counting = _Counting(box)
    _grade(counting, {name: SOLVED[name].replace("return ", "return 3 * ") for name in SOLVED if name != "rank_chips"})
    first, *corrected = counting.runs
    order = [task.function for task in LAB.tasks]
    assert not any(first.values()) and corrected
    for function, names in (pair for run in corrected for pair in run.items()):
        assert names and set(names) <= set(order[: order.index(function)])


@pytest.mark.sandbox
def test_cell_with_two_functions_corrects_neither(box):
    answer = "\n".join(SOLVED[name] for name in ("shortest_time", "tokens_per_second"))
    tasks = [replace(task, answer=answer) if task.function in answer else task for task in LAB.tasks]
    lab = replace(LAB, tasks=tuple(tasks))
    edits = {"tokens_per_second": "def tokens_per_second(*a):\n    return 1.0  # not shortest_time\n"}
    made = clean_notebook(notebook({"shortest_time": ADDS, **edits}, base=SOLVED))
    result = grade_notebook(made, "ann", lab, box, secrets_for(lab, "ann"))
    scores = {name: marked["score"] for name, marked in result.exercises.items()}
    assert scores["lab.roofline.shortest_time"] == scores["lab.roofline.tokens_per_second"] == 0
    assert result.score == FULL - 7


def test_the_better_verdict_counts_and_says_why():
    worse, right = (Verdict("x", "", ruling, "So.", score, 3) for ruling, score in ((VALUE, 1), (CORRECT, 3)))
    assert with_correction_note(right, ["f", "g"]).message == "So. Judged with a correct `f` and `g` in place of yours."
    assert (
        scores_more({0: right}, {0: worse}, [0])
        and not scores_more({0: worse}, {0: right}, [0])
        and not scores_more({0: worse}, {0: worse}, [0])
    )
    assert not scores_more({0: right, 1: worse}, {0: worse, 1: right}, [0, 1])


def test_no_corrected_run_without_model_answers():
    assert plan_corrected_runs({"cells": []}, LAB, {}, {}) == []
    assert all(task.answer for task in LAB.tasks)
