"""Hostile submissions of the lab with scored answers."""

import copy
import json

import pytest

from autograder.exercises import exercise
from autograder.grading.lab import load
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.sandbox import Limits, Sandbox
from chip2cluster import capstone
from chip2cluster.chapters.design.lab import example_plan
from chip2cluster.exercise.scored_answers import Rating, rated
from tests.grading.course import ROOT

LAB = load(ROOT, "16_design")
TASKS = [exercise(f"lab.design.{name}") for name in ("keeps", "near", "promised")]
STUDENT = "mallory"


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(LAB, limits=Limits(case_seconds=0.3, patience=600)) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def good():
    return example_plan.good_plan(**secrets_for(LAB, STUDENT).given["lab.design.keeps"])


def handed_in(source, sandbox, below=""):
    """Return the verdicts of the three tasks on a code cell, and on one below them, with nothing else in the lab."""
    notebook = copy.deepcopy(LAB.released)
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "my_plan":
            cell["source"] = source
        elif cell["id"] == "taken-apart":
            cell["source"] = ""
    notebook["cells"] += (
        [{"cell_type": "code", "id": "below", "metadata": {}, "outputs": [], "source": below}] if below else []
    )
    result = grade_notebook(notebook, STUDENT, LAB, sandbox, secrets_for(LAB, STUDENT))
    return [result.exercises[task.id] for task in TASKS]


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "source, says",
    [
        (
            "class Liar(str):\n    __eq__ = lambda self, other: True\n    __len__ = lambda self: 9\n    __hash__ = str.__hash__\n"
            "def my_plan():\n    return Liar('H100')\n",
            "not a plain answer",
        ),
        ("def my_plan():\n    return ' ' * 10**7\n", "more than an answer can hold"),
        ("def my_plan():\n    return float('nan')\n", "capstone.to_text"),
        ("def my_plan():\n    return [float('inf')] * 3\n", "capstone.to_text"),
        ("def my_plan():\n    while True:\n        pass\n", "0.3 s"),
    ],
    ids=["a liar", "10 MB", "nan", "inf", "without end"],
)
def test_invalid_plan_earns_nothing(source, says, sandbox):
    for marked in handed_in(source, sandbox):
        assert marked["score"] == 0 and says in marked["message"] and "place" not in marked


def unpayable(plan):
    """The same chip in a machine that is too expensive."""
    return capstone.to_text(capstone.Design(chip=capstone.from_text(plan)[0].accelerator.name, nodes=256))


@pytest.mark.sandbox
@pytest.mark.parametrize("order", [(0, 1, 1), (1, 0, 0)], ids=["a good one first", "a bad one first"])
def test_changing_plan_is_judged_by_its_first_call(order, sandbox, good):
    plans = [good, unpayable(good)]
    source = f"plans = iter({[plans[number] for number in order]!r})\ndef my_plan():\n    return next(plans)\n"
    marks = [marked["score"] for marked in handed_in(source, sandbox)]
    alone = [marked["score"] for marked in handed_in(f"def my_plan():\n    return {plans[order[0]]!r}\n", sandbox)]
    assert marks == alone
    assert (sum(marks) > 0.9 * sum(task.points for task in TASKS)) == (order[0] == 0)


@pytest.mark.sandbox
def test_corrected_plan_counts_for_all_tasks_or_none(sandbox, good):
    """The cell below gives three plans in turn; the first one counts."""
    below = f"plans = iter({[unpayable(good), good, good]!r})\ndef my_plan():\n    return next(plans)\n"
    first = f"def my_plan():\n    return {unpayable(good)!r}\n"
    marks, alone = handed_in(first, sandbox, below), handed_in(first, sandbox)
    assert [marked["score"] for marked in marks] == [marked["score"] for marked in alone]
    right = handed_in(first, sandbox, f"def my_plan():\n    return {good!r}\n")
    assert all(marked["score"] >= 0.9 * task.points for task, marked in zip(TASKS, right, strict=True))


@pytest.mark.parametrize("share", [float("nan"), float("inf"), -0.1, 1.01])
def test_rating_with_an_invalid_share_is_refused(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        rated(lambda answer: Rating(share, ""), "", {})


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400])
@pytest.mark.parametrize("name", ["mfu", "checkpoint_interval", "days_low", "days_high"])
def test_infinite_promises_earn_nothing(name, number, good):
    written = json.loads(good)
    written["promised"][name] = "?"
    text = json.dumps(written).replace('"?"', number)
    for task in TASKS:
        rating = task.rate(text, seed=1, **secrets_for(LAB, STUDENT).given["lab.design.keeps"])
        assert rating.share == 0 and name in rating.says
