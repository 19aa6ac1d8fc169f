"""Work that version d7a7ae7a graded: grading it again gives the same marks."""

import json
import shutil

import pytest

from tests.compatibility import places
from tests.compatibility.places import DATA, LAB, autograder, marks, table
from tests.grading.course import nbgrader_here

pytestmark = pytest.mark.sandbox
EXPECTED = DATA / "class_course/expected"


@pytest.fixture(scope="module")
def graded(environment, tmp_path_factory):
    """The class's folder, both assignments graded again; nothing is written there later."""
    course = places.copied("class_course", tmp_path_factory.mktemp("graded"))
    # Without the results of that version nothing can be taken from them.
    shutil.rmtree(course / "autograder/work/results")
    for lab, name in ((LAB, "grade"), ("exam_quiz", "grade-quiz")):
        done = autograder("grade", lab, "--json", course / f"{name}.json", "--jobs", 1, "--root", course)
        assert done.code == (lab == LAB), done.err  # cid's notebook has an error
        assert "WARNING" not in done.err
    return course


@pytest.mark.parametrize("name", ["grade", "grade-quiz"])
def test_grade_gives_the_same_marks(graded, name):
    assert marks(graded / f"{name}.json") == marks(EXPECTED / f"{name}.json")


def test_grade_writes_the_same_json_keys(graded):
    new, old = (json.loads((folder / "grade.json").read_text(encoding="utf-8")) for folder in (graded, EXPECTED))
    assert {*old} <= {*new} and new["sandbox"] == old["sandbox"]
    for student, row in old["students"].items():
        assert {*row} <= {*new["students"][student]}
        for name, one in row["exercises"].items():
            assert {*one} <= {*new["students"][student]["exercises"][name]}


def test_grade_keeps_marks_by_hand(graded, tmp_path):
    before = places.copied("class_course", tmp_path)
    assert places.grades(graded) == places.grades(before)
    assert places.grades(graded)["ann", "recommendation"] == (None, 5)
    assert places.grades(graded)["bob", "efficiency-check"] == (0, 1)
    assert places.grades(graded, "exam_quiz") == places.grades(before, "exam_quiz")


def test_grade_keeps_dates_penalty_and_groups(graded):
    """Ann's work is late by its ``timestamp.txt``, which the folder's config believes; dan's mark is that of cid."""
    done = autograder("export", LAB, "--to", graded / "new.csv", "--root", graded)
    expected = table(EXPECTED / "marks.csv")
    # Columns may be added at the end.
    assert done.code == 1 and [row[: len(expected[0])] for row in table(graded / "new.csv")] == expected


def test_grade_names_work_from_an_earlier_release(course):
    done = autograder("grade", LAB, "--student", "bob", "--regrade", "--jobs", 1, "--root", course)
    assert "bob" in done.err and "`largest_batch-check` 2 -> 3 points" in done.err


def test_stock_autograde_gives_the_same_marks(course):
    before = places.grades(course)
    nbgrader_here(course, {}, "autograde", LAB, "--student=bob", "--force")
    assert places.grades(course) == before
