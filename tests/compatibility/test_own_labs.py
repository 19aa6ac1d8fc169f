"""Labs that an instructor wrote for version d7a7ae7a, in a folder outside of the course."""

import pytest

from tests.compatibility import places
from tests.compatibility.places import DATA, marks, python

CHECK = """
from autograder import check, exercises
print(check("lab.power.bill", lambda watts, hours: 0.0).max_score)
print(sorted(name for name in exercises.exercises() if name.startswith("lab.power.")))
"""


@pytest.fixture
def ours(tmp_path):
    """A copy of the folder."""
    return places.copied("own_labs", tmp_path)


def test_doctor_passes_own_exercises_and_labs(ours):
    done = python("-m", "autograder", "doctor", cwd=ours)
    assert done.code == 0, done.out + done.err
    assert "2 exercises and 1 lab" in done.out and "6 named mistakes" in done.out


@pytest.mark.sandbox
def test_grade_marks_an_own_lab_the_same(ours):
    done = python("-m", "autograder", "grade", "20_power", "--regrade", "--jobs", 1, "--json", "new.json", cwd=ours)
    assert done.code == 0, done.err
    assert marks(ours / "new.json") == marks(DATA / "own_labs/expected/grade.json")


def test_variable_names_the_folder_of_own_exercises(ours, tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_EXERCISES", str(ours / "exercises"))
    done = python("-c", CHECK, cwd=tmp_path)
    assert done.out.splitlines()[-2:] == ["2", "['lab.power.bill', 'lab.power.hottest']"], done.err
