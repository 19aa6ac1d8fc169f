"""The instructor's notebook defines the points of a cell, wherever points appear."""

import json
import math
from dataclasses import replace

import pytest

from autograder import check
from autograder.exercises import exercise
from autograder.grading.award import award
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.lab import load
from autograder.grading.lab_doctor import wrong_points
from autograder.grading.releases import matching_release, with_earlier_releases
from autograder.grading.reports.feedback_page import feedback_page
from autograder.grading.reports.report import build_report
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade, grade_notebook
from autograder.sandbox import Sandbox
from tests.grading import fakes
from tests.grading.assignments import change, release, worth
from tests.grading.attacks.model import LAB, NAME, SOLVED, notebook

CHECK, BATCH = "largest_batch-check", "lab.roofline.largest_batch"
NEGATIVE = "def largest_batch(m, w, c):\n    return int((m - w) // c)\n"
SHARE = sum(group.share for group in exercise(BATCH).groups[:1])


def _worth(points):
    tasks = tuple(replace(task, points=points) if task.cell == CHECK else task for task in LAB.tasks)
    return replace(LAB, tasks=tasks)


def _plain(made):
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
    return made


@pytest.fixture(scope="module")
def box():
    """Open one sandbox for all tests: points change nothing in it."""
    with Sandbox(LAB) as box:
        yield box


@pytest.mark.sandbox
@pytest.mark.parametrize("points", [5.0, 0.5, 0.0])
def test_an_exercise_is_marked_in_the_points_of_its_cell(points, box, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    lab = _worth(points)
    right, edge = (
        grade_notebook(_plain(notebook(SOLVED | edits)), "ann", lab, box, secrets_for(lab, "ann"))
        for edits in ({}, {"largest_batch": NEGATIVE})
    )
    assert (right.exercises[BATCH]["score"], right.exercises[BATCH]["max_score"]) == (points, points)
    assert right.score == right.max_score == 22 + points
    # Other cells keep their points.
    assert edge.exercises[BATCH]["score"] == pytest.approx(points * SHARE) and edge.score == pytest.approx(
        22 + points * SHARE
    )
    line = f"({points * SHARE:g} of {points:g} points)"
    assert line in json.dumps(edge.notebook) and f"of {points:g}" in feedback_page(edge, lab)
    table = build_report([right, edge], lab).exercises
    assert list(table[table.exercise == exercise(BATCH).title]["of"]) == [points]


def test_stock_nbgrader_gets_the_points_of_the_cell_too(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    space = {"math": math}
    exec(SOLVED["largest_batch"], space)
    assert award(BATCH, space["largest_batch"]) == exercise(BATCH).points
    assert award(BATCH, space["largest_batch"], points=5) == 5
    assert check(BATCH, space["largest_batch"], points=5).worth == "5 of 5 points"


@pytest.mark.parametrize(
    "edit, says", [(worth(CHECK, 5), f"5 points for the cell '{CHECK}', its release 3"), (None, CHECK)]
)
def test_points_other_than_released_are_refused_in_one_sentence(course, edit, says):
    def other_name(cell):
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == CHECK:
            cell["metadata"]["nbgrader"]["grade_id"] = "another"

    change(course.root / "solutions" / NAME / f"lab_{NAME}.ipynb", edit or other_name)
    with pytest.raises(ValueError, match=says) as refused:
        load(course.root, NAME)
    assert f"nbgrader generate_assignment {NAME}" in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.sandbox
def test_points_changed_after_release_scale_the_marks(course, box):
    course.submit("ann", fakes.answers(course, 1.0))
    assert fakes.run(course).rows["ann"]["score"] == 25
    change(course.root / "solutions" / NAME / f"lab_{NAME}.ipynb", worth(CHECK, 5))
    assert release(course.root, NAME)[0]
    lab = with_earlier_releases(course.root, load(course.root, NAME))
    text = "\n".join("".join(cell["source"]) for cell in lab.released["cells"])
    assert 'check("lab.roofline.largest_batch", largest_batch, points=5)' in text and text.count("points=") == 1
    assert "33 points, 27 of them marked by machine" in text and text.count("· 5 points*") == 2
    run = fakes.run(course)
    assert (run.graded, run.rows["ann"]["score"], run.rows["ann"]["max_score"]) == (1, 27, 27)
    with course.gradebook() as book:
        assert book.find_submission(NAME, "ann").max_score == book.find_assignment(NAME).max_score == 33
    # The submission says 3 points in two places, and the student changed neither.
    submitted = read_submission(fakes.submitted(course, "ann"), f"lab_{NAME}").notebook
    assert matching_release(lab, submitted) not in (None, lab.released)
    assert grade(fakes.submitted(course, "ann"), "ann", lab, box).repairs == []


def test_wrong_points_in_texts_are_found(tmp_path):
    assert wrong_points(_with_notes(tmp_path, "Rubric, 6 points"), LAB) == []
    assert "rubric" in wrong_points(_with_notes(tmp_path, "Rubric, 7 points"), LAB)[0]
    more = _told(worth(CHECK, 4))
    complaints = wrong_points(tmp_path, replace(LAB, released=more))
    assert any(CHECK in one for one in complaints) and any("32 points" in one for one in complaints)


def _with_notes(tmp_path, rubric):
    """Create a course folder with nothing but the notes of the roofline lab."""
    text = (LAB.folder.parents[1] / "solutions" / NAME / "INSTRUCTOR.md").read_text(encoding="utf-8")
    file = tmp_path / "solutions" / NAME / "INSTRUCTOR.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.replace("Rubric, 6 points", rubric), encoding="utf-8")
    return tmp_path


def _told(edit):
    made = json.loads(json.dumps(LAB.released))
    for cell in made["cells"]:
        edit(cell)
    return made
