"""A changed or missing course secret is reported before anything is graded."""

import re

import pytest

from tests.grading import fakes
from tests.grading.fakes import answers, graded, press_autograde, run
from tests.grading.test_mishaps import grade  # noqa: F401  (a fixture)


@pytest.mark.parametrize(
    ("variable", "says"),
    [("CHIP2CLUSTER_SECRET", "the course secret is not that"), ("CHIP2CLUSTER_VALUES_KEY", "personal values is not")],
)
def test_other_secret_is_reported_before_anything_is_graded(course, monkeypatch, variable, says):
    course.submit("ann", answers(course, 1))
    run(course)
    graded(course)
    monkeypatch.setenv(variable, "another")
    before = fakes.contents(course)
    with pytest.raises(ValueError, match=says):
        run(course)
    assert not press_autograde(course, "ann")["success"]
    assert graded(course) == [] and fakes.contents(course) == before
    run(course, new_secret=True)
    assert run(course).reused == 1, "the new one is known now"
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.delenv("CHIP2CLUSTER_VALUES_KEY", raising=False)
    with pytest.raises(ValueError, match="--new-secret"):
        run(course)
    stored = (course.root / "autograder/work/secrets.json").read_text()
    assert "for the tests" not in stored and re.findall(r'"secret": "[0-9a-f]{8}"', stored)


def test_unset_secret_exits_with_two(course, monkeypatch, grade):  # noqa: F811
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(course.root / "record"))
    course.submit("ann", answers(course, 1))
    assert grade()[0] == 0
    monkeypatch.delenv("CHIP2CLUSTER_SECRET")
    code, said = grade()
    assert code == 2 and "CHIP2CLUSTER_SECRET is not set in this shell" in said and said.count("\n") == 1
    assert grade("--new-secret")[0] == 0
